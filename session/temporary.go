package session

import (
	"cmp"
	"context"
	"fmt"

	"winnow/session/store"
)

// NewTemporary begins a conversation that leaves nothing on disk. Its store is in memory until it is closed.
func NewTemporary(ctx context.Context, d Deps, o StartOptions) (*Session, error) {
	var err error
	d.permanent = d.Store
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

// Temporary reports whether the conversation is only in memory.
func (s *Session) Temporary() bool {
	return s.deps.Store != nil && s.deps.Store.Path() == store.InMemory
}

// SaveTo stores a temporary conversation in another store, with all branches and requests and under the same id. The
// error is ErrBusy while a turn is running.
func (s *Session) SaveTo(ctx context.Context, to *store.Store) (store.Session, error) {
	t := s.newTurn(func() {})
	if err := s.claim(t); err != nil {
		return store.Session{}, err
	}
	defer t.finish()
	id, from := s.Info().ID, s.deps.Store
	_, err := to.Apply(ctx, func(take func(store.Line) error) error { return from.Dump(ctx, id, take) })
	if err == nil {
		err = keepUnsent(ctx, from, to, id)
	}
	if err != nil {
		return store.Session{}, fmt.Errorf("save the chat: %w", err)
	}
	return to.Session(ctx, id)
}

// keepUnsent copies the queue and the draft of a session to another store.
func keepUnsent(ctx context.Context, from, to *store.Store, session string) error {
	queue, err := from.Queue(ctx, session)
	there, unread := to.Queue(ctx, session) // left by a SaveTo that failed halfway
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
