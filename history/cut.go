package history

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"winnow/history/message"
	"winnow/history/repair"
)

// What a cut user message keeps free inside its limit for the suffix, and the limit from which on it does.
const (
	userReserve     = 100
	userReserveFrom = 1000
)

// shortened is a text at a level: what is sent, and which code points of the original are not.
type shortened struct {
	text   string
	cuts   []Range
	insert []Insert
}

// whole reports whether nothing was taken out.
func (s shortened) whole() bool { return len(s.cuts) == 0 }

// cutMessage brings a text of n code points to the limits of p. longer allows a result that is
// longer than the original, which only the classic preset does.
func cutMessage(p Policy, role Role, text string, n, assistantMax int) shortened {
	switch role {
	case User:
		if n <= p.UserMaxChars {
			return shortened{text: text}
		}
		keep := p.UserMaxChars
		if keep >= userReserveFrom {
			keep -= userReserve
		}
		return prefixCut(p, text, n, keep, p.UserSuffix)
	case Assistant:
		said := n
		if strings.HasSuffix(text, message.InterruptedSuffix) {
			said -= len(message.InterruptedSuffix) // The limit is for what was said.
		}
		if said <= assistantMax {
			return shortened{text: text}
		}
		return prefixCut(p, text, n, assistantMax, p.AssistantSuffix)
	case Tool:
		return cutResult(text, n, p.ToolMaxChars)
	}
	return shortened{text: text}
}

// cutResult keeps the head and the tail of a tool's result. The words in front of one that is sent as
// text are not part of it.
func cutResult(text string, n, limit int) shortened {
	lead := repair.Lead(text)
	s := middleCut(text[lead:], n-lead, limit)
	if s.text = text[:lead] + s.text; lead == 0 || s.whole() {
		return s
	}
	s.cuts[0].From, s.cuts[0].To = s.cuts[0].From+lead, s.cuts[0].To+lead
	s.insert[0].At += lead
	return s
}

// prefixCut keeps the first keep code points and says so with a suffix. A text that already ends in
// this suffix behind so short a prefix is its own cut, and a suffix never makes a text longer.
func prefixCut(p Policy, text string, n, keep int, template string) shortened {
	if body, ok := cutBefore(text, template); ok && utf8.RuneCountInString(body) <= keep {
		return shortened{text: text}
	}
	head := message.Prefix(text, keep)
	kept := utf8.RuneCountInString(head)
	suffix := strings.ReplaceAll(template, "{n}", strconv.Itoa(n))
	if kept+utf8.RuneCountInString(suffix) >= n && p.Preset != "classic" {
		return shortened{text: text}
	}
	if kept >= n {
		return shortened{text: text}
	}
	return shortened{text: head + suffix, cuts: []Range{{kept, n}}, insert: []Insert{{kept, suffix}}}
}

// cutBefore finds the text in front of one of winnow's own suffixes.
func cutBefore(text, template string) (string, bool) {
	before, after, numbered := strings.Cut(template, "{n}")
	if !numbered {
		return strings.CutSuffix(text, template)
	}
	rest, ok := strings.CutSuffix(text, after)
	if !ok {
		return "", false
	}
	digits := strings.TrimRight(rest, "0123456789")
	if len(digits) == len(rest) {
		return "", false
	}
	return strings.CutSuffix(digits, before)
}

// The words around the size of what a cut from the middle took out.
const (
	middleBefore = "\n[... "
	middleAfter  = " characters left out ...]\n"
)

// middleCut keeps the head and the tail of a text, half the limit each, with the size of the cut in
// between: the end of a tool's output often says how it went.
func middleCut(text string, n, limit int) shortened {
	if n <= limit || cutInMiddle(text, limit) {
		return shortened{text: text}
	}
	head := message.Prefix(text, limit-limit/2)
	tail := suffixOf(text, limit/2)
	from, to := utf8.RuneCountInString(head), n-utf8.RuneCountInString(tail)
	note := middleBefore + strconv.Itoa(to-from) + middleAfter
	if from >= to || utf8.RuneCountInString(note) >= to-from {
		return shortened{text: text}
	}
	return shortened{text: head + note + tail, cuts: []Range{{from, to}}, insert: []Insert{{from, note}}}
}

// cutInMiddle reports whether a text is what middleCut left of another.
func cutInMiddle(text string, limit int) bool {
	at := strings.Index(text, middleBefore)
	if at < 0 {
		return false
	}
	digits := strings.TrimLeft(text[at+len(middleBefore):], "0123456789")
	tail, ok := strings.CutPrefix(digits, middleAfter)
	return ok && utf8.RuneCountInString(text[:at])+utf8.RuneCountInString(tail) <= limit
}

// suffixOf is the longest run of whole grapheme clusters up to the end with at most n code points.
func suffixOf(text string, n int) string {
	if n <= 0 {
		return ""
	}
	// Clusters are found from the front; a window of a few times n from the end would begin at an
	// unknown place inside one, so the borders are found in one pass over the text.
	over := utf8.RuneCountInString(text) - n
	g := graphemes.FromString(text)
	for g.Next() {
		if over <= 0 {
			return text[g.Start():]
		}
		over -= utf8.RuneCountInString(g.Value())
	}
	return ""
}
