package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// unsentLines is how many lines of what is cut away are shown behind the marker.
const unsentLines = 2

// markerAt is the text that stands in the place of a cut, "" for none.
func markerAt(v *history.Entry, cut int) string {
	for _, in := range v.Inserted {
		if in.At == v.Cuts[cut].From || in.At == v.Cuts[cut].To {
			return in.Text
		}
	}
	return ""
}

// renderCut adds the lines of a message that is cut: what is sent of it, the marker in the place of the rest, how
// that begins, and how much of it there is.
func (m *itemList) renderCut(d *drawn, e *entry, v *history.Entry) {
	text, at := e.Text, 0 // what is left of the text, and the character that it begins with
	next := func(to int) string {
		n := runesEnd(text, to-at)
		before := text[:n]
		text, at = text[n:], max(at, to)
		return before
	}
	var seen strings.Builder
	for i, cut := range v.Cuts {
		head := next(cut.From)
		seen.WriteString(head)
		d.lines = append(d.lines, m.sent(e, head)...)
		rest := next(cut.To)
		left := m.appendUnsent(d, markerAt(v, i), rest, inFence(head))
		shown := runesEnd(rest, utf8.RuneCountInString(rest)-left)
		seen.WriteString(rest[:shown])
		begin := len(e.Text) - len(text) - len(rest)
		d.parts = append(d.parts, part{begin - len(head), begin + shown})
		if left > 0 {
			d.lines = append(d.lines, m.unsent(left))
		}
	}
	seen.WriteString(text)
	d.parts = append(d.parts, part{len(e.Text) - len(text), len(e.Text)})
	d.text = seen.String()
	d.lines = append(d.lines, m.sent(e, text)...)
}

// runesEnd is how many bytes the first n characters of a text take.
func runesEnd(text string, n int) int {
	for at := range text {
		if n--; n < 0 {
			return at
		}
	}
	return len(text)
}

// sent returns the lines of a part of a text that is sent.
func (m *itemList) sent(e *entry, part string) []string {
	part = shown(part)
	if e.Plain || e.Fold {
		return m.plain(e, part)
	}
	return m.md.Render(part)
}

// appendUnsent adds a marker and the beginning of what it stands for, as a continuation of the last line of prose. It
// returns how many characters of that are not shown.
func (m *itemList) appendUnsent(d *drawn, marker, rest string, newLine bool) (left int) {
	w, before := m.proseWidth(), ""
	if n := len(d.lines); n > d.from && !newLine && theme.Width(d.lines[n-1]) < w {
		before, d.lines = d.lines[n-1], d.lines[:n-1]
	}
	// All of it is wrapped as one text, in which a word of the same width stands for the line before.
	all := strings.Repeat("x", theme.Width(before))
	add := func(word string) {
		if all != "" {
			all += " "
		}
		all += word
	}
	for _, word := range strings.Fields(markdown.Visible(marker)) {
		add(word)
	}
	unsent, words := len(all), wordsOf(rest, 4*(unsentLines+1)*w)
	for i, word := range words {
		add(markdown.Visible(word.text))
		words[i].end = len(all)
	}
	lines, at, last := theme.Wrap(all, w), 0, -1
	for _, line := range lines {
		if at += len(all[at:]) - len(strings.TrimLeft(all[at:], " ")); last < 0 && at+len(line) > unsent {
			last = len(d.lines) + unsentLines - 1
		}
		shown, whole := line, last < 0 || len(d.lines) < last || at+len(line) == len(all) &&
			(len(words) == 0 || words[len(words)-1].last)
		if !whole {
			shown = markdown.Truncate(line, w-1, "")
		}
		end, paint := at+len(shown), ""
		if n := len(before); at == 0 && n > 0 {
			cells := theme.Width(before)
			paint, shown, at = before, shown[cells:], cells
		}
		paint += theme.Paint(shown, m.styles.Muted, []theme.Span{
			{From: 0, To: unsent - at, Style: m.styles.Cut.Bold(true)},
		})
		if !whole {
			paint += m.styles.Muted.Render("…")
		}
		d.lines, at = append(d.lines, paint), end
		if last >= 0 && len(d.lines) > last {
			break
		}
	}
	left = utf8.RuneCountInString(rest)
	for _, word := range words {
		if word.end > at {
			break
		}
		if left = word.left; word.last {
			left = 0
		}
	}
	return left
}

// word is a word of a text.
type word struct {
	text string
	left int  // the characters of the text behind it
	last bool // none of them is visible
	end  int  // where it ends in a line
}

// wordsOf returns the words of a text up to so many bytes.
func wordsOf(text string, most int) []word {
	var list []word
	left := utf8.RuneCountInString(text)
	for used := 0; used < most; {
		bare := strings.TrimLeftFunc(text, unicode.IsSpace)
		left -= utf8.RuneCountInString(text[:len(text)-len(bare)])
		if bare == "" {
			break
		}
		end := strings.IndexFunc(bare, unicode.IsSpace)
		if end < 0 {
			end = len(bare)
		}
		if end > most { // a frame does not wait for a word of a megabyte
			for end = most; !utf8.RuneStart(bare[end]); end-- {
			}
		}
		left -= utf8.RuneCountInString(bare[:end])
		text = bare[end:]
		list = append(list, word{
			text: bare[:end], left: left, last: strings.TrimSpace(text[:min(len(text), most)]) == "" &&
				len(text) <= most,
		})
		used += end
	}
	return list
}

// unsent is the line that says how much of a text is neither sent nor shown.
func (m *itemList) unsent(characters int) string {
	text := m.styles.Faint.Render("┄┄┄") + m.styles.Muted.Render(" "+theme.PluralOf(characters, "more character",
		"more characters")+", not sent")
	return m.hinted(text, keymap.Inspect, "reads them")
}
