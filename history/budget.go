package history

import (
	"fmt"
	"math"
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

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
	replyTokens   = 4096
	replyShare    = 4 // one part in so many
	maxReplyShare = 2
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

// measureBudget is the budget formula: the smaller of the budget and of what the window leaves beside the
// reply. Reserve and margin guard the window and are not taken off the budget; every other part is a
// row of the sum and is subtracted there, once.
func measureBudget(p Policy, window, ceiling int, ratio float64) budget {
	r := budget{
		asked: p.Budget, bound: BoundBudget, limit: p.Budget, ratio: ratio, margin: marginKnown,
		history: NoLimit, chars: NoLimit,
	}
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
	if ceiling > 0 && ceiling < r.limit {
		r.bound, r.limit = BoundUnread, ceiling
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
		return min(p.OutputReserve, window/maxReplyShare)
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
	ceiling := p.MaxContextTokens
	if ceiling == 0 {
		ceiling = p.Budget
	}
	step := 1
	for step < ceiling/4-step/2 && step < 1<<40 {
		step *= 2
	}
	return step
}

// OverBudgetError says that what must be sent does not fit. All numbers are tokens as the server counts
// them; the plan that comes with the error shows each message.
type OverBudgetError struct {
	Need  int         // the whole request
	Have  int         // the most that it may hold
	Bound Bound       // what sets Have
	Parts []FixedPart // what Need is made of, the largest first
}

// FixedPart is a part of a request that is sent whatever else fits.
type FixedPart struct {
	Kind     PartOf
	Tokens   int   // as the server counts them
	Messages []int // the pinned messages, by their index in the conversation, the largest first
}

// PartOf is what a FixedPart is a part of.
type PartOf string

// The parts of a request that are sent whatever else fits.
const (
	PartSystem  PartOf = "the system prompt"
	PartTools   PartOf = "the tools"
	PartPinned  PartOf = "the pinned messages"
	PartDraft   PartOf = "your message"    // the current message, without what the running turn has added
	PartTurn    PartOf = "the tool rounds" // what the running turn has added to it
	PartHistory PartOf = "the history"     // where the policy sends all of it or nothing
	PartFormat  PartOf = "the format"      // markers, and what the chat format costs around each message
)

// Bound is what sets the most that a request may hold.
type Bound string

// The bounds of a request.
const (
	BoundBudget     Bound = "budget"             // the budget that the user set
	BoundMaxContext Bound = "max_context_tokens" // the automatic budget
	BoundWindow     Bound = "window"             // what the model's window leaves beside the reply
	BoundUnread     Bound = "unread"             // a limit after a request that was refused or read only in part
)

func (e *OverBudgetError) Error() string {
	text := fmt.Sprintf("%s tokens too many: this needs %s and %s fit",
		message.Grouped(e.Need-e.Have), message.Grouped(e.Need), message.Grouped(e.Have))
	if len(e.Parts) > 1 {
		text += ", " + string(e.Parts[0].Kind) + " alone " + message.Grouped(e.Parts[0].Tokens)
	}
	return text
}

// overBudget is the error for a plan that does not fit.
func (s *selection) overBudget(p Plan) *OverBudgetError {
	system, turn := FixedPart{Kind: PartSystem, Tokens: p.Sum.System}, FixedPart{Kind: PartTurn, Tokens: p.Sum.Draft}
	pinned, history := FixedPart{Kind: PartPinned}, FixedPart{Kind: PartHistory}
	for i, e := range p.Entries[:p.Sum.Stored] {
		switch {
		case e.Role == System:
			system.Tokens += e.TokensAfter
		case e.Cause.Code == cause.Pinned || e.Cause.Code == cause.PinnedByNote:
			pinned.Tokens += e.TokensAfter
			pinned.Messages = append(pinned.Messages, i)
		default:
			history.Tokens += e.TokensAfter
		}
	}
	slices.SortStableFunc(pinned.Messages, func(x, y int) int {
		return p.Entries[y].TokensAfter - p.Entries[x].TokensAfter
	})
	parts := []FixedPart{system, {Kind: PartTools, Tokens: p.Sum.Tools}, pinned, {Kind: PartDraft}, turn, history}
	if i := s.current(); i >= 0 {
		parts[3].Tokens = s.turnRendering(i).tokens
		parts[4].Tokens -= parts[3].Tokens
	}
	format := FixedPart{Kind: PartFormat, Tokens: p.Sum.Total}
	for _, part := range parts {
		format.Tokens -= part.Tokens
	}
	parts = append(parts, format)
	round := rounding(s.budget.tokens)
	for i := range parts {
		parts[i].Tokens = round(parts[i].Tokens)
	}
	parts = slices.DeleteFunc(parts, func(p FixedPart) bool { return p.Tokens <= 0 })
	slices.SortStableFunc(parts, func(x, y FixedPart) int { return y.Tokens - x.Tokens })
	return &OverBudgetError{Need: p.Sum.Used(), Have: s.budget.limit, Bound: s.budget.bound, Parts: parts}
}
