package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/theme"
	"winnow/ui/turn"
)

// begin starts a turn that start makes events for, in the conversation on the screen. What it sends is nil where nothing
// new is said.
func (m *Model) begin(sent *composer.Sent, start func(context.Context) <-chan session.Event) tea.Cmd {
	if m.ReadOnly {
		return m.lacks(keymap.NeedOwn)
	}
	m.composer.Hold(sent)
	m.confirm.Forget()
	m.notice.Clear()
	m.turns++
	return m.Begin(m.turns, start)
}

// turnEvents shows what happened in a turn.
func (m *Model) turnEvents(msg turn.EventsMsg) tea.Cmd {
	c := m.shown
	if msg.Turn != m.Turn.Number {
		if c = m.background.WithTurn(msg.Turn); c == nil {
			return nil
		}
	}
	events, next := c.Turn.Take(msg)
	cmds := []tea.Cmd{next}
	for _, e := range events {
		if c == m.shown {
			cmds = append(cmds, m.turnEvent(e))
		} else {
			c.Event(e)
			cmds = append(cmds, m.backgroundEvent(c, e))
		}
	}
	return tea.Batch(cmds...)
}

// turnEvent shows what happened in the turn of the conversation on the screen.
func (m *Model) turnEvent(e session.Event) tea.Cmd {
	if stored, ok := e.(session.Stored); ok {
		m.branchOff(stored)
	}
	m.Event(e)
	switch e := e.(type) {
	case session.Stored:
		return tea.Batch(m.composer.Stored(), m.Waiting.Save())
	case session.Planned:
		return m.inspector.Refresh()
	case session.Asked, session.OverLimit:
		return m.asked()
	case session.Notice:
		return m.notice.Show(notice.Sentence{Text: theme.Announced(e.Text), Turn: true})
	case session.Finished:
		return m.finished(e)
	}
	return nil
}

// branchOff leaves the messages behind the parent of an edited message, which begins another branch.
func (m *Model) branchOff(e session.Stored) {
	if sent := m.composer.Sending(); sent != nil && sent.Instead != 0 {
		parent, there := m.Chat.Messages.Find(e.Message.Parent)
		if there {
			parent++
		}
		m.Chat.Follow(m.Chat.Messages.First(parent))
	}
}

// sendNext sends the next queued message of a conversation, where there is one and no answer arrives.
func (m *Model) sendNext(c *conversation.Model) tea.Cmd {
	if c.Turn.Busy || c.ReadOnly || c == m.shown && m.composer.Leaving() {
		return nil
	}
	next, ok := c.Waiting.Next()
	if !ok {
		return nil
	}
	start := func(ctx context.Context) <-chan session.Event { return c.Session.Send(ctx, session.QueuedDraft(next)) }
	if c == m.shown {
		return m.begin(nil, start)
	}
	m.turns++
	return c.Begin(m.turns, start)
}

// releaseQueue goes on with a queue that waits, by the key that sends.
func (m *Model) releaseQueue() tea.Cmd {
	switch {
	case m.Turn.Busy:
		return m.notice.Say("The queue continues after this answer.")
	case m.ReadOnly:
		return m.lacks(keymap.NeedOwn)
	}
	m.Waiting.Release()
	m.notice.Hush() // it may say that the queue waits
	return m.sendNext(m.shown)
}

// finished ends the turn of the conversation on the screen.
func (m *Model) finished(e session.Finished) tea.Cmd {
	m.notice.EndTurn()
	stopped := m.Turn.Stopping && e.Err == nil
	queued := m.Waiting.Sending() // a queued message that is not stored
	m.Finish(e)
	said := m.outcome(e, stopped, queued)
	m.endQuestion()
	m.composer.GiveBack()
	if m.Turn.Quitting {
		return tea.Quit
	}
	next := m.sendNext(m.shown)
	if next == nil && !stopped {
		next = m.callEnded(m.shown, e.Err, m.Turn.Took())
	}
	var entitling tea.Cmd
	if e.Err == nil {
		entitling = m.settings.Entitle()
	}
	return tea.Batch(m.notice.Say(said), m.draftChanged(), entitling, m.Chat.SearchOn(), m.settings.AskWindow(), next,
		m.CatchUp(), m.upkeep.Sync())
}

