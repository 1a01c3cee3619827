package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

// The costs of the chat format around the texts, in tokens.
const (
	frameMessage = 4 // each message
	frameJoint   = 1 // a system message appended to another text
	frameRequest = 3 // the request itself
	frameCall    = 8 // each tool call, besides its name and arguments

	// defaultImageTokens is the assumed cost of an image whose real cost only the server knows.
	defaultImageTokens = 765
)

// The safety margin, as a share of the window. The wider one applies until a server has reported usage.
const (
	marginKnown   = 0.03
	marginUnknown = 0.10
)

// The space for the reply. If no length is set for it, replyTokens are kept free, but no more than a quarter of the
// window. No reply gets more than half of the window.
const (
	replyTokens   = 4096
	replyShare    = 4
	maxReplyShare = 2
)

// budget is how much a request may hold. Of the embedded sum, only what limits the request is set.
type budget struct {
	TokenSum
	counted int // winnow's own tokens for the whole request
	history int // winnow's own tokens for the history
	chars   int // characters for the history
}

// measureBudget computes the limit of a request: the smaller of the budget and the space that the window leaves beside
// the reply. Reserve and margin apply to the window only and are not subtracted from the budget.
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

// countedIn returns the largest of winnow's own counts that converts to at most the given number of the server's
// tokens.
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

// step returns the size of a block in tokens: a power of two near a quarter of the largest request that the policy
// allows. It depends neither on the model's window nor on a budget set by hand.
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

// cost is the running cost of the selected texts. It is a value, so a step that does not fit is undone by restoring the
// old one.
type cost struct {
	body            int // tokens of the texts in the body, with their frames
	gaps            int // runs of messages left out of the body
	withoutQuestion int // answers in the body whose question is missing
	recalled        int // tokens of the recalled texts, with their labels
	chars           int // characters of the history as sent
	messages        int // number of messages
}

// need returns the tokens of the whole request as selected so far.
func (s *selection) need() int { return s.fixed + s.past(s.cost) }

// past returns the tokens of the history, with its gap markers and the recalled texts.
func (s *selection) past(of cost) int {
	tokens := of.body + of.gaps*s.gap
	if of.gaps > 0 && s.o.System == "" {
		tokens += frameMessage // without a system prompt, the last marker is a message of its own
	}
	if of.withoutQuestion > 0 {
		// Each may need a user message in front of it that holds only a marker or the start text.
		tokens += of.withoutQuestion*frameMessage + s.c.countCached(startText)
	}
	if of.recalled > 0 {
		tokens += of.recalled + s.c.countCached(recallHead) + s.c.countCached(recallTail)
	}
	return tokens
}

// fits checks all bounds after a step; before is the number of messages without the step. With DropOldest, the newest
// MinMessages messages, and the question of the last of them, may exceed the bounds on the history, but never those on
// the request.
func (s *selection) fits(before int) bool {
	if s.need() > s.budget.counted {
		return false
	}
	if p := s.o.Policy; p.Strategy == DropOldest && (s.cost.messages <= p.MinMessages || before < p.MinMessages) {
		return true
	}
	return s.past(s.cost) <= s.budget.history && s.cost.chars <= s.budget.chars
}

// causeNotFitting returns why an increment did not fit, with the tokens or characters that it needed and that were
// left. was is the cost without it.
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

// set changes the choice for a candidate and updates the cost. The cost of entering the body is not taken back when the
// candidate leaves it: lower restores that.
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

// charge adds the cost of a candidate's texts, or subtracts it if sign is -1. The date line of a day is charged once
// for all recalled texts of that day. The label of the next candidate depends on this one.
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

// enter adds the cost of a candidate that has just entered the body: its frame, and the gap that it splits or closes.
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

// inBody reports whether a candidate is sent in its own place.
func (s *selection) inBody(i int) bool { return s.chosen[i].body != out }

// inRequest reports whether a candidate is sent in its own place or in the block of recalled texts.
func (s *selection) inRequest(i int) bool { return s.inBody(i) || s.chosen[i].recall != out }

// OverBudgetError reports that the parts that must be sent do not fit. All numbers are the server's tokens. The plan
// that comes with the error has the verdict on each message.
type OverBudgetError struct {
	Need  int            // tokens of the whole request
	Have  int            // its upper limit
	Bound Bound          // what sets Have
	Parts []RequiredPart // what Need consists of, the largest first
}

// RequiredPart is a part of a request that must be sent.
type RequiredPart struct {
	Kind     RequiredPartKind
	Tokens   int   // in the server's tokens
	Messages []int // the pinned messages, by position in the conversation, the largest first
}

// RequiredPartKind is the kind of a RequiredPart, worded for the user.
type RequiredPartKind string

// The kinds of a RequiredPart.
const (
	RequiredSystem  RequiredPartKind = "the system prompt"
	RequiredTools   RequiredPartKind = "the tools"
	RequiredPinned  RequiredPartKind = "the pinned messages"
	RequiredDraft   RequiredPartKind = "your message"    // the current message, without what the running turn added
	RequiredTurn    RequiredPartKind = "the tool rounds" // what the running turn added
	RequiredHistory RequiredPartKind = "the history"     // if the policy sends all of the history or nothing
	RequiredFormat  RequiredPartKind = "the format"      // markers, and the cost of the chat format around each message
)

// Bound says which setting limits the size of a request.
type Bound string

// The bounds of a request.
const (
	BoundBudget     Bound = "budget"             // the budget that the user set
	BoundMaxContext Bound = "max_context_tokens" // the automatic budget
	BoundWindow     Bound = "window"             // the model's window minus the reply
	BoundLearned    Bound = "unread"             // learned from a request that the server refused or silently cut
)

func (e *OverBudgetError) Error() string {
	text := fmt.Sprintf("%s tokens too many: this needs %s and %s fit",
		message.WithCommas(e.Need-e.Have), message.WithCommas(e.Need), message.WithCommas(e.Have))
	if len(e.Parts) > 1 {
		text += ", " + string(e.Parts[0].Kind) + " alone " + message.WithCommas(e.Parts[0].Tokens)
	}
	return text
}

// overBudget returns the error for a plan that does not fit.
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
