package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// origin says where in the stored text of an item its rendered lines come from.
type origin struct {
	text  string
	cells [][]letter // of each line from the first of the text on, in order
}

// letter is a character on the screen that stands in the stored text.
type letter struct {
	cell     int
	from, to int // bytes of the text
}

// part is a piece of a stored text that is shown without what stands before it.
type part struct{ from, to int }

// origin is the origin of item i as it is drawn.
func (m *itemList) origin(i int, d *drawn) *origin {
	if d.origin == nil {
		parts := d.parts
		if parts == nil {
			parts = []part{{0, len(d.text)}}
		}
		lines := make([]string, 0, d.to-d.from)
		for _, line := range d.lines[d.from:d.to] {
			lines = append(lines, ansi.Strip(line))
		}
		d.origin = align(lines, m.entry(i).Text, parts)
	}
	return d.origin
}

// signsOfMarkdown are the characters of Markdown that are not on the screen.
const signsOfMarkdown = "*_~`#>|[]()!\\-+:<&"

// Rendered text is looked for in the stored one close by; where Markdown was changed so much that nothing fits, such as
// in a table with wrapped cells, a longer word may be found further on.
const (
	farthest   = 4000 // bytes
	surestWord = 4    // letters
)

// align finds the letters of rendered lines in the parts of a text that they show, in order.
func align(lines []string, text string, parts []part) *origin {
	o := &origin{text: text, cells: make([][]letter, len(lines))}
	at, now, lost := 0, 0, 0
	if len(parts) > 0 {
		at = parts[0].from
	}
	for n, line := range lines {
		cell := 0
		for line != "" {
			blank := len(line) - len(strings.TrimLeft(line, " "))
			cell += blank
			line = line[blank:]
			end := strings.IndexByte(line, ' ')
			if end < 0 {
				end = len(line)
			}
			word := line[:end]
			line = line[end:]
			var found []letter
			for k := now; k < len(parts) && found == nil; k++ {
				from := max(at, parts[k].from)
				if found = find(text[:parts[k].to], from, word, lost > 2 || k > now); found != nil {
					now = k
				}
			}
			if found == nil {
				if strings.ContainsFunc(word, unicode.IsLetter) {
					lost++
				}
				cell += ansi.StringWidth(word)
				continue
			}
			lost = 0
			at = found[len(found)-1].to
			for _, l := range found {
				l.cell += cell
				o.cells[n] = append(o.cells[n], l)
			}
			cell += ansi.StringWidth(word)
		}
	}
	return o
}

// find finds a word of the screen in a text from a place on, behind nothing but marks and blanks; far allows anything
// for a word that is long enough. nil is nowhere.
func find(text string, from int, word string, far bool) []letter {
	far = far && utf8.RuneCountInString(word) >= surestWord
	for at := from; at < len(text) && at < from+farthest; {
		if found := match(text, at, word); found != nil {
			return found
		}
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case strings.HasPrefix(text[at:], "]("):
			n += max(0, strings.IndexByte(text[at+1:min(len(text), at+farthest)], ')')+1)
		case r == '<':
			n += max(0, strings.IndexByte(text[at+1:min(len(text), at+200)], '>')+1)
		case unicode.IsSpace(r) || strings.ContainsRune(signsOfMarkdown, r) || far:
		case (unicode.IsDigit(r) || r == '.') && len(word) < 2: // the number of a list, which may be another
		default:
			return nil
		}
		at += n
	}
	return nil
}

// match is the letters of a word that stands at a place of a text, marks between them left out; nil where it does not.
func match(text string, at int, word string) []letter {
	var list []letter
	cell := 0
	for word != "" {
		cluster, width := ansi.FirstGraphemeCluster(word, ansi.GraphemeWidth)
		for !strings.HasPrefix(text[at:], cluster) {
			if len(list) == 0 || at >= len(text) || !strings.ContainsRune("*_~`\\[]", rune(text[at])) {
				return nil
			}
			at++
		}
		list = append(list, letter{cell, at, at + len(cluster)})
		at += len(cluster)
		cell += width
		word = word[len(cluster):]
	}
	return list
}

// span is the part of the text that cells of a line come from, false for none.
func (o *origin) span(d *drawn, line, from, to int) (lo, hi int, ok bool) {
	if line < d.from || line >= d.to {
		return 0, 0, false
	}
	for _, l := range o.cells[line-d.from] {
		if l.cell < from || l.cell >= to {
			continue
		}
		if !ok {
			lo, ok = l.from, true
		}
		hi = l.to
	}
	return lo, hi, ok
}

// extended is a part of the text with the marks of Markdown that belong to it: those at the beginning of its first
// line, and those at its ends that have their counterparts in it.
func (o *origin) extended(lo, hi int) string {
	begin := strings.LastIndexByte(o.text[:lo], '\n') + 1
	if strings.Trim(o.text[begin:lo], " \t0123456789."+signsOfMarkdown) == "" && strings.Contains(o.text[lo:hi], "\n") {
		lo = begin
	}
	for _, mark := range []string{"**", "__", "`", "~~", "*", "_"} {
		if strings.Count(o.text[lo:hi], mark)%2 == 0 {
			continue
		}
		switch {
		case strings.HasPrefix(o.text[hi:], mark):
			hi += len(mark)
		case strings.HasSuffix(o.text[:lo], mark):
			lo -= len(mark)
		}
	}
	return o.text[lo:hi]
}
