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

// ParagraphKind decides how a paragraph is drawn.
type ParagraphKind uint8

// The kinds. None is shown by colour alone: each has a mark, bold letters or its place as well.
const (
	KindPlain   ParagraphKind = iota // text without a verdict
	KindRemark                       // a remark of winnow's
	KindWarning                      // a remark about a problem
	KindVerdict                      // a verdict in words, in the colour of its glyph
	KindDrawn                        // a line that is already styled

	// The following kinds have a mark left of each row.

	KindSent   // text of a message that is sent
	KindUnsent // text of a message that is not sent
	KindMarker // text that is sent in place of a cut
	KindAdded  // other text that winnow adds
)

// Paragraph is a text of one kind. It begins on a line of its own.
type Paragraph struct {
	Kind  ParagraphKind
	Mark  string // glyph left of the first row
	Title string // bold, before the text
	Text  string
	Aside string // at the right end of the first row
}

// page is a text in paragraphs, with secrets redacted.
type page struct {
	secrets    theme.Secrets
	hidden     int // number of redacted secrets
	paragraphs []Paragraph
}

// hide redacts a text.
func (p *page) hide(text string) string {
	shown, n := p.secrets.RedactAndCount(text)
	p.hidden += n
	return shown
}

// add redacts and adds a paragraph.
func (p *page) add(of Paragraph) {
	of.Title, of.Text = p.hide(of.Title), p.hide(of.Text)
	p.paragraphs = append(p.paragraphs, of)
}

// line adds a formatted line.
func (p *page) line(k ParagraphKind, format string, args ...any) {
	p.add(Paragraph{Kind: k, Text: fmt.Sprintf(format, args...)})
}

// block adds a text unless it is empty.
func (p *page) block(k ParagraphKind, text string) {
	if text != "" {
		p.add(Paragraph{Kind: k, Text: text})
	}
}

// message adds the text of a message in paragraphs: parts that are sent, parts that are not, and what is sent instead.
func (p *page) message(text string, e history.Entry) {
	secrets := p.secrets.Spans(text)
	p.hidden += len(secrets)
	at, characters := 0, 0
	take := func(k ParagraphKind, end int) {
		from := at
		for ; characters < end && at < len(text); characters++ {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
		}
		if shown := theme.RedactRange(secrets, text, from, at); shown != "" {
			p.paragraphs = append(p.paragraphs, Paragraph{Kind: k, Text: shown})
		}
	}
	inserted := e.Inserted
	takeTo := func(k ParagraphKind, end int) {
		for ; len(inserted) > 0 && inserted[0].At <= end; inserted = inserted[1:] {
			take(k, inserted[0].At)
			p.insert(inserted[0], e.Cuts)
		}
		take(k, end)
	}
	if !e.Sent() {
		take(KindUnsent, math.MaxInt)
		return
	}
	for _, c := range e.Cuts {
		takeTo(KindSent, c.From)
		takeTo(KindUnsent, c.To)
	}
	takeTo(KindSent, math.MaxInt)
}

// insert adds a text that is inserted into a message: a marker if it replaces a cut.
func (p *page) insert(in history.Insertion, cuts []history.CharRange) {
	added := Paragraph{Kind: KindAdded, Text: in.Text}
	if slices.ContainsFunc(cuts, func(c history.CharRange) bool { return c.From <= in.At && in.At <= c.To }) {
		added.Kind = KindMarker
		added.Aside = "added in place, " + theme.Plural(utf8.RuneCountInString(in.Text), "character")
	}
	p.add(added)
}

// text returns the whole text.
func (p *page) text() string {
	var b strings.Builder
	for _, of := range p.paragraphs {
		b.WriteString(of.Title + of.Text + "\n")
	}
	return b.String()
}

const (
	maxProse  = 92 // cells of a line of prose
	markCells = 2  // the mark left of a text and a space
)

// Pager scrolls through a page. It wraps only the lines on the screen, so a text of many megabytes opens at once; the
// viewport of Bubbles would measure every line for each frame.
type Pager struct {
	page   *page
	lines  []line
	rows   map[int][]string // cache of wrapped lines, for width w
	st     *theme.Styles
	wide   bool // lines may be as wide as the screen: the text is not prose
	top    spot
	w, h   int
	height int // of the screen; h is what the foot leaves for the text

	foot func() []string // draws the lines that stay below the text; nil for none
}

// NewPager returns a pager for paragraphs without secrets. It has no size yet.
func NewPager(st *theme.Styles, list []Paragraph) *Pager {
	return &Pager{st: st, page: &page{paragraphs: list}, wide: true}
}

// line is a line of a paragraph.
type line struct {
	*Paragraph
	text  string
	first bool
}

// spot is a row of a wrapped line. The end of the text is row 0 after the last line.
type spot struct{ line, row int }

