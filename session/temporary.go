package session

import (
	"context"

	"winnow/session/store"
)

// Temporary begins a conversation that leaves nothing on disk: its store is in memory, and gone when
// that is closed.
func Temporary(ctx context.Context, d Deps, o Start) (*Session, error) {
	var err error
	if d.Store, err = store.Open(ctx, store.Memory, store.Options{Now: d.Now}); err != nil {
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

// Store is where the conversation is kept.
func (s *Session) Store() *store.Store { return s.deps.Store }
