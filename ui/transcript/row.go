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
	oneWord    = 60 // below this width, in cells, a verdict is one word
	maxProse   = 92 // cells of a line of prose: longer lines are hard to read
	glyphCells = 2  // cells of the glyph and the space after it

	bar          = "▌" // beside user messages and the message under the cursor
	wholeGlyph   = "●" // a message that is sent unchanged
	failureGlyph = "✗" // a failure

	maxBlocks = 128 // rendered rows in the cache
)

// block is a rendered row.
type block struct {
	rowState
	lines    []string // without the gutter; the first is the heading, to which each frame adds the verdict
	from, to int      // the range of lines that hold the text and the tool calls
	failure  int      // the first line of the failure of its turn, -1 for none
	match    int      // the first line with a search match, else the line about the omitted rest
}

// rowState is everything, besides the message and the width, that decides how a row is drawn. Rows are cached by it.
type rowState struct {
	expanded     bool              // the row is shown in full
	unsent       bool              // the message is not sent
	cut          history.CharRange // the first cut, if the message is shown as it is sent
	tokens       int               // of the text, as the server counts; 0 if unknown
	joinsCall    bool              // the row is a tool result directly below its call
	withAdvice   bool              // a failure comes with remedies
	pattern      *regexp.Regexp    // of the search, nil for none
	isCurrentHit bool              // the row is the current match
}

