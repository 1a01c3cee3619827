package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/question"
	"winnow/ui/theme"
	"winnow/ui/transcript"
	"winnow/ui/turn"
)

// begin starts a turn that start makes events for. What it sends is nil where nothing new is said.
func (m *Model) begin(sent *composer.Sent, start func(context.Context) <-chan session.Event) tea.Cmd {
	if m.ReadOnly {
		return m.lacks(keymap.NeedOwn)
	}
	ctx, stop := m.NewContext()
	cmd := m.turn.Start(m.current.Background.NextTurn(m.turn.Number), stop, func() <-chan session.Event {
		return start(ctx)
	})
	m.composer.Hold(sent)
	m.question.Ask(question.Question{})
	m.confirm.Forget()
	m.notice.Clear()
	m.chat.Name = transcript.ModelName(m.Ref)
	m.current.Supersede() // a plan that is being made for the draft comes too late now
	m.panel.ToNext()
	m.Busy = true
	return cmd
}

// turnEvents shows what happened in the turn.
func (m *Model) turnEvents(msg turn.EventsMsg) tea.Cmd {
	events, next := m.turn.Take(msg)
	cmds := []tea.Cmd{next}
	for _, e := range events {
		cmds = append(cmds, m.turnEvent(e))
	}
	return tea.Batch(cmds...)
}

func (m *Model) turnEvent(e session.Event) tea.Cmd {
	switch e := e.(type) {
	case session.Stored:
		return m.stored(e)
	case session.Planned:
		m.current.Refresh()
		m.showNext(e.Plan, nil, e.Forecast)
		return m.inspector.Refresh()
	case session.Delta:
		m.chat.Stream(e.Text, e.Reasoning)
	case session.Asked:
		return m.ask(question.Question{Call: &e})
	case session.OverLimit:
		return m.ask(question.Question{Limit: &e})
	case session.Ran:
		m.chat.Add(e.Message, record.Receipt{})
	case session.Answered:
		m.chat.Answer(e.Message, e.Receipt)
	case session.Notice:
		return m.notice.Show(notice.Sentence{Text: theme.Announced(e.Text), Turn: true})
	case session.Withdrawn:
		m.chat.Withdraw(e.Requests)
	case session.Titled:
		m.Info.Title = e.Title
	case session.Finished:
		return m.finished(e)
	}
	return nil
}

// stored shows the message that was sent: it is on disk.
func (m *Model) stored(e session.Stored) tea.Cmd {
	m.Info = m.Session.Info()
	if sent := m.composer.Sending(); sent != nil && sent.Instead != 0 {
		parent, there := m.chat.Messages.Find(e.Message.Parent)
		if there {
			parent++
		}
		m.chat.Follow(m.chat.Messages.First(parent)) // another branch goes on from there
	}
	m.chat.Add(e.Message, record.Receipt{})
	m.chat.Bottom()
	m.composer.Waiting.Stored()
	return tea.Batch(m.composer.Stored(), m.composer.Waiting.Save())
}

// sendNext sends the next queued message, where there is one and no answer arrives.
func (m *Model) sendNext() tea.Cmd {
	if m.turn.Busy || m.ReadOnly || m.composer.Leaving() {
		return nil
	}
	next, ok := m.composer.Waiting.Next()
	if !ok {
		return nil
	}
	s := m.Session
	return m.begin(nil, func(ctx context.Context) <-chan session.Event {
		return s.Send(ctx, session.QueuedDraft(next))
	})
}

// releaseQueue goes on with a queue that waits, by the key that sends.
func (m *Model) releaseQueue() tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.notice.Say("The queue continues after this answer.")
	case m.ReadOnly:
		return m.lacks(keymap.NeedOwn)
	}
	m.composer.Waiting.Release()
	m.notice.Hush() // it may say that the queue waits
	return m.sendNext()
}

// finished ends the turn.
func (m *Model) finished(e session.Finished) tea.Cmd {
	m.notice.EndTurn()
	stopped := m.turn.Stopping && e.Err == nil
	queued := m.composer.Waiting.Sending() // a queued message that is not stored
	m.composer.Waiting.Ended(e.Err == nil && !stopped)
	said := m.outcome(e, stopped, queued)
	m.turn.End()
	m.Busy = false
	m.endQuestion()
	m.chat.Settle()
	if last, ok := m.chat.Last(); m.turn.Again && ok && last.ID != m.Session.Info().Leaf {
		m.chat.Follow(m.Session.Branch()) // no other answer came, and the branch is the one that it was
	}
	if e.Failure != nil && !m.turn.Condensing && !queued {
		m.chat.TurnFailed(*e.Failure)
	}
	m.composer.GiveBack()
	if m.turn.Quitting {
		return tea.Quit
	}
	next := m.sendNext()
	if next == nil && !stopped {
		next = m.callEnded(m.Session, e.Err, m.turn.Took())
	}
	var entitling tea.Cmd
	if e.Err == nil {
		entitling = m.settings.Entitle()
	}
	return tea.Batch(m.notice.Say(said), m.draftChanged(), entitling, m.chat.SearchOn(), m.settings.AskWindow(), next,
		rereadOpen(m), m.upkeep.Sync())
}

// outcome says how the turn ended, in an alert or in a sentence, which is returned. A failure of a server stands in the
// transcript.
func (m *Model) outcome(e session.Finished, stopped, queued bool) string {
	waits, ready := m.composer.Waiting.Waits(), m.Session.Ready()
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
	case e.Err == nil, limited != nil, e.Failure != nil && !m.turn.Condensing && !queued:
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
	case strings.TrimSpace(shown) == "" && m.composer.Waiting.Len() > 0:
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
	if m.turn.Busy {
		return m.enqueue(false)
	}
	if over := m.current.Oversize(); over != nil { // the session finds out about any other one before it stores it
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
	if m.turn.Busy {
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
	m.turn.Stop()
	return nil
}
