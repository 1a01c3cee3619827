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

// begin starts a turn in the conversation on the screen, whose events come from the channel that start returns. Sent is
// the draft that the turn sends, nil if it sends none.
func (m *Model) begin(
	sent *composer.SentDraft, start func(context.Context) <-chan session.Event,
) tea.Cmd {
	if m.ReadOnly {
		return m.explainNeed(keymap.NeedLease)
	}
	m.composer.Sending = sent
	m.confirm.asked = nothing
	m.notice.ClearAlerts()
	m.turns++
	return m.Begin(m.turns, start)
}

// turnEvents passes the events of a turn to its conversation, on the screen or in the background.
func (m *Model) turnEvents(msg turn.EventsMsg) tea.Cmd {
	c := m.shown
	if msg.Turn != m.Turn.Number {
		if c = m.background.ByTurn(msg.Turn); c == nil {
			return nil
		}
	}
	events, next := c.Turn.Receive(msg)
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

// turnEvent shows an event of the conversation on the screen.
func (m *Model) turnEvent(e session.Event) tea.Cmd {
	if stored, ok := e.(session.MessageStored); ok {
		m.cutAtEdit(stored)
	}
	m.Event(e)
	switch e := e.(type) {
	case session.MessageStored:
		return tea.Batch(m.composer.SentStored(), m.Waiting.Save())
	case session.Planned:
		return m.Inspector.Refresh()
	case session.ApprovalNeeded, session.LimitExceeded:
		return m.asked()
	case session.Notice:
		return m.notice.Say(theme.NoticeText(e.Text))
	case session.Finished:
		return m.finished(e)
	}
	return nil
}

// cutAtEdit removes from the transcript what follows the parent of an edited message, which begins a new branch.
func (m *Model) cutAtEdit(e session.MessageStored) {
	if sent := m.composer.Sending; sent != nil && sent.Replaces != 0 {
		parent, there := m.Chat.Messages.Find(e.Message.Parent)
		if there {
			parent++
		}
		m.Chat.SetBranch(m.Chat.Messages.First(parent))
	}
}

// sendNext sends the next queued message of a conversation. It returns nil if there is none or a turn is running.
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

// releaseQueue resumes a paused queue, on enter in an empty draft.
func (m *Model) releaseQueue() tea.Cmd {
	switch {
	case m.Turn.Busy:
		return m.notice.Say("The queue continues after this answer.")
	case m.ReadOnly:
		return m.explainNeed(keymap.NeedLease)
	}
	m.Waiting.Resume()
	m.notice.ClearSentence() // it may say that the queue is paused
	return m.sendNext(m.shown)
}

// finished ends the turn of the conversation on the screen.
func (m *Model) finished(e session.Finished) tea.Cmd {
	stopped := m.Turn.Stopping && e.Err == nil
	queued := m.Waiting.Sending() // a queued message that is not stored
	m.Finish(e)
	said, alert := m.Outcome(e, conversation.MessageState{
		Unstored: m.composer.Sending != nil, Superseded: m.composer.Superseded(), Queued: queued, Stopped: stopped,
	})
	if alert.Text != "" {
		m.notice.ShowAlert(alert)
	}
	m.endQuestion()
	m.composer.ReturnSent()
	if m.Turn.Quitting {
		return tea.Quit
	}
	next := m.sendNext(m.shown)
	if next == nil && !stopped {
		next = m.NotifyAnswer(&m.notice, e.Err)
	}
	var entitling tea.Cmd
	if e.Err == nil {
		entitling = m.settings.AutoTitle()
	}
	return tea.Batch(m.notice.Say(said), m.draftChanged(), entitling, m.Chat.RunSearch(), m.settings.AskWindow(), next,
		m.RereadIfStale(), m.upkeep.Sync())
}

// send runs the command in the draft, or sends or queues the message.
func (m *Model) send() tea.Cmd {
	shown := m.composer.DisplayText()
	switch {
	case strings.TrimSpace(shown) == "" && m.Waiting.Len() > 0:
		return m.releaseQueue()
	case strings.TrimSpace(shown) == "":
		return m.notice.Error("There is nothing to send yet.")
	case m.composer.IsCommand(shown):
		return palette{m}.run(strings.TrimSpace(m.composer.Text()))
	case strings.HasPrefix(strings.TrimSpace(m.composer.Text()), "/attach ") && !m.editing():
		return m.notice.Error("The draft has files already: @ attaches more.")
	case m.composer.LoadingFiles():
		return m.notice.Error("A file of the draft is still loading.")
	case m.ReadOnly:
		return m.explainNeed(keymap.NeedLease)
	}
	if m.Turn.Busy {
		return m.enqueue(false)
	}
	if over := m.Oversize(); over != nil { // a draft not planned yet is checked by the session before it is stored
		m.notice.ShowAlert(m.OversizeAlert(over, conversation.MessageState{}))
		return nil
	}
	return m.sendDraft(false)
}

// sendDraft sends the draft, which may be an edit. If cut is true it may be shortened to fit.
func (m *Model) sendDraft(cut bool) tea.Cmd {
	s := m.Session
	draft := m.composer.TakeDraft(s.Info().Leaf)
	return m.begin(draft, func(ctx context.Context) <-chan session.Event {
		return s.Send(ctx, session.Draft{
			Text: draft.Text, Files: draft.Files, Replaces: draft.Replaces, Cut: cut,
		})
	})
}

// explainNeed says that a need of an action is not met.
func (m *Model) explainNeed(n keymap.Need) tea.Cmd { return m.notice.Error(m.Keys.ExplainNeed(n)) }

// sendAlone sends or queues a message without the conversation before it. If cut is true it may be shortened to fit.
func (m *Model) sendAlone(text string, cut bool) tea.Cmd {
	s, typed := m.Session, "/alone "+text
	if m.Turn.Busy {
		queued := store.QueuedMessage{
			Text: text, Draft: store.Draft{Text: typed}, Alone: true, Cut: cut,
		}
		return tea.Batch(m.composer.EnqueueCommand(queued), m.queued())
	}
	draft := composer.CommandDraft(typed, text, s.Info().Leaf)
	return m.begin(draft, func(ctx context.Context) <-chan session.Event {
		return s.Send(ctx, session.Draft{
			Text: text, Alone: true, Cut: cut,
		})
	})
}

// stopTurn stops the running turn; what arrived is kept.
func (m *Model) stopTurn() tea.Cmd {
	m.endQuestion()
	m.Turn.Stop()
	return nil
}

// draftOversize returns why the draft does not fit, nil if it fits or is not planned yet. While a changed draft is
// being planned it returns that of the previous draft, so that the warning does not flicker.
func draftOversize(m *Model) *session.OversizeError {
	if m.Turn.Busy || m.composer.Empty() || m.ReadOnly {
		return nil
	}
	return m.PlannedOversize
}

// sendCut sends or queues a message that does not fit, shortened.
func (m *Model) sendCut() tea.Cmd {
	switch {
	case m.Turn.Busy && !m.composer.Empty() && !m.composer.IsCommand(m.composer.DisplayText()):
		return m.enqueue(true)
	case m.composer.Empty() || draftOversize(m) == nil && !m.notice.AlertIs(notice.DraftTooLong):
		return m.notice.Say("There is no message that must be cut to fit.")
	case m.ReadOnly:
		return m.explainNeed(keymap.NeedLease)
	}
	if name, text := slash.Split(m.composer.Text()); name == "alone" && m.composer.IsCommand(m.composer.DisplayText()) {
		m.composer.SetDraft("")
		return m.sendAlone(text, true)
	}
	return m.sendDraft(true)
}
