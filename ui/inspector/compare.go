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
// narrow screen one below the other. A line with a part that the other side does not have begins with a sign, − or +,
// and that part is underlined. There are no lines where there are no blocks.
func comparison(st theme.Styles, w int, blocks []block, when string) []string {
	if len(blocks) == 0 {
		return nil
	}
	edge := strings.Repeat(" ", theme.Gutter(w))
	each, beside := w-2*len(edge), w >= theme.NarrowScreen
	if beside {
		each = (each - columnGap) / 2
	}
	stored := column{st: st, sign: "−", style: st.Error, w: each}
	sent := column{st: st, sign: "+", style: st.Seen, w: each}
	for _, b := range blocks {
		stored.head(b.role)
		sent.head(b.role)
		names := 0
		for _, f := range b.fields {
			names = max(names, theme.Width(f.name))
		}
		for _, f := range b.fields {
			was, is := differ(strings.ToValidUTF8(f.stored, "<invalid bytes>"), f.sent)
			switch {
			case b.lacks != "":
				sent.value(f.name, names, Page{{Changed, f.sent}}, false)
				continue
			case b.gone != "":
				stored.value(f.name, names, Page{{Changed, f.stored}}, false)
				continue
			}
			stored.value(f.name, names, was, true)
			sent.value(f.name, names, is, true)
			if beside {
				level(&stored, &sent)
			}
		}
		stored.remark(b.lacks)
		sent.remark(b.gone)
		if beside {
			level(&stored, &sent)
		}
	}
	left := stored.draw("Stored", "as received")
	right := sent.draw("Sent", when)
	lines := slices.Concat(left, []string{""}, right)
	if beside {
		lines = left
		for i := range left {
			lines[i] += strings.Repeat(" ", columnGap) + right[i]
		}
	}
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	return lines
}

// level makes both columns equally high.
func level(a, b *column) {
	n := max(len(a.lines), len(b.lines))
	a.lines = append(a.lines, make([]string, n-len(a.lines))...)
	b.lines = append(b.lines, make([]string, n-len(b.lines))...)
}

// column is one side of a comparison.
type column struct {
	st    theme.Styles
	sign  string         // of a line that has what the other side has not
	style lipgloss.Style // of that part, and of the sign
	w     int
	lines []string
}

// head begins a block.
func (c *column) head(role string) {
	c.lines = append(c.lines, "")
	if role != "" {
		c.lines = append(c.lines, strings.Repeat(" ", signCells-1)+c.st.Keyword.Render(role))
	}
}

// remark adds what stands in place of fields, nothing for "".
func (c *column) remark(text string) {
	if text != "" {
		c.value("", 0, Page{{Changed, text}}, false)
	}
}

// value adds a value behind its name, in lines of the width of the column. What differs is underlined where the other
// side has something in its place.
func (c *column) value(name string, names int, p Page, underlined bool) {
	var text Page
	for _, s := range abridged(p) {
		if s.Kind == Changed {
			s.Text = strings.ReplaceAll(s.Text, "\n", "↵\n") // a line's end that only one side has is seen
		}
		text = append(text, s)
	}
	var lines pager
	lines.write(text)
	lead := strings.Repeat(" ", fieldCells)
	if name != "" {
		lead += c.st.Text.Render(theme.Fit(name, names)) + "  "
	}
	room := max(1, c.w-signCells-theme.Width(lead)-1)
	for _, line := range lines.lines {
		for _, r := range rowsOf(line, room, room) {
			sign, shown := " ", ""
			for _, s := range r.Page {
				style := c.st.String
				switch s.Kind {
				case Changed:
					sign, style = c.style.Render(c.sign), c.style.Underline(underlined)
				case Quiet:
					style = c.st.Muted
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
	lines := []string{theme.Fit(c.st.Strong.Render(title)+c.st.Muted.Render("  "+about), c.w)}
	for _, s := range append(c.lines, "") {
		if c.st.Tinted {
			lines = append(lines, theme.Ground(c.st.Tint, theme.Fit(" "+s, c.w)))
		} else {
			lines = append(lines, theme.Fit(c.st.Faint.Render("│")+s, c.w))
		}
	}
	return lines
}
