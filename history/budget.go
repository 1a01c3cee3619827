package history

import "math"

// What the chat format costs around the texts, in tokens.
const (
	frameMessage = 4 // each message
	frameJoint   = 1 // a system message that stands behind another text
	frameRequest = 3 // the request itself
	frameCall    = 8 // each tool call beside its name and arguments

	// ImageTokens is what an image is taken to cost where only the server knows.
	ImageTokens = 765
)

// The safety margin of the window: the wider one holds until a server has reported usage.
const (
	marginKnown   = 0.03
	marginUnknown = 0.10
)

// The least of the window that is kept free for the reply where nothing says how long it may be, and
// the most of it that any reply gets.
const (
	replyTokens = 4096
	replyShare  = 4 // one part in so many
	replyMost   = 2
)

// budget is how much a request may hold.
type budget struct {
	asked   int     // the budget that the user set, 0 for automatic
	bound   Bound   // what sets limit
	reserve int     // of the window, for the reply
	limit   int     // tokens of the whole request, as the server counts them
	counted int     // the same in counted tokens
	ratio   float64 // the server's tokens per counted token
	margin  float64
	history int // counted tokens of the history alone
	chars   int // characters of the history alone
}

// measureBudgetBudget is the budget formula: the smaller of the budget and of what the window leaves beside the
// reply. Reserve and margin guard the window and are not taken off the budget; every other part is a
// row of the sum and is subtracted there, once.
func measureBudget(p Policy, window, most int, ratio float64) budget {
	r := budget{asked: p.Budget, bound: BoundBudget, limit: p.Budget, ratio: ratio, margin: marginKnown, history: NoLimit, chars: NoLimit}
	if !(ratio > 0) || math.IsInf(ratio, 0) {
		r.ratio, r.margin = 1, marginUnknown
	}
	if r.limit == 0 {
		r.bound, r.limit = BoundMaxContext, p.MaxContextTokens
	}
	if window > 0 {
		r.reserve = reserveOf(p, window)
		if leaves := int(float64(window-r.reserve) * (1 - r.margin)); leaves < r.limit {
			r.bound, r.limit = BoundWindow, leaves
		}
	}
	if most > 0 && most < r.limit {
		r.bound, r.limit = BoundUnread, most
	}
	r.counted = r.countedIn(r.limit)
	if p.HistoryBudget > 0 {
		r.history = r.countedIn(p.HistoryBudget)
	}
	if p.BudgetChars > 0 {
		r.chars = p.BudgetChars
	}
	return r
}

// reserveOf is what of the window is kept free for the reply.
func reserveOf(p Policy, window int) int {
	if p.OutputReserve > 0 {
		return min(p.OutputReserve, window/replyMost)
	}
	return min(replyTokens, window/replyShare)
}

// countedIn is the most counted tokens that the server counts as no more than so many.
func (r budget) countedIn(tokens int) int {
	if tokens == NoLimit {
		return NoLimit
	}
	counted := int(float64(tokens)/r.ratio) + 1
	for counted > 0 && r.tokens(counted) > tokens {
		counted--
	}
	return counted
}

// tokens is a counted number as the server counts it.
func (r budget) tokens(counted int) int { return serverTokens(counted, r.ratio) }

// step is the size of a block in tokens: a power of two near a quarter of the most that the policy ever
// sends. A budget that is set by hand, and the model's window, do not change it.
func (r budget) step(p Policy) int {
	if p.StepTokens > 0 {
		return p.StepTokens
	}
	most := p.MaxContextTokens
	if most == 0 {
		most = p.Budget
	}
	step := 1
	for step < most/4-step/2 && step < 1<<40 {
		step *= 2
	}
	return step
}
