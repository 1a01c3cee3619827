package session

import (
	"context"
	"errors"
)

// ErrLeased is returned if the conversation is read-only because another window has the lease.
var ErrLeased = errors.New("this chat is open in another window; you can read and fork it here")

// Lease takes the lease of the conversation for this window. If another window has it, leased is true, and everything
// that would change the conversation fails with ErrLeased. The lease of a new conversation is taken when its first
// message is stored.
//
// Messages that another window adds do not appear here. Open the conversation again once its lease is free.
func (s *Session) Lease(ctx context.Context) (leased bool, err error) {
	s.set(func(st *State) { st.wantsLease = true })
	st := s.State()
	if st.Row.ID == "" || st.release != nil {
		return false, nil
	}
	leased, release, err := s.deps.Store.Lease(ctx, st.Row.ID)
	if err != nil {
		return false, err
	}
	if leased {
		release = nil
	}
	s.set(func(st *State) { st.ReadOnly, st.release = leased, release })
	return leased, nil
}

// ReleaseLease gives the lease back. Call it before the window shows another conversation.
func (s *Session) ReleaseLease() {
	var release func()
	s.set(func(st *State) {
		release = st.release
		st.wantsLease, st.ReadOnly, st.release = false, false, nil
	})
	if release != nil {
		release()
	}
}

// mayWrite returns ErrLeased if the conversation is read-only.
func (s *Session) mayWrite() error {
	if s.State().ReadOnly {
		return ErrLeased
	}
	return nil
}
