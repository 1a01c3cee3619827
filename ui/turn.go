package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/slash"
	"winnow/ui/theme"
	"winnow/ui/turn"
)

// begin starts a turn that start makes events for, in the conversation on the screen. What it sends is nil where
// nothing new is said.
func (m *Model) begin(sent *composer.Sent, start func(context.Context) <-chan session.Event) tea.Cmd {
	if m.ReadOnly {
		return m.lacks(keymap.NeedOwn)
	}
	m.composer.Sending = sent
	m.confirm.asked = nothing
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
			cmds = append(cmds, m.background.Event(c, e))
		}
	}
	return tea.Batch(cmds...)
}

// turnEvent shows what happened in the turn of the conversation on the screen.
func (m *Model) turnEvent(e session.Event) tea.Cmd {
	if stored, ok := e.(session.MessageStored); ok {
		m.branchOff(stored)
	}
	m.Event(e)
	switch e := e.(type) {
	case session.MessageStored:
		return tea.Batch(m.composer.Stored(), m.Waiting.Save())
	case session.Planned:
		return m.Inspector.Refresh()
	case session.ApprovalNeeded, session.LimitExceeded:
		return m.asked()
	case session.Notice:
		return m.notice.Say(theme.Announced(e.Text))
	case session.Finished:
		return m.finished(e)
	}
	return nil
}

// branchOff leaves the messages behind the parent of an edited message, which begins another branch.
func (m *Model) branchOff(e session.MessageStored) {
	if sent := m.composer.Sending; sent != nil && sent.Replaces != 0 {
		parent, there := m.Chat.Messages.Find(e.Message.Parent)
		if there {
			parent++
		}
		m.Chat.Follow(m.Chat.Messages.First(parent))
	}
}

// sendNext sends the next queued message of a conversation, where there is one and no answer arrives.
func (m *Model) sendNext(c *conversation.Model) tea.Cmd {
	if c.Turn.Busy || c.ReadOnly {
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
	m.Waiting.Resume()
	m.notice.Hush() // it may say that the queue waits
	return m.sendNext(m.shown)
}

// finished ends the turn of the conversation on the screen.
func (m *Model) finished(e session.Finished) tea.Cmd {
	stopped := m.Turn.Stopping && e.Err == nil
	queued := m.Waiting.Sending() // a queued message that is not stored
	m.Finish(e)
	said, alert := m.Outcome(e, conversation.Sent{
		Unstored: m.composer.Sending != nil, Superseded: m.composer.Superseded(), Queued: queued, Stopped: stopped,
	})
	if alert.Text != "" {
		m.notice.Warn(alert)
	}
	m.endQuestion()
	m.composer.GiveBack()
	if m.Turn.Quitting {
		return tea.Quit
	}
	next := m.sendNext(m.shown)
	if next == nil && !stopped {
		next = m.CallEnded(&m.notice, e.Err)
	}
	var entitling tea.Cmd
	if e.Err == nil {
		entitling = m.settings.Entitle()
	}
	return tea.Batch(m.notice.Say(said), m.draftChanged(), entitling, m.Chat.SearchOn(), m.settings.AskWindow(), next,
		m.CatchUp(), m.upkeep.Sync())
}

// send sends the draft: a command is run, a message begins a turn.
func (m *Model) send() tea.Cmd {
	shown := m.composer.Shown()
	switch {
	case strings.TrimSpace(shown) == "" && m.Waiting.Len() > 0:
		return m.releaseQueue()
	case strings.TrimSpace(shown) == "":
		return m.notice.Error("There is nothing to send yet.")
	case m.composer.IsCommand(shown):
		return palette{m}.run(strings.TrimSpace(m.composer.Text()))
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
		m.notice.Warn(m.TooLong(over, conversation.Sent{}))
		return nil
	}
	return m.sendDraft(false)
}

// sendDraft sends the draft, which may be an edit, cut to fit where that is wanted.
func (m *Model) sendDraft(cut bool) tea.Cmd {
	s := m.Session
	draft := m.composer.Take(s.Info().Leaf)
	return m.begin(draft, func(ctx context.Context) <-chan session.Event {
		return s.Send(ctx, session.Draft{Text: draft.Text, Files: draft.Files, Replaces: draft.Replaces, Cut: cut})
	})
}

// lacks says that something does not hold that an action needs.
func (m *Model) lacks(n keymap.Need) tea.Cmd { return m.notice.Error(m.Keys.Lacks(n)) }

// sendAlone sends a message without the conversation before it, cut to fit where that is wanted.
func (m *Model) sendAlone(text string, cut bool) tea.Cmd {
	s, typed := m.Session, "/alone "+text
	if m.Turn.Busy {
		queued := store.QueuedMessage{Text: text, Draft: store.Draft{Text: typed}, Alone: true, Cut: cut}
		return tea.Batch(m.composer.EnqueueCommand(queued), m.queued())
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

// misfit is why the draft would not fit, nil where it would or where nobody knows. While a changed draft is being
// planned it is that of the draft before, so that what says it does not flicker.
func misfit(m *Model) *session.OversizeError {
	if m.Turn.Busy || m.composer.Empty() || m.ReadOnly {
		return nil
	}
	return m.Misfit
}

// sendCut sends a message that does not fit, cut as the user wants it.
func (m *Model) sendCut() tea.Cmd {
	switch {
	case m.Turn.Busy && !m.composer.Empty() && !m.composer.IsCommand(m.composer.Shown()):
		return m.enqueue(true)
	case m.composer.Empty() || misfit(m) == nil && !m.notice.Is(notice.TooLong):
		return m.notice.Say(m.Keys.First(keymap.SendCut) + " sends a message that is too long, cut; there is none.")
	case m.ReadOnly:
		return m.lacks(keymap.NeedOwn)
	}
	if name, text := slash.Cut(m.composer.Text()); name == "alone" && m.composer.IsCommand(m.composer.Shown()) {
		m.composer.SetDraft("")
		return m.sendAlone(text, true)
	}
	return m.sendDraft(true)
}
