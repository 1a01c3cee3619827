package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/theme"
)

// load reads what opening a session left out.
func (m *Model) load(s *session.Session) tea.Cmd {
	return m.behind(func(ctx context.Context) tea.Msg {
		err := s.LoadRest(ctx)
		receipts, more := s.Receipts(ctx)
		return loadedMsg{s, s.Messages(), receipts, errors.Join(err, more)}
	})
}

func (m *Model) loaded(msg loadedMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	m.chat.Prepend(msg.messages, msg.receipts)
	again := tea.Batch(m.findAnew(), m.arrive(msg.err == nil))
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		return tea.Batch(m.complain(theme.Sentence(msg.err)), m.draftChanged(), again)
	}
	return tea.Batch(m.draftChanged(), m.count(m.session), m.findPrices(m.session), m.reach(m.session), m.loadPast(m.session), m.readForks(m.session), again, m.askPending())
}

// newSession begins a session with the model in use.
func (m *Model) newSession() tea.Cmd {
	deps, start := m.options.Deps, session.Start{Ref: m.ref, Dir: m.info.Dir}
	return m.leaveFor(func(context.Context) openedMsg {
		s, err := session.New(deps, start)
		return openedMsg{session: s, err: err}
	})
}

// leaveFor leaves the session on the screen for the one that open brings, unless an answer still arrives
// or a temporary chat would be gone.
func (m *Model) leaveFor(open func(context.Context) openedMsg) tea.Cmd {
	if m.turn.busy {
		return m.stillArriving()
	}
	if said, stays := m.wouldBeGone(discard); stays {
		return said
	}
	return m.openNext(func(ctx context.Context, number int) tea.Msg {
		msg := open(ctx)
		msg.number = number
		return msg
	})
}

// openSession opens a stored session.
func (m *Model) openSession(id string) tea.Cmd { return m.openAt(id, 0) }

// openAt opens a stored session at one of its messages, on whatever branch that is; 0 is its end.
func (m *Model) openAt(id string, message int64) tea.Cmd { return m.openFinding(id, message, "") }

// openFinding is openAt, and marks a text that is looked for.
func (m *Model) openFinding(id string, message int64, text string) tea.Cmd {
	deps, ref := m.options.Deps, m.ref
	return m.leaveFor(func(ctx context.Context) openedMsg {
		s, err := session.Open(ctx, deps, id, ref)
		if err == nil && message != 0 && !s.Holds(message) {
			err = switchTo(ctx, s, message)
		}
		return openedMsg{session: s, at: arrival{message, text}, err: err}
	})
}

func (m *Model) opened(msg openedMsg) tea.Cmd {
	switch {
	case msg.number != 0 && msg.number != m.opening.number:
		if msg.err != nil {
			return nil
		}
		return tea.Batch(forget(msg.session), leave(msg.session)) // another one was asked for since
	case msg.err != nil:
		return tea.Batch(m.complain(theme.Sentence(msg.err)), m.stay(), m.draftChanged())
	case m.turn.busy:
		return tea.Batch(m.complain("An answer is still arriving; the session was not changed."), m.stay())
	}
	m.turn = turn{number: m.turn.number + 1}
	m.bare()
	m.leftDraft()
	m.setFocus(draftPane)
	before, gone := m.session, forget(m.session)
	m.adopt(msg.session)
	m.arrival = msg.at
	return tea.Batch(gone, m.arrive(false), leave(before), m.occupy(msg.session), m.load(msg.session), m.loadDraft(msg.session), m.draftChanged(), m.index())
}

// settled ends a setting: what it changed is shown and planned anew.
func (m *Model) settled(msg settledMsg) tea.Cmd {
	var reach tea.Cmd
	if ref := m.session.Ref(); ref != m.ref {
		reach = m.reach(m.session)
		if m.unreachable {
			m.unreachable, m.alert, m.way = false, "", ""
			m.arrange()
		}
	}
	changed := m.session.Ref() != m.ref
	m.info, m.ref = m.session.Info(), m.session.Ref()
	if changed {
		reach = tea.Batch(reach, m.askPendingAnew())
	}
	switch {
	case msg.err != nil:
		return tea.Batch(m.complain(theme.Sentence(msg.err)), reach)
	case msg.text == "":
		return tea.Batch(m.draftChanged(), reach)
	}
	return tea.Batch(m.say(msg.text), m.draftChanged(), reach)
}
