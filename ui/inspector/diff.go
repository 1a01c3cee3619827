package inspector

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// block is a part of what is stored against what is sent of it: a message with its role, or one of its calls.
type block struct {
	role   string
	lacks  string // what stands on the side that is stored where only what is sent has the part, "" for others
	gone   string // what stands on the side that is sent where only what is stored has the part, "" for others
	fields []field
}

// field is a value with its name, as it is stored and as it is sent.
type field struct{ name, stored, sent string }

// differs reports whether what is sent is not what is stored.
func (b block) differs() bool {
	for _, f := range b.fields {
		if f.stored != f.sent {
			return true
		}
	}
	return b.gone+b.lacks != ""
}

// The layout of a comparison.
const (
	columnGap  = 4 // cells between what is stored and what is sent
	signCells  = 3 // the sign of a line, with a cell before and after it
	fieldCells = 2 // in front of the name of a field
)

// Of a long value the sides show where it differs.
const (
	nearLines = 2  // lines of what is the same that are shown next to a difference
	maxLines  = 12 // lines of one difference that are shown
)

// comparison draws blocks as they are stored against what is sent of them, on a screen of w cells: side by side, on a
// narrow screen one below the other. A line with a part that the other side does not have begins with a sign, − or +,
// and that part is underlined. There are no lines where there are no blocks.
func comparison(st theme.Styles, w int, blocks []block, when string) []string {
	if len(blocks) == 0 {
		return nil
	}
	g := theme.Gutter(w)
	edge := strings.Repeat(" ", g)
	each := w - 2*g
	beside := w >= theme.NarrowScreen
	if beside {
		each = (each - columnGap) / 2
	}
	left := column{st: st, sign: "−", style: st.Error, w: each}
	right := column{st: st, sign: "+", style: st.Seen, w: each}
	for i, b := range blocks {
		if i > 0 {
			left.blank()
			right.blank()
		}
		left.head(b.role)
		right.head(b.role)
		names := 0
		for _, f := range b.fields {
			names = max(names, theme.Width(f.name))
		}
		switch {
		case b.lacks != "":
			left.remark(b.lacks)
			right.fields(b.fields, names, func(f field) string { return f.sent })
		case b.gone != "":
			left.fields(b.fields, names, func(f field) string { return f.stored })
			right.remark(b.gone)
		default:
			for _, f := range b.fields {
				was, is := differ(f.stored, f.sent)
				left.field(f.name, names, was)
				right.field(f.name, names, is)
				if beside {
					level(&left, &right)
				}
			}
		}
		if beside {
			level(&left, &right)
		}
	}
	left.blank()
	right.blank()
	titles := [2]string{
		st.Strong.Render("Stored") + st.Muted.Render("  as received"), st.Strong.Render("Sent") +
			st.Muted.Render("  "+when),
	}
	if !beside {
		lines := []string{edge + theme.Fit(titles[0], each)}
		for _, s := range left.out {
			lines = append(lines, edge+left.ground(s))
		}
		lines = append(lines, "", edge+theme.Fit(titles[1], each))
		for _, s := range right.out {
			lines = append(lines, edge+right.ground(s))
		}
		return lines
	}
	gap := strings.Repeat(" ", columnGap)
	lines := []string{edge + theme.Fit(titles[0], each) + gap + theme.Fit(titles[1], each)}
	for i := range left.out {
		lines = append(lines, edge+left.ground(left.out[i])+gap+right.ground(right.out[i]))
	}
	return lines
}

// level makes both columns equally high.
func level(a, b *column) {
	for len(a.out) < len(b.out) {
		a.blank()
	}
	for len(b.out) < len(a.out) {
		b.blank()
	}
}

// column draws one side, cell by cell: a line breaks behind a blank, or where it is full and has none.
type column struct {
	st    theme.Styles
	sign  string         // of a line that has what the other side has not
	style lipgloss.Style // of that part, and of the sign
	w     int

	out     []string
	lead    string // in front of the text of the line that is being written
	rest    int    // how far the lines after it are indented
	line    strings.Builder
	used    int  // cells of it
	differs bool // something on it is not on the other side
	whole   bool // the other side has nothing of the block, so that no part is underlined
}

