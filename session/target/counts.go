package target

import (
	"cmp"
	"math"
	"slices"

	"winnow/history"
)

// LeastCounted is the least size of a request, in our tokens, of which a server's count says something.
const MinCompared = 200

// The rule by which a server's count of a request is judged, as a share of our own count.
const (
	firstCutBelow = 0.5 // before two counts are known
	cutBelow      = 0.7 // of what is expected after that
	sameShare     = 0.15
	leastCut      = 400  // tokens; no smaller request is said to be cut
	leastLimit    = 2048 // tokens; no limit after a cut is lower
	keptRatios    = 5

	leastRatio, greatestRatio = 0.5, 16
)

// Judge takes a server's count of a request and ours, which is at least LeastCounted; limited says that the request was
// planned below a limit. cut says that the server read only a part of the request and said nothing: then no request is
// planned larger than that part until the server states its window. withdrawn is an earlier request that was said to be
// cut and was not, because the tokenizer counts less than it did; it is 0 for none. Whole requests are learned from.
func (m *Model) JudgeCount(request int64, reported, estimate int, limited bool) (cut bool, withdrawn int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	share, lastShare := float64(reported)/float64(estimate), m.cutShare
	m.cutShare = 0
	switch least := cmp.Or(cutBelow*m.ratio(), firstCutBelow); {
	case estimate <= leastCut || share >= least:
		m.ratios = append(slices.Clone(m.ratios[max(0, len(m.ratios)-keptRatios+1):]), share)
		return false, 0
	case m.Client.Known(m.Name).CachedApart:
		return false, 0
	case limited && math.Abs(share-lastShare) <= sameShare*lastShare:
		m.ratios, m.limit = []float64{lastShare, share}, 0
		return false, m.cutRequest
	}
	m.cutRequest, m.cutShare, m.limit = request, share, max(reported, leastLimit)
	return true, 0
}

// Comparable is our count of a request, 0 where it is not worth comparing with the server's: of a small request,
// and of one with images or encrypted reasoning, of which only the server knows what they cost.
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

// ratio is the server's tokens for each of ours, 0 before there are two counts.
func (k known) ratio() float64 {
	if len(k.ratios) < 2 {
		return 0
	}
	return min(max(median(k.ratios), leastRatio), greatestRatio)
}

// believe goes by one count of the server that is certain.
func (k *known) setRatio(ratio float64) { k.ratios = []float64{ratio, ratio} }

// median is the median of some numbers, 0 of none.
func median(numbers []float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(numbers))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
