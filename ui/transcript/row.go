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
	oneWord    = 60 // below this width a verdict is one word
	maxProse   = 92 // the most cells of a line of prose: more is hard to read
	glyphCells = 2  // the cells of the glyph and of the space behind it

	bar          = "▌" // beside the user's words, and beside the message under the cursor
	wholeGlyph   = "●" // the sign of a message that is sent as it is
	failureGlyph = "✗" // that of what went wrong

	maxBlocks = 128 // rendered rows that are kept
)

// block is a rendered row.
type block struct {
	rowState
	lines    []string // without the gutter; the first one is who speaks, the verdict is added to it for each frame
	from, to int      // the lines of the text and of the tool calls
	failure  int      // the first line of why its turn failed behind it, -1 for none
	match    int      // the first line with a match of the search, else the one that stands for what is not shown
}

// rowState is what decides the lines of a row beside its message and the width: with the same look it is drawn alike.
type rowState struct {
	expanded     bool           // it is unfolded
	unsent       bool           // the model does not see it
	cut          history.Range  // the first one, where it is shown as it is sent
	tokens       int            // of its text, as the server counts them; 0 where they are not counted
	joinsCall    bool           // it is a result directly below its call
	withAdvice   bool           // the ways out of what went wrong are shown
	pattern      *regexp.Regexp // what is searched for, nil for nothing
	isCurrentHit bool           // the user is at it in the search
}

// rowStateOf is how row i has to be drawn now.
func (c *Model) rowStateOf(i int) rowState {
	id := c.id(i)
	l := rowState{
		joinsCall: c.joinsCall(i), withAdvice: i+1 == c.rows() && !c.Busy, pattern: c.Search.pattern, isCurrentHit: c.Search.at() == id,
	}
	l.expanded = c.expanded[id] || l.isCurrentHit
	if i < c.Messages.Len() {
		l.tokens = c.Plan.Sum.Tokens(int(c.Messages.Row(i).Tokens))
	}
	if e := c.entry(id); e != nil {
		l.unsent = !e.Sent()
		if len(e.Cuts) > 0 && !l.unsent && !l.expanded && c.showsAsCut(i, e) {
			l.cut = e.Cuts[0]
		}
	}
	return l
}

// block is row i as it is drawn now.
func (c *Model) block(i int) *block {
	id, l := c.id(i), c.rowStateOf(i)
	if b := c.blocks[id]; b != nil && b.rowState == l {
		return b
	}
	if len(c.blocks) >= maxBlocks {
		clear(c.blocks)
	}
	b := &block{rowState: l, failure: -1}
	c.render(b, i)
	c.blocks[id] = b
	return b
}

// gutter is the number of cells to the left of the text: the margin and the glyph.
func (c *Model) gutter() int { return c.left + glyphCells }

// bodyWidth is the cells at the right of the gutter.
func (c *Model) bodyWidth() int { return max(c.width-c.gutter(), 1) }

// proseWidth is the cells for a line of prose.
func (c *Model) proseWidth() int { return min(c.bodyWidth(), maxProse) }

// View draws what is on the screen: as many lines as the transcript is high.
func (c *Model) View() []string {
	if c.streaming() && c.answer.Stale() {
		delete(c.blocks, streamingID)
		for !c.answer.grew && c.answer.Stale() { // the server pauses: what came is shown whole
			c.answer.Lines()
		}
		c.answer.grew = false
		c.clamp()
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
		return c.gutterText(i, line) + c.markDragged(c.lineOf(i, line), i, line)
	case below == 1:
		return c.boundaryLine()
	}
	return ""
}

// gutterText is what stands at the left of a line of row i.
func (c *Model) gutterText(i, line int) string {
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
		glyph, _ := c.verdictMark(id)
		side = st.GlyphStyle(glyph).Render(theme.Fit(glyph, 1))
	case line == b.failure:
		side = st.Error.Render(failureGlyph)
	case b.failure >= 0 && line >= b.failure-1 || id == streamingID || c.Messages.Role(i) != history.User:
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
	glyph, tag := c.verdictMark(c.id(i))
	style := st.GlyphStyle(glyph)
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
	b.lines = append([]string{c.heading(m, b.rowState)}, c.reasoning(m)...)
	b.from = len(b.lines)
	b.lines = append(b.lines, c.body(m, b.rowState)...)
	b.lines = append(b.lines, c.callLines(m, b.expanded)...)
	b.to = len(b.lines)
	for _, p := range m.Parts {
		b.lines = append(b.lines, theme.WrapStyled(st.Muted, theme.FileLabel(p, 0), c.proseWidth())...)
	}
	b.lines = append(b.lines, c.statusLines(m, err, b.withAdvice)...)
	if receipt, ok := c.Receipts[m.Request]; ok && m.Request != 0 && m.Role == history.Assistant {
		if len(b.lines) == b.to && endsInBlock(m.Content) { // what follows code or a table stands apart from it
			b.lines = append(b.lines, "")
		}
		arrived := theme.EstimateTokens(len(m.Content) + len(m.Reasoning))
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
		b.lines = append(b.lines, c.failureLines(f, b.withAdvice)...)
	}
}

