package target

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"winnow/history"
)

// exactly is the share of what was expected that an exact count may be off for nothing to change.
const exactly = 0.001

// Exact says that the endpoint counts by itself, and that it could until now. Only a server of the user's own is asked:
// what is not sent yet must not go anywhere else.
func (m *Model) CanCountExactly() bool {
	e := m.Client.Endpoint()
	return e.Exact && e.Own() && !m.now().inexact
}

// CountExactly asks an endpoint that counts by itself for the tokens of the request that plan makes.
// Where that is not what was expected, the next plan goes by it, and the answer is true: it is worth
// planning again. It may wait for the network. Other endpoints are not asked, and none again that could
// not answer: the error says so once.
func (m *Model) CountExactly(ctx context.Context, plan history.Plan) (bool, error) {
	if !m.CanCountExactly() || plan.Sum.Total == 0 || len(plan.Messages) == 0 {
		return false, nil
	}
	counted, err := m.Client.CountRequest(ctx, m.Request(plan))
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
