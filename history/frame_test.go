package history

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/message"
)

// What an entry says of cuts and insertions turns the stored text into the text of the request.
func TestAnEntryHasHowItsTextIsSent(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		request := requestTexts(p)
		for i, e := range p.Entries {
			if e.Level == Out {
				continue
			}
			m := append(slices.Clip(s.past), s.o.Turn...)[i]
			sent := replay([]rune(message.Clean(m.Content)), e)
			if !strings.Contains(request, sent) {
				t.Fatalf("message %d says it is sent as %q: cuts %v, inserted %+v\n%s\n%s", i, sent, e.Cuts, e.Inserted, requestText(p), s)
			}
			left := e.CharsBefore
			for _, c := range e.Cuts {
				left -= c.To - c.From
			}
			if left != e.CharsAfter || e.Whole != (len(e.Cuts) == 0) {
				t.Fatalf("message %d: %d of %d characters, cuts %v, whole %t\n%s", i, e.CharsAfter, e.CharsBefore, e.Cuts, e.Whole, s)
			}
		}
	})
}

func requestTexts(p Plan) string {
	var b strings.Builder
	for _, m := range p.Messages {
		b.WriteString(m.Content + "\x00")
	}
	return b.String()
}

// replay applies an entry's cuts and insertions to a text.
func replay(text []rune, e Entry) string {
	var b strings.Builder
	for at := 0; at <= len(text); at++ {
		for _, in := range e.Inserted {
			if in.At == at {
				b.WriteString(in.Text)
			}
		}
		cut := slices.ContainsFunc(e.Cuts, func(c Range) bool { return c.From <= at && at < c.To })
		if at < len(text) && !cut {
			b.WriteRune(text[at])
		}
	}
	return b.String()
}
