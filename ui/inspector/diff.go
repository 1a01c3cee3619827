package inspector

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// besideWidth is the width in cells from which the columns are beside each other; in fewer cells the
// original is above what is sent.
const besideWidth = 84

// Of a long text the sides show where it differs.
const (
	nearLines = 2  // lines of what is the same that are shown next to a difference
	maxLines  = 12 // lines of one difference that are shown
)

// diffLines draws a text as it is stored against the one that is sent instead, in w cells. A line with a part that
// the other side does not have begins with a sign, − or +, and that part is marked. There are none where both are
// blank, as for a repair that moved a message.
func diffLines(st theme.Styles, w int, original, sent string) []string {
	if original == "" && sent == "" || w < 4 {
		return nil
	}
	was, is := differ(original, sent)
	left := column{st: st, title: "original", sign: "−", style: st.Error, w: w}
	right := column{st: st, title: "sent instead", sign: "+", style: st.Seen, w: w}
	if w < besideWidth {
		return append(left.lines(was), right.lines(is)...)
	}
	left.w = (w - 1) / 2
	right.w = w - 1 - left.w
	before, after := left.lines(was), right.lines(is)
	h := max(len(before), len(after))
	before, after = theme.Blank(before, left.w, h), theme.Blank(after, right.w, h)
	for i := range before {
		before[i] += st.Faint.Render("│") + after[i]
	}
	return before
}

// column draws one side, cell by cell: a line breaks where it is full, as the text is shown exactly and not read.
type column struct {
	st    theme.Styles
	title string
	sign  string         // of a line that has what the other side has not
	style lipgloss.Style // of that part, and of the sign
	w     int

	out     []string
	line    strings.Builder // the one that is being written
	used    int             // cells of it
	differs bool            // something on it is not on the other side
}

func (c *column) lines(list []piece) []string {
	c.out = []string{theme.Fit("   "+c.st.Strong.Render(c.title), c.w)}
	if len(list) == 0 {
		return append(c.out, theme.Fit("   "+c.st.Faint.Render("(nothing)"), c.w))
	}
	for i, p := range list {
		for k, part := range c.abridge(p, i > 0, i < len(list)-1) {
			if k > 0 {
				c.note(part.skipped)
			}
			c.write(part.text, p.same)
		}
	}
	if c.used > 0 || len(c.out) == 1 {
		c.feed()
	}
	return c.out
}

// excerpt is a part of a piece, and how many characters before it are not shown.
type excerpt struct {
	skipped int
	text    string
}

// abridge leaves out of a piece what is far from a difference, and the middle of a long difference.
func (c *column) abridge(p piece, differsBefore, differsAfter bool) []excerpt {
	head, tail := maxLines*c.w, nearLines*c.w
	if p.same {
		head, tail = 0, 0
		if differsBefore {
			head = nearLines * c.w
		}
		if differsAfter || !differsBefore {
			tail = nearLines * c.w
		}
	}
	runes := []rune(legible(p.text))
	skipped := len(runes) - head - tail
	if skipped <= 0 {
		return []excerpt{{text: p.text}}
	}
	return []excerpt{{text: string(runes[:head])}, {skipped, string(runes[len(runes)-tail:])}}
}

// legible is a text with every byte that is none written as \xff, so that it differs from the
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

func (c *column) write(text string, same bool) {
	style := c.st.Text
	if !same {
		style = c.style.Underline(true)
	}
	run := ""
	flush := func() {
		if run != "" {
			c.line.WriteString(style.Render(run))
			c.differs = c.differs || !same
		}
		run = ""
	}
	for text = markdown.Visible(legible(text)); text != ""; {
		if strings.HasPrefix(text, "\n") {
			if !same {
				run += "↵" // a line's end that only one side has is seen
			}
			flush()
			c.feed()
			text = text[1:]
			continue
		}
		cluster, n := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if c.used+n > max(1, c.w-4) {
			flush()
			c.feed()
		}
		run += cluster
		c.used += n
		text = text[len(cluster):]
	}
	flush()
}

// note says that characters are left out, on a line of its own.
func (c *column) note(skipped int) {
	if c.used > 0 {
		c.feed()
	}
	c.out = append(c.out, theme.Fit("   "+c.st.Faint.Render("… "+theme.Plural(skipped, "more character")+" …"), c.w))
}

// feed ends a line.
func (c *column) feed() {
	lead := "   "
	if c.differs {
		lead = " " + c.style.Render(c.sign) + " "
	}
	c.out = append(c.out, theme.Fit(lead+c.line.String(), c.w))
	c.line.Reset()
	c.used, c.differs = 0, false
}
