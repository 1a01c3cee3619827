package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// changesMsg is what is otherwise in one request than in another.
type changesMsg struct {
	wish   int
	before *session.Recorded // nil where there is none before
	err    error
}

// readChanges compares the request on show with the one before it, or with the one that was marked.
func (m *Model) readChanges() tea.Cmd {
	in, r := &m.inspector, m.panel.Shown()
	if from := in.on.from; from != nil {
		if sameRequest(from, r) {
			m.noChanges("This is " + m.nameOf(r) + " itself: " + m.keys.First(keymap.Earlier) + " and " + m.keys.First(keymap.Later) + " go on to a request to compare it with.")
			return nil
		}
		before, after := inOrder(from, r)
		m.showChanges(side{m.nameOf(before), before.Plan}, side{m.nameOf(after), after.Plan})
		return nil
	}
	in.reads = "reading the request before"
	turn, nth := m.info.Turns+1, 1
	if r.Past != nil {
		turn, nth = r.Past.Request.Turn, r.Past.Nth
	}
	wish, s := in.wish, m.session
	return m.behind(func(ctx context.Context) tea.Msg {
		before, err := neighbour(turn, nth, -1, func(turn, nth int) (session.Recorded, error) { return s.Recorded(ctx, turn, nth) })
		return changesMsg{wish, before, err}
	})
}

// changesRead shows them.
func (m *Model) changesRead(msg changesMsg) tea.Cmd {
	in := &m.inspector
	switch {
	case msg.wish != in.wish:
		return nil
	case msg.err != nil:
		in.reads = ""
		return m.complain(theme.Sentence(msg.err))
	case msg.before == nil:
		m.noChanges("Nothing was sent before this request: there is nothing to compare it with.")
		return nil
	}
	v := msg.before.Verdicts
	r := m.panel.Shown()
	m.showChanges(side{panel.TurnName(*msg.before), history.Plan{Entries: v.Entries, Added: v.Added, Sum: v.Sum}}, side{m.nameOf(r), r.Plan})
	return nil
}

// noChanges says why there is no list of changes.
func (m *Model) noChanges(why string) {
	m.put(&inspector.List{None: why, About: func(int) string { return "" }})
	m.inspector.open = nil
}

// side is one of two requests that are compared.
type side struct {
	name string
	history.Plan
}

// showChanges lists what is otherwise in the second request than in the first.
func (m *Model) showChanges(before, after side) {
	list := history.Compare(before.Entries, after.Entries)
	l := &inspector.List{
		N: len(list),
		Line: func(st theme.Styles, i, w int, chosen bool) string {
			return changeLine(st, list[i], before.Sum, after.Sum, w, chosen)
		},
		About: func(i int) string { return list[i].Reason() },
		None:  "Nothing changed: every message is sent as it was.",
	}
	l.Head.Line(inspector.Title, "from %s to %s", before.name, after.name)
	l.Head.Line(inspector.Quiet, "~%s to ~%s tokens · %s to %s of %s messages · %s", theme.Thousands(before.Sum.Tokens(before.Sum.Total)), theme.Thousands(after.Sum.Tokens(after.Sum.Total)),
		theme.Thousands(sentOf(before.Plan)), theme.Thousands(sentOf(after.Plan)), theme.Thousands(len(after.Entries)), theme.Plural(len(list), "change"))
	m.put(l)
	m.inspector.open = func() tea.Cmd {
		if l.N == 0 {
			return m.say(l.None)
		}
		return m.inspectFrom(subject{message: list[l.At].Entry().ID})
	}
}

// sentOf counts the messages that a request holds.
func sentOf(p history.Plan) int { return session.CountsOf(p.Entries, nil, nil).Sent() }

// changeLine is one change: its kind, the message, and its tokens before and after.
func changeLine(st theme.Styles, c history.Change, before, after history.Sum, w int, chosen bool) string {
	e := c.Entry()
	left := fmt.Sprintf(" %-9s  %s %s", c.Kind, theme.Thousands(e.Index+1), theme.Speaker(e.Role))
	if is := theme.Word(c.After); is != "" {
		left += "  " + is
	}
	right := theme.Thousands(before.Tokens(c.Before.TokensAfter)) + " → " + theme.Thousands(after.Tokens(c.After.TokensAfter)) + " "
	g := " "
	if c.After.Disposition != "" {
		g = theme.Glyph(c.After)
	}
	return st.VerdictLine(g, left, "", right, w, chosen)
}
