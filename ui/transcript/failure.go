package transcript

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostWords is the most lines of what a server said: what can be done stands below.
const mostWords = 6

// retry is the way out of most failures.
func retry() key.Binding { return keymap.Typed("/retry", "try again") }

// Failure is why a turn has no answer, as an item of its own shows it.
type Failure struct {
	What string // what failed
	From string // the status and the server that it came from, "" where nothing answered
	Said string // the server's words, "" for none
	Safe string // what became of the message, and of the money
	Ways []key.Binding
}

// Fail shows why the turn failed, where it did. An answer of which something arrived says so itself.
func (c *Model) Fail(f record.Failure) {
	c.learnFailures([]record.Failure{f})
	for i := c.Messages.Len() - 1; i >= 0; i-- {
		if f.Request != 0 && c.Messages.Row(i).Request == f.Request {
			return
		}
	}
	for id, known := range c.failed {
		if f.After != 0 && known.After == f.After { // it failed there before, or the message has it
			it := c.failureItem(f)
			delete(c.failed, it.ID)
			it.ID, c.failed[id] = id, f
			c.list.Replace(id, it)
			c.list.GoTo(id)
			return
		}
	}
	c.showFailures([]record.Failure{f})
	if last := c.list.entry(c.list.Len() - 1); last.Failure == nil {
		c.list.GoTo(arriving - c.calls)
	}
}

// learnFailures adds failures to those that are known.
func (c *Model) learnFailures(list []record.Failure) (fresh []record.Failure) {
	for _, f := range list {
		known := slices.ContainsFunc(c.failures[f.User], func(o record.Failure) bool {
			return f.Request != 0 && o.Request == f.Request
		})
		if !known && f.After == 0 { // the message has the others
			c.failures[f.User] = append(c.failures[f.User], f)
			fresh = append(fresh, f)
		}
	}
	return fresh
}

// failureItem is the item of a failure.
func (c *Model) failureItem(f record.Failure) Item {
	c.calls++
	id := arriving - c.calls
	c.failed[id] = f
	shown := Failure{What: markdown.OneLine(f.What, 1000), Said: markdown.Visible(f.Words), Ways: c.waysOut(f)}
	if f.Status != 0 {
		shown.From = markdown.OneLine(theme.Thousands(f.Status)+" from "+f.Host, 60)
	}
	shown.Safe = "Your message is saved."
	if c.Session != nil && c.Session.Temporary() {
		shown.Safe = "Your message is still here."
	}
	switch {
	case f.Free && c.answeredIn(f):
		shown.Safe += " Nothing was charged for this request."
	case f.Free:
		shown.Safe += " Nothing was charged."
	}
	if f.Tries > 1 {
		shown.Safe = "Tried " + theme.Plural(f.Tries, "time") + ". " + shown.Safe
	}
	return Item{ID: id, Failure: &shown}
}

// answeredIn says that a request before the one that failed was answered in the turn.
func (c *Model) answeredIn(f record.Failure) bool {
	if m, ok := c.Message(f.After); ok {
		return m.Role != history.User
	}
	i, ok := c.Index(f.User)
	for i++; ok && i < c.Messages.Len() && c.Messages.Role(i) != history.User; i++ {
		if r := c.Messages.Row(i).Request; r != 0 && r < f.Request {
			return true
		}
	}
	return false
}

// waysOut is what can be done about a failure.
func (c *Model) waysOut(f record.Failure) []key.Binding {
	ways := []key.Binding{retry()}
	if f.Budget {
		return append([]key.Binding{keymap.Typed("/budget", "raise")}, ways...)
	}
	return append(ways, c.Keys.Hint("another model", keymap.Models), keymap.Typed("/doctor", "find the cause"))
}

// behind is the index of the message, before an end, behind which a failure of the turn that message at begins is
// shown: behind what was stored before its request, or behind the message that it names.
func (c *Model) behind(at, end int, f record.Failure) int {
	for c.Messages.ID(at) != f.After && at+1 < end && c.Messages.Role(at+1) != history.User {
		if r := c.Messages.Row(at + 1).Request; f.Request != 0 && r > f.Request {
			break
		}
		at++
	}
	return at
}

