package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

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
	return m.behind(func(ctx context.Context) tea.Msg {
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
