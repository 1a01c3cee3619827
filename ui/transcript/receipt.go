package transcript

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// receiptLine sums up an answer in one line of w cells. Where there is no room for all, the time goes first, then what
// was cached, the counts, and what the model saw; the tokens and the price stay. Written is about how many tokens the
// answer has, where the server has not counted them.
func receiptLine(r record.Receipt, written, w int) (line string) {
	for left := range 5 {
		if line = facts(r, written, left); ansi.StringWidth(line) <= w {
			break
		}
	}
	return markdown.Truncate(line, w, "…")
}

// facts are the parts of a receipt but for those that go at one of the first so many steps. Where the model saw every
// message whole, and nothing else is to be noticed, the sum of the tokens, the price and the time are enough.
func facts(r record.Receipt, written, steps int) (line string) {
	add := func(goes int, wanted bool, text string) {
		if !wanted || goes > 0 && goes <= steps {
			return
		}
		if line != "" && !strings.HasPrefix(text, " ") {
			line += " · "
		}
		line += text
	}
	count := func(counted, estimate int) (n int, sign string) {
		if counted > 0 {
			return counted, ""
		}
		return estimate, "~"
	}
	prompt, in := count(r.Usage.Prompt, r.Expected)
	answer, out := count(r.Usage.Answer, written)
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
	return line
}

// Receipt sums up an answer in one line.
func Receipt(r record.Receipt) string { return facts(r, 0, 0) }
