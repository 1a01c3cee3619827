package history

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/message"
)

// carried is everything of a message beside what each server understands.
func carried(m Message) []string {
	list := []string{m.Reasoning, m.Replay}
	for _, c := range m.ToolCalls {
		list = append(list, c.Replay)
	}
	return list
}

// Keys go to the model that sent them, byte for byte, and reasoning where it is wanted back.
func TestWhatAReplyCarriedGoesToItsModelAlone(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		all := append(s.past[:len(s.past):len(s.past)], s.o.Turn...)
		for i, m := range p.Messages {
			what := strings.Join(carried(m), "")
			if what == "" {
				continue
			}
			if m.Role != Assistant || m.Origin != s.o.To || m.Origin == (Origin{}) {
				t.Fatalf("message %d of %+v carries %q to %+v\n%s", i, m.Origin, what, s.o.To, s)
			}
			if s.o.Profile.NoReplay && what != m.Reasoning || !s.o.Profile.EchoReasoning && m.Reasoning != "" {
				t.Fatalf("message %d carries %q to %+v\n%s", i, what, s.o.Profile, s)
			}
			came := func(original Message) bool {
				return original.Origin == m.Origin && (m.Replay == "" || m.Replay == original.Replay) &&
					(m.Reasoning == "" || m.Reasoning == original.Reasoning) &&
					(len(m.ToolCalls) > 0 || strings.HasPrefix(m.Content, message.ToValidUTF8(original.Content)) &&
						len(original.ToolCalls) == 0)
			}
			if !slices.ContainsFunc(all, came) {
				t.Fatalf("message %d carries %q with the text %q, which did not come together\n%s", i, what,
					m.Content, s)
			}
		}
	})
}
