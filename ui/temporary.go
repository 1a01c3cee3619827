package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
)

// newTemporary begins a chat that is kept in memory alone.
func (m *Model) newTemporary() tea.Cmd {
	deps, start := m.options.Deps, session.Start{Ref: m.ref, Dir: m.info.Dir}
	return m.leaveFor(func(ctx context.Context) openedMsg {
		s, err := session.Temporary(ctx, deps, start)
		return openedMsg{session: s, err: err}
	})
}

// keepTemporary stores a temporary chat after all, and goes on in it.
func (m *Model) keepTemporary() tea.Cmd {
	switch {
	case !m.session.Temporary():
		return m.say("This session is stored already.")
	case m.chat.empty():
		return m.complain("There is nothing to keep yet.")
	case m.turn.busy:
		return m.stillArriving()
	}
	deps, ref, s, draft := m.options.Deps, m.ref, m.session, m.unsent()
	return m.behind(func(ctx context.Context) tea.Msg {
		row, err := s.Keep(ctx, deps.Store)
		if err != nil {
			return storedMsg{err: err}
		}
		if err := deps.Store.SaveDraft(ctx, row.ID, draft.Text, draft.Folds...); err != nil {
			return storedMsg{err: err}
		}
		kept, err := session.Open(ctx, deps, row.ID, ref)
		return storedMsg{session: kept, err: err}
	})
}

// storedMsg is a temporary chat that was stored, ready to be shown.
type storedMsg openedMsg

func (m *Model) keptTemporary(msg storedMsg) tea.Cmd {
	cmd := m.opened(openedMsg(msg))
	if msg.err != nil || m.session != msg.session {
		return cmd
	}
	return tea.Batch(cmd, m.say("This chat is stored now, and is among the sessions."))
}

// wouldBeGone says, once, that leaving the session on the screen ends a temporary chat for good. It
// is asked again soon when the user means it.
func (m *Model) wouldBeGone() (said tea.Cmd, stays bool) {
	if !m.session.Temporary() || m.chat.empty() || m.armed != 0 {
		return nil, false
	}
	return tea.Batch(m.complain("This chat is kept nowhere and would be gone. /keep stores it; the same again leaves it."), m.arm()), true
}

// forget lets go of the session that was on the screen: of a temporary one nothing is left.
func forget(s *session.Session) tea.Cmd {
	if !s.Temporary() {
		return nil
	}
	return func() tea.Msg {
		s.Store().Close() // It holds nothing that anybody will miss.
		return nil
	}
}

// home is where what belongs to the session on the screen is written down, nil for nowhere: the
// history, or the memory of a temporary chat.
func (m *Model) home() *store.Store { return m.session.Store() }
