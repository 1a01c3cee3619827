package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// A session that another window has open is shown here for reading: the composer is closed and says why,
// and what would change the session says so as well. It can be forked, and taken once it is free.

// occupiedMsg says whether a session is this window's.
type occupiedMsg struct {
	session   *session.Session
	elsewhere bool
	err       error
}

// occupy takes a session for this window, where no other has it.
func (m *Model) occupy(s *session.Session) tea.Cmd {
	if m.options.Deps.Store == nil {
		return nil
	}
	return m.inBackground(func(ctx context.Context) tea.Msg {
		elsewhere, err := s.Lease(ctx)
		return occupiedMsg{s, elsewhere, err}
	})
}

// leave gives a session that is not shown any more to other windows.
func leave(s *session.Session) tea.Cmd {
	return func() tea.Msg {
		s.Leave()
		return nil
	}
}

func (m *Model) occupied(msg occupiedMsg) tea.Cmd {
	switch {
	case msg.session != m.session:
		return leave(msg.session) // another one was opened meanwhile
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	}
	m.elsewhere = msg.elsewhere
	if msg.elsewhere {
		m.endQuestion()
		m.composer.Clear() // the session's draft is the other window's
	}
	return nil
}

// takeOver asks for a session that another window had, and opens it anew where it is free: the other
// window may have added to it.
func (m *Model) takeOver() tea.Cmd {
	deps, s, ref := m.options.Deps, m.session, m.ref
	return m.inBackground(func(ctx context.Context) tea.Msg {
		again := openedMsg{instead: s, said: "The session is yours again, with all that was added to it."}
		var elsewhere bool
		elsewhere, again.err = s.Lease(ctx)
		if elsewhere {
			return settings.DoneMsg{Text: "It is still open in the other window."}
		}
		if again.err == nil {
			again.session, again.err = session.Open(ctx, deps, s.Info().ID, ref)
		}
		if again.err == nil {
			_, again.err = again.session.Lease(ctx) // it is this window's already
		}
		return again
	})
}

// closedKey is a key in the composer of a session that can only be read.
func (m *Model) closedKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case k.Pressed(msg, keymap.Away):
		return m.forkHere()
	case k.Pressed(msg, keymap.Take):
		return m.takeOver()
	case k.Pressed(msg, keymap.Ask):
		return m.openHelp()
	case k.Pressed(msg, keymap.Quit):
		return m.quit()
	case k.Pressed(msg, keymap.Older):
		m.chat.Scroll(-1)
		return nil
	case k.Pressed(msg, keymap.Newer):
		m.chat.Scroll(1)
		return nil
	}
	return m.onlyRead()
}

// onlyRead says why nothing can be changed.
func (m *Model) onlyRead() tea.Cmd { return m.complain(m.keys.Lacks(keymap.NeedOwn)) }

// closedLines are what stands in the place of the draft.
func (m *Model) closedLines(w int) []string {
	k, st := &m.keys, m.themes.Styles
	lines := theme.WrapStyled(st.Text, closedText, w)
	return append(lines, theme.WrapStyled(st.Dim, k.First(keymap.Away)+" forks it · "+k.First(keymap.Take)+" takes it once it is free", w)...)
}

// closedText says why the composer is closed.
const closedText = "Open in another window: here it can be read."
