package inspector

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Kind is what a paragraph is, which decides how it is drawn.
type Kind uint8

// The kinds. What a color says, a mark left of the text or bold letters say as well.
const (
	Plain   Kind = iota // text that is read, whatever is sent
	Quiet               // the screen's own remarks
	Warning             // the same, where something is wrong
	Verdict             // a verdict in words, in the color of the glyph left of it
	Drawn               // a line of the screen that is drawn already

	// These have a mark on the left of each row.

	Sent   // text of a message that is sent
	Unsent // text that the model does not get
	Marker // text of winnow's own in the place of what is not sent
	Added  // other text that nobody said
)

// Paragraph is a text of one kind. It begins on a line of its own.
type Paragraph struct {
	Kind  Kind
	Mark  string // the glyph of a verdict, left of the first row
	Title string // stands in front of the text
	Text  string
	Aside string // stands at the right end of the first line
}

// Page is a text in paragraphs, on its way to a pager. Secrets are taken out of what is added to it.
type Page struct {
	secrets    theme.Secrets
	hidden     int // how many secrets were taken out
	paragraphs []Paragraph
}

// hide returns a text without its secrets.
func (p *Page) hide(text string) string {
	shown, n := p.secrets.Hide(text)
	p.hidden += n
	return shown
}

// add adds a paragraph.
func (p *Page) add(of Paragraph) {
	of.Title, of.Text = p.hide(of.Title), p.hide(of.Text)
	p.paragraphs = append(p.paragraphs, of)
}

// line adds a line.
func (p *Page) line(k Kind, format string, args ...any) {
	p.add(Paragraph{Kind: k, Text: fmt.Sprintf(format, args...)})
}

// block adds a text, where there is one.
func (p *Page) block(k Kind, text string) {
	if text != "" {
		p.add(Paragraph{Kind: k, Text: text})
	}
}

// message adds the text of a message: what is sent of it, what is not, and what is sent instead.
func (p *Page) message(text string, e history.Entry) {
	secrets := p.secrets.In(text)
	p.hidden += len(secrets)
	at, characters := 0, 0
	take := func(k Kind, end int) {
		from := at
		for ; characters < end && at < len(text); characters++ {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
		}
		if shown := theme.Without(secrets, text, from, at); shown != "" {
			p.paragraphs = append(p.paragraphs, Paragraph{Kind: k, Text: shown})
		}
	}
	inserted := e.Inserted
	takeTo := func(k Kind, end int) {
		for ; len(inserted) > 0 && inserted[0].At <= end; inserted = inserted[1:] {
			take(k, inserted[0].At)
			p.insert(inserted[0], e.Cuts)
		}
		take(k, end)
	}
	if !e.Sent() {
		take(Unsent, math.MaxInt)
		return
	}
	for _, c := range e.Cuts {
		takeTo(Sent, c.From)
		takeTo(Unsent, c.To)
	}
	takeTo(Sent, math.MaxInt)
}

// insert adds what is sent beside the text of a message. In the place of a cut it is a marker.
func (p *Page) insert(in history.Insertion, cuts []history.CharRange) {
	added := Paragraph{Kind: Added, Text: in.Text}
	if slices.ContainsFunc(cuts, func(c history.CharRange) bool { return c.From <= in.At && in.At <= c.To }) {
		added.Kind = Marker
		added.Aside = "added in place, " + theme.Plural(utf8.RuneCountInString(in.Text), "character")
	}
	p.add(added)
}

// text is all of it.
func (p *Page) text() string {
	var b strings.Builder
	for _, of := range p.paragraphs {
		b.WriteString(of.Title + of.Text + "\n")
	}
	return b.String()
}

const (
	measure   = 92 // the most cells of a line of prose
	markCells = 2  // the glyph or bar left of a text, and the blank after it
)

// pager is a page to scroll through. Only the lines on the screen are wrapped, so that a text of many megabytes opens
// at once: the viewport of Bubbles would measure every line at each view.
type pager struct {
	page   *Page
	lines  []line
	rows   map[int][]string // of lines that were wrapped, at width w
	st     *theme.Styles
	wide   bool // a line of text may be as wide as the screen: it is no prose
	top    spot
	w, h   int
	height int // of the screen: the text has what the foot leaves of it

	foot func() []string // draws what stays below the text; nil for nothing
}

// line is a line of a paragraph.
type line struct {
	*Paragraph
	text  string
	first bool
}

// spot is a row of a line. The one behind the last row is row 0 of the line behind the last.
type spot struct{ line, row int }

// split takes the page apart into lines.
func (g *pager) split() {
	before := Plain
	for i := range g.page.paragraphs {
		p := &g.page.paragraphs[i]
		text, first := p.Text, true
		if before >= Sent && p.Kind >= Sent { // one text goes on, as where it is wrapped
			if text = strings.TrimPrefix(strings.TrimPrefix(text, " "), "\n"); text == "" {
				continue
			}
		}
		before = p.Kind
		for rest := range strings.Lines(cmp.Or(text, "\n")) {
			for n := 0; rest != ""; rest, first = rest[n:], false {
				n = piece(rest)
				g.lines = append(g.lines, line{p, rest[:n], first})
			}
		}
	}
}

