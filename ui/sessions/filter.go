package sessions

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// LineOf is the line of a session.
func LineOf(hidden theme.Secrets, s store.Session) Line {
	label := markdown.OneLine(hidden.Line(s.Title), 200)
	if label == "" {
		label = "untitled"
	}
	if s.Parent != "" {
		label = theme.ForkMark + " " + label
	}
	tags := len(label)
	for _, tag := range s.Tags {
		label += " #" + markdown.OneLine(tag, 40)
	}
	return Line{Session: s, Label: label, Folded: Folded(label), tags: tags}
}

// Folded is a text in lower case, each character at the byte where it was; the text itself where lower
// case takes another number of bytes.
func Folded(s string) string {
	if lower := strings.ToLower(s); len(lower) == len(s) {
		return lower
	}
	return s
}

// match is a line that a filter leaves, and how well it fits.
type match struct{ Line, score int }

// How well a word fits a label: it begins a word there, it stands within one, or its letters stand apart.
// Those that stand apart fit the better the closer they are together.
const (
	beginsWord = 2000
	withinWord = 1000
	closest    = 500
)

// Matches are the lines that have every word of a filter, the best first and equals in the order of the
// list. The letters of a word stand in the label in their order, not always side by side. Without a
// filter they are all lines. among, where it is not nil, are the lines in question.
func Matches(lines []Line, among []match, filter string) []match {
	words := strings.Fields(Folded(filter))
	left := make([]match, 0, len(lines))
	if among == nil {
		for i := range lines {
			left = append(left, match{Line: i})
		}
		among = left
	}
	if len(words) == 0 {
		return among
	}
	left = make([]match, 0, len(among))
	for _, m := range among {
		if score, ok := scoreOf(lines[m.Line].Folded, words); ok {
			left = append(left, match{m.Line, score})
		}
	}
	slices.SortFunc(left, func(a, b match) int {
		return cmp.Or(b.score-a.score, a.Line-b.Line)
	})
	return left
}

// narrower is what a filter left, where one that was typed on from it can leave no more than that; nil
// where it can.
func narrower(shown []match, before, now string) []match {
	if strings.TrimSpace(before) == "" || !strings.HasPrefix(now, before) {
		return nil
	}
	return shown
}

// scoreOf says how well words fit a label, and whether all of them do.
func scoreOf(label string, words []string) (score int, ok bool) {
	for _, word := range words {
		from, to, whole := spotOf(label, word)
		switch {
		case to == 0:
			return 0, false
		case whole && begins(label, from):
			score += beginsWord
		case whole:
			score += withinWord
		default:
			score += max(0, closest-(to-from))
		}
	}
	return score, true
}

// spotOf is the part of a label in which the letters of a word stand, and whether they stand side by side.
// It ends at 0 where they do not stand there in their order.
func spotOf(label, word string) (from, to int, whole bool) {
	if at := wordIn(label, word); at >= 0 {
		return at, at + len(word), true
	}
	for _, r := range word {
		at := strings.IndexRune(label[to:], r)
		if at < 0 {
			return 0, 0, false
		}
		to += at + utf8.RuneLen(r)
	}
	from = to // Back from the end, the letters stand as close as they can.
	for _, r := range backwards(word) {
		from = strings.LastIndex(label[:from], string(r))
	}
	return from, to, false
}

// wordIn is where a word stands in a label, if it can at the beginning of a word there; -1 for nowhere.
func wordIn(label, word string) int {
	first := strings.Index(label, word)
	for at := first; at >= 0; {
		if begins(label, at) {
			return at
		}
		next := strings.Index(label[at+len(word):], word)
		if next < 0 {
			break
		}
		at += len(word) + next
	}
	return first
}

// begins says that a word of the label begins at a byte.
func begins(label string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(label[:at])
	return at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before)
}

func backwards(word string) []rune {
	letters := []rune(word)
	slices.Reverse(letters)
	return letters
}

// HitsIn are the bytes of a label at which the letters of a filter stand, rising.
func HitsIn(label, filter string) []int {
	var hits []int
	for _, word := range strings.Fields(Folded(filter)) {
		at, _, whole := spotOf(label, word)
		for _, r := range word {
			if !whole {
				at += max(0, strings.IndexRune(label[at:], r))
			}
			hits = append(hits, at)
			at += utf8.RuneLen(r)
		}
	}
	slices.Sort(hits)
	return slices.Compact(hits)
}
