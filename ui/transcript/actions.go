package transcript

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Update handles a key while the transcript has the focus.
func (c *Model) Update(msg tea.KeyPressMsg) tea.Cmd {
	if c.Search.Typing {
		return c.searchKey(msg)
	}
	switch a := c.Keys.Action(msg, keymap.InTranscript); a {
	case keymap.Down:
		c.Scroll(1)
	case keymap.Up:
		c.Scroll(-1)
	case keymap.Next:
		c.step(1)
	case keymap.Prev:
		c.step(-1)
	case keymap.Top:
		c.selectRow(0)
	case keymap.Bottom:
		c.SelectLast()
	case keymap.Boundary:
		return c.Say(c.goToBoundary())
	case keymap.Expand:
		if !c.ToggleExpanded() {
			return c.Say("This message has nothing to expand.")
		}
	case keymap.Find:
		cmd := c.SearchFor("")
		c.Search.Typing = true
		return cmd
	case keymap.NextHit:
		return c.nextHit(1)
	case keymap.PrevHit:
		return c.nextHit(-1)
	case keymap.Select:
		return c.toggleSelected()
	case "":
		return c.Say(msg.String() + " does nothing in the transcript; " + c.Keys.First(keymap.Back) +
			" goes to the draft, " + c.Keys.First(keymap.Help) + " lists the keys.")
	default:
		return c.Do(a)
	}
	return nil
}

// Hints are the most useful keys for the current message or selection. The last one says how to leave, or where the
// other keys are listed.
func (c *Model) Hints() []key.Binding {
	k := &c.Keys
	pin, exclude := k.Hint("pin", keymap.Pin), k.Hint("exclude", keymap.Exclude)
	copies, other := k.Hint("copy", keymap.Copy), k.Hint("another model", keymap.AgainWith)
	message, _ := c.MessageAtCursor()
	hints := []key.Binding{k.Hint("inspect", keymap.Inspect)}
	switch _, failed := c.failure(message.ID); {
	case c.Search.Active:
		return []key.Binding{
			k.Hint("next", keymap.NextHit), k.Hint("previous", keymap.PrevHit), k.Hint("close", keymap.Back),
		}
	case c.HasSelection():
		return []key.Binding{
			pin, exclude, k.Hint("add or remove one", keymap.Select), k.Hint("cancel the selection", keymap.Back),
		}
	case failed:
		hints = []key.Binding{k.Hint("try again", keymap.Again), other, k.Hint("what was sent", keymap.Seen), copies}
	case message.Role == history.Assistant:
		if strings.Contains(message.Content, "```") {
			copies = k.Hint("copy code", keymap.CopyCode)
		}
		hints = append(hints, copies, other, k.Hint("what it saw", keymap.Seen))
	case message.Role == history.User:
		hints = append(hints, k.Hint("edit", keymap.Edit), pin, exclude, copies)
	default:
		hints = append(hints, pin, exclude, copies)
	}
	return append(hints, k.Hint("message", keymap.Next, keymap.Prev), k.Hint("help", keymap.Help))
}

// HasSelection reports whether messages are selected. Actions then apply to them.
func (c *Model) HasSelection() bool { return len(c.selected) > 0 }

// ClearSelection deselects all messages.
func (c *Model) ClearSelection() { c.selected = map[int64]bool{} }

// SelectedIDs returns the ids of the selected messages in the order of the chat.
func (c *Model) SelectedIDs() []int64 {
	return slices.Sorted(maps.Keys(c.selected)) // ids rise along a branch
}

// Targets returns the ids of the messages that an action applies to: the selected ones, else the one under the cursor.
func (c *Model) Targets() []int64 {
	ids := c.SelectedIDs()
	if m, ok := c.MessageAtCursor(); ok && len(ids) == 0 {
		ids = []int64{m.ID}
	}
	return ids
}

// toggleSelected adds the message under the cursor to the selection or removes it, and moves the cursor to the next
// one.
func (c *Model) toggleSelected() tea.Cmd {
	message, ok := c.MessageAtCursor()
	switch {
	case !ok:
		return c.Say("There is no message to select.")
	case c.selected[message.ID]:
		delete(c.selected, message.ID)
	default:
		c.selected[message.ID] = true
	}
	c.step(1)
	c.Hooks.CursorMoved()
	return nil
}

