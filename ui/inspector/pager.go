package inspector

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Kind is what a segment of a text is, which decides how it is drawn.
type Kind uint8

// The kinds. What a color says, a mark left of the text or bold letters say as well.
const (
	Plain   Kind = iota // text that is read, whatever is sent
	Title               // the screen's own headings
	Quiet               // the screen's own remarks
	Warning             // the same, where something is wrong
	Changed             // what only one side of a comparison has
	Glyph               // the glyph of a verdict: it stands left of its line
	Verdict             // a verdict in words, in the color of that glyph
	Aside               // a remark at the right end of its line
	Drawn               // a line of the screen that is drawn already

	// A row that holds one of these has a mark on its left; of several kinds the last one here decides which.

	Sent   // text of a message that is sent
	Unsent // text that the model does not get
	Marker // text of winnow's own in the place of what is not sent
	Added  // other text that nobody said
)

// Segment is a part of a text in one kind. Segments follow each other on one line until one holds a newline.
type Segment struct {
	Kind Kind
	Text string
}

// Page is a text in segments, on its way to a pager.
type Page []Segment

// add adds a text of a kind.
func (p *Page) add(k Kind, text string) {
	if text != "" {
		*p = append(*p, Segment{k, text})
	}
}

// line adds a line.
func (p *Page) line(k Kind, format string, args ...any) { p.add(k, fmt.Sprintf(format, args...)+"\n") }

// heading adds a title with a blank line above, and remarks about it behind it.
func (p *Page) heading(title string, facts ...string) {
	if len(*p) > 0 {
		p.add(Quiet, "\n")
	}
	p.add(Title, title)
	p.line(Quiet, "  %s", strings.Join(facts, " · "))
}

// block adds a text that ends with its line.
func (p *Page) block(k Kind, text string) {
	if text != "" {
		p.add(k, text)
		p.add(Quiet, "\n")
	}
}

// text is all of it.
func (p Page) text() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Text)
	}
	return b.String()
}

// SegmentsOf is a message's text in segments: what is sent, what is not, and what is sent instead.
func SegmentsOf(text string, e history.Entry) (p Page) {
	if !e.Sent() {
		return Page{{Unsent, text}}
	}
	runes, inserted, at := []rune(text), e.Inserted, 0
	take := func(k Kind, end int) {
		end = max(at, min(end, len(runes)))
		p.add(k, string(runes[at:end]))
		at = end
	}
	upTo := func(k Kind, end int) {
		for ; len(inserted) > 0 && inserted[0].At <= end; inserted = inserted[1:] {
			take(k, inserted[0].At)
			p.add(Added, inserted[0].Text)
		}
		take(k, end)
	}
	for _, c := range e.Cuts {
		upTo(Sent, c.From)
		upTo(Unsent, c.To)
	}
	upTo(Sent, math.MaxInt)
	return p
}

// Hide returns a page without its secrets, and how many they were. It is searched as one text without what stands in
// the cuts of a message, so that a secret in which a cut begins is found as well. Each is replaced where it begins.
func Hide(s theme.Secrets, p Page) (Page, int) {
	inCut := func(k Kind) bool { return k == Marker || k == Added || k == Aside }
	var text strings.Builder
	for _, part := range p {
		if !inCut(part.Kind) {
			text.WriteString(part.Text)
		}
	}
	secrets := s.In(text.String())
	hidden, out, at := len(secrets), make(Page, 0, len(p)), 0
	for _, part := range p {
		if inCut(part.Kind) {
			shown, n := s.Hide(part.Text)
			out, hidden = append(out, Segment{part.Kind, shown}), hidden+n
			continue
		}
		shown, from, end := "", at, at+len(part.Text)
		for len(secrets) > 0 && secrets[0][0] < end {
			if begin := secrets[0][0]; begin >= at {
				shown += part.Text[from-at:begin-at] + theme.Redacted
			}
			from = min(end, secrets[0][1])
			if secrets[0][1] > end {
				break // It goes on in the next part.
			}
			secrets = secrets[1:]
		}
		out = append(out, Segment{part.Kind, shown + part.Text[from-at:]})
		at = end
	}
	return out, hidden
}

