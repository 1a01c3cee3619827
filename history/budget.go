package history

import (
	"cmp"
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
	DefaultImageTokens = 765
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

// budget is how much a request may hold. Of the sum it has what limits the request, before anything is in it.
type budget struct {
	TokenSum
	counted int // counted tokens of the whole request
	history int // counted tokens of the history alone
	chars   int // characters of the history alone
}

// measureBudget is the budget formula: the smaller of the budget and of what the window leaves beside the
// reply. Reserve and margin guard the window and are not taken off the budget; every other part is a
// row of the sum and is subtracted there, once.
func measureBudget(o Options) budget {
	p := o.Policy
	b := budget{
		TokenSum: TokenSum{
			Tools: o.Tools, Window: o.Window, Budget: p.Budget, Limit: p.Budget, Bound: BoundBudget,
			Ratio: o.Ratio, Margin: marginKnown,
		},
		history: NoLimit, chars: NoLimit,
	}
	if !(o.Ratio > 0) || math.IsInf(o.Ratio, 0) {
		b.Ratio, b.Margin = 1, marginUnknown
	}
	if b.Limit == 0 {
		b.Bound, b.Limit = BoundMaxContext, p.MaxContextTokens
	}
	if o.Window > 0 {
		b.Reserve = min(replyTokens, o.Window/replyShare)
		if p.OutputReserve > 0 {
			b.Reserve = min(p.OutputReserve, o.Window/maxReplyShare)
		}
		if leaves := int(float64(o.Window-b.Reserve) * (1 - b.Margin)); leaves < b.Limit {
			b.Bound, b.Limit = BoundWindow, leaves
		}
	}
	if o.Limit > 0 && o.Limit < b.Limit {
		b.Bound, b.Limit = BoundLearned, o.Limit
	}
	b.counted = b.countedIn(b.Limit)
	if p.HistoryBudget > 0 {
		b.history = b.countedIn(p.HistoryBudget)
	}
	if p.BudgetChars > 0 {
		b.chars = p.BudgetChars
	}
	return b
}

// countedIn is the most counted tokens that the server counts as no more than so many.
func (b budget) countedIn(tokens int) int {
	if tokens == NoLimit {
		return NoLimit
	}
	counted := int(float64(tokens)/b.Ratio) + 1
	for counted > 0 && b.Tokens(counted) > tokens {
		counted--
	}
	return counted
}

// step is the size of a block in tokens: a power of two near a quarter of the most that the policy ever
// sends. A budget that is set by hand, and the model's window, do not change it.
func (p Policy) step() int {
	if p.StepTokens > 0 {
		return p.StepTokens
	}
	quarter, step := cmp.Or(p.MaxContextTokens, p.Budget)/4, 1
	for step < quarter-step/2 && step < 1<<40 {
		step *= 2
	}
	return step
}

// cost is what the selected texts cost so far. It is a value: a step that does not fit is undone by taking the old one
// back.
type cost struct {
	body            int // tokens of the texts in the body, with their frames
	gaps            int // runs of messages that the body leaves out
	withoutQuestion int // answers in the body without a question of theirs
	recalled        int // tokens of the recalled texts, with their labels
	chars           int // characters of the history as sent
	messages        int // how many they are
}

// need is the tokens of the whole request as far as it is selected.
func (s *selection) need() int { return s.fixed + s.past(s.cost) }

// past is the tokens of the history with its markers and what is recalled.
func (s *selection) past(of cost) int {
	tokens := of.body + of.gaps*s.gap
	if of.gaps > 0 && s.o.System == "" {
		tokens += frameMessage // without a system prompt, a marker at the end is a message of its own
	}
	if of.withoutQuestion > 0 {
		// Each may follow a message that holds nothing but a marker, or what a request begins with.
		tokens += of.withoutQuestion*frameMessage + s.c.countCached(startText)
	}
	if of.recalled > 0 {
		tokens += of.recalled + s.c.countCached(recallHead) + s.c.countCached(recallTail)
	}
	return tokens
}

// fits checks every bound of the policy after a step, before which the request held so many messages. The newest
// messages up to MinMessages, with the question of the last of them, may go beyond the bounds on the history, never
// beyond those of the request.
func (s *selection) fits(before int) bool {
	if s.need() > s.budget.counted {
		return false
	}
	if p := s.o.Policy; p.Strategy == DropOldest && (s.cost.messages <= p.MinMessages || before < p.MinMessages) {
		return true
	}
	return s.past(s.cost) <= s.budget.history && s.cost.chars <= s.budget.chars
}

// shortfall is why an increment did not fit, with its sum; was is the cost without it.
func (s *selection) causeNotFitting(was cost) Cause {
	before, after := s.past(was), s.past(s.cost)
	available := s.budget.counted - s.fixed
	if after <= available {
		available = s.budget.history
	}
	if after <= available {
		return Cause{Code: cause.OverChars, Want: s.cost.chars - was.chars, Have: max(0, s.budget.chars-was.chars)}
	}
	want, have := s.budget.Tokens(after-before), s.budget.Tokens(max(0, available-before))
	return Cause{Code: cause.OverBudget, Want: want, Have: have}
}

// set changes what is chosen of a candidate, and the cost with it. What entering the body costs is not taken back when
// the candidate leaves it: lower restores that.
func (s *selection) set(i int, to choice) {
	inBody, inRequest := s.inBody(i), s.inRequest(i)
	s.charge(i, -1)
	s.chosen[i] = to
	s.charge(i, 1)
	if !inBody && s.inBody(i) {
		s.enter(i)
	}
	if !inRequest && s.inRequest(i) && !s.candidates[i].Placeholder {
		s.cost.messages++
	}
}

// charge adds what a candidate's texts cost, or takes it away with sign -1. The line of a day stands once in the block
// of recalled texts, and the label of the next candidate depends on this one.
func (s *selection) charge(i, sign int) {
	own := s.rendering(i, s.chosen[i].body)
	s.cost.body += sign * max(own.tokens, own.reserved)
	s.cost.chars += sign * own.length()
	for k := i; k < min(i+2, len(s.candidates)); k++ {
		if s.recalled(k) {
			s.cost.recalled += sign * s.c.countCached(s.label(k))
		}
	}
	if !s.recalled(i) {
		return
	}
	best, day := s.rendering(i, s.chosen[i].recall), s.candidates[i].day()
	s.cost.recalled += sign * s.recalledCost(i, best)
	s.cost.chars += sign * best.length()
	s.days[day] += sign
	if sign > 0 && s.days[day] == 1 || sign < 0 && s.days[day] == 0 {
		s.cost.recalled += sign * s.dayCost(day)
	}
}

// enter adds the cost of a candidate that has just entered the body: its frame, and a gap that it opens or closes.
func (s *selection) enter(i int) {
	v := &s.candidates[i]
	s.cost.body += frameMessage + s.bridge(v)
	if v.Role == Assistant && s.withoutQuestion(i) {
		s.cost.withoutQuestion++
	}
	before, after := s.neighbour(i, -1), s.neighbour(i, 1)
	gapBefore := before >= 0 && !s.inBody(before)
	gapAfter := after >= 0 && !s.inBody(after)
	switch {
	case gapBefore && gapAfter:
		s.cost.gaps++
	case !gapBefore && !gapAfter:
		s.cost.gaps--
	}
}

// inBody reports whether a candidate is in the body.
func (s *selection) inBody(i int) bool { return s.chosen[i].body != out }

// inRequest reports whether a candidate is in the request: in the body or in the block of recalled texts.
func (s *selection) inRequest(i int) bool { return s.inBody(i) || s.chosen[i].recall != out }

// OverBudgetError says that what must be sent does not fit. All numbers are tokens as the server counts
// them; the plan that comes with the error shows each message.
type OverBudgetError struct {
	Need  int            // the whole request
	Have  int            // the most that it may hold
	Bound Bound          // what sets Have
	Parts []RequiredPart // what Need is made of, the largest first
}

// FixedPart is a part of a request that is sent whatever else fits.
type RequiredPart struct {
	Kind     RequiredPartKind
	Tokens   int   // as the server counts them
	Messages []int // the pinned messages, by their index in the conversation, the largest first
}

// PartOf is what a FixedPart is a part of.
type RequiredPartKind string

// The parts of a request that are sent whatever else fits.
const (
	RequiredSystem  RequiredPartKind = "the system prompt"
	RequiredTools   RequiredPartKind = "the tools"
	RequiredPinned  RequiredPartKind = "the pinned messages"
	RequiredDraft   RequiredPartKind = "your message"    // the current message, without what the running turn has added
	RequiredTurn    RequiredPartKind = "the tool rounds" // what the running turn has added to it
	RequiredHistory RequiredPartKind = "the history"     // where the policy sends all of it or nothing
	RequiredFormat  RequiredPartKind = "the format"      // markers, and what the chat format costs around each message
)

// Bound is what sets the most that a request may hold.
type Bound string

// The bounds of a request.
const (
	BoundBudget     Bound = "budget"             // the budget that the user set
	BoundMaxContext Bound = "max_context_tokens" // the automatic budget
	BoundWindow     Bound = "window"             // what the model's window leaves beside the reply
	BoundLearned    Bound = "unread"             // a limit after a request that was refused or read only in part
)

func (e *OverBudgetError) Error() string {
	text := fmt.Sprintf("%s tokens too many: this needs %s and %s fit",
		message.WithCommas(e.Need-e.Have), message.WithCommas(e.Need), message.WithCommas(e.Have))
	if len(e.Parts) > 1 {
		text += ", " + string(e.Parts[0].Kind) + " alone " + message.WithCommas(e.Parts[0].Tokens)
	}
	return text
}

// overBudget is the error for a plan that does not fit.
func (s *selection) overBudget(p Plan) *OverBudgetError {
	var pins []int
	for i, e := range p.Entries[:p.Sum.Stored] {
		if e.Cause.Code == cause.Pinned || e.Cause.Code == cause.PinnedByNote {
			pins = append(pins, i)
		}
	}
	slices.SortStableFunc(pins, func(x, y int) int { return p.Entries[y].TokensAfter - p.Entries[x].TokensAfter })
	draft := 0
	if i := s.current(); i >= 0 {
		draft = s.turnSent[i].tokens
	}
	parts := []RequiredPart{
		{RequiredSystem, p.Sum.System, nil},
		{RequiredTools, p.Sum.Tools, nil},
		{RequiredPinned, p.Sum.Pinned, pins},
		{RequiredDraft, draft, nil},
		{RequiredTurn, p.Sum.Draft - draft, nil},
		{RequiredHistory, p.Sum.Body + p.Sum.Recalled, nil},
		{RequiredFormat, p.Sum.Added + p.Sum.Frame, nil},
	}
	round := p.Sum.rounding()
	for i := range parts {
		parts[i].Tokens = round(parts[i].Tokens)
	}
	parts = slices.DeleteFunc(parts, func(p RequiredPart) bool { return p.Tokens <= 0 })
	slices.SortStableFunc(parts, func(x, y RequiredPart) int { return y.Tokens - x.Tokens })
	return &OverBudgetError{Need: p.Sum.Used(), Have: p.Sum.Limit, Bound: p.Sum.Bound, Parts: parts}
}
