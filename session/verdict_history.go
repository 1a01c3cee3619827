package session

import (
	"context"

	"winnow/session/store"
)

// VerdictHistory is what became of a message in past requests of its conversation: see store.Store.VerdictHistory.
func (s *Session) VerdictHistory(ctx context.Context, message int64, most int) ([]store.PastVerdict, error) {
	id := s.Info().ID
	if id == "" {
		return nil, nil
	}
	return s.deps.Store.VerdictHistory(ctx, id, message, most)
}

// LastWhole finds for each of the messages the newest request in which the model got all of its text: see
// store.Store.LastWhole.
func (s *Session) LastWhole(ctx context.Context, messages ...int64) (map[int64]store.PastVerdict, error) {
	id := s.Info().ID
	if id == "" {
		return nil, nil
	}
	return s.deps.Store.LastWhole(ctx, id, messages...)
}
