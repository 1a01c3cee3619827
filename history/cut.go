package history

import (
	"strconv"
	"strings"
	"unicode"
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

// prefixCut keeps the first keep code points and says so with a suffix. A text that already ends in this suffix behind
// so short a prefix is its own cut, and a suffix never makes a text longer.
func (l limits) prefixCut(text string, n, keep int, template string) shortened {
	if body, ok := cutBefore(text, template); ok && runes(body) <= keep {
		return shortened{text: text}
	}
	head := l.atWord(text, message.Prefix(text, keep))
	kept, suffix := runes(head), strings.ReplaceAll(template, "{n}", strconv.Itoa(n))
	if kept >= n || kept+runes(suffix) >= n && !l.longer {
		return shortened{text: text}
	}
	return shortened{text: head + suffix, cut: Range{kept, n}, note: suffix}
}

// wordChars is how many characters in front of a limit are looked at for the end of a word.
const wordChars = 12

// atWord is the beginning of a text without the word that it ends inside of, where that begins near its end.
func (l limits) atWord(text, head string) string {
	next, _ := utf8.DecodeRuneInString(text[len(head):])
	at := strings.LastIndexFunc(head, unicode.IsSpace)
	if l.exact || at <= 0 || unicode.IsSpace(next) || runes(head[at:]) > wordChars {
		return head
	}
	word := strings.TrimRightFunc(head[:at], unicode.IsSpace)
	if word == "" || message.Prefix(text, runes(word)) != word {
		return head // The blank belongs to a character in front of it.
	}
	return word
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
func (l limits) middleCut(text string, n, limit int) shortened {
	if n <= limit || cutInMiddle(text, limit) {
		return shortened{text: text}
	}
	head := l.atWord(text, message.Prefix(text, limit-limit/2))
	tail := suffixOf(text, limit/2)
	from, to := runes(head), n-runes(tail)
	note := middleBefore + strconv.Itoa(to-from) + middleAfter
	if from >= to || runes(note) >= to-from {
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
	return ok && runes(text[:at])+runes(tail) <= limit
}

// suffixOf is the longest run of whole grapheme clusters up to the end with at most n code points.
func suffixOf(text string, n int) string {
	if n <= 0 {
		return ""
	}
	// Clusters are found from the front; a window of a few times n from the end would begin at an
	// unknown place inside one, so the borders are found in one pass over the text.
	over := runes(text) - n
	g := graphemes.FromString(text)
	for g.Next() {
		if over <= 0 {
			return text[g.Start():]
		}
		over -= runes(g.Value())
	}
	return ""
}

func runes(s string) int { return utf8.RuneCountInString(s) }
