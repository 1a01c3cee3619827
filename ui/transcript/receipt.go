package transcript

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// fact is a part of a receipt. Where there is no room for all, those of rank 1 go first, then those of rank 2 and so
// on; the tokens and the price, of rank 0, stay.
type fact struct {
	text string
	rank int
}

// receiptLine sums up an answer in one line of w cells. Written is about how many tokens it has, where the server has
// not counted them.
func receiptLine(r record.Receipt, written, w int) string {
	facts := facts(r, written)
	for least := 1; ; least++ {
		line := ""
		for i, f := range facts {
			if f.rank != 0 && f.rank < least {
				continue
			}
			if i > 0 && line != "" && !strings.HasPrefix(f.text, " ") {
				line += " · "
			}
			line += f.text
		}
		if ansi.StringWidth(line) <= w || least > 4 {
			return markdown.Truncate(line, w, "…")
		}
	}
}

// facts are the parts of a receipt. Where the model saw every message whole, and nothing else is to be noticed, the sum
// of the tokens, the price and the time are enough.
func facts(r record.Receipt, written int) []fact {
	var list []fact
	add := func(rank int, wanted bool, text string) {
		if wanted {
			list = append(list, fact{text, rank})
		}
	}
	prompt, in := r.Usage.Prompt, ""
	if prompt <= 0 {
		prompt, in = r.Expected, "~"
	}
	answer, out := r.Usage.Answer, ""
	if answer <= 0 {
		answer, out = written, "~"
	}
	n := theme.Thousands
	if r.Sent() == r.Stored && r.Cut+r.Recalled+r.Repaired+r.Unread+r.Retries == 0 && !r.Cache.Missed() {
		add(0, true, cmp.Or(in, out)+theme.Plural(prompt+answer, "token"))
	} else {
		add(4, true, "saw "+n(r.Sent())+" of "+n(r.Stored))
		add(3, r.Cut > 0, n(r.Cut)+" cut")
		add(3, r.Recalled > 0, n(r.Recalled)+" recalled")
		add(3, r.Repaired > 0, n(r.Repaired)+" repaired")
		add(0, r.Unread > 0, "server read "+n(prompt)+" of ~"+n(r.Unread))
		add(0, r.Unread == 0, in+n(prompt)+" in")
		missed, cached := r.Cache.Missed(), " ("+n(r.Usage.Cached)
		if missed {
			cached += " of ~" + n(r.Cache.Reusable)
		}
		add(2, r.Unread == 0 && r.Usage.Prompt > 0 && (missed || r.Usage.Cached > 0), cached+" cached)")
		add(0, answer > 0, " / "+out+n(answer)+" out")
	}
	add(0, r.Cost.String() != "", r.Cost.String())
	add(1, r.Took > 0, theme.Duration(r.Took))
	add(1, r.Retries > 0, "tried "+theme.Plural(r.Retries+1, "time"))
	return list
}