// outcome says how the turn ended, in an alert or in a sentence, which is returned. A failure of a server stands in the
// transcript.
func (m *Model) outcome(e session.Finished, stopped, queued bool) string {
	waits, ready := m.Waiting.Waits(), m.Session.Ready()
	over, limited := (*session.OversizeError)(nil), (*session.LimitError)(nil)
	switch {
	case stopped && (queued || m.composer.Sending() != nil):
		// The message is not stored, and nothing is sent before it is.
		return joined("Stopped; nothing was sent.", waits)
	case stopped:
		return joined("Stopped; what arrived is kept.", waits)
	case errors.As(e.Err, &over):
		m.tooLong(over, queued)
	case errors.As(e.Err, &limited) && !queued:
		return joined(notSent(m), waits)
	case e.Err == nil, limited != nil, e.Failure != nil && !m.Turn.Condensing && !queued:
		return waits
	case queued:
		m.notice.Warn(notice.Alert{
			Text: theme.Sentence(e.Err), Way: joined(m.agreeToAddress(e.Err), waits), Cause: notReady(ready),
		})
	default:
		m.notice.Warn(notice.Alert{
			Text: theme.Sentence(e.Err), Way: joined(m.wayOut(e.Err), waits), Cause: notReady(ready),
		})
	}
	return ""
}

// notSent says what became of a message, or of a turn, that exceeds a limit and is not sent.
func notSent(m *Model) string {
	if m.composer.Sending() != nil {
		return "Not sent; the draft is kept."
	}
	return "Not sent. The earlier messages are kept; /retry asks again."
}

// joined is two sentences, either of which may be "".
func joined(first, second string) string { return strings.TrimSpace(first + " " + second) }

// send sends the draft: a command is run, a message begins a turn.
func (m *Model) send() tea.Cmd {
	shown := m.composer.Shown()
	switch {
	case strings.TrimSpace(shown) == "" && m.Waiting.Len() > 0:
		return m.releaseQueue()
	case strings.TrimSpace(shown) == "":
		return m.notice.Error("There is nothing to send yet.")
	case m.composer.Leaving():
		return m.notice.Error("The chat is still loading. Your draft is kept.")
	case m.composer.IsCommand(shown):
		return m.runCommand(strings.TrimSpace(m.composer.Text()))
	case strings.HasPrefix(strings.TrimSpace(m.composer.Text()), "/attach ") && !m.editing():
		return m.notice.Error("The draft has files already: @ attaches more.")
	case m.composer.Unread():
		return m.notice.Error("A file of the draft is still loading.")
	case m.ReadOnly:
		return m.lacks(keymap.NeedOwn)
	}
	if m.Turn.Busy {
		return m.enqueue(false)
	}
	if over := m.Oversize(); over != nil { // the session finds out about any other one before it stores it
		m.tooLong(over, false)
		return nil
	}
	return m.sendDraft(false)
}

// sendDraft sends the draft, which may be an edit, cut to fit where that is wanted.
func (m *Model) sendDraft(cut bool) tea.Cmd {
	s := m.Session
	draft := m.composer.Take(s.Info().Leaf)
	return m.begin(draft, func(ctx context.Context) <-chan session.Event {
		return s.Send(ctx, session.Draft{Text: draft.Text, Files: draft.Files, Instead: draft.Instead, Cut: cut})
	})
}

// lacks says that something does not hold that an action needs.
func (m *Model) lacks(n keymap.Need) tea.Cmd { return m.notice.Error(m.Keys.Lacks(n)) }

// sendAlone sends a message without the conversation before it, cut to fit where that is wanted.
func (m *Model) sendAlone(text string, cut bool) tea.Cmd {
	s, typed := m.Session, "/alone "+text
	if m.Turn.Busy {
		cmd := m.composer.EnqueueCommand(typed, store.Queued{Text: text, Alone: true, Cut: cut})
		return tea.Batch(cmd, m.queued())
	}
	draft := composer.Commanded(typed, text, s.Info().Leaf)
	return m.begin(draft, func(ctx context.Context) <-chan session.Event {
		return s.Send(ctx, session.Draft{Text: text, Alone: true, Cut: cut})
	})
}

// stopTurn stops the running turn; what arrived is kept.
func (m *Model) stopTurn() tea.Cmd {
	m.endQuestion()
	m.Turn.Stop()
	return nil
}
