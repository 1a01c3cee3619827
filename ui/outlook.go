package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
)

// outlook is what the requests before tell about the next one.
type outlook struct {
	prefix    session.Prefix
	losses    []int // the entries that lose text for the first time
	shortfall *session.Shortfall
}

// outlookOf asks the session about a plan.
func outlookOf(s *session.Session, plan history.Plan) outlook {
	o := outlook{prefix: s.Prefix(plan), losses: s.Losses(plan)}
	if short, ok := s.Shortfall(); ok {
		o.shortfall = &short
	}
	return o
}

// pastReadMsg says that a session knows what its records tell.
type pastReadMsg struct {
	session *session.Session
	err     error
}

// loadPast reads what the records of an opened session tell about its next request.
func (m *Model) loadPast(s *session.Session) tea.Cmd {
	within := m.within
	return func() tea.Msg {
		ctx, cancel := within()
		defer cancel()
		return pastReadMsg{s, s.LoadPast(ctx)}
	}
}

func (m *Model) pastRead(msg pastReadMsg) tea.Cmd {
	switch {
	case msg.session != m.session:
		return nil
	case msg.err != nil:
		return m.complain(sentence(msg.err))
	}
	return m.draftChanged()
}

// announce says once, as a request leaves, which messages the model does not get any more, and the
// cures.
func (m *Model) announce(plan history.Plan) tea.Cmd {
	var gone []history.Entry
	for _, i := range m.panel.outlook.losses {
		if e := plan.Entries[i]; !e.Sent() {
			gone = append(gone, e)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return m.say(fmt.Sprintf("From now on the model does not see %s. %s pins a message, /budget raises the limit.",
		named(gone), firstKey(m.keys.Pin)))
}

// warnings are sentences about the next request that its numbers do not tell.
func (o outlook) warnings(plan history.Plan) []string {
	var list []string
	if s := o.shortfall; s != nil {
		list = append(list, fmt.Sprintf("in turn %s the server counted %s of ~%s tokens: it dropped a part of the request",
			thousands(s.Turn), thousands(s.Reported), thousands(s.Expected)))
	}
	var gone, short []history.Entry
	for _, i := range o.losses {
		if e := plan.Entries[i]; e.Sent() {
			short = append(short, e)
		} else {
			gone = append(gone, e)
		}
	}
	if len(gone) > 0 {
		list = append(list, "not sent for the first time: "+named(gone))
	}
	if len(short) > 0 {
		list = append(list, "shortened for the first time: "+named(short))
	}
	return list
}

// cached says how much of the request the server may have read before, and what of that stays when the
// next message falls out; "" where nothing is known.
func (r *request) cached(p session.Prefix) string {
	if !p.Known {
		return ""
	}
	text := "cached prefix ~" + r.counted(p.Tokens)
	if next := r.plan.Next; len(next) > 0 && p.IfNextDrops < p.Tokens {
		text += fmt.Sprintf(" · if %s drops: ~%s", thousands(next[0]+1), r.counted(p.IfNextDrops))
	}
	return text
}