// Status says which search match is current, else how many messages are selected and how many tokens they take in the
// request on show; "" for neither.
func (c *Model) Status() string {
	switch {
	case c.HasSelection():
	case c.Search.pattern != nil && c.cursor != 0: // no cursor: the draft has the focus
		return c.hitText()
	default:
		return ""
	}
	tokens := 0
	for id := range c.selected {
		if e := c.entry(id); e != nil {
			tokens += e.TokensAfter
		}
	}
	return theme.Thousands(len(c.selected)) + " selected · " + theme.Thousands(c.Plan.Sum.Tokens(tokens)) + " tokens"
}

// action is a change of flags by the user.
type action struct {
	flag   history.Flag           // the new flag; "" leaves the messages to the rules
	ids    []int64                // of the messages
	before map[int64]history.Flag // previous flags of the changed messages, once the action is stored
}

// SetFlag gives messages a flag; "" removes it.
func (c *Model) SetFlag(f history.Flag, ids ...int64) tea.Cmd {
	flags := map[int64]history.Flag{}
	for _, id := range ids {
		flags[id] = f
	}
	a := &action{flag: f, ids: ids, before: map[int64]history.Flag{}}
	c.undo = append(c.undo, a)
	c.ClearSelection()
	return c.applyFlags(a, flags, "")
}

// Undo undoes the last change of flags.
func (c *Model) Undo() tea.Cmd {
	last := len(c.undo) - 1
	if last < 0 {
		return c.Say("Nothing to undo: no message was pinned or excluded since this chat was opened.")
	}
	undone := c.undo[last]
	c.undo = c.undo[:last]
	again := &action{flag: undone.flag, ids: undone.ids, before: map[int64]history.Flag{}}
	return c.applyFlags(again, undone.before, "Undone: ")
}

// applyFlags stores flags after all earlier actions, whose before maps are complete by then. Prefix begins the notice.
func (c *Model) applyFlags(a *action, flags map[int64]history.Flag, prefix string) tea.Cmd {
	s := c.Session
	return c.InOrder(func(ctx context.Context) error {
		before, err := s.SetFlags(ctx, flags)
		maps.Copy(a.before, before)
		return err
	}, func(err error) tea.Cmd {
		if len(a.before) == 0 { // nothing changed, so there is nothing to undo
			c.undo = slices.DeleteFunc(c.undo, func(done *action) bool { return done == a })
		}
		if err != nil {
			return c.ReportError(err)
		}
		return tea.Batch(c.Replan(), c.Say(theme.UpperFirst(prefix+c.actionText(a))))
	})
}

// actionText describes an action in one sentence.
func (c *Model) actionText(a *action) string {
	which := c.MessagesLabel(a.ids...)
	if len(a.before) == 0 {
		return "nothing changed for " + which + "."
	}
	text := fmt.Sprintf(map[history.Flag]string{
		history.Pin: "pinned %s.", history.Exclude: "excluded %s.", "": "set %s to automatic.",
	}[a.flag], which)
	if c.Busy || c.Hooks.ShowsPast() {
		text += " It applies to the next request."
	}
	return text
}

// CopyCommand is the command /copy. It copies the messages that Targets returns, or for "code" a code block of the
// first one. Without targets it copies the last answer.
func (c *Model) CopyCommand(args string) tea.Cmd {
	var texts []string
	for _, id := range c.Targets() {
		m, _ := c.Message(id)
		texts = append(texts, m.Content)
	}
	if len(texts) == 0 {
		m, _ := c.lastAnswer()
		texts = append(texts, m.Content)
	}
	switch args {
	case "":
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
		return c.copy(strings.Join(texts, "\n\n"))
	case "code":
		return c.copyCode(markdown.CodeBlocks(texts[0]))
	}
	return c.Fail("Usage: /copy, or /copy code for the last code block.")
}

// copy copies a text unchanged.
func (c *Model) copy(text string) tea.Cmd {
	if text == "" {
		return c.Fail("There is no text to copy.")
	}
	return c.Copy(theme.Plural(utf8.RuneCountInString(text), "character"), text)
}

