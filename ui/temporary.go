package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
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
	case m.chat.Empty():
		return m.complain("There is nothing to keep yet.")
	case m.turn.busy:
		return m.stillArriving()
	}
	deps, ref, s := m.options.Deps, m.ref, m.session
	return m.behind(func(ctx context.Context) tea.Msg {
		row, err := s.Keep(ctx, deps.Store)
		if err != nil {
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
	return tea.Batch(cmd, m.keepSoon(), m.say("This chat is saved now, and is among the sessions."))
}

// unsaved says that the chat on the screen is saved nowhere and that something was said in it.
func (m *Model) unsaved() bool { return m.session.Temporary() && !m.chat.Empty() }

// wouldBeGone warns, once, that leaving the session on the screen discards a temporary chat. Whoever means
// it does the same again soon.
func (m *Model) wouldBeGone(by confirmation) (said tea.Cmd, stays bool) {
	if !m.unsaved() || m.armed.what == by {
		return nil, false
	}
	again := "the same again discards it."
	if by == discardByStop {
		again = m.keys.First(keymap.Stop) + " again discards it and quits."
	}
	return tea.Batch(m.complain("This chat is not saved. /keep saves it; "+again), m.arm(by)), true
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
