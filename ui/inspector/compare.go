package inspector

import (
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/aymanbagabas/go-udiff/lcs"

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
	return b.gone+b.lacks != "" || slices.ContainsFunc(b.fields, func(f field) bool { return f.stored != f.sent })
}

// names is how wide the names of its fields are.
func (b block) names() (w int) {
	for _, f := range b.fields {
		w = max(w, theme.Width(f.name))
	}
	return w
}

// words are runs of letters and digits, and every other character by itself.
var words = regexp.MustCompile(`[\pL\pN]+|(?s:.)`)

// differ takes two texts apart by what they have in common, word by word: what only one has is Changed.
func differ(before, after string) (was, is Page) {
	a, b := words.FindAllString(before, -1), words.FindAllString(after, -1)
	take := func(p *Page, k Kind, list []string) { p.add(k, strings.Join(list, "")) }
	at, bt := 0, 0
	for _, d := range lcs.DiffLines(a, b) { // it compares any texts, and these are words
		take(&was, Plain, a[at:d.Start])
		take(&was, Changed, a[d.Start:d.End])
		take(&is, Plain, b[bt:d.ReplStart])
		take(&is, Changed, b[d.ReplStart:d.ReplEnd])
		at, bt = d.End, d.ReplEnd
	}
	take(&was, Plain, a[at:])
	take(&is, Plain, b[bt:])
	return was, is
}

// abridged leaves out the middle of what is long.
func abridged(p Page) (short Page) {
	const head, tail = 200, 100 // characters
	for _, s := range p {
		if s.Kind == Changed {
			s.Text = strings.ReplaceAll(s.Text, "\n", "↵\n") // a line's end that only one side has is seen
		}
		if runes := []rune(s.Text); len(runes) > head+tail {
			short.add(s.Kind, string(runes[:head]))
			short.add(Quiet, "\n… "+theme.Plural(len(runes)-head-tail, "more character")+" …\n")
			s.Text = string(runes[len(runes)-tail:])
		}
		short.add(s.Kind, s.Text)
	}
	return short
}

// The layout of a comparison.
const (
	columnGap  = 4 // cells between what is stored and what is sent
	signCells  = 3 // the sign of a line, with a cell before and after it
	fieldCells = 2 // in front of the name of a field
)

// comparison draws blocks as they are stored against what is sent of them, on a screen of w cells: side by side, on a
// narrow screen one below the other. A line with a part that the other side does not have begins with a sign, − or +.
// There are no lines where there are no blocks.
func comparison(st theme.Styles, w int, blocks []block, when string) []string {
	if len(blocks) == 0 {
		return nil
	}
	edge := strings.Repeat(" ", theme.Gutter(w))
	each, beside := w-2*len(edge), w >= theme.NarrowScreen
	if beside {
		each = (each - columnGap) / 2
	}
	stored := column{Styles: st, sign: "−", style: st.Error, w: each}
	sent := column{Styles: st, sign: "+", style: st.Seen, w: each}
	level := func() {
		for beside && len(stored.lines) < len(sent.lines) {
			stored.lines = append(stored.lines, "")
		}
		for beside && len(sent.lines) < len(stored.lines) {
			sent.lines = append(sent.lines, "")
		}
	}
	for _, b := range blocks {
		stored.head(b.role)
		sent.head(b.role)
		stored.value("", 0, Page{{Changed, b.lacks}})
		sent.value("", 0, Page{{Changed, b.gone}})
		for _, f := range b.fields {
			switch was, is := differ(f.stored, f.sent); {
			case b.lacks != "":
				sent.value(f.name, b.names(), Page{{Changed, f.sent}})
			case b.gone != "":
				stored.value(f.name, b.names(), Page{{Changed, f.stored}})
			default:
				stored.value(f.name, b.names(), was)
				sent.value(f.name, b.names(), is)
				level()
			}
		}
		level()
	}
	left, right := stored.draw("Stored", "as received"), sent.draw("Sent", when)
	lines := slices.Concat(left, []string{""}, right)
	if beside {
		for i := range left {
			left[i] += strings.Repeat(" ", columnGap) + right[i]
		}
		lines = left
	}
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	return lines
}

// column is one side of a comparison.
type column struct {
	theme.Styles
	sign  string         // of a line that has what the other side has not
	style lipgloss.Style // of that part, and of the sign
	w     int
	lines []string
}

// head begins a block.
func (c *column) head(role string) {
	c.lines = append(c.lines, "", strings.Repeat(" ", signCells-1)+c.Keyword.Render(role))
}

// value adds a value behind its name, which is one of so many cells, in lines of the width of the column.
func (c *column) value(name string, names int, p Page) {
	lead := strings.Repeat(" ", fieldCells)
	if name != "" {
		lead += c.Text.Render(theme.Fit(name, names)) + "  "
	}
	room := max(1, c.w-signCells-theme.Width(lead)-1)
	var lines pager
	lines.write(abridged(p))
	for _, line := range lines.lines {
		for _, r := range rowsOf(line, room, room) {
			sign, shown := " ", ""
			for _, s := range r.Page {
				style := c.String
				switch s.Kind {
				case Changed:
					sign, style = c.style.Render(c.sign), c.style
				case Quiet:
					style = c.Muted
				}
				shown += style.Render(s.Text)
			}
			c.lines = append(c.lines, sign+" "+lead+shown)
			lead = strings.Repeat(" ", theme.Width(lead))
		}
	}
}

// draw is the column on the ground of code, under its title.
func (c *column) draw(title, about string) []string {
	lines := []string{theme.Fit(c.Strong.Render(title)+c.Muted.Render("  "+about), c.w)}
	for _, s := range append(c.lines, "") {
		if c.Tinted {
			lines = append(lines, theme.Ground(c.Tint, theme.Fit(" "+s, c.w)))
		} else {
			lines = append(lines, theme.Fit(c.Faint.Render("│")+s, c.w))
		}
	}
	return lines
}
