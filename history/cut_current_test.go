package history

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// The current message is cut only where the user chose that, and only where the request does not fit
// otherwise; what is left of it is a beginning of it and the suffix.
func TestTheCurrentMessageIsCutOnlyByTheUsersChoice(t *testing.T) {
	t.Parallel()
	cut := 0
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Repeat(rapid.SampledFrom([]string{"a rule ", "née ", "東京", "👩‍👩‍👧 "}).Draw(t, "text"), rapid.IntRange(1, 1500).Draw(t, "times"))
		past := []Message{{ID: 1, Role: User, Content: "first question"}, {
			ID: 2, Role: Assistant, Content: strings.Repeat("answer ", rapid.IntRange(1, 300).Draw(t, "answer")),
		}}
		o := Options{System: "Be brief.", Turn: []Message{{ID: 3, Role: User, Content: content}}, Window: 1 << 20}
		o.Policy, _ = Preset("balanced")
		o.Policy.Budget = rapid.IntRange(200, 2200).Draw(t, "budget")
		plain, plainErr := Build(past, o)
		o.CutCurrent = true
		plan, err := Build(past, o)
		over := new(OverBudgetError)
		if err != nil || plainErr != nil && !errors.As(plainErr, &over) {
			t.Fatalf("%v, and cut %v", plainErr, err)
		}
		if plainErr == nil {
			if !reflect.DeepEqual(plan, plain) {
				t.Fatal("a request that fits is another one where the user would cut it")
			}
			return
		}
		cut++
		e, last := plan.Entries[2], plan.Messages[len(plan.Messages)-1]
		if e.Disposition != Cut || len(e.Cuts) != 1 || e.Cause.Code != cause.CutByUser || plan.Sum.Used() > plan.Sum.Limit {
			t.Fatalf("the verdict is %+v of %+v, want cut by the user to what fits", e, plan.Sum)
		}
		kept := string([]rune(content)[:e.Cuts[0].From])
		if !strings.HasSuffix(last.Content, kept+e.Inserted[0].Text) || last.Role != User {
			t.Fatalf("the request ends in %q, want a beginning of the message with its suffix", last.Content)
		}
	})
	if cut == 0 {
		t.Error("no request had to be cut")
	}
}
