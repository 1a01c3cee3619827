package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
)

// enqueue queues the draft until the running turn ends. If cut is true it may be shortened to fit.
func (m *Model) enqueue(cut bool) tea.Cmd {
	return tea.Batch(m.composer.Enqueue(store.QueuedMessage{Cut: cut}), m.queued())
}

// queued says what a queued message waits for besides the end of the answer.
func (m *Model) queued() tea.Cmd {
	switch {
	case m.Question.HasQuestion():
		return m.notice.Say("Queued. " + waitsForYou(m) + " " + m.Keys.First(keymap.Focus) + " goes to it.")
	case m.composer.Queue.Paused():
		return m.notice.Say("Queued. The queue is paused: " + m.Keys.First(keymap.Send) +
			" on an empty draft sends the next message.")
	}
	return nil // the queue above the draft says it
}

// editing reports whether the draft is an edit of an earlier message.
func (m *Model) editing() bool { return m.composer.EditedMessage() != 0 }
