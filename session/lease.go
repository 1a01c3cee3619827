package session

import (
	"context"
	"errors"
)

// ErrLeased says that the conversation can only be read, because another window writes in it.
var ErrLeased = errors.New("this session is open in another window; you can read and fork it here")

// lease is the lease that a conversation's window has, or wants.
type lease struct {
	wanted  bool // the conversation is to be taken as soon as it is on disk
	leased  bool // another window has it
	release func()
}

// Lease takes the lease of the conversation for this window, or finds that another one has it: then leased is
// true, and nothing that changes the conversation works, but fails with ErrLeased. A conversation that
// has not begun is taken when it does.
//
// What another window adds is not seen here. So whoever finds a conversation free that was not should
// open it anew.
func (s *Session) Lease(ctx context.Context) (leased bool, err error) {
	s.mu.Lock()
	s.lease.wanted = true
	id, taken := s.row.ID, s.lease.release != nil
	s.mu.Unlock()
	if id == "" || taken {
		return false, nil
	}
	leased, release, err := s.deps.Store.Lease(ctx, id)
	if err != nil {
		return false, err
	}
	if leased {
		release = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lease.leased, s.lease.release = leased, release
	return leased, nil
}

// Leave ends the lease. It is the last call of a window that shows another one.
func (s *Session) Leave() {
	s.mu.Lock()
	release := s.lease.release
	s.lease = lease{}
	s.mu.Unlock()
	if release != nil {
		release()
	}
}

// LeasedByOther reports whether the conversation can only be read here, because another window has it.
func (s *Session) LeasedByOther() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lease.leased
}

// mayWrite is ErrLeased where the conversation can only be read.
func (s *Session) mayWrite() error {
	if s.LeasedByOther() {
		return ErrLeased
	}
	return nil
}
