package markdown

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// run is a piece of a paragraph in one look.
type run struct {
	text  string
	look  look
	solid bool // it is broken at its spaces only where it takes more than half a line
	end   bool // the line ends here; the run has no text
}

// flow fills lines of at most its width with runs, words whole where they fit. A look ends with its
// line and begins again on the next one.
type flow struct {
	*painter
	width  int
	lines  []string
	widths []int // the cells of each line

	line strings.Builder
	used int    // the cells of line
	now  look   // what is open at the end of line
	open string // the sequence that opened it, "" for none

	word         []run // what is not on a line yet, without a place to break
	cells        int   // of word
	gap          []run // the spaces before it
	blank        int   // the cells of gap
	long         bool  // the beginning of word is on the line already
	before, last rune  // the last two characters of word, 0 for none
}

// flowed returns runs as lines of at most width cells.
func (p *painter) flowed(runs []run, width int) []string {
	f := flow{painter: p, width: max(width, 1)}
	for _, r := range runs {
		switch {
		case r.end:
			f.endWord()
			f.endLine()
		case r.solid && 2*cells(r.text) <= f.width:
			f.add(r.text, cells(r.text), r.look)
			f.before, f.last = 0, 0
		default:
			f.text(r.text, r.look)
		}
	}
	f.endWord()
	if f.used > 0 || len(f.lines) == 0 && len(runs) > 0 {
		f.endLine()
	}
	return f.lines
}

// resume begins with a line that is filled already.
func (f *flow) resume(line string) {
	if line == "" {
		return
	}
	f.line.WriteString(line)
	if strings.IndexByte(line, '\x1b') >= 0 {
		f.line.WriteString(reset + ansi.ResetHyperlink())
	}
	f.used = ansi.StringWidth(line)
	f.now.role = roles // no look: whatever follows begins its own
}

// text adds a text that may be broken at its spaces, between the characters of scripts that have none,
// and behind a hyphen.
func (f *flow) text(s string, l look) {
	for s != "" {
		n := plainPrefix(s)
		switch {
		case n == 0:
			cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			r, _ := utf8.DecodeRuneInString(cluster)
			if marked(r) {
				width = max(width, ansi.WcWidth.StringWidth(cluster))
			}
			f.breakBefore(r)
			f.add(cluster, width, l)
			f.before, f.last, n = f.last, r, len(cluster)
		case s[0] == ' ':
			f.endWord()
			f.gap = append(f.gap, run{text: s[:n], look: l})
			f.blank += n
		default:
			f.breakBefore(rune(s[0]))
			f.add(s[:n], n, l)
			if n > 1 {
				f.last = rune(s[n-2])
			}
			f.before, f.last = f.last, rune(s[n-1])
		}
		s = s[n:]
	}
}

// plainPrefix returns how many bytes at the beginning of s are spaces, or other ASCII up to a space or a
// hyphen; 0 where s begins with a character of more than one byte.
func plainPrefix(s string) int {
	n := 0
	for n < len(s) && s[n] < utf8.RuneSelf && (s[n] == ' ') == (s[0] == ' ') {
		n++
		if s[n-1] == '-' {
			break
		}
	}
	if n > 0 && n < len(s) && s[n] >= utf8.RuneSelf {
		if last, _ := ansi.FirstGraphemeCluster(s[n-1:], ansi.GraphemeWidth); len(last) > 1 {
			n-- // a mark follows that belongs to it
		}
	}
	return n
}

// breakBefore ends the word where a line may break before r.
func (f *flow) breakBefore(r rune) {
	switch {
	case f.last == 0 || closes(r) || opensText(f.last):
	case wide(r), wide(f.last) && letter(r), f.last == '-' && letter(f.before) && letter(r):
		f.endWord()
	}
}

// letter tells whether r is one.
func letter(r rune) bool { return unicode.IsLetter(r) }

// wide tells whether r belongs to a script that is written without spaces, two cells a character.
func wide(r rune) bool {
	return r >= 0x2e80 && r < 0xa4d0 || r >= 0xac00 && r < 0xd7b0 || r >= 0xf900 && r < 0xfb00 ||
		r >= 0xff01 && r <= 0xff60 || r >= 0x20000 && r < 0x40000
}

