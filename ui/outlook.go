package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// outlook is what the requests before tell about the next one.
type outlook struct {
	prefix   session.Prefix
	gone     roll     // messages that are left out for the first time
	warnings []string // sentences about the request that its numbers do not tell
}

// outlookOf says what the session knows about a plan. Of a long conversation very many messages may be
// lost at once: what is said of them is made here, once for each plan.
func outlookOf(known session.Outlook, plan history.Plan) outlook {
	o := outlook{prefix: known.Prefix}
	if short := known.Shortfall; short != nil {
		o.warnings = append(o.warnings, fmt.Sprintf("in turn %s the server counted %s of ~%s tokens: it dropped a part of the request",
			theme.Thousands(short.Turn), theme.Thousands(short.Reported), theme.Thousands(short.Expected)))
	}
	var short roll
	for _, i := range known.Losses {
		if e := &plan.Entries[i]; e.Sent() {
			short.add(e)
		} else {
			o.gone.add(e)
		}
	}
	if o.gone.of > 0 {
		o.warnings = append(o.warnings, "not sent for the first time: "+o.gone.String())
	}
	if short.of > 0 {
		o.warnings = append(o.warnings, "shortened for the first time: "+short.String())
	}
	return o
}

// pastLoadedMsg says that a session knows what its records tell.
type pastLoadedMsg struct {
	session *session.Session
	err     error
}

// loadPast reads what the records of an opened session tell about its next request.
func (m *Model) loadPast(s *session.Session) tea.Cmd {
	return m.behind(func(ctx context.Context) tea.Msg {
		return pastLoadedMsg{s, s.LoadPast(ctx)}
	})
}

func (m *Model) pastLoaded(msg pastLoadedMsg) tea.Cmd {
	switch {
	case msg.session != m.session:
		return nil
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	}
	return m.draftChanged()
}

// announce says once, as a request leaves, which messages the model does not get any more, and the
// cures.
func (m *Model) announce() tea.Cmd {
	gone := m.panel.outlook.gone
	if gone.of == 0 {
		return nil
	}
	return m.say(fmt.Sprintf("From now on the model does not see %s. %s pins a message, /budget raises the limit.",
		gone.String(), m.keys.First(keymap.Pin)))
}

// cached says how much of the request the server may have read before, and what of that stays when the
// next message falls out; "" where nothing is known.
func (r *request) cached(p session.Prefix) string {
	if !p.Known {
		return ""
	}
	text := "cached prefix ~" + r.counted(p.Tokens)
	if next := r.plan.Next; len(next) > 0 && p.IfNextDrops < p.Tokens {
		text += " · if " + theme.Thousands(next[0]+1) + " drops ~" + r.counted(p.IfNextDrops)
	}
	return text
}