// heading is the first line of a message, but for its verdict: who speaks, or the call or the result that it is.
func (c *Model) heading(m store.Message, l rowState) string {
	st, name := &c.Themes.Styles, theme.Speaker(m.Role)
	style := st.Muted // a name is not to be taken for a heading
	switch {
	case callsOnly(m):
		return c.call(m.ToolCalls[0])
	case m.Role == history.Tool && l.joinsCall:
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

// boundary is the line above the first message of which the model sees the conversation.
type boundary struct {
	id         int64 // that message, 0 for none
	above, all int   // how many messages in front of it the model sees: the opening, what is pinned, what is recalled
}

// SetPlan shows the verdicts of a plan beside the messages. First is the index of the first message that the server can
// have read of it.
func (c *Model) SetPlan(plan history.Plan, first int) {
	c.Plan, c.firstRead = plan, first
	c.allWhole = first == 0 && !slices.ContainsFunc(plan.Entries, func(e history.Entry) bool {
		glyph := theme.Glyph(e)
		return glyph != wholeGlyph && glyph != "◆"
	})
	c.boundary = boundaryOf(plan)
	c.clamp()
}

// boundaryOf is the edge behind the last message that fell out of a plan, none where none fell out, or none follows.
func boundaryOf(plan history.Plan) (e boundary) {
	sent, fell := 0, false
	for i, entry := range plan.Entries {
		if fell {
			e = boundary{id: entry.ID, above: sent, all: i}
		}
		if fell = entry.FellOut(); entry.Sent() {
			sent++
		}
	}
	if fell {
		return boundary{}
	}
	return e
}

// boundaryLine is the line of the edge, whose left end stands in the gutter.
func (c *Model) boundaryLine() string {
	st, sees, counted := &c.Themes.Styles, "the model sees from here", "and "+theme.Thousands(c.boundary.above)
	if c.Callbacks.ShowsTrial() {
		sees = "the model would see from here"
	}
	if c.boundary.above == 0 {
		counted = "none"
	}
	words := []string{st.Seen.Bold(true).Render(markdown.Truncate(sees, max(1, c.width-c.left-6), "…"))}
	note := st.Muted.Render(counted + " of " + theme.Thousands(c.boundary.all) + " above")
	return strings.Repeat(" ", c.left) + theme.RuleWithText(st.Seen, c.width-c.left, 2, words, note)
}

// goToBoundary selects the first message that the model still sees, or says that it sees the chat from its start.
func (c *Model) goToBoundary() string {
	switch {
	case len(c.NextPlan.Entries) == 0:
		return "There is no plan of the next request yet."
	case c.GoTo(c.boundary.id):
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

// verdictMark is the sign of a row about the request on show, and the verdict with its reason. It may change at every key
// press.
func (c *Model) verdictMark(id int64) (glyph, tag string) {
	switch e := c.entry(id); {
	case e == nil: // it is newer than the plan: what was sent or said just now
		glyph = wholeGlyph
	case record.NotRead(*e, c.firstRead):
		glyph, tag = "▲", theme.NotRead
	default:
		glyph, tag = theme.Glyph(*e), cmp.Or(c.change(e), theme.VerdictText(*e))
		if glyph == "◐" && strings.Contains(tag, "cut") {
			tag += " characters"
		}
	}
	if c.allWhole && glyph == wholeGlyph && c.cursor != id {
		glyph = "" // the silent case: every message is whole
	}
	if id == c.EditedID {
		tag = "editing"
	}
	return glyph, tag
}

// change is what other settings would change for a message, "" for nothing.
func (c *Model) change(e *history.Entry) string {
	was := c.entryIn(c.NextPlan, e.ID)
	if was == nil || !c.Callbacks.ShowsTrial() {
		return ""
	}
	return theme.VerdictChange(*was, *e)
}

// MessageNumber is a message's number in the conversation, as the panel has it.
func (c *Model) MessageNumber(id int64) string {
	at, _ := c.Messages.Find(id)
	if e := c.entryIn(c.NextPlan, id); e != nil {
		at = e.Index
	}
	return theme.Thousands(at + 1)
}

// MessagesLabel names messages: a single one by its number, others by how many they are.
func (c *Model) MessagesLabel(ids ...int64) string {
	if len(ids) == 1 {
		return "message " + c.MessageNumber(ids[0])
	}
	return theme.Thousands(len(ids)) + " messages"
}
