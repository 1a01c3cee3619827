package history

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"winnow/history/cause"
)

// The current message is cut only where the user chose that, and only where the request does not fit
// otherwise; what is left of it is a beginning of it and the suffix.
func TestTheCurrentMessageIsCutOnlyByTheUsersChoice(t *testing.T) {
	t.Parallel()
	policy, err := Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(11, 0))
	words := strings.Fields("the parser reads a rule née 東京 and then 👩‍👩‍👧 returns nothing at all")
	cut := 0
	for range 400 {
		var text strings.Builder
		for range 1 + random.IntN(1500) {
			text.WriteString(words[random.IntN(len(words))] + " ")
		}
		policy.Budget = 200 + random.IntN(2000)
		past := []Message{{ID: 1, Role: User, Content: "first question"}, {
			ID: 2, Role: Assistant,
			Content: strings.Repeat("answer ", random.IntN(300)) + ".",
		}}
		o := Options{Policy: policy, System: "Be brief.", Turn: []Message{{
			ID: 3, Role: User,
			Content: text.String(),
		}}, Window: 1 << 20}
		plain, plainErr := Build(past, o)
		o.CutCurrent = true
		plan, err := Build(past, o)
		if plainErr == nil {
			if err != nil || !reflect.DeepEqual(plan, plain) {
				t.Fatalf("a request that fits is another one where the user would cut it (%v)", err)
			}
			continue
		}
		if over := (*OverBudgetError)(nil); !errors.As(plainErr, &over) {
			t.Fatal(plainErr)
		}
		if err != nil {
			t.Fatalf("budget %d, %d bytes: %v", policy.Budget, text.Len(), err)
		}
		cut++
		e, last := plan.Entries[2], plan.Messages[len(plan.Messages)-1]
		if e.Disposition != Cut || len(e.Cuts) != 1 || e.Cause.Code != cause.CutByUser {
			t.Fatalf("the verdict is %+v, want cut by the user", e)
		}
		kept := string([]rune(text.String())[:e.Cuts[0].From])
		if !strings.HasSuffix(last.Content, kept+e.Inserted[0].Text) || last.Role != User {
			t.Fatalf("the request ends in %q, want a beginning of the message with its suffix", last.Content)
		}
		if plan.Sum.Used() > plan.Sum.Limit {
			t.Fatalf("the cut request has %d tokens of %d", plan.Sum.Used(), plan.Sum.Limit)
		}
	}
	if cut < 100 {
		t.Errorf("only %d of 400 requests had to be cut", cut)
	}
}