// ground is a line on the ground of code.
func (c *column) ground(s string) string {
	if !c.st.Tinted {
		return theme.Fit(c.st.Faint.Render("│")+s, c.w)
	}
	return theme.Ground(c.st.Tint, theme.Fit(" "+s, c.w))
}

func (c *column) blank() { c.out = append(c.out, "") }

// head is the first line of a block.
func (c *column) head(role string) {
	if len(c.out) == 0 {
		c.blank()
	}
	if role != "" {
		c.out = append(c.out, strings.Repeat(" ", signCells-1)+c.st.Keyword.Render(role))
	}
}

// remark is a line in place of fields.
func (c *column) remark(text string) {
	c.begin("", 0)
	c.line.WriteString(c.style.Render(text))
	c.differs = true
	c.feed()
}

// fields are fields that the other side does not have.
func (c *column) fields(list []field, names int, value func(field) string) {
	c.whole = true
	for _, f := range list {
		c.field(f.name, names, []piece{{value(f), false}})
	}
	c.whole = false
}

// field is a value behind its name, or below it where there is little room.
func (c *column) field(name string, names int, list []piece) {
	if !slices.ContainsFunc(list, func(p piece) bool { return p.text != "" }) {
		return
	}
	c.begin(name, names)
	for i, p := range list {
		for k, part := range c.abridge(p, i > 0, i < len(list)-1) {
			if k > 0 {
				c.note(part.skipped)
			}
			c.write(part.text, p.same)
		}
	}
	if c.used > 0 {
		c.feed()
	}
}

// begin begins a value.
func (c *column) begin(name string, names int) {
	c.rest = signCells - 1 + fieldCells
	c.lead = strings.Repeat(" ", fieldCells)
	if name == "" {
		return
	}
	c.lead += c.st.Text.Render(theme.Fit(name, names)) + "  "
	if wide := c.rest + names + 2; c.w-wide >= 3*wide {
		c.rest = wide
	}
}

// room is how many cells the text of a line has.
func (c *column) room() int {
	before := c.rest
	if c.lead != "" {
		before = signCells - 1 + theme.Width(c.lead)
	}
	return max(1, c.w-1-before-1)
}

// excerpt is a part of a piece, and how many characters before it are not shown.
type excerpt struct {
	skipped int
	text    string
}

// abridge leaves out of a piece what is far from a difference, and the middle of a long difference. Of a value without
// one it leaves the beginning.
func (c *column) abridge(p piece, differsBefore, differsAfter bool) []excerpt {
	w := max(1, c.w-c.rest-2)
	head, tail := maxLines*w, nearLines*w
	if p.same {
		head, tail = 0, 0
		if differsBefore || !differsAfter {
			head = nearLines * w
		}
		if differsAfter {
			tail = nearLines * w
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
	style := c.st.String
	if !same {
		style = c.style.Underline(!c.whole)
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
		if c.used+n > c.room() && c.used > 0 {
			tail := ""
			if at := strings.LastIndexByte(run, ' ') + 1; at > 0 && cluster != " " {
				run, tail = run[:at], run[at:] // The word goes to the next line whole.
			}
			flush()
			c.feed()
			run, c.used = tail, theme.Width(tail)
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
	c.line.WriteString(c.st.Muted.Render("… " + theme.Plural(skipped, "more character") + " …"))
	c.feed()
}

// feed ends a line.
func (c *column) feed() {
	sign := strings.Repeat(" ", signCells-1)
	if c.differs {
		sign = c.style.Render(c.sign) + " "
	}
	lead := c.lead
	if lead == "" {
		lead = strings.Repeat(" ", max(0, c.rest-(signCells-1)))
	}
	c.out = append(c.out, sign+lead+c.line.String())
	c.line.Reset()
	c.lead, c.used, c.differs = "", 0, false
}
