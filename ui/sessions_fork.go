package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
)

// forkSession copies the active branch of the session under the cursor into a session of its own, and opens
// that.
func (m *Model) forkSession() tea.Cmd {
	s, ok := m.sessions.chosen()
	switch {
	case !ok:
		return m.say("There is no session to fork.")
	case !s.Deleted.IsZero():
		return m.inTrash()
	case m.turn.busy:
		return m.stillArriving()
	}
	if said, stays := m.wouldBeGone(discard); stays {
		return said
	}
	deps, id, ref := m.options.Deps, s.ID, m.ref
	done := forkedMsg{from: s.name()}
	return m.openNext(func(ctx context.Context, number int) tea.Msg {
		done.opened.number = number
		now, err := deps.Store.Session(ctx, id) // it may have grown since it was listed
		if err == nil {
			now, err = deps.Store.Fork(ctx, id, now.Leaf)
		}
		if err == nil {
			done.opened.session, err = session.Open(ctx, deps, now.ID, ref)
		}
		done.opened.err = err
		return done
	})
}
