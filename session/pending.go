package session

import (
	"context"
	"errors"

	"winnow/session/approval"
	"winnow/session/branch"
)

// ErrNotPending says that a tool call cannot be answered any more.
var ErrNotPending = errors.New("this tool call is no longer waiting for an answer")

// PendingCall is a tool call that the user was not asked about, or did not answer, before the program ended.
type PendingCall struct {
	Message  int64 // the answer that holds the call
	Question Question
}

// Same says that it is the same call of the same answer.
func (c PendingCall) Same(other PendingCall) bool {
	return c.Message == other.Message && c.Question.Number == other.Question.Number
}

// Pending counts the calls without a result of the answer that ends the active branch. Only calls of a
// complete answer to a request of this session are pending: those of an interrupted or imported answer are not.
func (s *Session) Pending() int {
	return len(s.now().pending())
}

// NextPending returns the pending call to ask the user about first. There is none while a turn is running, and
// where no call is of a tool that may run.
func (s *Session) NextPending() (PendingCall, bool) {
	st := s.now()
	if st.turn != nil {
		return PendingCall{}, false
	}
	tools := st.model.Tools()
	for _, c := range st.pending() {
		if t, ok := tools.Tool(c.Name); ok && !c.arguments.Lost {
			if d := s.approve(c, t); d.Verdict == approval.Ask {
				return PendingCall{c.message, c.question(t, d)}, true
			}
		}
	}
	return PendingCall{}, false
}

// AnswerPending answers the call of NextPending and goes on with the turn that it belongs to. The user is
// asked about the other pending calls, even where tools run without asking: the first attempt may have run
// them in part. A call that is not pending any more makes it fail with ErrNotPending.
func (s *Session) AnswerPending(ctx context.Context, pending PendingCall, answer approval.Answer) <-chan Event {
	next, ok := s.NextPending()
	return s.start(ctx, func(ctx context.Context, t *turn) error {
		calls := t.now().pending()
		if !ok || !next.Same(pending) || len(calls) == 0 || calls[0].message != pending.Message {
			return ErrNotPending
		}
		if err := t.rejoin(ctx); err != nil {
			return err
		}
		t.answered = &answer
		if err := t.runTools(ctx, calls); err != nil {
			return err
		}
		return t.askAsBefore(ctx)
	})
}

// rejoin makes the turn the one that the last user message of the branch began.
func (t *turn) rejoin(ctx context.Context) error {
	b := t.Branch()
	at := b.LastUser()
	if at < 0 {
		return ErrNothingToAnswer
	}
	number, err := t.deps.Store.Turn(ctx, b.ID(at))
	if err != nil {
		return err
	}
	messages, err := b.Between(ctx, at, b.Len())
	t.number, t.past, t.messages = number, at, branch.History(messages)
	return err
}
