package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// receiptIn sums up an answer in one line of w cells. Where that is too narrow the time goes first, then what was
// cached, then the counts; the tokens and the price stay.
func receiptIn(r record.Receipt, w int) string {
	line := ""
	for brief := range 5 {
		if line = receipt(r, brief); ansi.StringWidth(line) <= w {
			return line
		}
	}
	return markdown.Truncate(line, w, "…")
}

// quiet says that the model saw every message whole, and that nothing else is to be noticed: then the sum of the tokens,
// the price and the time are enough.
func quiet(r record.Receipt) bool {
	return r.Sent == r.Stored && r.Cut+r.Recalled+r.Repaired+r.Unread+r.Retries == 0 && !r.Cache.Missed()
}

// receipt is a receipt without the first so many of what can be dropped: the time, what was cached, the counts.
func receipt(r record.Receipt, brief int) string {
	var parts []string
	if brief < 4 && !quiet(r) {
		parts = append(parts, "saw "+theme.Thousands(r.Sent)+" of "+theme.Thousands(r.Stored))
	}
	for _, p := range []struct {
		n    int
		what string
	}{{r.Cut, "cut"}, {r.Recalled, "recalled"}, {r.Repaired, "repaired"}} {
		if p.n > 0 && brief < 3 {
			parts = append(parts, theme.Thousands(p.n)+" "+p.what)
		}
	}
	parts = append(parts, tokensOf(r, brief < 2))
	if cost := r.Cost.String(); cost != "" {
		parts = append(parts, cost)
	}
	if brief < 1 && r.Took > 0 {
		parts = append(parts, theme.Duration(r.Took))
	}
	if brief < 1 && r.Retries > 0 {
		parts = append(parts, "tried "+theme.Plural(r.Retries+1, "time"))
	}
	return strings.Join(parts, " · ")
}

// tokensOf is the tokens of a receipt, with those of the cache where they are wanted.
func tokensOf(r record.Receipt, cached bool) string {
	if quiet(r) {
		prompt, answer, sign := r.Usage.Prompt, r.Usage.Answer, ""
		if prompt <= 0 {
			prompt, sign = r.Expected, "~"
		}
		if answer <= 0 {
			answer, sign = r.Written, "~"
		}
		return sign + theme.Plural(prompt+answer, "token")
	}
	in := "~" + theme.Thousands(r.Expected) + " in"
	switch {
	case r.Unread > 0:
		in = "server read " + theme.Thousands(r.Usage.Prompt) + " of ~" + theme.Thousands(r.Unread)
	case r.Usage.Prompt > 0:
		in = theme.Thousands(r.Usage.Prompt) + " in"
		switch {
		case !cached:
		case r.Cache.Missed():
			in += " (" + theme.Thousands(r.Usage.Cached) + " of ~" + theme.Thousands(r.Cache.Reusable) + " cached)"
		case r.Usage.Cached > 0:
			in += " (" + theme.Thousands(r.Usage.Cached) + " cached)"
		}
	}
	switch {
	case r.Usage.Answer > 0:
		in += " / " + theme.Thousands(r.Usage.Answer) + " out"
	case r.Written > 0:
		in += " / ~" + theme.Thousands(r.Written) + " out"
	}
	return in
}
