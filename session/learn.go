package session

import (
	"context"
	"fmt"
	"slices"

	"winnow/history"
)

const (
	ratioWeight = 0.3 // of a new sample in the moving average
	ratioMin    = 0.5
	ratioMax    = 3.0
	ratioFrom   = 200 // counted tokens; smaller requests say too little
)

// calibrate compares the server's count of a request with ours, so that the next estimate is nearer.
// A count that shows that the server dropped a part of the request is said, and teaches no ratio.
func (t *turn) calibrate(ctx context.Context, a asked) {
	reported, estimate := a.record.Prompt, a.record.Estimate
	if reported <= 0 || !a.countable() || !t.still(a) {
		return
	}
	now := counted{a.plan.Messages, estimate, reported}
	t.mu.Lock()
	learned, window, before := t.learned, t.window, t.newest
	t.newest = now
	t.mu.Unlock()
	expected := int(float64(estimate) * known(learned.Ratio))
	cut := before.shortenedAt(now, known(learned.Ratio), window.Tokens)
	t.noteCount(a.record, expected, cut > 0)
	if cut > 0 {
		t.learnDropped(ctx, a, cut, expected)
		return
	}
	if window.Tokens > 0 && reported > window.Tokens && !window.Assumed {
		t.emit(Notice{fmt.Sprintf("the server counted %d tokens, more than its window of %d (%s): it may have dropped part of this request", reported, window.Tokens, window.Source)})
	}
	ratio := clampRatio(float64(reported) / float64(estimate))
	if learned.Samples > 0 {
		ratio = (1-ratioWeight)*learned.Ratio + ratioWeight*ratio
	}
	t.mu.Lock()
	t.learned.Ratio, t.learned.Samples = ratio, learned.Samples+1
	t.mu.Unlock()
	t.learn(ctx)
}

// countable says that our count of the request is worth comparing. What an image costs, only the
// server knows.
func (a asked) countable() bool {
	return a.record.Estimate >= ratioFrom && !slices.ContainsFunc(a.plan.Messages, holdsImage)
}

func holdsImage(m history.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart })
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
	learned := t.learned
	learned.BaseURL, learned.Model = t.client.Endpoint().BaseURL, t.model
	learned.Quirks = t.client.Quirks()
	t.mu.Unlock()
	save, cancel := detached(ctx)
	defer cancel()
	if err := t.deps.Store.Learn(save, learned); err != nil {
		t.log().Warn("keep what was learned of the endpoint", "error", ErrorCode(err))
	}
}

func clampRatio(r float64) float64 { return min(max(r, ratioMin), ratioMax) }

// known is a ratio that may not have been learned yet.
func known(ratio float64) float64 {
	if ratio == 0 {
		return 1
	}
	return ratio
}
