package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/theme"
)

// Some time after the first frame the history is looked at as a whole, where that was too much for the
// start, and then backed up, once a day. Neither is waited for.

// quietAfter is how long after the start the machine has nothing more urgent to do.
const quietAfter = 2 * time.Second

// quietMsg says that the time has come.
type quietMsg struct{}

// backedUpMsg says that the history was looked at and backed up, or why not.
type backedUpMsg struct{ err error }

// safeguard waits for a quiet moment to look after the history.
func (m *Model) safeguard() tea.Cmd {
	s := m.options.Deps.Store
	if s == nil {
		return nil
	}
	if _, met := s.Salvaged(); met {
		// What was lost is worth more than a few seconds in the lower line.
		m.news = strings.Join(m.options.Notices, " ")
		m.options.Notices = nil
		m.arrange()
	}
	return tea.Tick(quietAfter, func(time.Time) tea.Msg { return quietMsg{} })
}

func (m *Model) backUp() tea.Cmd {
	s := m.options.Deps.Store
	return m.behind(func(ctx context.Context) tea.Msg {
		if err := s.Examine(ctx); err != nil {
			return backedUpMsg{err}
		}
		_, err := s.BackUpToday(ctx)
		return backedUpMsg{err}
	})
}

// backedUp tells of trouble alone: a backup that succeeds is nothing to read.
func (m *Model) backedUp(msg backedUpMsg) tea.Cmd {
	switch {
	case msg.err == nil:
		return nil
	case errors.Is(msg.err, store.ErrDamaged):
		m.news = "The chat history is damaged in one place. What you write goes on being saved. Leave winnow when it suits you: the next start sets the damaged file aside and saves all that can be read."
		m.arrange()
		return nil
	}
	return m.complain("There is no backup of today: " + theme.Sentence(msg.err))
}
