package history

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/message"
)

func TestAddedTextStandsAtAnEntry(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		latest, late := 0, slices.ContainsFunc(p.Entries, func(e Entry) bool { return hasRepair(e, "C10") })
		for _, a := range p.Added {
			if p.Messages[a.Before].Role == System {
				if a.At != 0 {
					t.Fatalf("added %+v stands in the system prompt, in front of everything\n%s\n%s", a, requestText(p), s)
				}
				continue
			}
			// A result that came late stands at its call, in front of older messages.
			if a.At < latest && !late {
				t.Fatalf("added %+v stands behind one of entry %d\n%s\n%s", a, latest, requestText(p), s)
			}
			latest = a.At
			if fault := misplaced(p, a, append(slices.Clone(s.past), s.o.Turn...)); fault != "" {
				t.Fatalf("added %+v: %s\n%s%s\n%s", a, fault, planText(p, nil), requestText(p), s)
			}
		}
	})
}

// misplaced says what is wrong with the entry that an added text names, judged by the request alone.
func misplaced(p Plan, a Added, messages []Message) string {
	if a.At < 0 || a.At > len(p.Entries) {
		return "there is no such entry"
	}
	at := a.Before
	if a.Kind == AddedStart || a.Kind == AddedBridge || a.Kind == AddedStandIn {
		at++ // it is a message of its own, unless it was sent as text
	}
	own := func(i int) bool {
		m := p.Messages[i]
		return m.ID == 0 && len(m.Parts) == 0 && slices.ContainsFunc(p.Added, func(other Added) bool { return other.Before == i && other.Text == m.Content })
	}
	for at < len(p.Messages) && own(at) {
		at++
	}
	if a.At == len(p.Entries) {
		if at < len(p.Messages) {
			return "a message follows it"
		}
		return ""
	}
	e := p.Entries[a.At]
	switch {
	case !e.Sent():
		return "that message is not sent"
	case (a.Kind == AddedMarker || a.Kind == AddedSummary) && p.Messages[a.Before].Role == User && e.Role != User:
		// The gap is in front of an answer: its marker stands at the end of the question, or alone.
		return ""
	case at == len(p.Messages):
		return "no message follows it"
	case p.Messages[at].ID == e.ID:
		return ""
	case p.Messages[at].ID != 0:
		return "another message follows it"
	}
	// Several were joined to one message.
	text := strings.TrimSpace(messages[a.At].Content)
	if len(e.Repairs) == 0 && len(e.Cuts) == 0 && len(e.Inserted) == 0 && !strings.Contains(p.Messages[at].Content, message.Clean(text)) {
		return "the message that follows it does not hold that text"
	}
	return ""
}

func hasRepair(e Entry, kind string) bool {
	return slices.ContainsFunc(e.Repairs, func(r Repair) bool { return r.Kind == kind })
}
