package ui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/current"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/sessions"
	"winnow/ui/theme"
)

// sessionsOverlay is the list of stored sessions.
type sessionsOverlay struct{ replaces }

func (sessionsOverlay) place() place { return listInstead }

func (o sessionsOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		in := m.overlayInner()
		if !in.Holds(click.X, click.Y) {
			return nil
		}
		click.X, click.Y = click.X-in.X, click.Y-in.Y
		msg = click
	}
	return m.updateSessions(msg)
}

func (sessionsOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	m.sessions.Around = m.aroundSessions()
	lines, x := m.sessions.View(m.themes.Styles)
	return lines, tea.NewCursor(in.X+x, in.Y)
}

func (sessionsOverlay) title(m *Model) (string, string) {
	return m.sessions.Title(), m.sessions.Position()
}

func (sessionsOverlay) hints(m *Model) []key.Binding { return m.sessions.Hints() }
func (sessionsOverlay) types(m *Model) bool          { return m.sessions.Types() }

// openSessions lists the stored sessions that a filter leaves.
func (m *Model) openSessions(filter string) tea.Cmd {
	db := m.current.With.Store
	if db == nil {
		return m.notice.Error("This chat is not saved, so there is no list of sessions.")
	}
	open, live := m.current.Session, m.current.Background.Sessions()
	m.overlays.open(sessionsOverlay{})
	return m.sessions.Open(sessions.Deps{
		Store: db, Keys: m.keys, Run: m.current.Run, Now: m.current.With.Now,
		NewContext: m.current.NewContext,
		Rename: func(ctx context.Context, id, title string) error {
			if s := live[id]; s != nil {
				return s.Rename(ctx, title)
			}
			if id == open.Info().ID { // it has to know its own title
				return open.Rename(ctx, title)
			}
			return db.Rename(ctx, id, title, store.TitleUser)
		},
	}, m.aroundSessions(), m.current.Secrets, filter)
}

// aroundSessions is what the list depends on beside its own state.
func (m *Model) aroundSessions() sessions.Around {
	in := m.overlayInner()
	return sessions.Around{
		Shown: m.overlays.has(sessionsOverlay{}), Here: m.current.Info.ID, Unindexed: m.upkeep.Unindexed,
		States: listedStates(m), W: in.W, H: in.H,
	}
}

func (m *Model) updateSessions(msg tea.Msg) tea.Cmd {
	m.sessions.Around = m.aroundSessions()
	var cmd tea.Cmd
	m.sessions, cmd = m.sessions.Update(msg)
	return m.handle(cmd, m.sessions.Events(), m.sessionsEvent)
}

func (m *Model) sessionsEvent(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case sessions.Closed:
		m.dismiss(sessionsOverlay{})
	case sessions.Left:
		m.bare()
	case sessions.NewSession:
		return m.do(keymap.New)
	case sessions.Chosen:
		return m.openStored(e.ID, current.Arrival{})
	case sessions.Found:
		at := current.Arrival{Message: e.Hit.Message, Text: e.Text}
		if _, here := m.chat.Index(at.Message); here && e.Hit.Session.ID == m.current.Info.ID {
			m.bare()
			m.current.At = at
			return m.arrive(true)
		}
		sentence := m.notice.Say("Opening the session…") // a long one is read as far as the message first
		return tea.Batch(sentence, m.openStored(e.Hit.Session.ID, at))
	case sessions.Forked:
		return m.leaveFor(func(o *current.Model) tea.Cmd { return o.ForkStored(e.ID, e.Name) })
	case sessions.Acted:
		m.current.Info = m.current.Session.Info()
	}
	return nil
}

// currentEvent shows what is new about the session on the screen.
func (m *Model) currentEvent(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case current.Opened:
		return m.opened(e)
	case current.NotOpened:
		sentence := m.notice.Error(theme.Sentence(e.Err))
		if e.Left {
			m.composer.Stay()
			return tea.Batch(sentence, m.draftChanged())
		}
		return sentence
	case current.Loaded:
		return m.loaded(e)
	case current.Leased:
		if m.current.ReadOnly {
			m.endQuestion()
			m.composer.Clear() // the session's draft is the other window's
			m.arrange()
		}
	case current.ForksRead:
		m.chat.SetTrails(m.current.Forks.Trails())
	case current.Planned:
		return m.planned(e)
	case current.Counted:
		guessed := m.panel.Guessed != ""
		m.panel.Count(e.Counting)
		switch {
		case !e.Done():
			return m.current.Count()
		case guessed:
			return m.draftChanged() // once more, by counts alone
		}
	case current.Priced:
		showCosts(m)
	case current.PastRead:
		return m.draftChanged()
	case current.Switched:
		return m.versionSwitched(e)
	case current.Changed:
		return openChanged(m)
	case current.Elsewhere:
		return elsewhere(m, e)
	case current.Reread:
		return reread(m, e)
	case current.Reached:
		return m.reached(e)
	}
	return nil
}
