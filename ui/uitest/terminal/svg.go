package terminal

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The size of a cell of a picture, in pixels: a 14-pixel monospace font is mostly 0.6 em wide.
const (
	cellWidth, cellHeight = 8.4, 19.0
	margin                = 14.0
)

// Page is the colours of a terminal where a program sets none.
type Page struct{ Background, Text color.RGBA }

// Cells are the cells of the screen, line by line. That of the cursor is reversed where the cursor is shown.
func (t *Terminal) Cells() [][]uv.Cell {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := make([][]uv.Cell, t.screen.Height())
	for y := range lines {
		lines[y] = make([]uv.Cell, t.screen.Width())
		for x := range lines[y] {
			lines[y][x] = *t.screen.CellAt(x, y)
		}
	}
	if cursor := t.screen.CursorPosition(); !t.screen.CursorHidden() {
		lines[cursor.Y][cursor.X].Style.Attrs ^= uv.AttrReverse
	}
	return lines
}

// SVG draws a screen as a picture. Each line of the screen is a line of the file, so that a difference can be read.
func SVG(cells [][]uv.Cell, page Page, title string) string {
	var b strings.Builder
	width := float64(len(cells[0]))*cellWidth + 2*margin
	height := float64(len(cells))*cellHeight + 2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%[1]g" height="%[2]g"`,
		width, height)
	fmt.Fprintf(&b, ` role="img" aria-label="%s">`+"\n<title>%[1]s</title>\n", escaped(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", hex(page.Background))
	fmt.Fprintf(&b, `<g transform="translate(%g %[1]g)" font-size="14" font-family="%s" style="%s">`+"\n", margin,
		"JetBrains Mono,Cascadia Mono,SF Mono,Menlo,DejaVu Sans Mono,Consolas,monospace",
		"white-space:pre;font-variant-ligatures:none")
	for y, line := range cells {
		if drawn := drawLine(line, page, float64(y)*cellHeight); drawn != "" {
			b.WriteString(drawn + "\n")
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// drawLine draws a line of cells in runs: the grounds first, then what stands on them.
func drawLine(line []uv.Cell, page Page, y float64) string {
	var under, over strings.Builder
	for from := 0; from < len(line); {
		to := from + 1
		for to < len(line) && line[to].Style.Equal(&line[from].Style) {
			to++
		}
		text, ground := colours(line[from].Style, page)
		x := float64(from) * cellWidth
		if ground != hex(page.Background) {
			fmt.Fprintf(&under, `<rect x="%.4g" y="%g" width="%.4g" height="%g" fill="%s"/>`,
				x, y, float64(to-from)*cellWidth, cellHeight, ground)
		}
		for part := from; part < to; {
			n := partLength(line[part:to])
			drawPart(&over, line[part:part+n], text, float64(part)*cellWidth, y)
			part += n
		}
		from = to
	}
	return under.String() + over.String()
}

// partLength is how many of the cells, at least one, are drawn at once: the same shape, or words with single blanks
// between them. A character that may come from another font, and be of another width there, is alone.
func partLength(cells []uv.Cell) int {
	first := cells[0].Content
	n := 1
	for ; n < len(cells); n++ {
		next := cells[n].Content
		switch {
		case next == "":
			continue // the second half of a wide character
		case shapes[first] != "" || first == " ":
			if next != first {
				return n
			}
		case !usual(first) || !usual(next) || next == " " && n+1 < len(cells) && !usual(cells[n+1].Content):
			return n
		case next == " " && (n+1 == len(cells) || cells[n+1].Content == " "):
			return n
		}
	}
	return n
}

// usual says that a monospace font has a character: letters, and the punctuation of a text.
func usual(text string) bool {
	return shapes[text] == "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r > 0x2ff && !strings.ContainsRune("–—‘’“”…·", r)
	})
}

// drawPart draws cells of one style that are blanks, one shape or a text.
func drawPart(b *strings.Builder, cells []uv.Cell, colour string, x, y float64) {
	if shape := shapes[cells[0].Content]; shape != "" {
		fmt.Fprintf(b, `<path transform="translate(%.4g %g)`, x, y)
		if len(cells) > 1 {
			fmt.Fprintf(b, ` scale(%d 1)`, len(cells))
		}
		fmt.Fprintf(b, `" fill="%s" fill-rule="evenodd" d="%s"/>`, colour, shape)
		return
	}
	var text strings.Builder
	for _, c := range cells {
		text.WriteString(c.Content)
	}
	if strings.TrimSpace(text.String()) == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%.4g" y="%g" fill="%s" textLength="%.4g"%s>%s</text>`,
		x, y+14, colour, float64(len(cells))*cellWidth, attributes(cells[0].Style), escaped(text.String()))
}

func attributes(s uv.Style) (out string) {
	if s.Attrs&uv.AttrBold != 0 {
		out += ` font-weight="bold"`
	}
	if s.Attrs&uv.AttrItalic != 0 {
		out += ` font-style="italic"`
	}
	if s.Underline != ansi.UnderlineNone {
		out += ` text-decoration="underline"`
	}
	if s.Attrs&uv.AttrStrikethrough != 0 {
		out += ` text-decoration="line-through"`
	}
	return out
}

// colours are the colours of a style, of a text and of the ground under it.
func colours(s uv.Style, page Page) (text, ground string) {
	text, ground = hex(page.Text), hex(page.Background)
	if s.Fg != nil {
		text = hex(s.Fg)
	}
	if s.Bg != nil {
		ground = hex(s.Bg)
	}
	if s.Attrs&uv.AttrReverse != 0 {
		return ground, text
	}
	return text, ground
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// shapes are the characters that are drawn and not written, as paths in a cell: lines must meet at the edges of the
// cells, and the marks of the messages be of one size, whatever font the reader has.
var shapes = map[string]string{
	"─": "M0 9h8.4v1H0z",
	"━": "M0 8.5h8.4v2H0z",
	"│": "M3.7 0h1v19h-1z",
	"┃": "M3.2 0h2v19h-2z",
	"╭": "M8.4 9h-2q-2.7 0-2.7 2.7V19h1v-7q0-2 2-2h1.7z",
	"╮": "M0 9h2q2.7 0 2.7 2.7V19h-1v-7q0-2-2-2H0z",
	"╰": "M8.4 10h-2q-2.7 0-2.7-2.7V0h1v7q0 2 2 2h1.7z",
	"╯": "M0 10h2q2.7 0 2.7-2.7V0h-1v7q0 2-2 2H0z",
	"├": "M3.7 0h1v9h3.7v1H4.7v9h-1z",
	"┤": "M3.7 0h1v19h-1v-9H0v-1h3.7z",
	"┬": "M0 9h8.4v1H4.7v9h-1v-9H0z",
	"┴": "M0 9h3.7V0h1v9h3.7v1H0z",
	"┼": "M3.7 0h1v9h3.7v1H4.7v9h-1v-9H0v-1h3.7z",
	"█": "M0 0h8.4v19H0z",
	"▌": "M0 0h4.2v19H0z",
	"▎": "M0 0h2.1v19H0z",
	"▏": "M0 0h1v19H0z",
	"▐": "M4.2 0h4.2v19H4.2z",
	"▀": "M0 0h8.4v9.5H0z",
	"▄": "M0 9.5h8.4V19H0z",
	"●": "M.5 9.5a3.7 3.7 0 0 1 7.4 0a3.7 3.7 0 0 1-7.4 0z",
	"○": "M.5 9.5a3.7 3.7 0 0 1 7.4 0a3.7 3.7 0 0 1-7.4 0zm1 0a2.7 2.7 0 0 0 5.4 0a2.7 2.7 0 0 0-5.4 0z",
	"◐": "M.5 9.5a3.7 3.7 0 0 1 7.4 0a3.7 3.7 0 0 1-7.4 0zm3.7-2.7v5.4a2.7 2.7 0 0 0 0-5.4z",
	"⊘": "M.5 9.5a3.7 3.7 0 0 1 7.4 0a3.7 3.7 0 0 1-7.4 0zm1.3 1l3.4-3.4a2.7 2.7 0 0 0-3.4 3.4zm4.8-2l-3.4 3.4a2.7 " +
		"2.7 0 0 0 3.4-3.4z",
	"◆": "M4.2 5.3l4.2 4.2l-4.2 4.2L0 9.5z",
	"▲": "M4.2 5.5l4.2 7.6H0z",
	"✚": "M2.9 5.5h2.6v2.7h2.7v2.6H5.5v2.7H2.9v-2.7H.2V8.2h2.7z",
}

// escaped is a text as it may stand in an SVG file.
func escaped(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // A builder takes everything.
	}
	return b.String()
}
