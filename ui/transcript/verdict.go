package transcript

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// whole is the sign of a message that is sent as it is, fault that of what went wrong or was not read by the server.
const (
	whole = "●"
	fault = "✗"
)

// mark is what is drawn beside a row about the request on show. It may change at every key press.
type mark struct {
	glyph    string
	style    lipgloss.Style // of the glyph
	tag      string         // the verdict with its reason, at the end of the first line
	tagStyle lipgloss.Style
}

// edge is the line above the first message of which the model sees the conversation.
type edge struct {
	id         int64 // that message, 0 for none
	above, all int   // how many messages in front of it the model sees: the opening, what is pinned, what is recalled
	trial      bool  // the plan is one that other settings would send
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
	c.edge.trial = c.Screen.Trial()
	c.settle()
}

// edgeOf is the edge behind the last message that fell out of a plan, none where none fell out, or none follows.
func edgeOf(plan history.Plan) (e edge) {
	sent := 0
	for i := range plan.Entries {
		if i > 0 && plan.Entries[i-1].FellOut() {
			e = edge{id: plan.Entries[i].ID, above: sent, all: i}
		}
		if plan.Entries[i].Sent() {
			sent++
		}
	}
	if last := len(plan.Entries) - 1; last >= 0 && plan.Entries[last].FellOut() {
		return edge{}
	}
	return e
}

// edgeLine is the line of the edge, whose left end stands in the gutter.
func (c *Model) edgeLine() string {
	st, w := &c.Themes.Styles, c.width-c.left
	sees, counted := "the model sees from here", "and "+theme.Thousands(c.edge.above)
	if c.edge.trial {
		sees = "the model would see from here"
	}
	if c.edge.above == 0 {
		counted = "none"
	}
	words := st.Seen.Render("── ") + st.Seen.Bold(true).Render(sees) + st.Seen.Render(" ")
	note := " " + counted + " of " + theme.Thousands(c.edge.all) + " above"
	if theme.Width(words)+theme.Width(note) > w {
		note = ""
	}
	fill := strings.Repeat("─", max(0, w-theme.Width(words)-theme.Width(note)))
	return strings.Repeat(" ", c.left) + markdown.Truncate(words+st.Seen.Render(fill)+st.Muted.Render(note), w, "…")
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

// mark is what is drawn beside a row.
func (c *Model) mark(id int64) mark {
	st, e := &c.Themes.Styles, c.entry(id)
	m := mark{glyph: whole, style: st.Seen}
	switch {
	case e == nil: // it is newer than the plan: what was sent or said just now
	case record.NotRead(*e, c.firstRead):
		m = mark{fault, st.Error, theme.NotRead, st.Error}
	default:
		m.glyph, m.tag = theme.Glyph(*e), verdict(e)
		m.style = st.OfGlyph(m.glyph)
		if m.tagStyle = m.style; !e.Sent() {
			m.tagStyle = st.Muted
		}
		switch tag := c.change(e); {
		case strings.HasPrefix(tag, "+"):
			m.tag, m.tagStyle = tag, st.Seen
		case tag != "":
			m.tag, m.tagStyle = tag, st.Cut
		}
	}
	if c.quiet && m.glyph == whole && c.cursor != id {
		m.glyph = "" // the silent case: every message is whole
	}
	if id == c.Edited {
		m.tag, m.tagStyle = "editing", st.Strong
	}
	return m
}

// verdict is a verdict with its reason, "" for a message that is sent whole and as it is.
func verdict(e *history.Entry) string {
	text := theme.Verdict(*e)
	recalled, is := strings.CutPrefix(text, "recalled: ")
	switch {
	case e.Disposition == history.Cut && theme.Glyph(*e) == "◐":
		return text + " characters"
	case is && e.Cause.Code == cause.SharedWords:
		return "recalled: “" + recalled + "”"
	}
	return text
}

// change is what other settings would change for a message, with a sign that says whether more of it is sent; "" for
// nothing.
func (c *Model) change(e *history.Entry) string {
	was := c.entryIn(c.Next, e.ID)
	switch {
	case was == nil || !c.Screen.Trial():
		return ""
	case !was.Sent() && e.Sent():
		return "+ comes back"
	case was.Sent() && !e.Sent():
		return "− drops out"
	case len(was.Cuts) > 0 && len(e.Cuts) == 0 && e.Sent():
		return "+ whole again"
	case len(e.Cuts) > 0 && e.CharsAfter > was.CharsAfter:
		return "+ " + verdict(e)
	case len(e.Cuts) > 0 && e.CharsAfter < was.CharsAfter:
		return "− " + verdict(e)
	}
	return ""
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
