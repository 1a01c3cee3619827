package target

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"winnow/history"
)

// exactly is the relative difference up to which an exact count changes nothing.
const exactly = 0.001

// CanCountExactly reports whether the endpoint can count tokens itself. Only the user's own servers are asked: a
// request that is not sent yet must not go anywhere else.
func (m *Model) CanCountExactly() bool {
	e := m.Client.Endpoint()
	return e.CountsTokens && e.IsSelfHosted() && !m.now().inexact
}

// CountExactly asks the endpoint for the exact tokens of the request for a plan, if it can count. It returns true if
// the count differs from the expected one, so that the request should be planned again. It may wait for the network. An
// endpoint that fails is not asked again, so the error is returned only once.
func (m *Model) CountExactly(ctx context.Context, plan history.Plan) (bool, error) {
	if !m.CanCountExactly() || plan.Sum.Total == 0 || len(plan.Messages) == 0 {
		return false, nil
	}
	counted, err := m.Client.CountRequestTokens(ctx, m.Request(plan))
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.inexact = ctx.Err() == nil
		return false, fmt.Errorf("count as the server does (exact): %w", err)
	}
	ratio, before := float64(counted)/float64(plan.Sum.Total), cmp.Or(m.ratio(), 1)
	if math.Abs(ratio-before) <= exactly*before {
		return false, nil
	}
	m.setRatio(ratio)
	return true, nil
}
