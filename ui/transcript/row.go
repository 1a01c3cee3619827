package transcript

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

const (
	oneWord = 60 // below this width a verdict is one word
	measure = 92 // the most cells of a line of prose: more is hard to read
	signs   = 2  // the cells of the glyph and of the space behind it

	bar   = "▌" // beside the user's words, and beside the message under the cursor
	whole = "●" // the sign of a message that is sent as it is
	fault = "✗" // that of what went wrong

	mostBlocks = 128 // rendered rows that are kept
)

// block is a rendered row.
type block struct {
	look
	lines    []string // without the gutter; the first one is who speaks, the verdict is added to it for each frame
	from, to int      // the lines of the text and of the tool calls
	failure  int      // the first line of why its turn failed behind it, -1 for none
	match    int      // the first line with a match of the search, else the one that stands for what is not shown
}

// look is what decides the lines of a row beside its message and the width: with the same look it is drawn alike.
type look struct {
	open    bool              // it is unfolded
	unsent  bool              // the model does not see it
	cut     history.CharRange // the first one, where it is shown as it is sent
	tokens  int               // of its text, as the server counts them; 0 where they are not counted
	joins   bool              // it is a result directly below its call
	ways    bool              // the ways out of what went wrong are shown
	pattern *regexp.Regexp    // what is searched for, nil for nothing
	at      bool              // the user is at it in the search
}

