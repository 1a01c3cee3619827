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
		m.notice.Tell(strings.Join(m.options.Notices, " "))
		m.options.Notices = nil
		m.arrange()
	}
	return tea.Tick(quietAfter, func(time.Time) tea.Msg { return quietMsg{} })
}

func (m *Model) backUp() tea.Cmd {
	s := m.options.Deps.Store
	return m.inBackground(func(ctx context.Context) tea.Msg {
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
		m.notice.Tell("The chat history is damaged in one place. What you write goes on being saved. Leave winnow when it suits you: the next start sets the damaged file aside and saves all that can be read.")
		m.arrange()
		return nil
	}
	return m.complain("There is no backup of today: " + theme.Sentence(msg.err))
}

// The search index can lack messages: all of them in a history from before there was one, and those
// of a fork. They are put into it behind the screen, a step at a time, while nothing waits for them, and
// it is kept in order the same way.

// indexing is how far the search index is behind.
type indexing struct {
	running bool
	left    int64 // messages that a search does not find yet
}

// indexedMsg says that a step is done and how many messages are left, or why it was not done.
type indexedMsg struct {
	left int64
	more bool // there is something to tidy up
	took time.Duration
	err  error
}

// indexDueMsg says that it is time for the next step.
type indexDueMsg struct{}

// index brings the search index up to date, where that is not going on already.
func (m *Model) index() tea.Cmd {
	if m.options.Deps.Store == nil || m.options.Deps.Store.ReadOnly() || m.indexing.running {
		return nil
	}
	m.indexing.running = true
	return m.indexStep()
}

func (m *Model) indexStep() tea.Cmd {
	from := m.options.Deps.Store
	return m.inBackground(func(ctx context.Context) tea.Msg {
		begun := time.Now()
		left, err := from.IndexSome(ctx)
		more := false
		if left == 0 && err == nil {
			more, err = from.MergeIndex(ctx)
		}
		return indexedMsg{left, more, time.Since(begun), err}
	})
}

// indexed asks for the next step. Between two of them the machine rests as long as the step took. What
// went wrong stops it until the next occasion: nobody asked for it, and what is indexed is found.
func (m *Model) indexed(msg indexedMsg) tea.Cmd {
	if msg.err != nil {
		m.indexing.running = false
		return nil
	}
	m.indexing = indexing{running: msg.left > 0 || msg.more, left: msg.left}
	if !m.indexing.running {
		return nil
	}
	return tea.Tick(msg.took, func(time.Time) tea.Msg { return indexDueMsg{} })
}
