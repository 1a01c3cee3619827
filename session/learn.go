package session

import (
	"context"
	"fmt"
	"math"

	"winnow/history"
	"winnow/llm"
)

const (
	ratioWeight   = 0.3 // of a new sample in the moving average
	ratioMin      = 0.5
	ratioMax      = 3.0
	ratioFrom     = 200 // smaller requests say too little
	silentShare   = 0.8 // a server that counts less than this has dropped something, or counts otherwise
	nearTolerance = 0.02
)

// learnWindow takes the window from the refusal of a request with this sum, so that the next plan
// fits. Where the server named
// no number, the request was at least known to be too large: a third less is tried. It says
// whether another try makes sense.
func (t *turn) learnWindow(ctx context.Context, sum history.Sum, fault *llm.Error) bool {
	old := t.Window().Tokens
	window := fault.Limit
	if window == 0 {
		window = int(float64(sum.Total+sum.Reserve) * 0.7)
	}
	if old > 0 && window >= old && fault.Prompt == 0 {
		return false
	}
	t.mu.Lock()
	t.window = llm.Window{Tokens: window, Source: "the server's refusal"}
	t.learned.Window = window
	ratio := float64(fault.Prompt) / float64(max(sum.Total, ratioFrom))
	if ratio == clampRatio(ratio) { // anything else is no count of this request
		t.learned.Ratio, t.learned.Samples = ratio, 1
	}
	t.mu.Unlock()
	t.learn(ctx)
	t.emit(Notice{fmt.Sprintf("the request was larger than the model's window of %d tokens; asking once more with less", window)})
	return true
}

// calibrate compares the server's count with ours. A count far below ours that is near the window
// or half of it means that the server silently dropped a part: that is said, and teaches no ratio.
func (t *turn) calibrate(ctx context.Context, a asked) {
	reported, estimate := a.record.Prompt, a.record.Estimate
	if reported <= 0 || estimate < ratioFrom {
		return
	}
	t.mu.Lock()
	learned, window := t.learned, t.window.Tokens
	t.mu.Unlock()
	expected := float64(estimate) * max(learned.Ratio, ratioMin)
	if learned.Ratio == 0 {
		expected = float64(estimate)
	}
	if float64(reported) < silentShare*expected && (near(reported, window) || near(reported, window/2)) {
		t.emit(Notice{fmt.Sprintf("the server read %d tokens of about %.0f sent: it dropped part of this request without saying so", reported, expected)})
		return
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

// learn keeps what was learned of the endpoint and model in use.
func (t *turn) learn(ctx context.Context) {
	t.mu.Lock()
	learned := t.learned
	learned.BaseURL, learned.Model = t.client.Endpoint().BaseURL, t.row.Model
	learned.Quirks = t.client.Quirks()
	t.mu.Unlock()
	save, cancel := detached(ctx)
	defer cancel()
	if err := t.deps.Store.Learn(save, learned); err != nil {
		t.deps.Log.Warn("keep what was learned of the endpoint", "err", err)
	}
}

func near(tokens, window int) bool {
	return window > 0 && math.Abs(float64(tokens-window)) <= nearTolerance*float64(window)+8
}

func clampRatio(r float64) float64 { return min(max(r, ratioMin), ratioMax) }
