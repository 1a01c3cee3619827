package target

import (
	"cmp"
	"math"
	"slices"

	"winnow/history"
)

// MinCompared is the smallest request, in winnow's own tokens, whose count by the server is compared with winnow's.
const MinCompared = 200

// The rule for the server's count of a request, relative to winnow's.
const (
	firstCutBelow = 0.5  // threshold before two counts are known
	cutBelow      = 0.7  // threshold after that, relative to the expected count
	sameShare     = 0.15 // tolerance for two equal shares
	leastCut      = 400  // tokens; smaller requests are never considered truncated
	leastLimit    = 2048 // tokens; the lowest limit after a truncation
	keptRatios    = 5    // how many counts are remembered

	leastRatio, greatestRatio = 0.5, 16
)

// JudgeCount compares the server's count of a request with estimate, winnow's own, which is at least MinCompared.
// limited says that the request was planned below a limit. cut reports that the server silently read only a part of the
// request: then no request is planned larger than that part until the server states its window. withdrawn is the id of
// an earlier request that was wrongly considered truncated, because the server's tokenizer has changed; it is 0 for
// none. The ratio is learned from requests that were read whole.
func (m *Model) JudgeCount(request int64, reported, estimate int, limited bool) (cut bool, withdrawn int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	share, lastShare := float64(reported)/float64(estimate), m.cutShare
	m.cutShare = 0
	switch least := cmp.Or(cutBelow*m.ratio(), firstCutBelow); {
	case estimate <= leastCut || share >= least:
		m.ratios = append(slices.Clone(m.ratios[max(0, len(m.ratios)-keptRatios+1):]), share)
		return false, 0
	case m.Client.AllLearned(m.Name).CachedApart:
		return false, 0
	case limited && math.Abs(share-lastShare) <= sameShare*lastShare:
		m.ratios, m.limit = []float64{lastShare, share}, 0
		return false, m.cutRequest
	}
	m.cutRequest, m.cutShare, m.limit = request, share, max(reported, leastLimit)
	return true, 0
}

// ComparableCount returns estimate, or 0 if the request cannot be compared with the server's count: if it is small, or
// has images or encrypted reasoning, whose cost only the server knows.
func ComparableCount(estimate int, messages []history.Message) int {
	image := func(p history.Part) bool { return p.Kind == history.ImagePart }
	encrypted := func(c history.ToolCall) bool { return history.HasEncryptedReasoning(c.Replay) }
	uncountable := func(m history.Message) bool {
		return history.HasEncryptedReasoning(m.Replay) || slices.ContainsFunc(m.Parts, image) ||
			slices.ContainsFunc(m.ToolCalls, encrypted)
	}
	if estimate < MinCompared || slices.ContainsFunc(messages, uncountable) {
		return 0
	}
	return estimate
}

// ratio returns the server's tokens per counted token, 0 before there are two counts.
func (k known) ratio() float64 {
	if len(k.ratios) < 2 {
		return 0
	}
	return min(max(median(k.ratios), leastRatio), greatestRatio)
}

// setRatio sets the ratio from one count that is certain.
func (k *known) setRatio(ratio float64) { k.ratios = []float64{ratio, ratio} }

// median returns the median of some numbers, 0 if there are none.
func median(numbers []float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(numbers))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
