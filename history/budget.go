package history

import (
	"fmt"
	"math"
)

// What the chat format costs around the texts, in tokens.
const (
	frameMessage = 4 // each message
	frameJoint   = 1 // a system message that stands behind another text
	frameRequest = 3 // the request itself
	frameCall    = 8 // each tool call beside its name and arguments
	imageTokens  = 765
)

// The safety margin on a counted total: the wider one holds until a server has reported usage.
const (
	marginKnown   = 0.03
	marginUnknown = 0.10
)

// OverBudgetError says that what must be sent does not fit. Need and Have are counted tokens of
// the whole request; the plan that comes with the error shows where they go.
type OverBudgetError struct{ Need, Have int }

func (e *OverBudgetError) Error() string {
	return fmt.Sprintf("this needs %s tokens and %s fit: %s too many", grouped(e.Need), grouped(e.Have), grouped(e.Need-e.Have))
}

// room is how much a request may hold.
type room struct {
	reserve  int
	limit    int // in the server's tokens, the reserve taken off
	counted  int // the same in counted tokens, the margin taken off
	ratio    float64
	margin   float64
	history  int // counted tokens of the history alone
	chars    int // characters of the history alone
	capacity int // tokens of the whole request with its reply
}

// measure is the budget formula: the smaller of window and configuration, less the reserve; every
// other part is a row of the sum and is subtracted there, once.
func measure(p Policy, window int, ratio float64) room {
	r := room{ratio: ratio, margin: marginKnown, history: NoLimit, chars: NoLimit}
	if !(ratio > 0) || math.IsInf(ratio, 0) {
		r.ratio, r.margin = 1, marginUnknown
	}
	r.capacity = p.Budget
	if r.capacity == 0 {
		r.capacity = p.MaxContextTokens
	}
	if window > 0 {
		r.capacity = min(r.capacity, window)
	}
	r.reserve = p.OutputReserve
	if r.reserve == 0 {
		r.reserve = min(4096, r.capacity/4)
	}
	r.limit = max(0, r.capacity-r.reserve)
	r.counted = int(float64(r.limit) / (r.ratio * (1 + r.margin)))
	// The division may round up by a hair; the check of the sum is the multiplication.
	for r.counted > 0 && r.tooMuch(r.counted) {
		r.counted--
	}
	if p.HistoryBudget > 0 {
		r.history = p.HistoryBudget
	}
	if p.BudgetChars > 0 {
		r.chars = p.BudgetChars
	}
	return r
}

// tooMuch reports whether so many counted tokens exceed the limit.
func (r room) tooMuch(total int) bool {
	return float64(total)*r.ratio*(1+r.margin) > float64(r.limit)
}

// step is the size of a block in tokens: a power of two near a quarter of the tightest bound.
func (r room) step(p Policy) int {
	if p.StepTokens > 0 {
		return p.StepTokens
	}
	quarter := min(r.capacity, r.history, r.chars/4) / 4
	step := 1
	for step < quarter-step/2 && step < 1<<40 {
		step *= 2
	}
	return step
}