// split splits the page into lines.
func (g *Pager) split() {
	before := KindPlain
	for i := range g.page.paragraphs {
		p := &g.page.paragraphs[i]
		text, first := p.Text, true
		// The same text goes on: drop the white space at the break, unless there is a line end before it.
		if before >= KindSent && p.Kind >= KindSent && !strings.HasSuffix(g.page.paragraphs[i-1].Text, "\n") {
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

// piece returns how many bytes of a long line are wrapped together.
func piece(text string) int {
	const longest = 8 << 10
	end := min(len(text), longest)
	for end > longest-utf8.UTFMax && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// Resize sets the size in cells. The line at the top stays there.
func (g *Pager) Resize(w, h int) {
	if g.lines == nil {
		g.split()
	}
	if w != g.w {
		g.rows, g.top.row = nil, 0
	}
	g.w, g.height = w, h
	g.fit()
}

// fit gives the text the lines that the foot leaves. A low screen has no foot.
func (g *Pager) fit() {
	const leastText = 4 // lines
	g.h = max(1, g.height)
	if g.foot != nil {
		if n := len(g.foot()); n > 0 && g.height-n-1 >= leastText {
			g.h = g.height - n - 1
		}
	}
	g.clamp()
}

// wrapped returns the rows of line i, at least one.
func (g *Pager) wrapped(i int) []string {
	const kept = 1 << 10
	if g.rows == nil || len(g.rows) >= kept {
		g.rows = map[int][]string{}
	}
	if g.rows[i] == nil {
		g.rows[i] = g.draw(g.lines[i])
	}
	return g.rows[i]
}

// move returns the spot that is so many rows below another one, or above it, within the text.
func (g *Pager) move(at spot, by int) spot {
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

// clamp scrolls back if the end of the text is above the end of the screen.
func (g *Pager) clamp() {
	last := g.move(spot{len(g.lines), 0}, -g.h)
	if g.top.line > last.line || g.top.line == last.line && g.top.row > last.row {
		g.top = last
	}
}

// GoTo scrolls a line to the top.
func (g *Pager) GoTo(line int) {
	g.top = spot{line, 0}
	g.clamp()
}

// Scroll scrolls by rows, or by keymap.AllLines to an end.
func (g *Pager) Scroll(by int) {
	switch by {
	case -keymap.AllLines:
		g.top = spot{}
	case keymap.AllLines:
		g.top = spot{len(g.lines), 0}
	default:
		g.top = g.move(g.top, by)
	}
	g.clamp()
}

// jump scrolls to the next or previous heading, if there is one.
func (g *Pager) jump(by int) {
	for i := g.top.line + by; i >= 0 && i < len(g.lines); i += by {
		if g.lines[i].first && g.lines[i].Title != "" {
			g.GoTo(i)
			return
		}
	}
}

// Position says in percent how far down the text is scrolled, "" if all of it is visible.
func (g *Pager) Position() string {
	end := g.move(g.top, g.h)
	if g.top == (spot{}) && end.line == len(g.lines) {
		return ""
	}
	return theme.Thousands(end.line*100/len(g.lines)) + " %"
}

// View draws the visible rows and the foot.
func (g *Pager) View() (rows []string) {
	for at := g.top; at.line < len(g.lines) && len(rows) < g.h; at = g.move(at, 1) {
		rows = append(rows, g.wrapped(at.line)[at.row])
	}
	if g.h < g.height {
		rows = append(append(rows, ""), g.foot()...)
	}
	return rows
}

// draw draws a line in rows. An aside without room beside the first row gets a row of its own.
func (g *Pager) draw(l line) []string {
	if l.Kind == KindDrawn {
		return []string{l.text}
	}
	title, aside, mark := "", "", marks[l.Kind]
	if l.first {
		title, aside, mark = markdown.Visible(l.Title), l.Aside, cmp.Or(l.Mark, mark)
	}
	w, style := max(1, g.w-2*theme.Gutter(g.w)-markCells), g.style(l.Paragraph)
	room := min(w, maxProse)
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

// marks are the marks left of a text by its kind.
var marks = map[ParagraphKind]string{
	KindSent: "▌", KindUnsent: "┊", KindMarker: "◐", KindAdded: "✚",
}

// marked draws the margin and a mark.
func (g *Pager) marked(mark string) string {
	style := g.st.GlyphStyle(mark)
	if mark == marks[KindUnsent] {
		style = g.st.Faint
	}
	return strings.Repeat(" ", theme.Gutter(g.w)) + theme.Fit(style.Render(mark), markCells)
}

// style returns the style of a paragraph's text.
func (g *Pager) style(p *Paragraph) lipgloss.Style {
	switch p.Kind {
	case KindVerdict:
		if p.Mark != "○" && p.Mark != "⊘" {
			return g.st.GlyphStyle(p.Mark)
		}
		return g.st.Muted
	case KindUnsent, KindRemark:
		return g.st.Muted
	case KindMarker, KindAdded:
		return g.st.GlyphStyle(marks[p.Kind]).Bold(true)
	case KindWarning:
		return g.st.Cut
	}
	return g.st.Text
}
