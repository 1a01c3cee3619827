package session

import (
	"context"
	"slices"

	"winnow/history"
	"winnow/session/calibration"
)

// countable says that our count of the request is worth comparing. What an image costs, only the
// server knows.
func (a asked) countable() bool {
	return a.record.Estimate >= calibration.Least && !slices.ContainsFunc(a.plan.Messages, func(m history.Message) bool { return calibration.Images(m) > 0 })
}

// expected is what the server was expected to count for the request.
func (a asked) expected() int { return a.plan.Sum.Tokens(a.plan.Sum.Total) }

// still says that the model that was asked is the one in use: what is learned of another would be
// kept under the wrong name.
func (t *turn) still(a asked) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.target.same(target{client: a.client, model: a.record.Model})
}

// learn keeps what was learned of the endpoint and model in use.
func (t *turn) learn(ctx context.Context) {
	t.mu.Lock()
	learned := t.lesson()
	t.mu.Unlock()
	save, cancel := detached(ctx)
	defer cancel()
	if err := t.deps.Store.Learn(save, learned); err != nil {
		t.log().Warn("keep what was learned of the endpoint", "error", ErrorCode(err))
	}
}