// marked tells whether r belongs to a script whose marks take cells of their own in many terminals: a line
// leaves room for them.
func marked(r rune) bool { return r >= 0x900 && r < 0x1100 || r >= 0x1700 && r < 0x1ab0 }

// closes tells whether r does not begin a line.
func closes(r rune) bool {
	return strings.ContainsRune("、。，．：；！？）］｝〉》」』】〕〗’”…ー々ゝゞ", r)
}

// opensText tells whether r does not end a line.
func opensText(r rune) bool { return strings.ContainsRune("（［｛〈《「『【〔〖‘“", r) }

// longWord is how many lines of a word are collected before they are placed.
const longWord = 8

// add adds text to the word.
func (f *flow) add(text string, width int, l look) {
	if last := len(f.word) - 1; last >= 0 && f.word[last].look == l {
		f.word[last].text += text
	} else {
		f.word = append(f.word, run{text: text, look: l})
	}
	if f.cells += width; f.cells > longWord*f.width {
		f.place()
		f.long = true
	}
}

// endWord puts the word on a line.
func (f *flow) endWord() {
	f.place()
	f.before, f.last, f.long = 0, 0, false
}

// place puts what there is of the word on a line, or on several where one is too short for it.
func (f *flow) place() {
	if len(f.word) == 0 {
		return
	}
	switch {
	case f.long: // its beginning is on the line
	case f.used+f.blank+f.cells <= f.width:
		f.put(f.gap)
		f.used += f.blank
	case f.used > 0:
		f.endLine()
	} // else the indent of the line gives way to its first word
	f.gap, f.blank = f.gap[:0], 0
	if f.used+f.cells <= f.width {
		f.put(f.word)
		f.used += f.cells
	} else {
		f.split()
	}
	f.word, f.cells = f.word[:0], 0
}

// split puts a word on lines that is longer than one.
func (f *flow) split() {
	for _, r := range f.word {
		for s := r.text; s != ""; {
			if n := min(f.width-f.used, len(s)); n > 0 && ascii(s[:n]) && (n == len(s) || s[n] < utf8.RuneSelf) {
				f.put([]run{{text: s[:n], look: r.look}})
				f.used += n
				s = s[n:]
			} else {
				cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
				s = s[len(cluster):]
				if w > f.width {
					cluster, w = "…", 1 // a wide character in one column
				}
				if f.used+w > f.width {
					f.endLine()
				}
				f.put([]run{{text: cluster, look: r.look}})
				f.used += w
			}
			if f.used >= f.width && s != "" {
				f.endLine()
			}
		}
	}
}

// put writes runs on the line.
func (f *flow) put(runs []run) {
	for _, r := range runs {
		if r.text == "" {
			continue
		}
		if r.look != f.now || f.line.Len() == 0 {
			f.close()
			f.now, f.open = r.look, f.sequence(r.look)
			if r.look.link != "" {
				f.line.WriteString(ansi.SetHyperlink(r.look.link, "id="+linkID(r.look.link)))
			}
			f.line.WriteString(f.open)
		}
		f.line.WriteString(r.text)
	}
}

// close ends the look that is open.
func (f *flow) close() {
	if f.open != "" {
		f.line.WriteString(reset)
	}
	if f.now.link != "" {
		f.line.WriteString(ansi.ResetHyperlink())
	}
	f.now, f.open = look{}, ""
}

// endLine ends the line.
func (f *flow) endLine() {
	f.close()
	f.lines, f.widths = append(f.lines, f.line.String()), append(f.widths, f.used)
	f.line.Reset()
	f.used, f.gap, f.blank = 0, f.gap[:0], 0
}

// linkID returns a name for a link, by which a terminal knows the parts of one that is on two lines.
func linkID(address string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(address))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

// cells returns the cells that a text without escape sequences takes.
func cells(s string) int {
	if ascii(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// ascii tells whether a text has nothing but ASCII in it.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
