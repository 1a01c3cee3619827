package session

import (
	"context"
	"fmt"

	"winnow/session/store"
)

// Temporary begins a conversation that leaves nothing on disk: its store is in memory, and gone when
// that is closed.
func Temporary(ctx context.Context, d Deps, o Start) (*Session, error) {
	var err error
	d.kept = d.Store
	if d.Store, err = store.Open(ctx, store.Memory, store.Options{Now: d.Now, Redact: d.Redact}); err != nil {
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
	return s.deps.Store != nil && s.deps.Store.Path() == store.Memory
}

// Keep stores a temporary conversation in a history, with every branch and every request, under the
// id that it has. While a turn is running the error is ErrBusy.
func (s *Session) Keep(ctx context.Context, to *store.Store) (store.Session, error) {
	t := s.newTurn(func() {})
	if err := s.claim(t); err != nil {
		return store.Session{}, err
	}
	defer t.free()
	id := s.Info().ID
	_, err := to.Apply(ctx, func(take func(store.Line) error) error { return s.deps.Store.Dump(ctx, id, take) })
	if err != nil {
		return store.Session{}, fmt.Errorf("keep the conversation: %w", err)
	}
	return to.Session(ctx, id)
}
