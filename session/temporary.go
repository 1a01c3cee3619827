package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"winnow/session/store"
	"winnow/session/transfer/archive"
)

// Temporary begins a conversation that leaves nothing on disk: its store is in memory, and gone when
// that is closed.
func Temporary(ctx context.Context, d Deps, o Start) (*Session, error) {
	var err error
	d.beside = d.Store
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

// Store is where the conversation is kept.
func (s *Session) Store() *store.Store { return s.deps.Store }

// Keep stores a temporary conversation in a history, with every branch and every request, under the
// id that it has. While a turn is running the error is ErrBusy.
func (s *Session) Keep(ctx context.Context, to *store.Store) (store.Session, error) {
	t := newTurn(s, func() {})
	if err := s.claim(t); err != nil {
		return store.Session{}, err
	}
	defer t.release()
	var whole bytes.Buffer
	if err := archive.Write(ctx, s.deps.Store, &whole, s.Info().ID); err != nil {
		return store.Session{}, err
	}
	var kept store.Session
	var faults []error
	err := archive.Restore(ctx, to, bytes.NewReader(whole.Bytes()), func(in archive.Restored) {
		kept = in.Session
		for _, fault := range in.Errors {
			faults = append(faults, errors.New(fault.String()))
		}
	})
	if err = errors.Join(append(faults, err)...); err != nil {
		return store.Session{}, fmt.Errorf("keep the conversation: %w", err)
	}
	return kept, nil
}