// pager is a text to scroll through. Only the lines on the screen are wrapped, so that a text of many megabytes opens
// at once: the viewport of Bubbles would measure every line at each view.
type pager struct {
	lines []Page
	rows  map[int][]row // of lines that were wrapped, at width w
	wide  bool          // a line of text may be as wide as the screen: it is no prose
	top   spot
	w, h  int
}

// spot is a row of a line. The one behind the last row is row 0 of the line behind the last.
type spot struct{ line, row int }

// write appends a page, whose end is the end of a line. What is sent, what is not, and the marker between them have
// lines of their own.
func (g *pager) write(p Page) {
	var line Page
	feed := func() { g.lines, line = append(g.lines, line), nil }
	for _, s := range p {
		if n := len(line); n > 0 && apart(line[n-1].Kind, s.Kind) {
			feed()
			s.Text = strings.TrimPrefix(strings.TrimPrefix(s.Text, " "), "\n") // as where a line is wrapped
		}
		for s.Text != "" {
			n := lineLength(s.Text)
			line.add(s.Kind, s.Text[:n])
			ends := s.Text[n-1] == '\n'
			if s.Text = s.Text[n:]; ends || s.Text != "" {
				feed()
			}
		}
	}
	if line != nil {
		feed()
	}
}

// apart reports whether two kinds do not share a row.
func apart(a, b Kind) bool {
	return a != b && b >= Sent && (a == Unsent || b == Unsent || a == Marker || a == Aside || b == Marker)
}