// copyCode copies the last code block of a message. Repeated calls go back through its earlier blocks.
func (c *Model) copyCode(blocks []string) tea.Cmd {
	if len(blocks) == 0 {
		return c.Fail("This message has no code block.")
	}
	if all := strings.Join(blocks, "\n"); c.codeOf != all {
		c.codeOf, c.codes = all, 0
	}
	c.codes++
	code := blocks[len(blocks)-1-(c.codes-1)%len(blocks)]
	return c.Copy("a code block of "+theme.Plural(strings.Count(code, "\n")+1, "line"), code)
}

// position is a cell of a row, counted from the end of the gutter.
type position struct{ row, line, cell int }

func (p position) compare(o position) int {
	return cmp.Or(cmp.Compare(p.row, o.row), cmp.Compare(p.line, o.line), cmp.Compare(p.cell, o.cell))
}

// dragged is the text selected with the mouse: the cells between two positions, in either order. Changing the rows
// clears it.
type dragged struct {
	held     bool     // the button is down
	from, to position // equal if nothing is selected
}

// bounds returns the first and the last position.
func (d dragged) bounds() (begin, end position) {
	both := []position{d.from, d.to}
	return slices.MinFunc(both, position.compare), slices.MaxFunc(both, position.compare)
}

// Dragging reports whether the mouse is selecting text.
func (c *Model) Dragging() bool { return c.dragged.held }

// ClearDrag removes the mouse selection.
func (c *Model) ClearDrag() { c.dragged = dragged{} }

// MouseDown begins a mouse selection at a cell of the transcript.
func (c *Model) MouseDown(x, y int) {
	if c.ready() {
		at := c.positionAt(x, y)
		c.dragged = dragged{held: at.line < c.heightOf(at.row), from: at, to: at}
	}
}

// MouseDrag extends the mouse selection to a cell. It scrolls if the cell is above or below the screen.
func (c *Model) MouseDrag(x, y int) {
	switch {
	case y < 0:
		c.Scroll(-1)
	case y >= c.height:
		c.Scroll(1)
	}
	c.dragged.to = c.positionAt(x, min(max(y, 0), c.height-1))
}

// MouseUp ends a mouse selection and copies the text as it is drawn. If nothing was selected it moves the cursor to the
// message and reports a click.
func (c *Model) MouseUp() (cmd tea.Cmd, clicked bool) {
	c.dragged.held = false
	if c.dragged.from == c.dragged.to {
		c.selectRow(c.dragged.from.row)
		return nil, true
	}
	if text := c.draggedText(); text != "" {
		cmd = c.copy(text)
	}
	return cmd, false
}

// positionAt returns the position of a cell of the screen.
func (c *Model) positionAt(x, y int) position {
	i, line := c.rowAt(y)
	return position{i, line, max(0, x-c.gutter())}
}

// draggedCells returns the range of selected cells in a line of row i. A selection of several lines covers only text
// and failures, not headings and receipts.
func (c *Model) draggedCells(i, line int) (from, to int) {
	begin, end := c.dragged.bounds()
	b, several := c.block(i), begin.row != end.row || begin.line != end.line
	isText := line >= b.from && line < b.to || b.failure >= 0 && line >= b.failure
	first := slices.MaxFunc([]position{{i, line, 0}, begin}, position.compare)
	last := slices.MinFunc([]position{{i, line, c.width}, end}, position.compare)
	if begin == end || last.compare(first) < 0 || several && !isText {
		return 0, 0
	}
	return first.cell, last.cell + 1
}

// markDragged highlights the selected cells of a line of row i.
func (c *Model) markDragged(text string, i, line int) string {
	from, to := c.draggedCells(i, line)
	if to = min(to, theme.Width(text)); from >= to {
		return text
	}
	return lipgloss.StyleRanges(text, lipgloss.NewRange(from, to, lipgloss.NewStyle().Reverse(true)))
}

// draggedText returns the selected text as it is drawn, with a blank line between messages.
func (c *Model) draggedText() string {
	var lines []string
	begin, end := c.dragged.bounds()
	for i := begin.row; i <= end.row; i++ {
		for line := range c.block(i).lines {
			if from, to := c.draggedCells(i, line); from < to {
				lines = append(lines, strings.TrimRight(ansi.Cut(ansi.Strip(c.lineOf(i, line)), from, to), " "))
			}
		}
		if n := len(lines); n > 0 && lines[n-1] != "" {
			lines = append(lines, "")
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
