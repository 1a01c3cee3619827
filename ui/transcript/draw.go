package transcript

import (
	"fmt"
	"hash/maphash"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

const (
	narrowest = 12 // below this width nothing stands beside the text
	oneWord   = 60 // below this width a verdict is one word
	measure   = 92 // the most cells of a line of prose: more is hard to read
	signs     = 2  // the cells of the glyph and of the space behind it

	boundary = "the model sees from here"
	wouldSee = "the model would see from here"
	bar      = "▌" // beside the user's words, and beside the message under the cursor
)

// gutter is the number of cells to the left of the text: the margin, in whose first cell the cursor stands, and
// the glyph.
func (m *itemList) gutter() int {
	if m.width < narrowest {
		return 0
	}
	return m.left + signs
}

// bodyWidth returns the cells between the gutter and the right margin.
func (m *itemList) bodyWidth() int {
	if m.width < narrowest {
		return max(m.width, 1)
	}
	return max(m.width-m.gutter()-m.right, 1)
}

// proseWidth returns the cells for a line of prose.
func (m *itemList) proseWidth() int { return min(m.bodyWidth(), measure) }

// Lines returns exactly the height's number of lines, none wider than the width.
func (m *itemList) Lines() []string {
	if m.height <= 0 {
		return nil
	}
	out := make([]string, 0, m.height)
	if m.ready() {
		line := m.line
		for i := m.top; i < len(m.slots) && len(out) < m.height; i++ {
			out = m.drawItem(out, i, line)
			line = 0
		}
	}
	for len(out) < m.height {
		out = append(out, "")
	}
	return out
}

// drawItem adds the lines of item i from line on that fit on the screen.
func (m *itemList) drawItem(out []string, i, line int) []string {
	e := m.entry(i)
	d := m.drawn(i)
	var mark Mark
	if m.marks != nil {
		mark = m.marks(e.ID)
	}
	hits, at := (*itemHits)(nil), -1
	if m.search.finder != nil {
		hits = m.hits(d)
		at = m.atHit(i, hits)
	}
	beside := m.beside(e, d, mark)
	for ; line < len(d.lines) && len(out) < m.height; line++ {
		if line >= d.below {
			out = append(out, m.under(d, line))
			continue
		}
		text := d.lines[line]
		if line == 0 && d.named {
			text = m.head(e, d.look, mark)
		}
		if hits != nil {
			text = m.markHits(text, line, hits, at)
		}
		if m.picked.on {
			text = m.markPicked(text, i, line)
		}
		out = append(out, beside(line)+text)
	}
	return out
}

// under returns a line below the text of an item: blank, or the one that marks where the model's view begins.
func (m *itemList) under(d *drawn, line int) string {
	if !d.look.edge || line != d.below+1 {
		return ""
	}
	st := m.styles
	left, right, above := max(0, m.gutter()-signs), m.right, fmt.Sprintf("and %s of %s above", theme.Thousands(m.above),
		theme.Thousands(m.aboveAll))
	if m.gutter() == 0 {
		right = 0
	}
	words := m.edgeWords
	if m.above == 0 {
		above = "none of " + theme.Thousands(m.aboveAll) + " above"
	}
	if m.edgeNote != "" {
		above = m.edgeNote
	}
	w := m.width - left - right
	room := w - theme.Width("── "+words+" ") - 3
	switch {
	case room < 0:
		return strings.Repeat(" ", left) + st.Seen.Bold(true).Render(markdown.Truncate(words, max(0, w), "…"))
	case room < theme.Width(above):
		return strings.Repeat(" ", left) + st.Seen.Render("── ") + st.Seen.Bold(true).Render(words) +
			st.Seen.Render(" "+strings.Repeat("─", room+3))
	}
	return strings.Repeat(" ", left) + st.Seen.Render("── ") + st.Seen.Bold(true).Render(words) +
		st.Seen.Render(" "+strings.Repeat("─", room+2-theme.Width(above))) + st.Muted.Render(" "+above)
}

// beside returns what draws the cells to the left of a line of an item.
func (m *itemList) beside(e *entry, d *drawn, mark Mark) func(line int) string {
	gutter := m.gutter()
	if gutter == 0 {
		return func(int) string { return "" }
	}
	st := m.styles
	cursor := " "
	switch on := m.selected && m.cursor == e.ID; {
	case on && mark.Selected:
		cursor = st.Seen.Render("█")
	case on || mark.Selected:
		cursor = st.Seen.Render(bar)
	}
	margin := strings.Repeat(" ", gutter-signs)
	if len(margin) > 0 {
		margin = cursor + margin[1:]
	}
	glyph := "  "
	if mark.Glyph != "" {
		glyph = mark.Style.Render(markdown.Truncate(mark.Glyph, 1, "")) + " "
	}
	rest := "  "
	if e.Role == history.User {
		style := st.You
		if d.look.unsent {
			style = st.Faint
		}
		rest = style.Render(bar) + " "
	}
	if len(margin) == 0 && cursor != " " {
		glyph, rest = cursor+" ", cursor+" "
	}
	first, others := margin+glyph, margin+rest
	return func(line int) string {
		if line == 0 {
			return first
		}
		return others
	}
}

// head returns the first line of an item: who speaks, and at its end the verdict.
func (m *itemList) head(e *entry, l look, mark Mark) string {
	st := m.styles
	style := st.Muted // A name is not to be taken for a heading.
	if e.Role == history.User && !l.unsent {
		style = st.You
	}
	w := m.proseWidth()
	name, rest := "", ""
	switch {
	case len(e.Calls) > 0:
		name, rest = m.call(e.Calls[0], st.Text)
	case e.Joins:
		name, rest = m.beginning(e, l, w-min(w/2, 2+ansi.StringWidth(mark.Tag)))
	default:
		name = style.Render(markdown.OneLine(e.Name, w))
		if e.Detail != "" {
			rest = st.Muted.Render("   " + e.Detail)
		}
	}
	tag := mark.Tag
	if m.width < oneWord && mark.Short != "" {
		tag = mark.Short
	}
	switch {
	case tag == "":
		return markdown.Truncate(name+rest, w, "…")
	case theme.Width(name)+2+ansi.StringWidth(tag) > w && mark.Short != "":
		tag = mark.Short
	}
	space := w - 2 - ansi.StringWidth(tag)
	if space < 1 {
		return markdown.Truncate(name+rest, w, "…")
	}
	left := markdown.Truncate(name+rest, space, "…")
	return left + strings.Repeat(" ", w-theme.Width(left)-ansi.StringWidth(tag)) + mark.TagStyle.Render(tag)
}

// call returns the two parts of the row of a tool call.
func (m *itemList) call(c Call, strong lipgloss.Style) (name, rest string) {
	name = strong.Render(markdown.OneLine(c.Name, 64))
	if c.Arguments != "" {
		rest = m.styles.Muted.Render(" " + markdown.OneLine(c.Arguments, m.bodyWidth()))
	}
	return name, rest
}

// measure returns the height of item i in lines, those below its text included.
func (m *itemList) measure(i int) int {
	if s := &m.slots[i]; !s.measured || s.look != m.hash(m.lookOf(i)) {
		m.drawn(i)
	}
	return int(m.slots[i].height)
}

// bodyHeight is the height of item i without the lines below its text.
func (m *itemList) bodyHeight(i int) int { return m.measure(i) - m.lookOf(i).gap() }

// gap is the number of lines below an item's text.
func (l look) gap() int {
	switch {
	case l.edge:
		return 3 // the line of the boundary between two blank ones
	case l.joined:
		return 0
	}
	return 1
}

// lookOf is how item i has to be drawn now.
func (m *itemList) lookOf(i int) look {
	e := m.entry(i)
	l := look{
		ways:   (e.Failure != nil || e.Note.Again) && i+1 == len(m.slots) && !m.busy,
		tokens: m.judged.plan.Sum.Tokens(e.Tokens),
	}
	if v := m.entryOf(e.ID); v != nil {
		l.unsent = !v.Sent()
		if n := len(v.Cuts); n > 0 && !l.unsent && !e.expanded && m.shortens(i, v) {
			l.cut = cutLook{n, v.Cuts[0], v.Cuts[n-1], markerAt(v, 0)}
		}
	}
	if i+1 < len(m.slots) {
		l.edge = m.boundary != 0 && m.slots[i+1].ID == m.boundary
		l.joined = !l.edge && m.entry(i+1).Joins
	}
	return l
}

// shortens says that item i, which is cut, is shown as it is sent. A row is not, and what the newest turn says is still
// being read.
func (m *itemList) shortens(i int, v *history.Entry) bool {
	e := m.entry(i)
	folded := e.Role == history.Tool || len(e.Calls) > 0 || e.Fold && v.Cuts[0].From > foldedBytes
	return i < m.newest && !folded
}

// cut says that a part of an item is not sent.
func (m *itemList) cut(id int64) bool {
	v := m.entryOf(id)
	return v != nil && v.Sent() && len(v.Cuts) > 0
}

// drawn is a rendered item.
type drawn struct {
	look     look
	named    bool      // the first line is that of the name, which is drawn anew for each frame
	lines    []string  // without the gutter, those below the text included
	text     string    // as much of its text as is shown
	from, to int       // the lines of that
	receipt  int       // the line of its receipt, -1 for none
	trail    int       // where its trail begins; the first line below where it has none
	below    int       // where the lines below its text begin
	parts    []part    // of its text that are shown, in order; nil for its beginning
	origin   *origin   // where its lines stand in the text, nil until that is asked for
	hits     *itemHits // nil until they are searched for
}

// drawn returns item i as it is rendered, and notes its height.
func (m *itemList) drawn(i int) *drawn {
	e, l, s := m.entry(i), m.lookOf(i), &m.slots[i]
	d, ok := m.cache[e.ID]
	if !ok || d.look != l {
		if len(m.cache) >= m.keep {
			clear(m.cache)
		}
		d = m.render(e, l)
		if e.stream == nil || !e.stream.Stale() {
			m.cache[e.ID] = d
		}
	}
	if !s.measured {
		m.guessed += s.rough(m.bodyWidth())
		m.found += len(d.lines)
	}
	s.measured, s.look, s.height = true, m.hash(l), int32(len(d.lines))
	return d
}

func (m *itemList) hash(l look) uint64 { return maphash.Comparable(m.seed, l) }

// render draws e without the gutter.
func (m *itemList) render(e *entry, l look) *drawn {
	d := &drawn{look: l, receipt: -1, text: e.Text}
	st := m.styles
	if e.Failure != nil {
		d.lines = m.failure(e.Failure, l.ways)
		d.trail, d.below = len(d.lines), len(d.lines)
		for range l.gap() {
			d.lines = append(d.lines, "")
		}
		return d
	}
	if d.named = e.Name != "" || len(e.Calls) > 0 || e.Joins; d.named {
		d.lines = append(d.lines, "")
	}
	if len(e.Calls) > 1 {
		for _, c := range e.Calls[1:] {
			name, rest := m.call(c, st.Strong)
			d.lines = append(d.lines, markdown.Truncate(name+rest, m.bodyWidth(), "…"))
		}
	}
	if e.Reasoning != "" {
		d.lines = append(d.lines, m.reasoning(e)...)
	}
	m.renderText(d, e)
	if e.Files != "" {
		d.lines = append(d.lines, m.styled(e.Files, st.Muted)...)
	}
	d.lines = append(d.lines, m.note(e.Note, l.ways)...)
	// What follows a code block or a table stands apart from it.
	if e.Receipt != nil && e.Note.What == "" && e.Files == "" && d.to > d.from && endsInBlock(e) {
		d.lines = append(d.lines, "")
	}
	if e.Receipt != nil {
		d.receipt = len(d.lines)
		d.lines = append(d.lines, st.Muted.Render(receiptIn(*e.Receipt, m.bodyWidth())))
	}
	d.trail = len(d.lines)
	if e.Trail != "" {
		d.lines = append(d.lines, m.styled(e.Trail, st.Muted)...)
	}
	if len(d.lines) == 0 {
		d.lines = append(d.lines, "…")
		d.trail = 1
	}
	if l.unsent {
		for i, line := range d.lines {
			if line != "" {
				d.lines[i] = st.Muted.Render(ansi.Strip(line))
			}
		}
	}
	d.below = len(d.lines)
	for range l.gap() {
		d.lines = append(d.lines, "")
	}
	return d
}

// renderText adds the lines of as much of e's text as is shown.
func (m *itemList) renderText(d *drawn, e *entry) {
	defer func() { d.to = len(d.lines) }()
	d.from = len(d.lines)
	switch {
	case d.look.cut.cuts > 0:
		m.renderCut(d, e, m.entryOf(e.ID))
		return
	case e.Fold && !e.expanded:
		d.lines = append(d.lines, m.folded(e, d)...)
		return
	}
	if !m.streams(e) {
		d.text = shown(e.Text)
	}
	d.lines = append(d.lines, m.text(e, d.text)...)
	d.to = len(d.lines)
	if left := len(e.Text) - len(d.text); left > 0 {
		defer func(to int) { d.to = to }(d.to)
		d.lines = append(d.lines, m.rest(left))
	}
}

// text returns the lines of as much of e's text as is shown.
func (m *itemList) text(e *entry, shown string) []string {
	switch {
	case e.Plain || e.Fold:
		return m.plain(e, shown)
	case len(shown) < len(e.Text):
		return m.begin(e, shown)
	case e.stream == nil:
		return m.md.Render(shown)
	}
	if s := e.stream; s.Renderer() != m.md {
		// The width changed while it streams, or since.
		e.stream = markdown.NewStream(m.md)
		e.stream.Write(s.Text())
		if s.Finished() {
			e.stream.Finish()
		}
	}
	return e.stream.Lines()
}

// plain returns text as it is, in the colour of its speaker.
func (m *itemList) plain(e *entry, text string) []string {
	switch e.Role {
	case history.User:
		return m.styled(text, m.styles.Strong.UnsetBold())
	case history.Tool:
		return m.styled(text, m.styles.Muted)
	}
	return m.styled(text, m.styles.Text)
}

// note returns the lines that say what became of a message, with the way out where it is wanted and there is space.
func (m *itemList) note(n Note, way bool) []string {
	if n.What == "" {
		return nil
	}
	st, text := m.styles, n.What
	style := st.Muted
	if n.Fault {
		style, text = st.Error, "✗ "+text
	}
	lines := theme.Wrap(markdown.Visible(text+" "+n.Rest), m.proseWidth())
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		if what := len(text); i == 0 && len(line) > what {
			lines[i] = style.Render(line[:what]) + st.Muted.Render(line[what:])
			continue
		}
		if i > 0 {
			style = st.Muted
		}
		lines[i] = style.Render(line)
	}
	again := "   " + m.ways([]key.Binding{retry()})[0]
	if last := len(lines) - 1; way && theme.Width(lines[last]+again) <= m.bodyWidth() {
		lines[last] += again
	}
	return lines
}

