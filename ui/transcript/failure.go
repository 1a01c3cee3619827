package transcript

import (
	"charm.land/bubbles/v2/key"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// TurnFailed shows why the turn failed, where it did. An answer of which something arrived says so itself.
func (c *Model) TurnFailed(f record.Failure) {
	c.reported = append(c.reported, f)
	c.placeFailures()
	c.settle()
}

// placeFailures finds the messages that the failures are shown behind.
func (c *Model) placeFailures() {
	c.failed = map[int64]record.Failure{}
	for i := range c.Messages.Len() {
		if !c.Messages.Row(i).Faulty {
			continue
		}
		if f, failed := record.FailureAfter(c.At(i)); failed {
			c.failed[f.After] = f
		}
	}
	for _, f := range append(record.Failures(c.Receipts), c.reported...) {
		if id := c.failedBehind(f); id != 0 {
			c.failed[id] = f
		}
	}
	clear(c.blocks)
}

// failedBehind is the message that a failure is shown behind: the one that it names, else the last one of its turn that
// was stored before its request. It is 0 where something of the answer arrived, or the turn is not on this branch.
func (c *Model) failedBehind(f record.Failure) int64 {
	i, ok := c.Messages.Find(f.User)
	if f.After != 0 || !ok {
		return f.After
	}
	behind := f.User
	for i++; i < c.Messages.Len() && c.Messages.Role(i) != history.User; i++ {
		switch request := c.Messages.Row(i).Request; {
		case f.Request != 0 && request == f.Request:
			return 0
		case f.Request != 0 && request > f.Request:
			return behind
		}
		behind = c.Messages.ID(i)
	}
	return behind
}

// safe says what became of the message, and of the money. Behind an answer, or a tool's result, a request of the turn
// was charged.
func (c *Model) safe(f record.Failure, behind history.Role) string {
	text := "Your message is saved."
	if c.Session != nil && c.Session.Temporary() {
		text = "Your message is still here."
	}
	if f.Tries > 1 {
		text = "Tried " + theme.Plural(f.Tries, "time") + ". " + text
	}
	switch {
	case f.Free && behind == history.User:
		text += " Nothing was charged."
	case f.Free:
		text += " Nothing was charged for this request."
	}
	return text
}

// way is a way out: what is pressed or typed, and what it does.
func (c *Model) way(h key.Binding) string {
	return c.Themes.Styles.Text.Render(h.Help().Key) + c.Themes.Styles.Muted.Render(" "+h.Help().Desc)
}

// failureLines are the lines of a failure: what failed, the server's words, what is safe, and where it is the last row
// the ways out, one a line.
func (c *Model) failureLines(f record.Failure, behind history.Role, ways bool) []string {
	const mostWords = 6 // lines of what a server said: what can be done stands below
	st, w, room := &c.Themes.Styles, c.bodyWidth(), c.proseWidth()
	lines := theme.WrapStyled(st.Strong, markdown.OneLine(f.What, 1000), room)
	if f.Status != 0 {
		from := markdown.OneLine(theme.Thousands(f.Status)+" from "+f.Host, 60)
		if last := len(lines) - 1; theme.Width(lines[last])+2+theme.Width(from) <= w {
			lines[last] = theme.Spread(lines[last], st.Error.Render(from), w)
		} else {
			lines = append(lines, st.Error.Render(markdown.Truncate(from, w, "…")))
		}
	}
	if f.Words != "" {
		said := theme.Wrap("“"+markdown.Visible(f.Words)+"”", room)
		if len(said) > mostWords {
			said = append(said[:mostWords], "…")
		}
		lines = append(lines, said...)
	}
	lines = append(lines, theme.WrapStyled(st.Muted, c.safe(f, behind), room)...)
	retry := keymap.Typed("/retry", "try again")
	list := []key.Binding{retry, c.Keys.Hint("another model", keymap.Models), keymap.Typed("/doctor", "find the cause")}
	if f.Budget {
		list = []key.Binding{keymap.Typed("/budget", "raise"), retry}
	}
	for _, h := range list {
		if ways {
			lines = append(lines, markdown.Truncate(c.way(h), w, "…"))
		}
	}
	return lines
}
