package session

import (
	"context"
	"errors"

	"winnow/history"
)

// ErrNotPending says that a tool call cannot be answered any more.
var ErrNotPending = errors.New("this tool call is not waiting for an answer any more")

// PendingCall is a tool call that the user was not asked about, or did not answer, before the program ended.
type PendingCall struct {
	Message int64 // the answer that holds the call
	Call    history.ToolCall
}

// Pending returns the calls without a result of the answer that ends the active branch. Only calls of a
// complete answer to a request of this session are pending: those of an interrupted or imported answer are not.
func (s *Session) Pending() []PendingCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending()
}

// NextPending returns the pending call to ask the user about first. There is none while a turn is running,
// where running tools is switched off, and where the endpoint has none of the tools.
func (s *Session) NextPending() (PendingCall, bool) {
	tools := s.Model().Tools()
	if s.deps.Approve == Never || s.Busy() {
		return PendingCall{}, false
	}
	for _, p := range s.Pending() {
		if tools.Has(p.Call.Name) {
			return p, true
		}
	}
	return PendingCall{}, false
}

// AnswerPending answers the call of NextPending and goes on with the turn that it belongs to. The user is
// asked about the other pending calls, even where tools run without asking: the first attempt may have run
// them in part. A call that is not pending any more makes it fail with ErrNotPending.
func (s *Session) AnswerPending(ctx context.Context, call PendingCall, allow bool) <-chan Event {
	return s.start(ctx, func(ctx context.Context, t *turn) error {
		var calls []history.ToolCall
		first := PendingCall{}
		for _, p := range t.Pending() {
			calls = append(calls, p.Call)
			if first.Message == 0 && t.Model().Tools().Has(p.Call.Name) {
				first = p
			}
		}
		if len(calls) == 0 || first != call {
			return ErrNotPending
		}
		if err := t.rejoin(ctx); err != nil {
			return err
		}
		t.mustAsk, t.answered = true, &allow
		if err := t.runTools(ctx, calls); err != nil {
			return err
		}
		t.mustAsk = false
		return t.askAsBefore(ctx)
	})
}

// rejoin makes the turn the one that the last user message of the branch began.
func (t *turn) rejoin(ctx context.Context) error {
	branch := t.Messages()
	at := lastUser(branch)
	if at < 0 {
		return ErrNothingToAnswer
	}
	number, err := t.deps.Store.Turn(ctx, branch[at].ID)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.number, t.past, t.messages = number, at, historyOf(branch[at:])
	t.mu.Unlock()
	t.reread()
	return nil
}