// reasoning returns the lines of e's reasoning, or one line with their number while it is folded.
func (m *itemList) reasoning(e *entry) []string {
	st, w := m.styles, m.bodyWidth()
	if e.turned != m.thinking {
		part := shown(e.Reasoning)
		lines := append([]string{st.Muted.Render(markdown.Truncate("reasoning", w, "…"))}, m.styled(part, st.Muted)...)
		if left := len(e.Reasoning) - len(part); left > 0 {
			lines = append(lines, m.rest(left))
		}
		return append(lines, "")
	}
	head := "reasoning · " + theme.Plural(strings.Count(strings.Trim(e.Reasoning, "\n"), "\n")+1, "line")
	return []string{m.hinted(st.Muted.Render(head), keymap.Reason, "shows it")}
}

// hinted is a line with a key and what it does behind it, where there is space for that.
func (m *itemList) hinted(line string, a keymap.Action, does string) string {
	with := line + "   " + m.styles.Text.Render(m.keys.First(a)) + m.styles.Muted.Render(" "+does)
	if theme.Width(with) > m.bodyWidth() {
		return markdown.Truncate(line, m.bodyWidth(), "…")
	}
	return with
}

// styled returns text as it is, wrapped, in one style.
func (m *itemList) styled(text string, st lipgloss.Style) []string {
	lines := m.md.Plain(text)
	for i, line := range lines {
		if line != "" {
			lines[i] = st.Render(line)
		}
	}
	return lines
}

// endsInBlock says that the last thing of an answer is a code block or a table.
func endsInBlock(e *entry) bool {
	if e.Plain || e.Fold {
		return false
	}
	text := strings.TrimRight(e.Text[max(0, len(e.Text)-maxShown):], " \t\n")
	last := strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " \t")
	return strings.HasPrefix(last, "|") || strings.HasPrefix(last, "```") || strings.HasPrefix(last, "~~~") ||
		inFence(text)
}

// inFence says that a text ends inside a fenced code block.
func inFence(text string) bool {
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		fence = fenceAfter(fence, line)
	}
	return fence != ""
}

// fenceAfter is the fence of the code block that is open behind a line, "" for none, by the one before it.
func fenceAfter(fence, line string) string {
	bare := strings.TrimLeft(line, " ")
	switch {
	case fence == "" && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
		return bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
	case fence != "" && strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]+" ") == "":
		return ""
	}
	return fence
}