// failuresIn are the failures that are shown in the turn that message at begins, by the index of the message that they
// follow, before an end.
func (c *Model) failuresIn(at, end int) map[int][]record.Failure {
	list := c.failures[c.Messages.ID(at)]
	if len(list) == 0 {
		return nil
	}
	places := map[int][]record.Failure{}
	for _, f := range list {
		answered := false
		for i := at; i < end && f.Request != 0 && !answered; i++ {
			answered = c.Messages.Row(i).Request == f.Request
		}
		if !answered {
			i := c.behind(at, end, f)
			places[i] = append(places[i], f)
		}
	}
	return places
}

// showFailures inserts failures into the list, where their messages are in it.
func (c *Model) showFailures(list []record.Failure) {
	for _, f := range list {
		at, ok := c.Index(f.User)
		if !ok {
			continue
		}
		item, _ := c.list.index(c.Messages.ID(c.behind(at, c.Messages.Len(), f)))
		// Behind its tool calls and other failures.
		for item++; item < c.list.Len() && c.list.slots[item].ID < arriving; item++ {
		}
		c.list.Insert(item, c.failureItem(f))
	}
}

// Failed is the failure under the cursor.
func (c *Model) Failed() (record.Failure, bool) {
	id, ok := c.list.Cursor()
	f, is := c.failed[id]
	if at, known := c.Index(f.After); known && f.User == 0 { // what begins the turn may have been read since
		for at > 0 && c.Messages.Role(at) != history.User {
			at--
		}
		f.User = c.Messages.ID(at)
	}
	return f, ok && is
}

// text is a failure as it is copied.
func (f *Failure) text() string {
	lines := []string{f.What}
	for _, s := range []string{f.From, f.Said} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

// failure returns the lines of a failure. The ways out are shown where it is the last item.
func (m *itemList) failure(f *Failure, ways bool) []string {
	st, w := m.styles, m.bodyWidth()
	room := m.proseWidth()
	from := theme.Width(f.From)
	beside := from > 0 && theme.Width(f.What)+2+from <= w
	var lines []string
	for _, s := range theme.Wrap(f.What, room) {
		lines = append(lines, st.Strong.Render(strings.TrimRight(s, " ")))
	}
	switch {
	case beside:
		lines[0] += strings.Repeat(" ", w-theme.Width(lines[0])-from) + st.Error.Render(f.From)
	case from > 0:
		lines = append(lines, st.Error.Render(markdown.Truncate(f.From, w, "…")))
	}
	if f.Said != "" {
		said := theme.Wrap("“"+f.Said+"”", room)
		if len(said) > mostWords {
			said = said[:mostWords]
			said[mostWords-1] = markdown.Truncate(said[mostWords-1], max(0, room-2), "") + " …"
		}
		for _, s := range said {
			lines = append(lines, st.Text.Render(strings.TrimRight(s, " ")))
		}
	}
	for _, s := range theme.Wrap(f.Safe, room) {
		lines = append(lines, st.Muted.Render(strings.TrimRight(s, " ")))
	}
	if ways {
		lines = append(lines, m.ways(f.Ways)...)
	}
	return lines
}

// ways returns hints in as many lines as they take.
func (m *itemList) ways(hints []key.Binding) []string {
	var lines []string
	line, w := "", m.bodyWidth()
	for _, h := range hints {
		one := m.styles.Text.Render(h.Help().Key) + m.styles.Muted.Render(" "+h.Help().Desc)
		switch {
		case line == "":
			line = one
		case theme.Width(line)+3+theme.Width(one) > w:
			lines, line = append(lines, line), one
		default:
			line += "   " + one
		}
	}
	lines = append(lines, line)
	for i := range lines {
		lines[i] = markdown.Truncate(lines[i], w, "…")
	}
	return lines
}
