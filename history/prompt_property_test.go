package history

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPromptHoldsTheRequest finds every text of a request in its text form, in order, and the numbers
// of the form in the verdicts.
func TestPromptHoldsTheRequest(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		plan, err := Build(s.past, s.o)
		if err != nil {
			return
		}
		p := NewPrompt(plan)
		text, err := RenderPrompt(p, "{{range .Messages}}{{.Text}}\n{{end}}")
		if err != nil {
			t.Fatal(err)
		}
		rest := text
		for _, m := range plan.Messages {
			_, after, there := strings.Cut(rest, m.Content)
			if !there {
				t.Fatalf("the text form does not hold %q in its place:\n%s", m.Content, text)
			}
			rest = after
		}
		if p.Sent+p.Left != p.Stored || p.Stored != len(plan.Entries) {
			t.Errorf("%d sent and %d left are not %d", p.Sent, p.Left, p.Stored)
		}
		for _, m := range p.Messages {
			if m.Number > 0 && !plan.Entries[m.Number-1].Sent() {
				t.Errorf("message %d is shown, and is %s", m.Number, plan.Entries[m.Number-1].Disposition)
			}
		}
	})
}