// lineLength is how much of a text goes onto a line: up to its first newline. A line is wrapped as a whole, so a long
// one is broken whatever it holds.
func lineLength(text string) int {
	const longest = 8 << 10
	if end := strings.IndexByte(text[:min(len(text), longest)], '\n'); end >= 0 {
		return end + 1
	}
	if len(text) <= longest {
		return len(text)
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// resize gives the pager its size in cells. The line at the top stays there.
func (g *pager) resize(w, h int) {
	if w != g.w {
		g.rows, g.top.row = nil, 0
	}
	g.w, g.h = w, h
	g.settle()
}

// wrapped is a line's rows. Every line has one.
func (g *pager) wrapped(i int) []row {
	const kept = 1 << 10
	if g.rows == nil || len(g.rows) >= kept {
		g.rows = map[int][]row{}
	}
	if g.rows[i] == nil {
		w := textWidth(g.w)
		if !g.wide {
			w = min(w, measure)
		}
		g.rows[i] = rowsOf(g.lines[i], w, textWidth(g.w))
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

// scroll moves by rows.
func (g *pager) scroll(by int) {
	g.top = g.move(g.top, by)
	g.settle()
}

// goTo scrolls a line to the top.
func (g *pager) goTo(line int) {
	g.top = spot{line, 0}
	g.settle()
}

// end is the first row below the screen.
func (g *pager) end() spot { return g.move(g.top, g.h) }

// view draws the rows on the screen; line chosen, -1 for none, is the one under the cursor.
func (g *pager) view(st theme.Styles, chosen int) []string {
	var lines []string
	for at := g.top; at.line < len(g.lines) && len(lines) < g.h; at = g.move(at, 1) {
		lines = append(lines, g.wrapped(at.line)[at.row].draw(st, g.w, at.line == chosen))
	}
	return lines
}

// jump scrolls to the next heading, or to the one before, and says whether there is one.
func (g *pager) jump(by int) bool {
	for i := g.top.line + by; i >= 0 && i < len(g.lines); i += by {
		if len(g.lines[i]) > 0 && g.lines[i][0].Kind == Title {
			g.goTo(i)
			return true
		}
	}
	return false
}

// position says how far down the text the screen is, "" where it holds all of it.
func (g *pager) position() string {
	end := g.end()
	if g.top == (spot{}) && end.line == len(g.lines) {
		return ""
	}
	return theme.Thousands(end.line*100/len(g.lines)) + " %"
}

// row is one row of a pager on the screen: segments that are safe to draw.
type row struct {
	Page
	mark  string // what is drawn left of the text
	aside string // at the right end
}

const (
	measure   = 92  // the most cells of a line of prose
	markCells = 2   // the glyph or bar left of a text, and the blank after it
	addedMark = "✚" // stands left of a text that winnow has added
)

// marks are what stands left of a text of a kind.
var marks = map[Kind]string{Sent: "▌", Unsent: "┊", Marker: "◐", Added: addedMark}

// textWidth is how many cells a text has on a screen of w cells.
func textWidth(w int) int { return max(1, w-2*theme.Gutter(w)-markCells) }

// rowsOf lays a line out: w cells for its text, and right cells where something stands at its right end, which has a
// row of its own where there is no room for it.
func rowsOf(line Page, w, right int) []row {
	var text Page
	glyph, aside, kind := "", "", Plain
	for _, s := range line {
		shown := markdown.Visible(strings.TrimRight(s.Text, "\r\n"))
		switch s.Kind {
		case Drawn:
			return []row{{Page: Page{{Drawn, strings.TrimSuffix(s.Text, "\n")}}}}
		case Glyph:
			glyph = shown
		case Aside:
			aside = shown
		default:
			kind = s.Kind
			text.add(s.Kind, shown)
		}
	}
	list := wrap(text, w)
	if len(text) == 0 && (kind == Sent || kind == Unsent) {
		list[0].mark = marks[kind] // a blank line of a message
	}
	for i := range list {
		if glyph != "" {
			list[i].mark = glyph
		}
	}
	switch {
	case aside == "":
	case theme.Width(list[0].text())+2+theme.Width(aside) <= right:
		list[0].aside = aside
	default:
		list = append(list, wrap(Page{{Quiet, aside}}, right)...)
	}
	return list
}

// wrap breaks a line into rows of at most w cells. Of the kinds in a row that have a mark the last one decides it.
func wrap(line Page, w int) (list []row) {
	text, at := line.text(), 0
	for _, part := range theme.Wrap(text, w) {
		at += strings.Index(text[at:], part) // blanks at which it was broken are left out
		r, kind := row{Page: line.between(at, at+len(part))}, Plain
		for _, s := range r.Page {
			kind = max(kind, s.Kind)
		}
		r.mark = marks[kind]
		list = append(list, r)
		at += len(part)
	}
	return list
}

// between is a part of a page, in bytes of its text.
func (p Page) between(from, to int) (part Page) {
	for _, s := range p {
		if from < len(s.Text) && to > 0 {
			part.add(s.Kind, s.Text[max(0, from):min(len(s.Text), to)])
		}
		from, to = from-len(s.Text), to-len(s.Text)
	}
	return part
}

// draw is the row on a screen of w cells.
func (r row) draw(st theme.Styles, w int, chosen bool) string {
	if len(r.Page) == 1 && r.Page[0].Kind == Drawn {
		return r.Page[0].Text
	}
	g, mark := theme.Gutter(w), st.OfGlyph(r.mark)
	if r.mark == marks[Unsent] {
		mark = st.Faint
	}
	edge := strings.Repeat(" ", g)
	if chosen {
		edge = st.Seen.Render("▌") + edge[1:]
	}
	line := edge + theme.Fit(mark.Render(r.mark), markCells)
	for _, s := range r.Page {
		line += r.style(st, s.Kind).Render(s.Text)
	}
	if r.aside != "" {
		line = theme.Spread(line, st.Muted.Render(r.aside), w-g)
	}
	if chosen {
		return theme.Ground(st.Selected, theme.Fit(line, w))
	}
	return line
}

// style is the style of a kind of text in the row.
func (r row) style(st theme.Styles, k Kind) lipgloss.Style {
	switch {
	case k == Verdict && r.mark != "○" && r.mark != "⊘":
		return st.OfGlyph(r.mark)
	case k == Verdict, k == Unsent, k == Quiet:
		return st.Muted
	case k == Marker:
		return st.Cut.Bold(true)
	case k == Added:
		return st.OfGlyph(addedMark).Bold(true)
	case k == Title:
		return st.Strong
	case k == Warning:
		return st.Cut
	}
	return st.Text
}

// indented wraps a text to where texts stand on a screen of w cells, at most as wide as prose.
func indented(style lipgloss.Style, text string, w int) []string {
	left := theme.Gutter(w) + markCells
	return theme.IndentedTo(style, markdown.Visible(text), left, left+min(measure, textWidth(w)))
}

// ruleIn is a rule between the gutters of a screen of w cells.
func ruleIn(st theme.Styles, w int) string {
	g := theme.Gutter(w)
	return strings.Repeat(" ", g) + st.Rule(w-2*g)
}

// view is what is shown of a subject: a text to scroll through, or a list below it with a cursor.
type view struct {
	pager
	page   Page
	items  []item // its last lines: then the keys that scroll move the cursor
	at     int    // the item under the cursor
	height int    // of the screen: the pager has what the foot leaves of it

	below func(st theme.Styles, w int) []string // draws what stays below the text; nil for the reason of an item
}

// item is a row of a list.
type item struct {
	reason  string // the sentence about it, shown below the list
	message int64  // that it is about
}

// list adds an item to the list, which is drawn in a line.
func (v *view) list(i item, row Page) {
	v.page, v.items = append(append(v.page, row...), Segment{Quiet, "\n"}), append(v.items, i)
}

// resize gives the view its size in cells.
func (v *view) resize(w, h int) {
	if v.lines == nil {
		v.write(v.page)
	}
	v.height = h
	v.pager.resize(w, h)
	v.fit()
}

// fit gives the pager what the foot leaves of the screen. A low screen has no foot.
func (v *view) fit() {
	const leastText = 4 // lines
	h := v.height
	if foot := len(v.foot(theme.Styles{})); h >= foot+leastText {
		h -= foot
	}
	v.pager.resize(v.w, max(1, h))
}

// foot is what stays below the text, such as the reason of the item under the cursor.
func (v *view) foot(st theme.Styles) []string {
	const mostReason = 3 // lines
	switch {
	case v.below != nil:
		return v.below(st, v.w)
	case len(v.items) == 0 || v.items[v.at].reason == "":
		return nil
	}
	lines := indented(st.Text, theme.UpperFirst(v.items[v.at].reason), v.w)
	return append([]string{"", ruleIn(st, v.w)}, lines[:min(mostReason, len(lines))]...)
}

// lineOf is the line of an item.
func (v *view) lineOf(i int) int { return len(v.lines) - len(v.items) + i }

// choose puts the cursor on an item, and scrolls to it.
func (v *view) choose(i int) {
	v.at = max(0, min(i, len(v.items)-1))
	v.fit()
	if line := v.lineOf(v.at); line < v.top.line || line >= v.end().line {
		v.goTo(line)
		v.scroll(-v.h / 2)
	}
}

// Scroll moves the text by rows, or the cursor of a list.
func (v *view) Scroll(by int) {
	if len(v.items) > 0 {
		v.choose(v.at + by)
		return
	}
	v.scroll(by)
}

// First goes to the beginning.
func (v *view) First() {
	v.at = 0
	v.goTo(0)
}

// Last goes to the end.
func (v *view) Last() {
	v.at = max(0, len(v.items)-1)
	v.goTo(len(v.lines))
}

// View draws the view.
func (v *view) View(st theme.Styles) []string {
	chosen := -1
	if len(v.items) > 0 {
		chosen = v.lineOf(v.at)
	}
	lines := v.view(st, chosen)
	if v.h < v.height {
		lines = append(lines, v.foot(st)...)
	}
	return lines
}
