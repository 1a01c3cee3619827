package history

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"winnow/history/message"
)

// without returns a candidate whose text is head, a note and tail.
func (s *selection) without(v *candidate, head, note, tail string) rendering {
	text, cut := head+note+tail, CharRange{runes(head), v.chars - runes(tail)}
	return rendering{
		text: text, cut: cut, note: note, parts: v.Parts, chars: v.chars - (cut.To - cut.From),
		tokens: s.c.countCached(text) + v.tokens - v.textTokens,
	}
}

// exact reports whether a text is cut exactly at its limit, even inside a word or if little is saved.
func (s *selection) exact() bool {
	return s.o.Policy.Preset == "classic" || s.o.Policy.Preset == "assistant-first"
}

// prefixCut keeps the lead and then up to keep code points of the text, followed by a suffix. Texts that already end in
// such a suffix stay as they are. So do texts that the cut would not make shorter, except under the preset classic.
func (s *selection) prefixCut(v *candidate, lead string, keep int, template string) rendering {
	text := v.Content[len(lead):]
	if body, ok := cutBefore(text, template); ok && runes(body) <= keep {
		return v.whole()
	}
	n := v.chars - runes(lead)
	head := s.atWord(text, message.GraphemePrefix(text, keep))
	kept, suffix := runes(head), strings.ReplaceAll(template, "{n}", strconv.Itoa(n))
	if kept >= n || kept+runes(suffix) >= n && s.o.Policy.Preset != "classic" {
		return v.whole()
	}
	return s.without(v, lead+head, suffix, "")
}

// cutBefore returns the text in front of a suffix that an earlier cut added.
func cutBefore(text, template string) (string, bool) {
	before, after, numbered := strings.Cut(template, "{n}")
	if !numbered {
		return strings.CutSuffix(text, template)
	}
	rest, ok := strings.CutSuffix(text, after)
	digits := strings.TrimRight(rest, "0123456789")
	if !ok || len(digits) == len(rest) {
		return "", false
	}
	return strings.CutSuffix(digits, before)
}

// wordChars is how many characters in front of a limit are searched for the end of a word.
const wordChars = 12

// atWord returns head, a prefix of text, without the word that it cuts in two, if that word begins near the end.
func (s *selection) atWord(text, head string) string {
	next, _ := utf8.DecodeRuneInString(text[len(head):])
	at := strings.LastIndexFunc(head, unicode.IsSpace)
	if s.exact() || at <= 0 || unicode.IsSpace(next) || runes(head[at:]) > wordChars {
		return head
	}
	word := strings.TrimRightFunc(head[:at], unicode.IsSpace)
	if word == "" || message.GraphemePrefix(text, runes(word)) != word {
		return head // The space is part of a grapheme cluster.
	}
	return word
}

// middleNote matches the note in place of a text's middle.
var middleNote = regexp.MustCompile(`\n\[\.\.\. \d+ characters left out \.\.\.\]\n`)

// middleCut keeps the lead, then the head and the tail of the text, half the limit each, with a note of how much is
// missing between them. The end of a tool's output often says how it went.
func (s *selection) middleCut(v *candidate, lead string, limit int) rendering {
	text, n := v.Content[len(lead):], v.chars-runes(lead)
	if own := middleNote.FindString(text); n <= limit || own != "" && n-runes(own) <= limit {
		return v.whole()
	}
	head := s.atWord(text, message.GraphemePrefix(text, limit-limit/2))
	tail := suffixOf(text, limit/2)
	left := n - runes(head) - runes(tail)
	note := "\n[... " + strconv.Itoa(left) + " characters left out ...]\n"
	if left <= runes(note) {
		return v.whole()
	}
	return s.without(v, lead+head, note, tail)
}

// suffixOf returns the longest suffix of whole grapheme clusters with at most n code points.
func suffixOf(text string, n int) string {
	if n <= 0 {
		return ""
	}
	// Clusters have to be found from the front: their borders are not known at an arbitrary place near the end.
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