// lookOf is how row i has to be drawn now.
func (c *Model) lookOf(i int) look {
	id := c.id(i)
	l := look{
		joins: c.joins(i), ways: i+1 == c.rows() && !c.Busy, pattern: c.Search.pattern, at: c.Search.at() == id,
	}
	l.open = c.open[id] || l.at
	if i < c.Messages.Len() {
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

// block is row i as it is drawn now.
func (c *Model) block(i int) *block {
	id, l := c.id(i), c.lookOf(i)
	if b := c.blocks[id]; b != nil && b.look == l {
		return b
	}
	if len(c.blocks) >= mostBlocks {
		clear(c.blocks)
	}
	b := &block{look: l, failure: -1}
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
	if c.arrives() && c.answer.Stale() {
		delete(c.blocks, arriving)
		for !c.answer.grew && c.answer.Stale() { // the server pauses: what came is shown whole
			c.answer.Lines()
		}
		c.answer.grew = false
		c.settle()
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
		return c.beside(i, line) + c.markDragged(c.lineOf(i, line), i, line)
	case below == 1:
		return c.edgeLine()
	}
	return ""
}

// beside is what stands at the left of a line of row i.
func (c *Model) beside(i, line int) string {
	st, id, b := &c.Themes.Styles, c.id(i), c.block(i)
	cursor, side := " ", " "
	switch on, selected := c.cursor == id, c.selected[id]; {
	case on && selected:
		cursor = st.Seen.Render("█")
	case on || selected:
		cursor = st.Seen.Render(bar)
	}
	switch {
	case line == 0:
		glyph, _ := c.mark(id)
		side = st.OfGlyph(glyph).Render(theme.Fit(glyph, 1))
	case line == b.failure:
		side = st.Error.Render(fault)
	case b.failure >= 0 && line >= b.failure-1 || id == arriving || c.Messages.Role(i) != history.User:
	case b.unsent:
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
	st, head, w := &c.Themes.Styles, b.lines[0], c.proseWidth()
	glyph, tag := c.mark(c.id(i))
	style := st.OfGlyph(glyph)
	if b.unsent {
		style = st.Muted
	}
	most := w - 2 - min(theme.Width(head), w/3) // a long call leaves the verdict its reason
	if word, _, _ := strings.Cut(tag, " "); c.width < oneWord || theme.Width(tag) > most {
		tag = strings.TrimSuffix(word, ":") // "cut" of "cut to 150 of 2,310 characters"
	}
	return theme.Spread(head, style.Render(tag), w)
}

// render draws the message of row i, and why its turn failed behind it.
func (c *Model) render(b *block, i int) {
	st := &c.Themes.Styles
	m, err := c.message(i)
	b.lines = append([]string{c.heading(m, b.look)}, c.reasoning(m)...)
	b.from = len(b.lines)
	b.lines = append(b.lines, c.body(m, b.look)...)
	b.lines = append(b.lines, c.callLines(m, b.open)...)
	b.to = len(b.lines)
	for _, p := range m.Parts {
		b.lines = append(b.lines, theme.WrapStyled(st.Muted, theme.FileLabel(p, 0), c.proseWidth())...)
	}
	b.lines = append(b.lines, c.note(m, err, b.ways)...)
	if receipt, ok := c.Receipts[m.Request]; ok && m.Request != 0 && m.Role == history.Assistant {
		if len(b.lines) == b.to && endsInBlock(m.Content) { // what follows code or a table stands apart from it
			b.lines = append(b.lines, "")
		}
		arrived := theme.TokensOf(len(m.Content) + len(m.Reasoning))
		b.lines = append(b.lines, st.Muted.Render(receiptLine(receipt, arrived, c.bodyWidth())))
	}
	if b.unsent {
		for k, line := range b.lines {
			b.lines[k] = st.Muted.Render(ansi.Strip(line))
		}
	}
	if b.pattern != nil {
		c.markMatches(b)
	}
	if f, failed := c.failure(m.ID); failed {
		b.lines = append(b.lines, "")
		b.failure = len(b.lines)
		b.lines = append(b.lines, c.failureLines(f, b.ways)...)
	}
}

// heading is the first line of a message, but for its verdict: who speaks, or the call or the result that it is.
func (c *Model) heading(m store.Message, l look) string {
	st, name := &c.Themes.Styles, theme.Speaker(m.Role)
	style := st.Muted // a name is not to be taken for a heading
	switch {
	case callsOnly(m):
		return c.call(m.ToolCalls[0])
	case m.Role == history.Tool && l.joins:
		return c.result(m, l)
	case m.Role == history.Tool:
		name = c.toolOf(m)
	case m.Role == history.Assistant:
		name = ModelName(m.Model)
	case m.Role == history.User:
		style = st.You
	}
	name = style.Render(markdown.OneLine(name, c.proseWidth()))
	if m.Siblings > 1 {
		keys := c.Keys.Hint("", keymap.Earlier, keymap.Later).Help().Key
		name += st.Muted.Render("   " + theme.Thousands(m.Sibling) + " of " + theme.Thousands(m.Siblings) + "  " + keys)
	}
	return name
}

// edge is the line above the first message of which the model sees the conversation.
type edge struct {
	id         int64 // that message, 0 for none
	above, all int   // how many messages in front of it the model sees: the opening, what is pinned, what is recalled
}

// Judge shows the verdicts of a plan beside the messages. First is the index of the first message that the server can
// have read of it.
func (c *Model) Judge(plan history.Plan, first int) {
	c.Plan, c.firstRead = plan, first
	c.quiet = first == 0 && !slices.ContainsFunc(plan.Entries, func(e history.Entry) bool {
		glyph := theme.Glyph(e)
		return glyph != whole && glyph != "◆"
	})
	c.edge = edgeOf(plan)
	c.settle()
}

// edgeOf is the edge behind the last message that fell out of a plan, none where none fell out, or none follows.
func edgeOf(plan history.Plan) (e edge) {
	sent, fell := 0, false
	for i, entry := range plan.Entries {
		if fell {
			e = edge{id: entry.ID, above: sent, all: i}
		}
		if fell = entry.DroppedByLimit(); entry.Sent() {
			sent++
		}
	}
	if fell {
		return edge{}
	}
	return e
}

// edgeLine is the line of the edge, whose left end stands in the gutter.
func (c *Model) edgeLine() string {
	st, sees, counted := &c.Themes.Styles, "the model sees from here", "and "+theme.Thousands(c.edge.above)
	if c.Screen.Trial() {
		sees = "the model would see from here"
	}
	if c.edge.above == 0 {
		counted = "none"
	}
	words := []string{st.Seen.Bold(true).Render(markdown.Truncate(sees, max(1, c.width-c.left-6), "…"))}
	note := st.Muted.Render(counted + " of " + theme.Thousands(c.edge.all) + " above")
	return strings.Repeat(" ", c.left) + theme.Ruled(st.Seen, c.width-c.left, 2, words, note)
}

// boundary selects the first message that the model still sees, or says that it sees the chat from its start.
func (c *Model) boundary() string {
	switch {
	case len(c.Next.Entries) == 0:
		return "There is no plan of the next request yet."
	case c.GoTo(c.edge.id):
		return ""
	}
	return "Nothing is dropped: the model sees the chat from its start."
}

// entry is the entry of a message in the plan on show, nil for none.
func (c *Model) entry(id int64) *history.Entry { return c.entryIn(c.Plan, id) }

// entryIn is entry for another plan.
func (c *Model) entryIn(plan history.Plan, id int64) *history.Entry {
	if i, ok := c.Messages.Find(id); ok && i < len(plan.Entries) && plan.Entries[i].ID == id {
		return &plan.Entries[i]
	}
	return nil
}

// mark is the sign of a row about the request on show, and the verdict with its reason. It may change at every key
// press.
func (c *Model) mark(id int64) (glyph, tag string) {
	switch e := c.entry(id); {
	case e == nil: // it is newer than the plan: what was sent or said just now
		glyph = whole
	case record.UnreadByServer(*e, c.firstRead):
		glyph, tag = "▲", theme.NotRead
	default:
		glyph, tag = theme.Glyph(*e), cmp.Or(c.change(e), theme.Verdict(*e))
		if glyph == "◐" && strings.Contains(tag, "cut") {
			tag += " characters"
		}
	}
	if c.quiet && glyph == whole && c.cursor != id {
		glyph = "" // the silent case: every message is whole
	}
	if id == c.Edited {
		tag = "editing"
	}
	return glyph, tag
}

// change is what other settings would change for a message, "" for nothing.
func (c *Model) change(e *history.Entry) string {
	was := c.entryIn(c.Next, e.ID)
	if was == nil || !c.Screen.Trial() {
		return ""
	}
	return theme.Change(*was, *e)
}

// NumberOf is a message's number in the conversation, as the panel has it.
func (c *Model) NumberOf(id int64) string {
	at, _ := c.Messages.Find(id)
	if e := c.entryIn(c.Next, id); e != nil {
		at = e.Index
	}
	return theme.Thousands(at + 1)
}

// NumbersOf names messages: a single one by its number, others by how many they are.
func (c *Model) NumbersOf(ids ...int64) string {
	if len(ids) == 1 {
		return "message " + c.NumberOf(ids[0])
	}
	return theme.Thousands(len(ids)) + " messages"
}
