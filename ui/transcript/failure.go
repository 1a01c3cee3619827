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

// TurnFailed shows why the turn failed, where it did. An answer of which something arrived says so itself.
func (c *Model) TurnFailed(f record.Failure) {
	k := c.fail(f)
	c.build()
	if id := arriving - 1 - int64(k); id != c.rows[len(c.rows)-1].id {
		c.ScrollTo(id)
	}
}

// fail adds a failure, or puts it in the place of what is known of it, and returns its index.
func (c *Model) fail(f record.Failure) int {
	k := slices.IndexFunc(c.failures, func(known record.Failure) bool {
		return f.Request != 0 && known.Request == f.Request || f.After != 0 && known.After == f.After
	})
	if k < 0 {
		k = len(c.failures)
		c.failures = append(c.failures, f)
	}
	c.failures[k] = f
	delete(c.blocks, arriving-1-int64(k))
	return k
}

// failedBehind is the message that a failure is shown behind: the one that it names, else the last one of its turn that
// was stored before its request. It is 0 where something of the answer arrived, or the turn is not on this branch.
func (c *Model) failedBehind(f record.Failure) int64 {
	i, ok := c.Messages.Find(f.User)
	if f.After != 0 || !ok {
		return f.After
	}
	behind, passed := f.User, false
	for i++; i < c.Messages.Len() && c.Messages.Role(i) != history.User; i++ {
		request := c.Messages.Row(i).Request
		if request == f.Request && request != 0 {
			return 0
		}
		if passed = passed || f.Request != 0 && request > f.Request; !passed {
			behind = c.Messages.ID(i)
		}
	}
	return behind
}

// Failed is the failure under the cursor, with the user's message of its turn.
func (c *Model) Failed() (record.Failure, bool) {
	i, ok := c.index(c.cursor)
	if !ok || c.failure(c.cursor) == nil {
		return record.Failure{}, false
	}
	f, at := *c.failure(c.cursor), c.rows[i].message
	for at > 0 && c.Messages.Role(at) != history.User {
		at--
	}
	f.User = c.Messages.ID(at)
	return f, true
}

// from is the status and the server that a failure came from, "" where nothing answered.
func from(f *record.Failure) string {
	if f.Status == 0 {
		return ""
	}
	return markdown.OneLine(theme.Thousands(f.Status)+" from "+f.Host, 60)
}

// safe says what became of the message, and of the money. Behind an answer, or a tool's result, a request of the turn
// was charged.
func (c *Model) safe(f *record.Failure, behind history.Role) string {
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
func (c *Model) failureLines(f *record.Failure, behind history.Role, ways bool) []string {
	st, w, room := &c.Themes.Styles, c.bodyWidth(), c.proseWidth()
	lines := theme.WrapStyled(st.Strong, markdown.OneLine(f.What, 1000), room)
	switch from := from(f); {
	case from == "":
	case len(lines) == 1 && theme.Width(lines[0])+2+theme.Width(from) <= w:
		lines[0] = theme.Spread(lines[0], st.Error.Render(from), w)
	default:
		lines = append(lines, st.Error.Render(markdown.Truncate(from, w, "…")))
	}
	if f.Words != "" {
		said := theme.Wrap("“"+markdown.Visible(f.Words)+"”", room)
		if len(said) > mostWords {
			said = said[:mostWords]
			said[mostWords-1] = markdown.Truncate(said[mostWords-1], max(0, room-2), "") + " …"
		}
		lines = append(lines, said...)
	}
	lines = append(lines, theme.WrapStyled(st.Muted, c.safe(f, behind), room)...)
	retry := keymap.Typed("/retry", "try again")
	list := []key.Binding{retry, c.Keys.Hint("another model", keymap.Models), keymap.Typed("/doctor", "find the cause")}
	switch {
	case !ways:
		list = nil
	case f.Budget:
		list = []key.Binding{keymap.Typed("/budget", "raise"), retry}
	}
	for _, h := range list {
		lines = append(lines, markdown.Truncate(c.way(h), w, "…"))
	}
	return lines
}

// failureText is a failure as it is copied.
func failureText(f *record.Failure) string {
	lines := []string{f.What, from(f), markdown.Visible(f.Words)}
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}
