package history

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"winnow/history/message"
)

// What a cut user message keeps free inside its limit for the suffix, and the limit from which on it does.
const (
	userReserve     = 100
	userReserveFrom = 1000
)

// shortened is a text at a detail level: what is sent, and which code points of the original are not.
type shortened struct {
	text string
	cut  Range  // empty where all of it is sent
	note string // what is in the place of the cut
}

// whole reports whether nothing was taken out.
func (s shortened) whole() bool { return s.cut == Range{} }

// withLead is the same with so many code points of text in front, which are not cut.
func (s shortened) withLead(lead string) shortened {
	s.text = lead + s.text
	if n := runes(lead); !s.whole() {
		s.cut = Range{s.cut.From + n, s.cut.To + n}
	}
	return s
}

// cutResult keeps the head and the tail of a tool's result. The caption of one that is sent as text is not part of it.
func cutResult(v *full, limit int) shortened {
	caption, text := v.Content[:v.Caption], v.Content[v.Caption:]
	return middleCut(text, v.chars-runes(caption), limit).withLead(caption)
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
	return shortened{text: head + suffix, cut: Range{kept, n}, note: suffix}
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
	return shortened{text: head + note + tail, cut: Range{from, to}, note: note}
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
