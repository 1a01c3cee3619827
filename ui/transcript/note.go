package transcript

import (
	"cmp"
	"strings"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// note says what became of a message that did not arrive as it should.
type note struct {
	what  string // such as "connection lost"; "" for nothing
	rest  string // what follows from it
	fault bool   // something went wrong
	again bool   // asking again is the way out
}

// noteOf is the note on a message, and on one that cannot be read.
func (c *Model) noteOf(m store.Message, unread error) note {
	switch {
	case unread != nil:
		return note{what: "cannot be read now", rest: "· " + theme.Sentence(unread), fault: true}
	case m.ID == arriving && c.answer.lost:
		return note{what: "not saved", fault: true}
	case m.Damaged && m.Remains != "":
		return note{what: "damaged", rest: "· this is not what was stored; kept, never sent", fault: true}
	case m.Damaged:
		return note{what: "damaged and unreadable", rest: "· kept, never sent", fault: true}
	case m.Role == history.Tool && m.Content == "":
		return note{what: "empty result"}
	}
	switch m.Status {
	case history.Interrupted:
		return c.interruption(m)
	case history.Failed:
		if m.Content+m.Reasoning == "" && len(m.ToolCalls) == 0 {
			return note{what: "failed", rest: "before anything arrived", fault: true}
		}
		return note{what: "failed", rest: "· this part is kept", fault: true}
	case history.Quarantined:
		return note{what: "unknown role", rest: "· kept, never sent", fault: true}
	case history.Streaming:
		return note{what: "still arriving"}
	}
	return note{}
}

// written is about how many tokens of an answer arrived, where the server has not counted them.
func written(m store.Message) int { return theme.TokensOf(len(m.Content) + len(m.Reasoning)) }

// interruption says why an answer is not whole.
func (c *Model) interruption(m store.Message) note {
	r := c.Receipts[m.Request]
	rest := "after " + theme.Plural(r.Usage.Answer, "token") + " · this part is kept"
	if r.Usage.Answer <= 0 { // the server did not count it
		rest = "after ~" + theme.Plural(written(m), "token") + " · this part is kept"
	}
	if r.End == store.EndStopped {
		return note{what: "you stopped this", rest: rest}
	}
	what := map[store.RequestEnd]string{
		store.EndCut: "connection lost", store.EndNoDone: "the server closed the connection",
		store.EndFailed: "the answer was cut off",
	}[r.End]
	if f := r.Fault; r.End == store.EndCut && f.What != "" && !f.Broken {
		if what = f.What; f.Words != "" {
			what += ": “" + f.Words + "”"
		}
	}
	return note{what: markdown.Visible(cmp.Or(what, "interrupted")), rest: rest, fault: true, again: true}
}

// noteLines are the lines of a note, with the way out at the end of the last one where it is wanted and has room.
func (c *Model) noteLines(n note, way bool) []string {
	if n.what == "" {
		return nil
	}
	st, what, style := &c.Themes.Styles, n.what, c.Themes.Styles.Muted
	if n.fault {
		what, style = "✗ "+what, st.Error
	}
	lines := theme.Wrap(strings.TrimSpace(what+" "+markdown.Visible(n.rest)), c.proseWidth())
	c.paint(lines, len(what), style)
	last := &lines[len(lines)-1]
	again := "   " + c.way(keymap.Typed("/retry", "try again"))
	if way && n.again && theme.Width(*last+again) <= c.bodyWidth() {
		*last += again
	}
	return lines
}
