package cli

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The measures of a picture in its own units, which are pixels at its natural size.
const (
	cellWidth  = 8.4 // of a 14-pixel monospace font: most of them are 0.6 em wide
	cellHeight = 19.0
	fontSize   = 14
	baseline   = 14.0 // from the top of a cell
	margin     = 14.0 // around the screen
)

// pageColours are those of a terminal without colours of its own.
type pageColours struct {
	name             string
	background, text string // as RRGGBB
}

var (
	darkPage  = pageColours{"dark", "15171b", "d5d8de"}
	lightPage = pageColours{"light", "fcfcfa", "2b2e34"}
)

// reply is the background as a terminal answers it to a program.
func (c pageColours) reply() string {
	r := c.background
	return "rgb:" + r[0:2] + "/" + r[2:4] + "/" + r[4:6]
}

// picture draws a screen as an SVG file. It depends on the cells alone, and not on what changes from run to run (see
// steady). Each line of the screen is a line of the file, so that a difference can be read.
func picture(s *screen, page pageColours, title string) string {
	width, height := float64(s.width)*cellWidth+2*margin, float64(s.height)*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img" aria-label="%s">`+"\n",
		measure(width), measure(height), escaped(title))
	fmt.Fprintf(&b, "<title>%s</title>\n", escaped(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#%s"/>`+"\n", page.background)
	fmt.Fprintf(&b, `<g transform="translate(%s %s)" font-family="JetBrains Mono,Cascadia Mono,SF Mono,Menlo,DejaVu Sans Mono,Consolas,monospace" font-size="%d" style="white-space:pre;font-variant-ligatures:none">`+"\n",
		measure(margin), measure(margin), fontSize)
	for y, line := range s.cells {
		line = steady(line)
		p := painter{page: page, top: float64(y) * cellHeight}
		for x, c := range line {
			if !s.hidden && x == s.x && y == s.y {
				c.style.Attrs ^= uv.AttrReverse
			}
			p.cell(x, c)
		}
		p.flush()
		if p.under.Len()+p.over.Len() > 0 {
			b.WriteString(p.under.String() + p.over.String() + "\n")
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// steady is a line without what is another at every run: it holds something else in its place. What follows keeps its
// own place where there is a gap in between.
func steady(line []screenCell) []screenCell {
	for _, c := range changing {
		line = replaced(line, c.pattern, c.by)
	}
	return line
}

// changing is what is another at every run: how long an answer took, and the beginning of a session's id.
var changing = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`\b\d+(\.\d+)? m?s\b`), "1.9 s"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{1,4}(-[0-9a-f-]*)?`), "01999f0e-1c2d"},
}

// replaced is a line with another text wherever a pattern is found.
func replaced(line []screenCell, pattern *regexp.Regexp, by string) []screenCell {
	text, at := "", []int{} // at is the cell of each byte
	for x, c := range line {
		text += c.text
		for range len(c.text) {
			at = append(at, x)
		}
	}
	var out []screenCell
	from := 0
	for _, f := range pattern.FindAllStringIndex(text, -1) {
		start, end := at[f[0]], at[f[1]-1]+1
		out = append(out, line[from:start]...)
		for _, r := range by {
			out = append(out, screenCell{string(r), line[start].style})
		}
		// The blanks behind it give way to a longer text, and fill the place of a shorter one.
		for from = end; from < len(line) && line[from].text == " " && len(out) > from; {
			from++
		}
		for len(out) < from {
			out = append(out, screenCell{" ", line[start].style})
		}
	}
	out = append(out, line[from:]...)
	return out[:min(len(out), len(line))]
}

// painter collects what one line of the screen is drawn of: backgrounds under, everything else over them. Neighbours
// that look alike are drawn at once.
type painter struct {
	page        pageColours
	top         float64 // of the line
	under, over strings.Builder
	run         strings.Builder // text that is not yet written
	runAt       int             // its first cell
	runEnd      int             // the cell behind it
	look        look
	fill        strip // the background
	underline   strip
	rule        [2]strip // the horizontal line through the middle of the cells, thin and thick
}

// strip is a row of cells that has one colour and is not yet drawn. Without a colour there is nothing to draw.
type strip struct {
	colour  string
	at, end int
}

// grow adds a cell. What cannot grow is given to draw, and a new strip begins.
func (s *strip) grow(x int, colour string, draw func(x, width float64, colour string)) {
	if colour == s.colour && x == s.end {
		s.end++
		return
	}
	if s.colour != "" {
		draw(float64(s.at)*cellWidth, float64(s.end-s.at)*cellWidth, s.colour)
	}
	*s = strip{colour, x, x + 1}
}

// look is how a text is drawn.
type look struct {
	colour       string
	bold, italic bool
	strike       bool
}

func (p *painter) cell(x int, c screenCell) {
	text, background := p.colours(c.style)
	fill, under, rules := background, "", [2]string{}
	if background == p.page.background {
		fill = ""
	}
	if c.style.Underline != ansi.UnderlineNone {
		under = text
	}
	switch c.text {
	case "─":
		rules[0] = text
	case "━":
		rules[1] = text
	}
	p.strips(x, fill, under, rules)
	if c.text == "" || rules != [2]string{} {
		return // The first half of the character has drawn it, or the rule does.
	}
	if shape := drawn(c.text, float64(x)*cellWidth, p.top, text); shape != "" {
		p.flushText()
		p.over.WriteString(shape)
		return
	}
	l := look{
		colour: text,
		bold:   c.style.Attrs&uv.AttrBold != 0,
		italic: c.style.Attrs&uv.AttrItalic != 0,
		strike: c.style.Attrs&uv.AttrStrikethrough != 0,
	}
	// What is likely to come from another font stands at its own place, because it may be wider or narrower there.
	strange := strings.IndexFunc(c.text, func(r rune) bool { return r > 0x2ff && !strings.ContainsRune("–—‘’“”…·", r) }) >= 0
	if c.text == " " && (p.run.Len() == 0 || strings.HasSuffix(p.run.String(), " ")) {
		p.flushText() // What stands behind a gap has a place of its own.
		return
	}
	if l != p.look && c.text != " " || x != p.runEnd || strange {
		p.flushText()
		p.look, p.runAt = l, x
	}
	if p.run.Len() == 0 {
		p.look, p.runAt = l, x
	}
	p.run.WriteString(c.text)
	p.runEnd = x + 1
	if strange {
		p.flushText()
	}
}

// strips adds a cell to what is drawn over several cells at once.
func (p *painter) strips(x int, fill, under string, rules [2]string) {
	p.fill.grow(x, fill, func(x, width float64, colour string) {
		p.under.WriteString(rect(x, p.top, width, cellHeight, colour))
	})
	p.underline.grow(x, under, func(x, width float64, colour string) {
		p.over.WriteString(rect(x, p.top+baseline+2, width, 1, colour))
	})
	for i := range rules {
		p.rule[i].grow(x, rules[i], func(x, width float64, colour string) {
			weight := float64(i + 1)
			p.over.WriteString(rect(x, p.top+cellHeight/2-weight/2, width, weight, colour))
		})
	}
}

// flush draws what is left. The line ends here.
func (p *painter) flush() {
	p.strips(-1, "", "", [2]string{})
	p.flushText()
}

func (p *painter) flushText() {
	text := strings.TrimRight(p.run.String(), " ")
	p.run.Reset()
	if text == "" {
		return
	}
	attributes := ""
	if p.look.bold {
		attributes += ` font-weight="bold"`
	}
	if p.look.italic {
		attributes += ` font-style="italic"`
	}
	if p.look.strike {
		attributes += ` text-decoration="line-through"`
	}
	if n := ansi.StringWidth(text); n > 1 {
		attributes += fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, measure(float64(n)*cellWidth))
	}
	fmt.Fprintf(&p.over, `<text x="%s" y="%s" fill="#%s"%s>%s</text>`,
		measure(float64(p.runAt)*cellWidth), measure(p.top+baseline), p.look.colour, attributes, escaped(text))
}

// colours are the colours of a cell as RRGGBB.
func (p *painter) colours(s uv.Style) (text, background string) {
	text, background = p.page.text, p.page.background
	if s.Fg != nil {
		text = hex(s.Fg)
	}
	if s.Bg != nil {
		background = hex(s.Bg)
	}
	if s.Attrs&uv.AttrReverse != 0 {
		text, background = background, text
	}
	if s.Attrs&uv.AttrFaint != 0 {
		text = mixed(text, background)
	}
	if s.Attrs&uv.AttrConceal != 0 {
		text = background
	}
	return text, background
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8)
}

// mixed is a colour of which 3 of 5 parts are of the first one: how terminals draw faint text.
func mixed(a, b string) string {
	var x, y [3]int
	fmt.Sscanf(a, "%02x%02x%02x", &x[0], &x[1], &x[2])
	fmt.Sscanf(b, "%02x%02x%02x", &y[0], &y[1], &y[2])
	for i := range x {
		x[i] = (3*x[i] + 2*y[i]) / 5
	}
	return fmt.Sprintf("%02x%02x%02x", x[0], x[1], x[2])
}

func rect(x, y, width, height float64, colour string) string {
	return fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s" fill="#%s" shape-rendering="crispEdges"/>`, measure(x), measure(y), measure(width), measure(height), colour)
}

// boxArms are the box-drawing characters as their four arms: up, right, down and left; 1 is thin, 2 thick. The
// painter draws ─ and ━ itself.
var boxArms = map[string][4]int{
	"│": {1, 0, 1, 0}, "┃": {2, 0, 2, 0},
	"┌": {0, 1, 1, 0}, "┐": {0, 0, 1, 1}, "└": {1, 1, 0, 0}, "┘": {1, 0, 0, 1},
	"├": {1, 1, 1, 0}, "┤": {1, 0, 1, 1}, "┬": {0, 1, 1, 1}, "┴": {1, 1, 0, 1}, "┼": {1, 1, 1, 1},
	"╴": {0, 0, 0, 1}, "╵": {1, 0, 0, 0}, "╶": {0, 1, 0, 0}, "╷": {0, 0, 1, 0},
	"╸": {0, 0, 0, 2}, "╹": {2, 0, 0, 0}, "╺": {0, 2, 0, 0}, "╻": {0, 0, 2, 0},
}

// arcs are the rounded corners, by the edges that they join.
var arcs = map[string]string{"╭": "down right", "╮": "down left", "╰": "up right", "╯": "up left"}

// dashes are the broken lines: their pieces in a cell, and whether they stand upright.
var dashes = map[string]struct {
	pieces  int
	upright bool
}{"┄": {3, false}, "┈": {4, false}, "╌": {2, false}, "┆": {3, true}, "┊": {4, true}, "╎": {2, true}}

// drawn is a character as a shape, where fonts differ too much: lines must meet at the edges of the cells, and
// the marks of the messages be of one size. It is empty for a character that is written.
func drawn(text string, x, y float64, colour string) string {
	midX, midY := x+cellWidth/2, y+cellHeight/2
	if arms, ok := boxArms[text]; ok {
		if arms[0] == arms[2] && arms[1]+arms[3] == 0 {
			return arm(midX, y, float64(arms[0]), 0, cellHeight, true, colour)
		}
		up, right, down, left := float64(arms[0]), float64(arms[1]), float64(arms[2]), float64(arms[3])
		return arm(midX, y, up, max(left, right), cellHeight/2, true, colour) +
			arm(midX, midY, down, 0, cellHeight/2, true, colour) +
			arm(x, midY, left, max(up, down), cellWidth/2, false, colour) +
			arm(midX, midY, right, 0, cellWidth/2, false, colour)
	}
	if to, ok := arcs[text]; ok {
		endY, endX := y, x
		if strings.HasPrefix(to, "down") {
			endY = y + cellHeight
		}
		if strings.HasSuffix(to, "right") {
			endX = x + cellWidth
		}
		return fmt.Sprintf(`<path d="M%s %sQ%s %[2]s %[3]s %[4]s" fill="none" stroke="#%[5]s"/>`, measure(endX), measure(midY), measure(midX), measure(endY), colour)
	}
	if d, ok := dashes[text]; ok {
		var b strings.Builder
		for i := range d.pieces {
			if d.upright {
				step := cellHeight / float64(d.pieces)
				b.WriteString(rect(midX-0.5, y+step*float64(i)+step/4, 1, step/2, colour))
			} else {
				step := cellWidth / float64(d.pieces)
				b.WriteString(rect(x+step*float64(i)+step/4, midY-0.5, step/2, 1, colour))
			}
		}
		return b.String()
	}
	return block(text, x, y, colour) + mark(text, midX, midY, colour)
}

// arm draws one arm of a box-drawing character, from (x, y) on. It is longer by half the weight of the arms that it
// meets, so that corners have no notch.
func arm(x, y, weight, meets, length float64, upright bool, colour string) string {
	switch {
	case weight == 0:
		return ""
	case upright:
		return rect(x-weight/2, y, weight, length+meets/2, colour)
	}
	return rect(x, y-weight/2, length+meets/2, weight, colour)
}

// block draws the block elements.
func block(text string, x, y float64, colour string) string {
	runes := []rune(text)
	if len(runes) != 1 {
		return ""
	}
	switch r := runes[0]; {
	case r >= '▁' && r <= '█': // eighths from the bottom
		h := cellHeight * float64(r-'▁'+1) / 8
		return rect(x, y+cellHeight-h, cellWidth, h, colour)
	case r >= '▉' && r <= '▏': // eighths from the left
		return rect(x, y, cellWidth*float64('▏'-r+1)/8, cellHeight, colour)
	case r == '▐':
		return rect(x+cellWidth/2, y, cellWidth/2, cellHeight, colour)
	case r == '▀':
		return rect(x, y, cellWidth, cellHeight/2, colour)
	case r >= '░' && r <= '▓':
		return fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s" fill="#%s" fill-opacity="%s"/>`,
			measure(x), measure(y), measure(cellWidth), measure(cellHeight), colour, measure(float64(r-'░'+1)/4))
	}
	return ""
}

