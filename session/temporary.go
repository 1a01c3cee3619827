package session

import (
	"cmp"
	"context"
	"fmt"

	"winnow/session/store"
)

// Temporary begins a conversation that leaves nothing on disk: its store is in memory, and gone when
// that is closed.
func Temporary(ctx context.Context, d Deps, o Start) (*Session, error) {
	var err error
	d.kept = d.Store
	if d.Store, err = store.Open(ctx, store.InMemory, store.Options{Now: d.Now, Redact: d.Redact}); err != nil {
		return nil, err
	}
	s, err := New(d, o)
	if err != nil {
		d.Store.Close()
		return nil, err
	}
	return s, nil
}

// Temporary says whether the conversation is kept in memory alone.
func (s *Session) Temporary() bool {
	return s.deps.Store != nil && s.deps.Store.Path() == store.InMemory
}

// Keep stores a temporary conversation in a history, with every branch and every request, under the
// id that it has. While a turn is running the error is ErrBusy.
func (s *Session) Keep(ctx context.Context, to *store.Store) (store.Session, error) {
	t := s.newTurn(func() {})
	if err := s.claim(t); err != nil {
		return store.Session{}, err
	}
	defer t.free()
	id, from := s.Info().ID, s.deps.Store
	_, err := to.Apply(ctx, func(take func(store.Line) error) error { return from.Dump(ctx, id, take) })
	if err == nil {
		err = keepUnsent(ctx, from, to, id)
	}
	if err != nil {
		return store.Session{}, fmt.Errorf("keep the conversation: %w", err)
	}
	return to.Session(ctx, id)
}

// keepUnsent copies the queue and the draft of a session to another history.
func keepUnsent(ctx context.Context, from, to *store.Store, session string) error {
	queue, err := from.Queue(ctx, session)
	there, unread := to.Queue(ctx, session) // of a Keep that failed halfway
	draft, lost := from.Draft(ctx, session)
	if err = cmp.Or(err, unread, lost); err != nil {
		return err
	}
	for _, q := range queue[min(len(there), len(queue)):] {
		if _, err := to.Enqueue(ctx, session, q); err != nil {
			return err
		}
	}
	return to.SaveDraft(ctx, session, draft)
}
