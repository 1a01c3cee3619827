package ui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer/queue"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// enqueue has the draft sent when the answer that arrives is there, cut to fit where that is wanted.
func enqueue(m *Model, cut bool) tea.Cmd {
	switch {
	case m.composer.Editing() != 0:
		return m.notice.Error("An edited message cannot be queued: send it when the answer is complete. Your draft " +
			"is kept.")
	case len(m.composer.Unread()) > 0:
		return m.notice.Error("A file of the draft is still loading.")
	}
	cmd := m.composer.Enqueue(store.Queued{Cut: cut})
	m.arrange()
	return tea.Batch(cmd, m.notice.Say(queuedSentence(m)), m.draftChanged())
}

// queuedSentence says what a message that was queued waits for beside the answer, "" for nothing.
func queuedSentence(m *Model) string {
	switch {
	case m.question.Waits():
		return "Queued. " + waitsForYou(m) + " " + m.keys.First(keymap.Focus) + " goes to it."
	case m.composer.Waiting.Held():
		return "Queued. The queue is paused: " + m.keys.First(keymap.Send) +
			" on an empty draft sends the next message."
	}
	return "" // the queue above the draft says it
}

// sendNext sends the next queued message, where there is one and no answer arrives.
func sendNext(m *Model) tea.Cmd {
	if m.turn.Busy || m.current.ReadOnly || m.composer.Leaving() {
		return nil
	}
	next, ok := m.composer.Waiting.Next()
	if !ok {
		return nil
	}
	s := m.current.Session
	return m.begin(nil, func(ctx context.Context) <-chan session.Event {
		return s.Send(ctx, session.QueuedDraft(next))
	})
}

// releaseQueue goes on with a queue that waits, by the key that sends.
func releaseQueue(m *Model) tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.notice.Say("The queue continues after this answer.")
	case m.current.ReadOnly:
		return m.lacks(keymap.NeedOwn)
	}
	m.composer.Waiting.Release()
	m.notice.Hush() // it may say that the queue waits
	return sendNext(m)
}

// queueWaits says that the queue waits for the user, "" where it does not.
func queueWaits(m *Model) string {
	n := m.composer.Waiting.Len()
	switch {
	case !m.composer.Waiting.Held():
		return ""
	case n == 1:
		return "The queue is paused."
	}
	return theme.Plural(n, "queued message") + " wait."
}

// takeBack puts a message of the queue into the draft.
func takeBack(m *Model, take func(*queue.Model) (store.Queued, tea.Cmd, bool)) tea.Cmd {
	if !m.composer.Empty() {
		return m.notice.Error("Send or clear the draft first.")
	}
	message, cmd, ok := take(&m.composer.Waiting)
	if !ok {
		return m.notice.Error("This message is being sent already.")
	}
	back := m.composer.TakeBack(message)
	m.arrange()
	return tea.Batch(cmd, back, m.notice.Say("Moved back to the draft."), m.draftChanged())
}

// updateQueue hands what a command brought to the queue that it is for.
func updateQueue(m *Model, msg queue.Msg) tea.Cmd {
	var cmd tea.Cmd
	m.composer.Waiting, cmd = m.composer.Waiting.Update(msg)
	behind := m.current.Background.UpdateQueue(msg, m.current.NewContext)
	behind = m.handle(behind, m.current.Background.Events(), func(e event.Event) tea.Cmd {
		return backgroundEvent(m, e)
	})
	return m.handle(tea.Batch(cmd, behind), m.composer.Waiting.Events(), func(e event.Event) tea.Cmd {
		m.arrange()
		switch e.(type) {
		case queue.Ready:
			return sendNext(m)
		case queue.Restored:
			return m.notice.Say(queueWaits(m))
		}
		return nil
	})
}

// queueOverlay lists the queued messages.
type queueOverlay struct {
	floats
	*queue.List
}

// box is as high as the queue.
func (o queueOverlay) box(m *Model) theme.Box {
	b := m.layout.Overlay
	b.H = min(b.H, m.composer.Waiting.Len()+2)
	return b
}

// openQueue lists the queued messages, to take one back or to remove it.
func openQueue(m *Model) tea.Cmd {
	if m.composer.Waiting.Len() == 0 {
		return m.notice.Say("Nothing is queued. While an answer arrives, " + m.keys.First(keymap.Send) +
			" queues a message.")
	}
	m.overlays.open(queueOverlay{List: &queue.List{Keys: m.keys}})
	return nil
}

func (o queueOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	q := &m.composer.Waiting
	switch e := o.Update(q, key).(type) {
	case queue.Closed:
		m.uncover()
	case queue.Chosen:
		m.uncover()
		return takeBack(m, func(q *queue.Model) (store.Queued, tea.Cmd, bool) { return q.Take(e.At) })
	case queue.Removed:
		message, cmd, ok := q.Remove(e.At)
		if !ok {
			return m.notice.Error("This message is being sent already.")
		}
		m.composer.Remember(message.Draft)
		if m.arrange(); q.Len() == 0 {
			m.uncover()
		}
		return tea.Batch(cmd, m.notice.Say("Removed; "+m.keys.First(keymap.Older)+" in the draft recalls it."))
	case queue.Other:
		return m.ctx.NoKey(key, m.keys.First(keymap.Back)+" closes the list.")
	}
	return nil
}

func (o queueOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	return o.View(&m.composer.Waiting, m.themes.Styles, in.W, in.H), nil
}

func (queueOverlay) title(m *Model) (string, string) {
	return "queue", theme.Thousands(m.composer.Waiting.Len())
}

func (queueOverlay) hints(m *Model) []key.Binding {
	k := &m.keys
	return []key.Binding{
		k.Hint("move", keymap.ListDown, keymap.ListUp),
		k.Hint("take back", keymap.Choose),
		k.Hint("remove", keymap.RemoveQueued),
		k.Hint("close", keymap.Back),
	}
}
