package history

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// The number shown is what the request costs: counted again from its messages it is never more, and
// the same where winnow put nothing between the texts.
func TestTheSumIsWhatTheRequestCosts(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		c := Read(s.past, s.o.Count)
		s.o.Profile.ToolIDLength = 0
		p, err := c.Build(s.o)
		again := frameRequest + s.o.Tools
		for _, m := range p.Messages {
			again += c.count(m.Content) + overhead(m, c.count) + frameMessage
			for _, text := range carried(m) {
				again += c.count(text)
			}
		}
		plain := err == nil && len(p.Added) == 0 && !s.o.Profile.MergeSameRole
		for _, v := range c.forEndpoint(s.o.narrowed()).candidates {
			plain = plain && !v.joins && v.role() != System
		}
		for _, v := range c.readTurn(s.o.Turn, s.o.Profile.ToolsAsText).candidates {
			plain = plain && !v.joins && v.role() != System
		}
		if again > p.Sum.Total || plain && again != p.Sum.Total {
			t.Fatalf("the sum says %d, counted again %d (plain %t)\n%s%s\n%s", p.Sum.Total, again, plain, planText(p, nil), requestText(p), s)
		}
	})
}

func TestAddedTextStandsWhereThePlanSays(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		for _, a := range p.Added {
			if a.Before < 0 || a.Before >= len(p.Messages) {
				t.Fatalf("added %+v is in no message\n%s\n%s", a, requestText(p), s)
			}
			pieces := []string{strings.TrimSpace(a.Text)}
			if a.Kind == AddedRecalled {
				pieces = strings.Split(a.Text, "\n") // texts that were said stand between them
			}
			rest := p.Messages[a.Before].Content
			for _, piece := range pieces {
				_, after, found := strings.Cut(rest, piece)
				if !found {
					t.Fatalf("%q of added %+v is not in its message\n%s\n%s", piece, a, requestText(p), s)
				}
				rest = after
			}
		}
		for _, i := range p.Next {
			if i < 0 || i >= len(s.past) || p.Entries.At(i).Level == Out || p.Entries.At(i).Pinned {
				t.Fatalf("message %d is not sent, or pinned, and is said to fall out next: %+v\n%s", i, p.Entries.At(i), s)
			}
		}
	})
}

// The cap on messages is kept, whatever the flags and the groups.
func TestNoMoreMessagesThanThePolicyAllows(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		sent, pinned := 0, 0
		for _, e := range p.Entries.List()[:len(s.past)] {
			if e.Role == System || e.Level == Out {
				continue
			}
			if sent++; e.Pinned || withPinned(e) {
				pinned++
			}
		}
		if limit := s.o.Policy.MaxMessages; sent > max(limit, 2*pinned) { // with their questions
			t.Fatalf("%d messages are sent, %d of them pinned, with a cap of %d\n%s\n%s", sent, pinned, limit, planText(p, nil), s)
		}
	})
}

// withPinned reports whether an entry is sent because it, or its tool group, is pinned.
func withPinned(e Entry) bool {
	return e.Cause.Code == cause.Pinned || e.Cause.Code == cause.PinnedByNote
}
