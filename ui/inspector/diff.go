package inspector

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Diff are a text as it is stored and as a request has it, shown against each other.
type Diff struct {
	original string
	sent     string
}

// DiffOf are the two sides of a repair. Both are blank where it changed no text, such as one that
// moved a message.
func DiffOf(r history.Repair) Diff { return Diff{r.Before, r.After} }

// Blank says that there is nothing to show.
func (s Diff) Blank() bool { return s.original == "" && s.sent == "" }

// besideWidth is the width in cells from which the sides stand beside each other; below it they stand
// above one another.
const besideWidth = 84

// Of a long text the sides show where it differs.
const (
	nearLines = 2  // lines of what is the same that are shown next to a difference
	mostLines = 12 // lines of one difference that are shown
)

// View draws the sides in w cells. A line with a part that the other side does not have has a sign at
// its margin, − or +, and that part is marked.
func (s Diff) View(st theme.Styles, w int) []string {
	if s.Blank() || w < 4 {
		return nil
	}
	was, is := differ(s.original, s.sent)
	if w < besideWidth {
		left := column{st, "original", "−", st.Bad, w}.lines(was)
		return append(left, column{st, "sent instead", "+", st.Good, w}.lines(is)...)
	}
	half := (w - 1) / 2
	left := column{st, "original", "−", st.Bad, half}.lines(was)
	right := column{st, "sent instead", "+", st.Good, w - 1 - half}.lines(is)
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		lines[i] = theme.Fit(at(left, i), half) + st.Frame.Render("│") + theme.Fit(at(right, i), w-1-half)
	}
	return lines
}

// at is the line i, or a blank one.
func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// column draws one side.
type column struct {
	st    theme.Styles
	title string
	sign  string         // of a line that has what the other side has not
	style lipgloss.Style // of that part, and of the sign
	w     int
}

func (c column) lines(list []piece) []string {
	lines := []string{theme.Fit("   "+c.st.Strong.Render(c.title), c.w)}
	if len(list) == 0 {
		return append(lines, theme.Fit("   "+c.st.Faint.Render("(nothing)"), c.w))
	}
	ink := writerFor(c)
	for i, p := range list {
		text := c.abridge(p, i > 0, i < len(list)-1)
		for k, s := range text {
			if k > 0 {
				ink.note(s.skipped)
			}
			ink.write(s.text, p.same)
		}
	}
	return append(lines, ink.end()...)
}

// stretch is a part of a piece, behind a number of characters that are not shown.
type stretch struct {
	skipped int
	text    string
}

// abridge leaves out of a piece what is far from a difference, and the middle of a long difference.
func (c column) abridge(p piece, differsBefore, differsAfter bool) []stretch {
	head, tail := mostLines*c.w, nearLines*c.w
	if p.same {
		head, tail = 0, 0
		if differsBefore {
			head = nearLines * c.w
		}
		if differsAfter || !differsBefore {
			tail = nearLines * c.w
		}
	}
	// Bytes bound characters, so that most texts are not counted.
	if len(p.text) <= head+tail {
		return []stretch{{text: p.text}}
	}
	runes := []rune(legible(p.text))
	skipped := len(runes) - head - tail
	if skipped <= 0 {
		return []stretch{{text: p.text}}
	}
	return []stretch{{text: string(runes[:head])}, {skipped, string(runes[len(runes)-tail:])}}
}

// legible is a text with every byte that is none written as \xff, so that it can be told from the
// character that is sent in its place.
func legible(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// writer writes pieces into lines of a column, cell by cell: a line breaks where it is full, as the text
// is shown exactly and not read.
type writer struct {
	c       column
	out     []string
	line    strings.Builder
	used    int
	differs bool // something on this line is not on the other side
}

func writerFor(c column) *writer { return &writer{c: c} }

// room is the cells of a line's text: its sign stands before it.
func (k *writer) room() int { return max(1, k.c.w-4) }

func (k *writer) write(text string, same bool) {
	style := k.c.st.Text
	if !same {
		style = k.c.style.Underline(true)
	}
	run := ""
	flush := func() {
		if run != "" {
			k.line.WriteString(style.Render(run))
			k.differs = k.differs || !same
		}
		run = ""
	}
	for text = markdown.Visible(legible(text)); text != ""; {
		if strings.HasPrefix(text, "\n") {
			if !same {
				run += "↵" // a line's end that only one side has is seen
			}
			flush()
			k.feed()
			text = text[1:]
			continue
		}
		cluster, n := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if k.used+n > k.room() {
			flush()
			k.feed()
		}
		run += cluster
		k.used += n
		text = text[len(cluster):]
	}
	flush()
}

// note says that characters are left out, on a line of its own.
func (k *writer) note(skipped int) {
	if k.used > 0 {
		k.feed()
	}
	k.out = append(k.out, theme.Fit("   "+k.c.st.Faint.Render("… "+theme.Plural(skipped, "more character")+" …"), k.c.w))
}

// feed ends a line.
func (k *writer) feed() {
	lead := "   "
	if k.differs {
		lead = " " + k.c.style.Render(k.c.sign) + " "
	}
	k.out = append(k.out, theme.Fit(lead+k.line.String(), k.c.w))
	k.line.Reset()
	k.used, k.differs = 0, false
}

// end is everything that was written.
func (k *writer) end() []string {
	if k.used > 0 || len(k.out) == 0 {
		k.feed()
	}
	return k.out
}
