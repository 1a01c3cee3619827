package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/cli/report"
)

// TestContextSaysWhatTheRequestHolds imports conversations made at random and compares what
// context --json says of every message with the bytes of context --wire.
func TestContextSaysWhatTheRequestHolds(t *testing.T) {
	t.Parallel()
	env := append(home(t), "WINNOW_MODEL=guide")
	winnow := winnowIn(t, env)
	met := map[string]int{}
	for seed := range uint64(2) {
		said, file := randomConversation(t, seed)
		id := string(idPattern.Find(winnow("sessions", "import", file)))
		for _, settings := range [][]string{
			{"--budget", "auto"},
			{"--budget", "1500", "--draft", "What was said of the gateway and the violin?"},
			{"--budget", "1500", "--draft", "What was said of the gateway and the violin?", "--placement", "in-order"},
			{"--preset", "classic", "--budget", "900"},
		} {
			args := append([]string{"context", id}, settings...)
			var plan report.ContextJSON
			if err := json.Unmarshal(winnow(append(args, "--json")...), &plan); err != nil {
				t.Fatal(err)
			}
			var body struct{ Messages []struct{ Content string } }
			if err := json.Unmarshal(winnow(append(args, "--wire")...), &body); err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, m := range body.Messages {
				texts = append(texts, m.Content)
			}
			for _, e := range plan.Entries {
				met[e.Disposition]++
			}
			t.Run(fmt.Sprint(seed, settings), func(t *testing.T) { compareEntries(t, said, plan, texts) })
		}
	}
	for _, d := range []string{"kept", "cut", "dropped", "recalled"} {
		if met[d] == 0 {
			t.Errorf("no message of any conversation is %s: %v", d, met)
		}
	}
}

// compareEntries checks every entry against what was said and what is sent.
func compareEntries(t *testing.T, said []string, plan report.ContextJSON, request []string) {
	if len(plan.Entries) != len(said) {
		t.Fatalf("there are %d entries, want one for each of %d messages", len(plan.Entries), len(said))
	}
	whole := 0
	for i, e := range plan.Entries {
		if want := fmt.Sprint("m-", i); e.Index != i || e.Label != want {
			t.Errorf("entry %d has index %d and label %q, want %d and %q", i, e.Index, e.Label, i, want)
		}
		runes := []rune(said[i])
		left := 0
		for _, c := range e.Cuts {
			left += c[1] - c[0]
		}
		if sent := e.Disposition == "kept" || e.Disposition == "cut" || e.Disposition == "recalled"; !sent {
			left = len(runes)
		}
		if e.CharsBefore != len(runes) || e.CharsAfter != len(runes)-left {
			t.Errorf("entry %d has %d of %d characters, want %d of %d: %+v", i, e.CharsAfter, e.CharsBefore, len(runes)-left, len(runes), e)
		}
		if e.Whole {
			whole++
		}
		if in := holdsText(request, said[i]); e.Whole && !in {
			t.Errorf("entry %d is said to be whole, and %q is not in the request", i, said[i])
		}
		for _, in := range e.Inserted {
			if !holdsText(request, in.Text) {
				t.Errorf("entry %d has %q inserted, which is not in the request", i, in.Text)
			}
		}
	}
	if whole == 0 {
		t.Error("no message is whole, so that nothing was compared")
	}
	if c := plan.Counts; c.Kept+c.Cut+c.Recalled+c.Dropped+c.Excluded+c.Quarantined+c.Blank != c.Stored || c.Stored != len(said) {
		t.Errorf("the counts do not add up: %+v", c)
	}
}

func holdsText(request []string, text string) bool {
	for _, m := range request {
		if strings.Contains(m, text) {
			return true
		}
	}
	return false
}

// randomConversation writes a conversation for import, the same for a seed, and returns what is said in it.
// Every text is another, so that one cannot be taken for another.
func randomConversation(t *testing.T, seed uint64) (said []string, file string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	words := strings.Fields("the gateway violin größer 猫が好き 👩‍👩‍👧‍👦 parser rain\n\nharbour <&> \"quoted\" budget é…")
	type message struct {
		ID      string `json:"id"`
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var list []message
	for i := range 30 + r.IntN(30) {
		text := []string{fmt.Sprintf("Message %d says:", i)}
		for range 1 + r.IntN(1+r.IntN(160)) {
			text = append(text, words[r.IntN(len(words))])
		}
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		said = append(said, strings.Join(text, " "))
		list = append(list, message{fmt.Sprint("m-", i), role, said[i]})
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "chat.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return said, file
}