// rowStateOf returns the current state of row i.
func (c *Model) rowStateOf(i int) rowState {
	id := c.id(i)
	l := rowState{
		joinsCall: c.joinsCall(i), withAdvice: i+1 == c.rows() && !c.Busy, pattern: c.Search.pattern,
		isCurrentHit: c.Search.at() == id,
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

// block returns row i as it is to be drawn now, from the cache if possible.
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

// gutter is the number of cells left of the text: the margin and the glyph.
func (c *Model) gutter() int { return c.left + glyphCells }

// bodyWidth is the number of cells right of the gutter.
func (c *Model) bodyWidth() int { return max(c.width-c.gutter(), 1) }

// proseWidth is the number of cells of a line of prose.
func (c *Model) proseWidth() int { return min(c.bodyWidth(), maxProse) }

// View draws the rows on the screen. It returns exactly as many lines as the transcript is high.
func (c *Model) View() []string {
	if c.streaming() && c.answer.Stale() {
		delete(c.blocks, streamingID)
		for !c.answer.grew && c.answer.Stale() { // the server pauses: show everything so far
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

// draw draws a line of row i, or one of the lines below it.
func (c *Model) draw(i, line int) string {
	switch below := line - len(c.block(i).lines); {
	case below < 0:
		return c.gutterText(i, line) + c.markDragged(c.lineOf(i, line), i, line)
	case below == 1:
		return c.boundaryLine()
	}
	return ""
}

// gutterText is what is drawn left of a line of row i: the cursor, and a glyph or bar.
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

// lineOf returns a line of row i as it is on the screen. The first line of a message ends with the verdict.
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
	most := w - 2 - min(theme.Width(head), w/3) // leaves room for the verdict beside a long call
	if word, _, _ := strings.Cut(tag, " "); c.width < oneWord || theme.Width(tag) > most {
		tag = strings.TrimSuffix(word, ":") // "cut" of "cut to 150 of 2,310 characters"
	}
	return theme.Spread(head, style.Render(tag), w)
}

// render draws the message of row i, and the failure of its turn if there was one.
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
		if len(b.lines) == b.to && endsInBlock(m.Content) { // a blank line after code or a table
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

// heading is the first line of a message without its verdict: the speaker, or the tool call or result itself.
func (c *Model) heading(m store.Message, l rowState) string {
	st, name := &c.Themes.Styles, theme.Speaker(m.Role)
	style := st.Muted // must not look like a Markdown heading
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

// boundary is the line above the first message after a gap: from there on the model sees every message.
type boundary struct {
	id         int64 // the message below the line, 0 for no line
	above, all int   // how many of all messages above it are sent: the opening, pinned and recalled ones
}

// SetPlan shows the verdicts of a plan beside the messages. First is the index of the first message that the server can
// have read.
func (c *Model) SetPlan(plan history.Plan, first int) {
	c.Plan, c.firstRead = plan, first
	c.allWhole = first == 0 && !slices.ContainsFunc(plan.Entries, func(e history.Entry) bool {
		glyph := theme.Glyph(e)
		return glyph != wholeGlyph && glyph != "◆"
	})
	c.boundary = boundaryOf(plan)
	c.clamp()
}

// boundaryOf returns the boundary after the last dropped message of a plan, none if nothing was dropped or nothing
// follows.
func boundaryOf(plan history.Plan) (e boundary) {
	sent, fell := 0, false
	for i, entry := range plan.Entries {
		if fell {
			e = boundary{id: entry.ID, above: sent, all: i}
		}
		if fell = entry.DroppedByLimit(); entry.Sent() {
			sent++
		}
	}
	if fell {
		return boundary{}
	}
	return e
}

// boundaryLine draws the boundary. Its left end is in the gutter.
func (c *Model) boundaryLine() string {
	st, sees, counted := &c.Themes.Styles, "the model sees from here", "and "+theme.Thousands(c.boundary.above)
	if c.Hooks.ShowsTrial() {
		sees = "the model would see from here"
	}
	if c.boundary.above == 0 {
		counted = "none"
	}
	words := []string{st.Seen.Bold(true).Render(markdown.Truncate(sees, max(1, c.width-c.left-6), "…"))}
	note := st.Muted.Render(counted + " of " + theme.Thousands(c.boundary.all) + " above")
	return strings.Repeat(" ", c.left) + theme.RuleWithText(st.Seen, c.width-c.left, 2, words, note)
}

// goToBoundary selects the first message after the boundary. If there is none it returns a sentence that says why.
func (c *Model) goToBoundary() string {
	switch {
	case len(c.NextPlan.Entries) == 0:
		return "There is no plan of the next request yet."
	case c.GoTo(c.boundary.id):
		return ""
	}
	return "Nothing is dropped: the model sees the chat from its start."
}

// entry returns the entry of a message in the plan on show, nil if it has none.
func (c *Model) entry(id int64) *history.Entry { return c.entryIn(c.Plan, id) }

// entryIn is entry for another plan.
func (c *Model) entryIn(plan history.Plan, id int64) *history.Entry {
	if i, ok := c.Messages.Find(id); ok && i < len(plan.Entries) && plan.Entries[i].ID == id {
		return &plan.Entries[i]
	}
	return nil
}

// verdictMark returns the glyph of a row and its verdict with the reason. It is not cached, because it may change with
// every key press.
func (c *Model) verdictMark(id int64) (glyph, tag string) {
	switch e := c.entry(id); {
	case e == nil: // it is newer than the plan
		glyph = wholeGlyph
	case record.UnreadByServer(*e, c.firstRead):
		glyph, tag = "▲", theme.NotRead
	default:
		glyph, tag = theme.Glyph(*e), cmp.Or(c.change(e), theme.VerdictText(*e))
		if glyph == "◐" && strings.Contains(tag, "cut") {
			tag += " characters"
		}
	}
	if c.allWhole && glyph == wholeGlyph && c.cursor != id {
		glyph = "" // no glyphs at all if every message is whole
	}
	if id == c.EditedID {
		tag = "editing"
	}
	return glyph, tag
}

// change says what the settings of a trial would change for a message, "" for nothing.
func (c *Model) change(e *history.Entry) string {
	was := c.entryIn(c.NextPlan, e.ID)
	if was == nil || !c.Hooks.ShowsTrial() {
		return ""
	}
	return theme.VerdictChange(*was, *e)
}

// MessageNumber returns a message's number in the chat, as the panel shows it.
func (c *Model) MessageNumber(id int64) string {
	at, _ := c.Messages.Find(id)
	if e := c.entryIn(c.NextPlan, id); e != nil {
		at = e.Index
	}
	return theme.Thousands(at + 1)
}

// MessagesLabel names messages in a sentence: "message 12" for one, "3 messages" for several.
func (c *Model) MessagesLabel(ids ...int64) string {
	if len(ids) == 1 {
		return "message " + c.MessageNumber(ids[0])
	}
	return theme.Thousands(len(ids)) + " messages"
}
