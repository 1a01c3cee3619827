package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// fact is a part of a receipt. Where there is no room for all, those of rank 1 go first, then those of rank 2, then
// those of rank 3; the tokens and the price, of rank 0, stay.
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
		if ansi.StringWidth(line) <= w || least > 3 {
			return markdown.Truncate(line, w, "…")
		}
	}
}

// facts are the parts of a receipt. Where the model saw every message whole, and nothing else is to be noticed, the sum
// of the tokens, the price and the time are enough.
func facts(r record.Receipt, written int) []fact {
	var list []fact
	add := func(rank int, text string) {
		if text != "" {
			list = append(list, fact{text, rank})
		}
	}
	counted := func(n int, what string) string {
		if n == 0 {
			return ""
		}
		return theme.Thousands(n) + what
	}
	in, out := theme.Thousands(r.Usage.Prompt), theme.Thousands(r.Usage.Answer)
	if r.Usage.Prompt <= 0 {
		in = "~" + theme.Thousands(r.Expected)
	}
	if r.Usage.Answer <= 0 {
		out = "~" + theme.Thousands(written)
	}
	if r.Sent() == r.Stored && r.Cut+r.Recalled+r.Repaired+r.Unread+r.Retries == 0 && !r.Cache.Missed() {
		add(0, quietTokens(r, written))
	} else {
		add(3, "saw "+theme.Thousands(r.Sent())+" of "+theme.Thousands(r.Stored))
		add(3, counted(r.Cut, " cut"))
		add(3, counted(r.Recalled, " recalled"))
		add(3, counted(r.Repaired, " repaired"))
		switch cached := theme.Thousands(r.Usage.Cached); {
		case r.Unread > 0:
			add(0, "server read "+in+" of ~"+theme.Thousands(r.Unread))
		case r.Cache.Missed() && r.Usage.Prompt > 0:
			add(0, in+" in")
			add(2, " ("+cached+" of ~"+theme.Thousands(r.Cache.Reusable)+" cached)")
		default:
			add(0, in+" in")
			if r.Usage.Cached > 0 && r.Usage.Prompt > 0 {
				add(2, " ("+cached+" cached)")
			}
		}
		if r.Usage.Answer > 0 || written > 0 {
			add(0, " / "+out+" out")
		}
	}
	add(0, r.Cost.String())
	if r.Took > 0 {
		add(1, theme.Duration(r.Took))
	}
	if r.Retries > 0 {
		add(1, "tried "+theme.Plural(r.Retries+1, "time"))
	}
	return list
}

// quietTokens is the tokens of a request and its answer in one sum.
func quietTokens(r record.Receipt, written int) string {
	prompt, answer, sign := r.Usage.Prompt, r.Usage.Answer, ""
	if prompt <= 0 {
		prompt, sign = r.Expected, "~"
	}
	if answer <= 0 {
		answer, sign = written, "~"
	}
	return sign + theme.Plural(prompt+answer, "token")
}
