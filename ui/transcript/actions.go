package transcript

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Key is a key while the transcript has them.
func (c *Model) Key(msg tea.KeyPressMsg) tea.Cmd {
	if c.Search.Open {
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
		c.Newest()
	case keymap.Boundary:
		return c.Say(c.boundary())
	case keymap.Expand:
		if !c.Expand() {
			return c.Say("This message has nothing to expand.")
		}
	case keymap.Find:
		cmd := c.SearchFor("", false)
		c.Search.Open = true
		return cmd
	case keymap.NextHit:
		return c.nextHit(1)
	case keymap.PrevHit:
		return c.nextHit(-1)
	case keymap.Select:
		return c.pick()
	case "":
		return c.Say(msg.String() + " does nothing in the transcript; " + c.Keys.First(keymap.Back) +
			" goes to the draft, " + c.Keys.First(keymap.Help) + " lists the keys.")
	default:
		return c.Do(a)
	}
	return nil
}

// Hints are the keys that matter most in the transcript, and for a selection. The last one says how to leave, or where
// the rest is.
func (c *Model) Hints() []key.Binding {
	k := &c.Keys
	pin, exclude := k.Hint("pin", keymap.Pin), k.Hint("exclude", keymap.Exclude)
	copies, other := k.Hint("copy", keymap.Copy), k.Hint("another model", keymap.AgainWith)
	message, _ := c.Selected()
	hints := []key.Binding{k.Hint("inspect", keymap.Inspect)}
	if message.Siblings > 1 {
		hints = append([]key.Binding{k.Hint("versions", keymap.Earlier, keymap.Later)}, hints...)
	}
	switch _, failed := c.failed[message.ID]; {
	case c.Selecting():
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

// Selecting says whether messages are selected, which the next action is about then.
func (c *Model) Selecting() bool { return len(c.selected) > 0 }

// Unselect leaves the selection.
func (c *Model) Unselect() { c.selected = map[int64]bool{} }

// Picked are the ids of the selected messages in the order of the conversation.
func (c *Model) Picked() []int64 {
	return slices.Sorted(maps.Keys(c.selected)) // a message is younger than those before it
}

// Targets are the ids of the messages that an action is about: the selected ones, else the one under the cursor.
func (c *Model) Targets() []int64 {
	ids := c.Picked()
	if m, ok := c.Selected(); ok && len(ids) == 0 {
		ids = []int64{m.ID}
	}
	return ids
}

// pick adds the message under the cursor to the selection, or takes it out, and goes to the next one.
func (c *Model) pick() tea.Cmd {
	message, ok := c.Selected()
	switch {
	case !ok:
		return c.Say("There is no message here to select.")
	case c.selected[message.ID]:
		delete(c.selected, message.ID)
	default:
		c.selected[message.ID] = true
	}
	c.step(1)
	c.Screen.Moved()
	return nil
}

// SelectionTitle says how many messages are selected, and their tokens in the request on show; "" where nothing is.
func (c *Model) SelectionTitle() string {
	if !c.Selecting() {
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

// action is a change of flags by hand, or the undoing of one.
type action struct {
	flag   history.Flag           // that the messages are given; "" gives them back to the rules
	ids    []int64                // the messages that it is about
	before map[int64]history.Flag // of the messages that it changed, as soon as it is stored
	prefix string                 // of the sentence about it
}

// Flag gives messages a flag.
func (c *Model) Flag(f history.Flag, ids ...int64) tea.Cmd {
	flags := map[int64]history.Flag{}
	for _, id := range ids {
		flags[id] = f
	}
	a := &action{flag: f, ids: ids, before: map[int64]history.Flag{}}
	c.undo = append(c.undo, a)
	c.Unselect()
	return c.act(a, flags)
}

// Undo undoes the last action.
func (c *Model) Undo() tea.Cmd {
	last := len(c.undo) - 1
	if last < 0 {
		return c.Say("There is nothing to undo: no message was pinned or excluded since the chat was opened.")
	}
	undone := c.undo[last]
	c.undo = c.undo[:last]
	a := &action{flag: undone.flag, ids: undone.ids, before: map[int64]history.Flag{}, prefix: "Undone: "}
	return c.act(a, undone.before)
}

// act stores flags, after those of the actions before it: what these changed is in their maps by then.
func (c *Model) act(a *action, flags map[int64]history.Flag) tea.Cmd {
	s := c.Session
	return c.InOrder(func(ctx context.Context) error {
		before, err := s.SetFlags(ctx, flags)
		maps.Copy(a.before, before)
		return err
	}, func(err error) tea.Cmd {
		if len(a.before) == 0 { // there is nothing to undo
			c.undo = slices.DeleteFunc(c.undo, func(done *action) bool { return done == a })
		}
		if err != nil {
			return c.Failed(err)
		}
		return tea.Batch(c.Replan(), c.Say(c.did(a)))
	})
}

// did is what an action did, in one line.
func (c *Model) did(a *action) string {
	which, be := c.NumbersOf(a.ids...), " are "
	if len(a.ids) == 1 {
		be = " is "
	}
	word := map[history.Flag]string{history.Pin: "pinned", history.Exclude: "excluded", "": "automatic"}[a.flag]
	if len(a.before) == 0 {
		return theme.UpperFirst(which + be + word + " already.")
	}
	text := word + " " + which
	if a.flag == "" {
		text = which + be + "automatic again"
	}
	text = theme.UpperFirst(a.prefix+text) + "."
	if c.Busy || c.Screen.Past() {
		text += " It applies to the next request."
	}
	return text
}

// CopyText copies the messages that an action is about, or for "code" a code block of the first one. Without any it is
// about the last answer.
func (c *Model) CopyText(args string) tea.Cmd {
	switch args {
	case "":
		return c.copyMessages()
	case "code":
		return c.copyCode()
	}
	return c.Fail("Usage: /copy, or /copy code for the last code block.")
}

func (c *Model) copyMessages() tea.Cmd {
	var texts []string
	for _, m := range c.toCopy() {
		if m.Content != "" {
			texts = append(texts, m.Content)
		}
	}
	if len(texts) == 0 {
		return c.Fail("There is no text to copy.")
	}
	text := strings.Join(texts, "\n\n")
	what := characters(text)
	if len(texts) > 1 {
		what = theme.Plural(len(texts), "message") + ", " + what
	}
	return c.Copy(what, text)
}

// copyCode copies the last code block of a message, and when that was copied before, the one before it.
func (c *Model) copyCode() tea.Cmd {
	m := c.toCopy()[0]
	list := markdown.CodeBlocks(m.Content)
	if len(list) == 0 {
		return c.Fail("This message has no code block.")
	}
	if c.codeOf != m.ID {
		c.codeOf, c.codes = m.ID, 0
	}
	c.codes++
	code := list[len(list)-1-(c.codes-1)%len(list)]
	return c.Copy("a code block of "+theme.Plural(strings.Count(code, "\n")+1, "line"), code)
}

// toCopy are the messages that are copied from, one at least.
func (c *Model) toCopy() (list []store.Message) {
	for _, id := range c.Targets() {
		m, _ := c.Message(id)
		list = append(list, m)
	}
	if len(list) == 0 {
		m, _ := c.lastAnswer()
		list = append(list, m)
	}
	return list
}

// characters says how long a text is.
func characters(text string) string { return theme.Plural(utf8.RuneCountInString(text), "character") }

// position is a cell of a row, counted behind the gutter.
type position struct{ row, line, cell int }

func (p position) compare(o position) int {
	return cmp.Or(cmp.Compare(p.row, o.row), cmp.Compare(p.line, o.line), cmp.Compare(p.cell, o.cell))
}

// dragged is what is selected with the mouse: the cells from one position to another, in the order in which they were
// passed. It goes when the rows change.
type dragged struct {
	held     bool     // the button is down
	from, to position // the same one where nothing is selected
}

// bounds are the first and the last position.
func (d dragged) bounds() (begin, end position) {
	both := []position{d.from, d.to}
	return slices.MinFunc(both, position.compare), slices.MaxFunc(both, position.compare)
}

// Held says that the mouse is selecting text.
func (c *Model) Held() bool { return c.dragged.held }

// Unpick takes the selection of the mouse away.
func (c *Model) Unpick() { c.dragged = dragged{} }

// Press begins a selection at a cell of the transcript.
func (c *Model) Press(x, y int) {
	at, ok := c.positionAt(x, y)
	c.dragged = dragged{held: ok, from: at, to: at}
}

// Drag takes the selection to a cell. Beyond the edge it scrolls.
func (c *Model) Drag(x, y int) {
	switch {
	case y < 0:
		c.Scroll(-1)
	case y >= c.height:
		c.Scroll(1)
	}
	if to, ok := c.positionAt(x, min(max(y, 0), c.height-1)); ok {
		c.dragged.to = to
	}
}

// Release ends a selection and copies it as it is drawn. Without one it was a click, and clicked.
func (c *Model) Release() (cmd tea.Cmd, clicked bool) {
	c.dragged.held = false
	if c.dragged.from == c.dragged.to {
		return nil, true
	}
	if text := c.draggedText(); text != "" {
		cmd = c.Copy(characters(text), text)
	}
	return cmd, false
}

// Click selects the message at line y. A click on its receipt is for what the model saw for it.
func (c *Model) Click(y int) tea.Cmd {
	at, ok := c.positionAt(0, y)
	if !ok || at.line >= len(c.block(at.row).lines) {
		return nil
	}
	c.selectRow(at.row)
	if at.line == c.block(at.row).receipt {
		return c.Do(keymap.Seen)
	}
	return nil
}

// positionAt is the position of a cell of the screen, false below the last message.
func (c *Model) positionAt(x, y int) (position, bool) {
	if !c.ready() || y < 0 || y >= c.height {
		return position{}, false
	}
	i, line := c.rowAt(y)
	return position{i, line, max(0, x-c.gutter())}, line < c.heightOf(i)
}

// cells are the cells of a line of row i that are selected. A selection of several lines is one of text, or of why a
// turn failed: names and receipts are not copied with it.
func (c *Model) cells(i, line int) (from, to int) {
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

// markDragged draws the selected cells of a line of row i.
func (c *Model) markDragged(text string, i, line int) string {
	from, to := c.cells(i, line)
	if to = min(to, theme.Width(text)); from >= to {
		return text
	}
	st := &c.Themes.Styles
	style := st.Selected.Foreground(st.Text.GetForeground())
	if !st.Tinted {
		style = st.Selected.Reverse(true)
	}
	return lipgloss.StyleRanges(text, lipgloss.NewRange(from, to, style))
}

// draggedText is what is selected, as it is drawn, with a blank line between messages.
func (c *Model) draggedText() string {
	var texts []string
	begin, end := c.dragged.bounds()
	for i := begin.row; i <= end.row; i++ {
		var lines []string
		for line := range c.block(i).lines {
			if from, to := c.cells(i, line); from < to {
				lines = append(lines, strings.TrimRight(ansi.Cut(ansi.Strip(c.lineOf(i, line)), from, to), " "))
			}
		}
		if text := strings.Trim(strings.Join(lines, "\n"), "\n"); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}
