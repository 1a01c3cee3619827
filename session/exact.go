package session

import (
	"context"
	"fmt"

	"winnow/history"
)

// Exact says that the endpoint in use counts by itself, and that it could until now.
func (s *Session) Exact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Endpoint().Exact && !s.inexact
}

// CountExactly asks an endpoint that counts by itself for the tokens of the request that plan makes.
// Where that is not what was expected, the next plan goes by it, and the answer is true: it is worth
// planning again. It may wait for the network. Other endpoints are not asked, and none again that could
// not answer: the error says so once.
func (s *Session) CountExactly(ctx context.Context, plan history.Plan) (bool, error) {
	s.mu.Lock()
	to, request := s.target, s.deps.request(s.target, plan)
	s.mu.Unlock()
	if !s.Exact() || plan.Sum.Total == 0 || len(plan.Messages) == 0 {
		return false, nil
	}
	counted, err := to.client.CountRequest(ctx, request)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.inexact = ctx.Err() == nil
		return false, fmt.Errorf("count as the server does (exact): %w", err)
	}
	return s.target.same(to) && s.counts.Exact(counted, plan.Sum.Total), nil
}
