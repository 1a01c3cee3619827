package session

import (
	"context"
	"errors"
)

// ErrLeased says that the conversation can only be read, because another window writes in it.
var ErrLeased = errors.New("this session is open in another window; you can read and fork it here")

// Lease takes the lease of the conversation for this window, or finds that another one has it: then leased is
// true, and nothing that changes the conversation works, but fails with ErrLeased. A conversation that
// has not begun is taken when it does.
//
// What another window adds is not seen here. So whoever finds a conversation free that was not should
// open it anew.
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

// Leave ends the lease. It is the last call of a window that shows another one.
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

// mayWrite is ErrLeased where the conversation can only be read.
func (s *Session) mayWrite() error {
	if s.State().ReadOnly {
		return ErrLeased
	}
	return nil
}
