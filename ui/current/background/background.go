// Package background is the answers that go on behind the screen: each in the session that it was asked in, with what
// is queued there. It reads the events of their turns, so that a session comes back to the screen as if it had stayed
// there, and starts the next queued message when an answer has ended well. A question about a tool call or a limit is
// never answered here: its turn waits until the session is on the screen again.
package background

import (
	"context"
	"errors"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/ui/composer/queue"
	"winnow/ui/turn"
)

// Most is how many answers may go on behind the screen at once. Each has its own requests, which cost tokens.
const Most = 4

// Screen is what an answer behind the screen has the rest of the screen do.
type Screen struct {
	// Asking says that the turn of a session waits for an answer of the user's.
	Asking func(a *Answer) tea.Cmd
	// Ended says that the last answer of a session is there, or that none comes any more.
	Ended func(a *Answer, o Outcome) tea.Cmd
	// Told says what a turn tells the user.
	Told func(s *session.Session, text string) tea.Cmd

	NewContext func() (context.Context, context.CancelFunc) // makes the context of a turn
}

// Model is the answers behind the screen, and what became of those that ended there.
type Model struct {
	Screen
	answers []*Answer
	ended   map[string]Outcome // by the id of the session, until that is opened
	turns   int                // the highest number of a turn so far
}

// Answer is an answer behind the screen, with all that the screen needs to show it again.
type Answer struct {
	Session  *session.Session
	Turn     turn.Model
	Waiting  *queue.Model
	Messages branch.Branch // of the branch, as far as the screen would show them
	Receipts map[int64]record.Receipt
	Asked    *session.Asked     // a question about a tool call, nil for none
	Limit    *session.OverLimit // a question about a limit, nil for none
}

// Asks says that there is an answer and its turn waits for the user.
func (a *Answer) Asks() bool { return a != nil && (a.Asked != nil || a.Limit != nil) }

// Outcome is how an answer ended.
type Outcome struct {
	Err     error           // why it failed
	Failure *record.Failure // the same where the message is stored
	Stopped bool            // the user had stopped it before the session left the screen
	Queued  int             // messages of the queue that wait for the user
}

// NextTurn is the number of a new turn, on the screen or behind it. Now is that of the turn on the screen.
func (m *Model) NextTurn(now int) int {
	m.turns = max(m.turns, now) + 1
	return m.turns
}

// Full says that no more answers may go on behind the screen.
func (m *Model) Full() bool { return len(m.answers) >= Most }

// Busy is how many answers there are.
func (m *Model) Busy() int { return len(m.answers) }

// Put puts an answer behind the screen.
func (m *Model) Put(a *Answer) {
	m.answers = append(m.answers, a)
	a.Waiting.Ready = func() tea.Cmd {
		if a.Turn.Busy {
			return nil
		}
		return m.goOn(a)
	}
}

// Take takes the answer of a session, to be shown; nil where it has none.
func (m *Model) Take(s *session.Session) *Answer {
	delete(m.ended, s.Info().ID)
	a := m.first(func(a *Answer) bool { return a.Session == s })
	m.answers = slices.DeleteFunc(slices.Clone(m.answers), func(other *Answer) bool { return other == a })
	return a
}

// first is the first answer that fits, nil for none.
func (m *Model) first(fits func(*Answer) bool) *Answer {
	if i := slices.IndexFunc(m.answers, fits); i >= 0 {
		return m.answers[i]
	}
	return nil
}

// of is the answer of the session with an id, nil for none.
func (m *Model) of(id string) *Answer {
	return m.first(func(a *Answer) bool { return id != "" && a.Session.Info().ID == id })
}

// Has says whether a session has an answer here.
func (m *Model) Has(s *session.Session) bool { return s != nil && m.Find(s.Info().ID) == s }

// Find is the session with an id, where its answer is here, else nil.
func (m *Model) Find(id string) *session.Session {
	if a := m.of(id); a != nil {
		return a.Session
	}
	return nil
}

