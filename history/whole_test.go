package history

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWholeIsWhole looks for the stored text of every message that a plan calls whole in the request
// itself, wherever it stands there: in its place, in the system prompt or in the recalled block.
func TestWholeIsWhole(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		s.o.Policy.Placement = rapid.SampledFrom([]Placement{Steady, InOrder}).Draw(t, "placement")
		plan, err := Build(s.past, s.o)
		if err != nil {
			return
		}
		stored := map[int64]Message{}
		for _, m := range append(s.past[:len(s.past):len(s.past)], s.o.Turn...) {
			stored[m.ID] = m
		}
		for _, e := range plan.Entries {
			if !e.Whole {
				continue
			}
			if !e.Sent() {
				t.Errorf("message %d is %s, and yet whole", e.ID, e.Disposition)
			}
			// What JSON cannot carry is sent as the sign that stands for it.
			if text := cleanText(stored[e.ID].Content); !holds(plan.Messages, text) {
				t.Errorf("message %d is said to be whole, but the request does not hold %q\n%s\n%s", e.ID, text, s, requestText(plan))
			}
		}
	})
}

func holds(messages []Message, text string) bool {
	for _, m := range messages {
		if strings.Contains(m.Content, text) {
			return true
		}
	}
	return false
}
