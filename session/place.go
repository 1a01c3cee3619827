package session

import (
	"context"
	"errors"
)

// ErrElsewhere says that the conversation can only be read, because another window writes in it.
var ErrElsewhere = errors.New("this session is open in another window; here it can be read and forked")

// place is a conversation's place among the windows that may have it open.
type place struct {
	wanted    bool // the conversation is to be taken as soon as it is on disk
	elsewhere bool // another window has it
	release   func()
}

// Occupy takes the conversation for this window, or finds that another one has it: then elsewhere is
// true, and nothing that changes the conversation works, but fails with ErrElsewhere. A conversation that
// has not begun is taken when it does.
//
// What another window adds is not seen here. So whoever finds a conversation free that was not should
// open it anew.
func (s *Session) Occupy(ctx context.Context) (elsewhere bool, err error) {
	s.mu.Lock()
	s.place.wanted = true
	id, taken := s.row.ID, s.place.release != nil
	s.mu.Unlock()
	if id == "" || taken {
		return false, nil
	}
	elsewhere, release, err := s.deps.Store.Occupy(ctx, id)
	if err != nil {
		return false, err
	}
	if elsewhere {
		release = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.place.elsewhere, s.place.release = elsewhere, release
	return elsewhere, nil
}

// Leave gives the conversation to other windows. It is the last call of a window that shows another one.
func (s *Session) Leave() {
	s.mu.Lock()
	release := s.place.release
	s.place = place{}
	s.mu.Unlock()
	if release != nil {
		release()
	}
}

// Elsewhere says whether the conversation can only be read here, because another window has it.
func (s *Session) Elsewhere() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.place.elsewhere
}

// mayWrite is ErrElsewhere where the conversation can only be read.
func (s *Session) mayWrite() error {
	if s.Elsewhere() {
		return ErrElsewhere
	}
	return nil
}

// takeBegun takes a conversation that has just come to disk, where its window asked for that. The message is
// stored already: that another window could be told is no reason to lose the turn.
func (s *Session) takeBegun(ctx context.Context) {
	s.mu.Lock()
	wanted := s.place.wanted
	s.mu.Unlock()
	if !wanted {
		return
	}
	if _, err := s.Occupy(ctx); err != nil {
		s.log().Warn("take the session for this window", "error", ErrorCode(err))
	}
}