// piece is how many bytes of a line are wrapped as a whole: of a long one not all.
func piece(text string) int {
	const longest = 8 << 10
	end := min(len(text), longest)
	for end > longest-utf8.UTFMax && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// resize gives the pager its size in cells. The line at the top stays there.
func (g *pager) resize(w, h int) {
	if g.lines == nil {
		g.split()
	}
	if w != g.w {
		g.rows, g.top.row = nil, 0
	}
	g.w, g.height = w, h
	g.fit()
}

// fit gives the text what the foot leaves of the screen. A low screen has no foot.
func (g *pager) fit() {
	const leastText = 4 // lines
	g.h = max(1, g.height)
	if g.foot != nil {
		if n := len(g.foot()); n > 0 && g.height-n-1 >= leastText {
			g.h = g.height - n - 1
		}
	}
	g.settle()
}

// wrapped is a line's rows. Every line has one.
func (g *pager) wrapped(i int) []string {
	const kept = 1 << 10
	if g.rows == nil || len(g.rows) >= kept {
		g.rows = map[int][]string{}
	}
	if g.rows[i] == nil {
		g.rows[i] = g.draw(g.lines[i])
	}
	return g.rows[i]
}

// move is so many rows below a spot, or above it, as far as there are rows.
func (g *pager) move(at spot, by int) spot {
	for ; by < 0 && at != (spot{}); by++ {
		if at.row == 0 {
			at = spot{at.line - 1, len(g.wrapped(at.line - 1))}
		}
		at.row--
	}
	for ; by > 0 && at.line < len(g.lines); by-- {
		if at.row++; at.row >= len(g.wrapped(at.line)) {
			at = spot{at.line + 1, 0}
		}
	}
	return at
}

// settle goes back as far as the screen would be empty below the end.
func (g *pager) settle() {
	last := g.move(spot{len(g.lines), 0}, -g.h)
	if g.top.line > last.line || g.top.line == last.line && g.top.row > last.row {
		g.top = last
	}
}

// goTo scrolls a line to the top.
func (g *pager) goTo(line int) {
	g.top = spot{line, 0}
	g.settle()
}

// scroll moves the text by rows, or to one of its ends.
func (g *pager) scroll(by int) {
	switch by {
	case -keymap.AllLines:
		g.top = spot{}
	case keymap.AllLines:
		g.top = spot{len(g.lines), 0}
	default:
		g.top = g.move(g.top, by)
	}
	g.settle()
}

// jump scrolls to the next heading, or to the one before, where there is one.
func (g *pager) jump(by int) {
	for i := g.top.line + by; i >= 0 && i < len(g.lines); i += by {
		if g.lines[i].first && g.lines[i].Title != "" {
			g.goTo(i)
			return
		}
	}
}

// position says how far down the text the screen is, "" where it holds all of it.
func (g *pager) position() string {
	end := g.move(g.top, g.h)
	if g.top == (spot{}) && end.line == len(g.lines) {
		return ""
	}
	return theme.Thousands(end.line*100/len(g.lines)) + " %"
}

// View draws the rows on the screen.
func (g *pager) View() (rows []string) {
	for at := g.top; at.line < len(g.lines) && len(rows) < g.h; at = g.move(at, 1) {
		rows = append(rows, g.wrapped(at.line)[at.row])
	}
	if g.h < g.height {
		rows = append(append(rows, ""), g.foot()...)
	}
	return rows
}

// draw draws a line in rows. What stands at its right end has a row of its own where there is no
// room for it.
func (g *pager) draw(l line) []string {
	if l.Kind == Drawn {
		return []string{l.text}
	}
	title, aside, mark := "", "", marks[l.Kind]
	if l.first {
		title, aside, mark = markdown.Visible(l.Title), l.Aside, cmp.Or(l.Mark, mark)
	}
	w, style := max(1, g.w-2*theme.Gutter(g.w)-markCells), g.style(l.Paragraph)
	room := min(w, measure)
	if g.wide {
		room = w
	}
	rows := theme.Wrap(title+markdown.Visible(strings.TrimRight(l.text, "\r\n")), room)
	for i, row := range rows {
		bold := []theme.StyledSpan{{From: 0, To: len(title), Style: g.st.Strong}}
		rows[i] = g.marked(mark) + theme.Paint(row, style, bold)
		title, mark = title[min(len(row), len(title)):], marks[l.Kind]
	}
	switch {
	case aside == "":
	case theme.Width(rows[0])+2+theme.Width(aside) <= g.w-theme.Gutter(g.w):
		rows[0] = theme.Spread(rows[0], g.st.Muted.Render(aside), g.w-theme.Gutter(g.w))
	default:
		for _, row := range theme.WrapStyled(g.st.Muted, aside, w) {
			rows = append(rows, g.marked("")+row)
		}
	}
	return rows
}

// marks are what stands left of a text of a kind.
var marks = map[Kind]string{Sent: "▌", Unsent: "┊", Marker: "◐", Added: "✚"}

// marked is a mark in the cells left of a text, behind the gutter.
func (g *pager) marked(mark string) string {
	style := g.st.OfGlyph(mark)
	if mark == marks[Unsent] {
		style = g.st.Faint
	}
	return strings.Repeat(" ", theme.Gutter(g.w)) + theme.Fit(style.Render(mark), markCells)
}

// style is the style of a paragraph's text.
func (g *pager) style(p *Paragraph) lipgloss.Style {
	switch p.Kind {
	case Verdict:
		if p.Mark != "○" && p.Mark != "⊘" {
			return g.st.OfGlyph(p.Mark)
		}
		return g.st.Muted
	case Unsent, Quiet:
		return g.st.Muted
	case Marker, Added:
		return g.st.OfGlyph(marks[p.Kind]).Bold(true)
	case Warning:
		return g.st.Cut
	}
	return g.st.Text
}