// mark draws the marks of the messages.
func mark(text string, x, y float64, colour string) string {
	const r = 3.7
	circle := func(fill, stroke string) string {
		return fmt.Sprintf(`<circle cx="%s" cy="%s" r="%s" fill="%s" stroke="%s"/>`, measure(x), measure(y), measure(r-0.5), fill, stroke)
	}
	path := func(d string) string {
		return fmt.Sprintf(`<path transform="translate(%s %s)" d="%s" fill="#%s"/>`, measure(x), measure(y), d, colour)
	}
	hash := "#" + colour
	switch text {
	case "●":
		return circle(hash, hash)
	case "○":
		return circle("none", hash)
	case "◐":
		return circle("none", hash) + path("M0 -3.2A3.2 3.2 0 0 0 0 3.2Z")
	case "⊘":
		return circle("none", hash) + fmt.Sprintf(`<path transform="translate(%s %s)" d="M2.2 -2.2L-2.2 2.2" stroke="%s"/>`, measure(x), measure(y), hash)
	case "◆":
		return path("M0 -4.2L4.2 0L0 4.2L-4.2 0Z")
	case "▲":
		return path("M0 -4L4.2 3.6H-4.2Z")
	case "✚":
		return path("M-1.3 -4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4V-1.3H-1.3Z")
	}
	return ""
}

// measure is a measure without needless digits.
func measure(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}

// escaped is a text as it may stand in an SVG file. A control character cannot.
func escaped(text string) string {
	var b strings.Builder
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\ufffd'
		}
		return r
	}, text)
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // A builder takes everything.
	}
	return b.String()
}
