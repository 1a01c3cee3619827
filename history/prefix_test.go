package history

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/message"
)

// As many messages stay as the request after the next step back begins with.
func TestNextIsTakenOut(t *testing.T) {
	fewer, system := 0, 0
	check(t, func(t *rapid.T, s scene) {
		for i := range s.past {
			if m := &s.past[i]; !message.IsBlank(m.Content) {
				m.Content = fmt.Sprint(i, " ") + m.Content // Otherwise one text could take the place of another.
			}
		}
		c := Read(s.past, words)
		b := c.selectFor(s.o)
		p := b.plan()
		_, undone := b.nextToFall()
		for _, c := range undone {
			b.chosen[c.candidate] = c.before
		}
		without := b.plan()
		want := Alike(p.Messages, without.Messages)
		if p.Stays != want {
			t.Fatalf("%d messages stay, want %d\n%v\n%v\nbefore\n%v\nafter\n%v", p.Stays, want, s, p.Next,
				requestText(p), requestText(without))
		}
		if want < len(p.Messages) {
			fewer++
		}
		if len(p.Next) > 0 && want == 0 {
			system++
		}
	})
	t.Logf("in %d requests something would change, in %d of them all", fewer, system)
}
