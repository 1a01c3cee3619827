package history

import (
	"slices"
	"strings"
)

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
		cut := slices.ContainsFunc(e.Cuts, func(c CharRange) bool { return c.From <= at && at < c.To })
		if at < len(text) && !cut {
			b.WriteRune(text[at])
		}
	}
	return b.String()
}