// Outcome is how the answer of a session ended that was not opened since.
func (m *Model) Outcome(id string) (Outcome, bool) {
	o, ok := m.ended[id]
	return o, ok
}

// State is what a list says of a session, "" for nothing, and whether its answer is here.
func (m *Model) State(id string) (word string, busy bool) {
	a, o := m.of(id), m.ended[id]
	_, ended := m.ended[id]
	switch {
	case a.Asks():
		return "waits for you", true
	case a != nil:
		return "answering…", true
	case o.Err != nil:
		return "failed", false
	case o.Stopped:
		return "stopped", false
	case ended:
		return "new answer", false
	}
	return "", false
}

// Turn is the answer whose turn has a number, nil for none.
func (m *Model) Turn(number int) *Answer {
	return m.first(func(a *Answer) bool { return a.Turn.Number == number })
}

// Update takes the events of a turn.
func (m *Model) Update(msg turn.EventsMsg) tea.Cmd {
	a := m.Turn(msg.Turn)
	if a == nil {
		return nil
	}
	events, cmd := a.Turn.Take(msg)
	for _, e := range events {
		cmd = tea.Batch(cmd, m.take(a, e))
	}
	return cmd
}

func (m *Model) take(a *Answer, e session.Event) tea.Cmd {
	switch e := e.(type) {
	case session.Stored:
		a.Waiting.Stored()
		a.Messages = a.Messages.With(e.Message)
	case session.Asked:
		a.Asked = &e
		return m.Asking(a)
	case session.OverLimit:
		a.Limit = &e
		return m.Asking(a)
	case session.Ran:
		a.Asked = nil
		a.Messages = a.Messages.With(e.Message)
	case session.Answered:
		a.Messages = a.Messages.With(e.Message)
		a.Receipts[e.Message.Request] = e.Receipt
	case session.Withdrawn:
		for _, id := range e.Requests {
			if r, ok := a.Receipts[id]; ok {
				r.Unread = 0
				a.Receipts[id] = r
			}
		}
	case session.Notice:
		return m.Told(a.Session, e.Text)
	case session.Finished:
		return m.finished(a, e)
	}
	return nil
}

// finished ends a turn. Behind one that ended well comes the next queued message.
func (m *Model) finished(a *Answer, e session.Finished) tea.Cmd {
	stopped := a.Turn.Stopping && e.Err == nil
	a.Turn.End()
	a.Asked, a.Limit = nil, nil
	a.Waiting.Ended(e.Err == nil && !stopped)
	if a.Waiting.Len() > 0 && !a.Waiting.Held() {
		return m.goOn(a)
	}
	return m.end(a, Outcome{e.Err, e.Failure, stopped, a.Waiting.Len()})
}

// goOn sends the next queued message of a session. One that is still being saved says when it can be sent.
func (m *Model) goOn(a *Answer) tea.Cmd {
	next, ok := a.Waiting.Next()
	if !ok {
		return nil
	}
	ctx, stop := m.NewContext()
	return a.Turn.Start(m.NextTurn(0), stop, func() <-chan session.Event {
		return a.Session.Send(ctx, session.QueuedDraft(next))
	})
}

// end lets go of a session in which nothing goes on any more.
func (m *Model) end(a *Answer, o Outcome) tea.Cmd {
	m.Take(a.Session)
	if m.ended == nil {
		m.ended = map[string]Outcome{}
	}
	m.ended[a.Session.Info().ID] = o
	return tea.Batch(m.Ended(a, o), func() tea.Msg {
		a.Session.Leave()
		return nil
	})
}

// Close stops all answers when the program ends, and waits until what arrived and what is queued is saved.
func (m *Model) Close(ctx context.Context) error {
	faults := make([]error, len(m.answers))
	var all sync.WaitGroup
	for i, a := range m.answers {
		all.Go(func() {
			faults[i] = errors.Join(a.Waiting.KeepAtEnd(ctx), a.Session.Close(ctx))
		})
	}
	all.Wait()
	return errors.Join(faults...)
}
