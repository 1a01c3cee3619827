package history

import (
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// The number shown is what the request costs: counted again from its messages it is never more, and
// the same where winnow put nothing between the texts.
func TestTheSumIsWhatTheRequestCosts(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		c := NewConversation(s.past, s.o.Count)
		s.o.Profile.ToolIDLength = 0
		p, err := c.Build(s.o)
		again := frameRequest + s.o.Tools
		for _, m := range p.Messages {
			again += c.count(m.Content) + overhead(&m, c.count) + frameMessage
			for _, text := range carried(m) {
				again += c.count(text)
			}
		}
		plain := err == nil && len(p.Added) == 0 && !s.o.Profile.MergeSameRole
		for _, v := range c.prepare(readingFor(s.o)).candidates {
			plain = plain && !v.JoinsPrevious && v.Role != System
		}
		for _, v := range c.turnFor(s.o, c.prepare(readingFor(s.o))).candidates {
			plain = plain && !v.JoinsPrevious && v.Role != System
		}
		if again > p.Sum.Total || plain && again != p.Sum.Total {
			t.Fatalf("the sum says %d, counted again %d (plain %t)\n%s%s\n%s", p.Sum.Total, again, plain, planText(p, nil), requestText(p), s)
		}
	})
}

// The cap on messages is kept, whatever the flags and the groups.
func TestNoMoreMessagesThanThePolicyAllows(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		sent, pinned := 0, 0
		for _, e := range p.Entries[:len(s.past)] {
			if e.Role == System || e.Level == LevelOut {
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
