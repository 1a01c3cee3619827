package transcript

import (
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

const (
	oneWord = 60 // below this width a verdict is one word
	measure = 92 // the most cells of a line of prose: more is hard to read
	signs   = 2  // the cells of the glyph and of the space behind it

	bar = "▌" // beside the user's words, and beside the message under the cursor
)

// maxShown is how many bytes of a text are shown: a text is rendered as a whole, so this is more than anybody scrolls
// through, and little enough for a frame. An answer is rendered piece by piece while it arrives, and shown whole.
const maxShown = 32 << 10

// block is a rendered row.
type block struct {
	look       look
	name, rest string   // of its first line, which is put together for each frame
	lines      []string // without the gutter
	from, to   int      // the lines of the text and of the tool calls
	receipt    int      // the line of its receipt, -1 for none
	failure    int      // the first line of why its turn failed behind it, -1 for none

	pattern *regexp.Regexp // that found was found with
	found   []lineHit
}

// look is what decides the lines of a row beside its message and the width: with the same look it is drawn alike.
type look struct {
	open   bool          // it is unfolded
	unsent bool          // the model does not see it
	cut    history.Range // the first one, where it is shown as it is sent
	tokens int           // of its text, as the server counts them; 0 where they are not counted
	joins  bool          // it is a result directly below its call
	ways   bool          // the ways out of what went wrong are shown
}

// lookOf is how row i has to be drawn now.
func (c *Model) lookOf(i int) look {
	id := c.id(i)
	l := look{open: c.unfolded(id), joins: c.joins(i), ways: i+1 == c.rows() && !c.Busy}
	if id > 0 {
		l.tokens = c.Plan.Sum.Tokens(int(c.Messages.Row(i).Tokens))
	}
	if e := c.entry(id); e != nil {
		l.unsent = !e.Sent()
		if len(e.Cuts) > 0 && !l.unsent && !l.open && c.shortens(i, e) {
			l.cut = e.Cuts[0]
		}
	}
	return l
}

// unfolded says that all of a row's text is shown: the user unfolded it, or is at a hit of a search in it.
func (c *Model) unfolded(id int64) bool { return c.open[id] || c.Search.at() == id }

// gap is the number of lines below row i: the one of the edge stands between two blank ones.
func (c *Model) gap(i int) int {
	switch {
	case c.edge.id != 0 && c.id(i+1) == c.edge.id:
		return 3
	case c.joins(i + 1):
		return 0
	}
	return 1
}

// block is row i as it is drawn now.
func (c *Model) block(i int) *block {
	id, l := c.id(i), c.lookOf(i)
	if b := c.blocks[id]; b != nil && b.look == l {
		return b
	}
	if len(c.blocks) >= mostBlocks {
		clear(c.blocks)
	}
	b := &block{look: l, receipt: -1, failure: -1}
	c.render(b, i)
	c.blocks[id] = b
	return b
}

// gutter is the number of cells to the left of the text: the margin and the glyph.
func (c *Model) gutter() int { return c.left + signs }

// bodyWidth is the cells at the right of the gutter.
func (c *Model) bodyWidth() int { return max(c.width-c.gutter(), 1) }

// proseWidth is the cells for a line of prose.
func (c *Model) proseWidth() int { return min(c.bodyWidth(), measure) }

// View draws what is on the screen: as many lines as the transcript is high.
func (c *Model) View() []string {
	if c.answer != nil && c.stream.Stale() {
		delete(c.blocks, arriving)
		for !c.answer.grew && c.stream.Stale() { // the server pauses: what came is shown whole
			c.stream.Lines()
		}
		c.answer.grew = false
	}
	out := make([]string, 0, c.height)
	for i, line := c.top, c.line; c.ready() && i < c.rows() && len(out) < c.height; line++ {
		if line == c.heightOf(i) {
			i, line = i+1, -1
			continue
		}
		out = append(out, c.draw(i, line))
	}
	return append(out, make([]string, max(0, c.height-len(out)))...)
}

// draw draws a line of row i, or one below it.
func (c *Model) draw(i, line int) string {
	switch below := line - len(c.block(i).lines); {
	case below < 0:
		return c.beside(i, line) + c.markPicked(c.markHits(c.lineOf(i, line), i, line), i, line)
	case below == 1:
		return c.edgeLine()
	}
	return ""
}

// beside is what stands at the left of a line of row i.
func (c *Model) beside(i, line int) string {
	st, id, b := &c.Themes.Styles, c.id(i), c.block(i)
	cursor, side := " ", " "
	switch on, selected := c.cursor == id, c.Holds(id); {
	case on && selected:
		cursor = st.Seen.Render("█")
	case on || selected:
		cursor = st.Seen.Render(bar)
	}
	switch {
	case line == 0:
		m := c.mark(id)
		side = m.style.Render(theme.Fit(m.glyph, 1))
	case line == b.failure:
		side = st.Error.Render(fault)
	case b.failure >= 0 && line >= b.failure-1 || id < 0 || c.Messages.Role(i) != history.User:
	case b.look.unsent:
		side = st.Faint.Render(bar)
	default:
		side = st.You.Render(bar)
	}
	return cursor + strings.Repeat(" ", max(0, c.left-1)) + side + " "
}

// lineOf is a line of row i as it stands on the screen. The first one of a message ends with the verdict.
func (c *Model) lineOf(i, line int) string {
	b := c.block(i)
	if line > 0 {
		return b.lines[line]
	}
	m, w := c.mark(c.id(i)), c.proseWidth()
	tag := m.tag
	if word, _, _ := strings.Cut(tag, " "); c.width < oneWord || theme.Width(b.name)+2+ansi.StringWidth(tag) > w {
		tag = strings.TrimSuffix(word, ":") // "cut" of "cut to 150 of 2,310 characters"
	}
	space := w
	if tag != "" {
		space = max(1, w-2-ansi.StringWidth(tag))
	}
	left := markdown.Truncate(b.name, max(space/2, space-theme.Width(b.rest)), "…")
	left = markdown.Truncate(left+b.rest, space, "…")
	return left + strings.Repeat(" ", max(0, w-theme.Width(left)-ansi.StringWidth(tag))) + m.tagStyle.Render(tag)
}

// message is the message of a row, and why it cannot be read. The answer that arrives is like a message.
func (c *Model) message(i int) (store.Message, error) {
	if i == c.Messages.Len() {
		return store.Message{Model: c.Name, Message: history.Message{
			ID: arriving, Role: history.Assistant, Content: c.stream.Text(),
			Reasoning: c.answer.reasoning.String(),
		}}, nil
	}
	_, err := c.Messages.Message(i)
	return c.At(i), err
}

// render draws the message of row i, and why its turn failed behind it.
func (c *Model) render(b *block, i int) {
	st := &c.Themes.Styles
	m, err := c.message(i)
	b.name, b.rest = c.heading(m, b.look)
	b.lines = []string{""}
	b.lines = append(b.lines, c.reasoning(m)...)
	b.from = len(b.lines)
	c.renderText(b, m)
	b.lines = append(b.lines, c.callLines(m, b.look.open)...)
	b.to = len(b.lines)
	for _, p := range m.Parts {
		b.lines = append(b.lines, theme.WrapStyled(st.Muted, theme.FileLabel(p, 0), c.proseWidth())...)
	}
	b.lines = append(b.lines, c.noteLines(c.noteOf(m, err), b.look.ways)...)
	if receipt, ok := c.Receipts[m.Request]; ok && m.Request != 0 && m.Role == history.Assistant {
		if len(b.lines) == b.to && endsInBlock(m.Content) { // what follows code or a table stands apart from it
			b.lines = append(b.lines, "")
		}
		b.receipt = len(b.lines)
		b.lines = append(b.lines, st.Muted.Render(receiptLine(receipt, written(m), c.bodyWidth())))
	}
	if b.look.unsent {
		b.name, b.rest = st.Muted.Render(ansi.Strip(b.name)), st.Muted.Render(ansi.Strip(b.rest))
		for k, line := range b.lines[1:] {
			b.lines[k+1] = st.Muted.Render(ansi.Strip(line))
		}
	}
	if f, failed := c.failed[m.ID]; failed {
		b.lines = append(b.lines, "")
		b.failure = len(b.lines)
		b.lines = append(b.lines, c.failureLines(f, m.Role, b.look.ways)...)
	}
}

// heading is the first line of a message, but for its verdict: who speaks, or the call or the result that it is.
func (c *Model) heading(m store.Message, l look) (name, rest string) {
	st := &c.Themes.Styles
	switch {
	case callsOnly(m):
		return c.call(m.ToolCalls[0])
	case m.Role == history.Tool && l.joins:
		return c.result(m, l)
	case m.Role == history.Tool:
		name = c.toolOf(m)
	case m.Role == history.Assistant:
		name = ModelName(m.Model)
	default:
		name = theme.Speaker(m.Role)
	}
	if m.Siblings > 1 {
		keys := c.Keys.Hint("", keymap.Earlier, keymap.Later).Help().Key
		rest = st.Muted.Render("   " + theme.Thousands(m.Sibling) + " of " + theme.Thousands(m.Siblings) + "  " + keys)
	}
	style := st.Muted // a name is not to be taken for a heading
	if m.Role == history.User {
		style = st.You
	}
	return style.Render(markdown.OneLine(name, c.proseWidth())), rest
}

// renderText adds the lines of a message's text, as far as that is shown.
func (c *Model) renderText(b *block, m store.Message) {
	switch {
	case b.look.cut != history.Range{}:
		c.renderCut(b, m)
	case m.Role == history.Tool && b.look.joins && !b.look.open:
	case m.Role == history.Tool && !b.look.open:
		name, rest := c.result(m, b.look)
		b.lines = append(b.lines, markdown.Truncate(name+rest, c.bodyWidth(), "…"))
	case m.Role == history.User && tooLong(m.Content) && !b.look.open:
		b.lines = append(b.lines, c.folded(m, b.look)...)
	default:
		text := m.Content
		if m.Damaged {
			text = m.Remains
		}
		b.lines = append(b.lines, c.text(m, text)...)
	}
}

// text is the lines of a message's text, or of a part of it.
func (c *Model) text(m store.Message, text string) []string {
	st := &c.Themes.Styles
	switch {
	case c.stream != nil && c.streamed == m.ID && c.stream.Text() == text:
		return c.stream.Lines()
	case m.Role == history.User:
		return c.plain(text, st.Strong.UnsetBold())
	case m.Role == history.Tool:
		return c.plain(text, st.Muted)
	case m.Damaged:
		return c.plain(text, st.Text)
	}
	shown := beginning(text)
	return c.withMore(c.md.Render(shown), len(text)-len(shown))
}

// plain is text as it is, wrapped, in one style.
func (c *Model) plain(text string, style lipgloss.Style) []string {
	shown := beginning(text)
	lines := c.md.Plain(shown)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return c.withMore(lines, len(text)-len(shown))
}

// beginning is as much of a text as is shown: it ends behind a line or a word.
func beginning(text string) string {
	if len(text) <= maxShown {
		return text
	}
	const near = maxShown * 3 / 4
	if at := strings.LastIndexAny(text[near:maxShown], "\n "); at >= 0 {
		return text[:near+at+1]
	}
	return strings.ToValidUTF8(text[:maxShown], "")
}

// withMore adds a line about the bytes of a text that are left out, where some are.
func (c *Model) withMore(lines []string, left int) []string {
	if left == 0 {
		return lines
	}
	st := &c.Themes.Styles
	text := st.Faint.Render("┄┄┄") + st.Muted.Render(" "+theme.Size(left)+" more")
	return append(lines, c.hinted(c.hinted(text, keymap.Inspect, "reads it"), keymap.Copy, "copies all"))
}

// hinted is a line with a key and what it does behind it, where there is space for that.
func (c *Model) hinted(line string, a keymap.Action, does string) string {
	with := line + "   " + c.way(c.Keys.Hint(does, a))
	if theme.Width(with) > c.bodyWidth() {
		return markdown.Truncate(line, c.bodyWidth(), "…")
	}
	return with
}

// reasoning is the lines of a message's reasoning, or one line with their number while it is folded.
func (c *Model) reasoning(m store.Message) []string {
	st, lines := &c.Themes.Styles, strings.Count(strings.Trim(m.Reasoning, "\n"), "\n")+1
	switch {
	case m.Reasoning == "":
		return nil
	case !c.Thinking:
		folded := st.Muted.Render("reasoning · " + theme.Plural(lines, "line"))
		return []string{c.hinted(folded, keymap.Reason, "shows it")}
	}
	return append(append([]string{st.Muted.Render("reasoning")}, c.plain(m.Reasoning, st.Muted)...), "")
}

// endsInBlock says that the last thing of a text is a code block or a table.
func endsInBlock(text string) bool {
	text = strings.TrimRight(text, " \t\n")
	last := strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " \t")
	return strings.HasPrefix(last, "|") || strings.HasPrefix(last, "```") || strings.HasPrefix(last, "~~~")
}
