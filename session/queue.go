package session

import (
	"context"

	"winnow/session/store"
)

// Queue returns the conversation's queued messages in the order in which they are sent. The queue of a conversation
// that has not begun is empty.
func (s *Session) Queue(ctx context.Context) ([]store.Queued, error) {
	if id := s.Info().ID; id != "" {
		return s.deps.Store.Queue(ctx, id)
	}
	return nil, nil
}

// Enqueue stores a message at the end of the conversation's queue and returns it with its id. Nothing is sent: that is
// for SendQueued. A conversation that has not begun has no queue on disk: its error is ErrNothingToAnswer.
func (s *Session) Enqueue(ctx context.Context, q store.Queued) (store.Queued, error) {
	id := s.Info().ID
	if id == "" {
		return q, ErrNothingToAnswer
	}
	if err := s.mayWrite(); err != nil {
		return q, err
	}
	return s.deps.Store.Enqueue(ctx, id, q)
}

// Unqueue takes a message out of the conversation's queue, and makes it the draft where keep says so. The error is
// store.ErrNotFound for one that is not in the queue any more.
func (s *Session) Unqueue(ctx context.Context, message int64, keep bool) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	return s.deps.Store.Unqueue(ctx, s.Info().ID, message, keep)
}

// SendQueued is SendAs of a queued message. It leaves the queue in the transaction that stores it as a message of the
// conversation, so that it is never in both and never in neither; a message that is not sent stays in the queue.
func (s *Session) SendQueued(ctx context.Context, q store.Queued) <-chan Event {
	return s.SendAs(ctx, SendOptions{Alone: q.Alone, Cut: q.Cut, queued: q.ID}, q.Text, q.Parts...)
}
