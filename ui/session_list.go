package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/sessions"
	"winnow/ui/theme"
)

// sessionsOverlay is the list of stored sessions.
type sessionsOverlay struct{ centred }

func (o sessionsOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		in := m.overlayRoom()
		if !in.Holds(click.X, click.Y) {
			return nil
		}
		click.X, click.Y = click.X-in.X, click.Y-in.Y
		msg = click
	}
	return m.updateSessions(msg)
}

func (sessionsOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	m.sessions.Around = m.sessionsPlace()
	lines, x := m.sessions.View(m.themes.Styles)
	return lines, tea.NewCursor(in.X+x, in.Y)
}

func (sessionsOverlay) title(m *Model) (string, string) {
	return m.sessions.Title(), m.sessions.Place()
}

func (sessionsOverlay) hints(m *Model) []keymap.Hint { return m.sessions.Hints() }
func (sessionsOverlay) types(m *Model) bool          { return m.sessions.Types() }

// openSessions lists the stored sessions that a filter leaves.
func (m *Model) openSessions(filter string) tea.Cmd {
	db := m.options.Deps.Store
	if db == nil {
		return m.complain("This chat is not saved, so there are no sessions.")
	}
	m.overlays.open(sessionsOverlay{})
	return m.sessions.Open(sessions.Deps{
		Store: db, Keys: m.keys, Run: m.inBackground,
		NewContext: func() (context.Context, context.CancelFunc) { return m.newContext() },
		Rename:     m.renamer(),
	}, m.sessionsPlace(), m.secrets, filter)
}

// renamer gives a session a title. The one on the screen has to know its own.
func (m *Model) renamer() func(ctx context.Context, id, title string) error {
	db, open := m.options.Deps.Store, m.session
	return func(ctx context.Context, id, title string) error {
		if id == open.Info().ID {
			return open.Rename(ctx, title)
		}
		return db.Rename(ctx, id, title, store.TitleUser)
	}
}

// sessionsPlace is what the list is told of its surroundings.
func (m *Model) sessionsPlace() sessions.Around {
	in := m.overlayRoom()
	return sessions.Around{Shown: m.overlays.has(sessionsOverlay{}), Here: m.info.ID, Unindexed: m.upkeep.Unindexed, W: in.W, H: in.H}
}

func (m *Model) updateSessions(msg tea.Msg) tea.Cmd {
	m.sessions.Around = m.sessionsPlace()
	next, cmd, events := m.sessions.Update(msg)
	m.sessions = next
	return batch(cmd, events, m.sessionsEvent)
}

// sessionsEvent does what the list cannot do itself.
func (m *Model) sessionsEvent(e sessions.Event) tea.Cmd {
	switch e := e.(type) {
	case sessions.Said:
		return m.notice.Say(e.Text, e.Bad)
	case sessions.Closed:
		m.dismiss(sessionsOverlay{})
	case sessions.Left:
		m.bare()
	case sessions.NewSession:
		return m.newSession()
	case sessions.Chosen:
		return m.openStored(e.ID, arrival{})
	case sessions.Found:
		if _, here := m.chat.Place[e.Hit.Message]; here && e.Hit.Session.ID == m.info.ID {
			m.bare()
			m.arrival = arrival{e.Hit.Message, e.Text}
			return m.arrive(true)
		}
		told := m.say("Opening the session …") // a long one is read as far as the message first
		return tea.Batch(told, m.openStored(e.Hit.Session.ID, arrival{e.Hit.Message, e.Text}))
	case sessions.Forked:
		return m.forkListed(e)
	case sessions.Acted:
		m.info = m.session.Info()
	}
	return nil
}
