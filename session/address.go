package session

import (
	"context"
	"fmt"

	"winnow/session/store"
)

// OtherAddressError says that the endpoint of a conversation is at another address than the one that its requests went
// to. None goes there before the user names the model again: SetModel agrees to the address.
type OtherAddressError struct {
	Endpoint string
	Was, Now string // addresses, without what may be secret in them
}

func (e *OtherAddressError) Error() string {
	return fmt.Sprintf("this chat was with %[1]s at %[2]s, and %[1]s is at %[3]s now", e.Endpoint, e.Was, e.Now)
}

// Ready says why no turn of the conversation's model can begin, nil where one can: the model's Unready, or an
// *OtherAddressError.
func (s *Session) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model.Unready != nil {
		return s.model.Unready
	}
	if now := s.model.Address(); s.row.Address != "" && s.row.Address != now {
		return &OtherAddressError{Endpoint: s.row.Endpoint, Was: s.row.Address, Now: now}
	}
	return nil
}

// keepAddress keeps where the conversation goes, before its first request.
func (t *turn) keepAddress(ctx context.Context) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	row, now := t.row, t.model.Address()
	t.mu.Unlock()
	if row.ID == "" || row.Address != "" {
		return nil // begin stores it with the row
	}
	if err := t.deps.Store.Update(ctx, row.ID, func(row *store.Session) { row.Address = now }); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.row.Address = now
	return nil
}
