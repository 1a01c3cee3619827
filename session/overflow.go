package session

import (
	"context"
	"errors"
	"fmt"

	"winnow/history"
	"winnow/llm"
)

// shrinkTo are the shares of a refused request that are tried one after the other, where the server names
// no number.
var shrinkTo = [...]float64{0.7, 0.35, 0.15}

// smallerBy is the share of what was refused that a retry has at most.
const smallerBy = 0.9

// tooLong is what was tried for one question that a server refused as too long.
type tooLong struct {
	numbered bool       // once more with the server's number
	shrunk   int        // times with less, where it named none
	least    bool       // only what must be sent
	first    int        // tokens that were expected of the first request that was refused
	newest   asked      // the newest that was refused
	refusal  *llm.Error // of that
	before   int        // the limit without all this
}

// planSmaller learns from a refusal, so that the next plan is smaller, and says whether asking once
// more makes sense: once with the server's number, three times without one.
func (t *turn) planSmaller(ctx context.Context, a asked, fault *llm.Error, tries *tooLong) bool {
	if tries.first == 0 {
		tries.first, tries.before = a.expected(), a.to.Shrunk()
	}
	tries.refusal, tries.newest = fault, a
	before := a.to.Window()
	if fault.Limit > 0 {
		a.to.Refused(fault.Limit, fault.Prompt, a.comparable(), fault.AtLeast)
		t.learn(ctx, a.to)
	}
	// A number that is not below what was believed, without one for the request, teaches nothing.
	if fault.Limit == 0 || fault.Prompt == 0 && before.Tokens > 0 && fault.Limit >= before.Tokens {
		return t.shrink(tries)
	}
	if tries.numbered {
		return false
	}
	tries.numbered = true
	if space := replySpace(fault, a.expected()); space > 0 {
		a.to.ShortenReply(space)
		t.reason = fmt.Sprintf("the request and the %d tokens asked for the reply are more than the model's window "+
			"of %d tokens; asking once more for a reply of at most %d",
			fault.Output, fault.Limit, space)
		return true
	}
	a.to.ShrinkBelow(smallerBy * float64(a.to.Expect(a.record.Estimate)))
	t.reason = fmt.Sprintf("the request was larger than the model's window of %d tokens; asking once more with less",
		fault.Limit)
	return true
}

// shrink plans for the next smaller share of the first request that was refused: nobody said how much less
// it must be.
func (t *turn) shrink(tries *tooLong) bool {
	if tries.shrunk == len(shrinkTo) || tries.least {
		return false
	}
	share := shrinkTo[tries.shrunk]
	tries.shrunk++
	to := tries.newest.to
	to.ShrinkReply(share)
	to.ShrinkBelow(min(share*float64(tries.first), smallerBy*float64(tries.newest.expected())))
	t.reason = fmt.Sprintf("the request was too long for the model, and the server does not state its limit; asking "+
		"again with %.0f %% of it", 100*share)
	return true
}

// keepLeast plans for what must be sent and nothing else, where a limit after a refusal is below that and
// it is less than what was refused.
func (tries *tooLong) keepLeast(err error) bool {
	over := (*history.OverBudgetError)(nil)
	if tries.refusal == nil || tries.least || !errors.As(err, &over) {
		return false
	}
	sum := tries.newest.plan.Sum
	least := sum.System + sum.Tools + sum.Draft + sum.Frame/4
	if float64(least) > smallerBy*float64(sum.Total) {
		return false
	}
	tries.least = true
	tries.newest.to.Shrink(over.Need)
	return true
}

// sayReason says why there is another request than the first. It waits for the plan of that request, because one that
// cannot be planned does not leave.
func (t *turn) sayReason() {
	if t.reason != "" {
		t.emit(Notice{t.reason})
	}
	t.reason = ""
}

// settle ends what held for one question: a window that the server named needs no other limit.
func (tries tooLong) settle() {
	if tries.numbered && tries.shrunk == 0 {
		tries.giveUp()
	}
}

// giveUp believes again what was believed before the guesses that did not help.
func (tries tooLong) giveUp() {
	if tries.refusal != nil {
		tries.newest.to.Shrink(tries.before)
	}
}

// instead is the error to show for a plan that cannot be made after a refusal: where not even what
// must be sent fits our guess, the server's own words say more.
func (tries tooLong) instead(err error) error {
	if over := (*history.OverBudgetError)(nil); tries.shrunk > 0 && errors.As(err, &over) {
		return tries.refusal
	}
	return err
}

// noSpaceForReply is the error of an answer that is over before it began because the request left no room
// for it, nil for any other empty answer. Some servers then say that the length ended it and count the
// request at the window; some send nothing at all, which says something only of a long request to a
// server whose window nobody knows.
func (a asked) noSpaceForReply() error {
	usage, window := a.reply.Usage, a.to.Window()
	fault := &llm.Error{Kind: llm.Overflow, Endpoint: a.record.Endpoint, Model: a.record.Model}
	switch {
	case usage.Answer > 0:
		return nil
	case a.reply.Finished.Reason == "length" && usage.Prompt > 0:
		fault.Limit, fault.Prompt, fault.AtLeast = fullWindow(usage.Prompt, window.Tokens), usage.Prompt, true
		if fault.Limit == 0 {
			return nil
		}
	case a.reply.Finished.Reason == "" && usage.Prompt <= 0 && window.Assumed && a.expected() >= window.Tokens/4:
		fault.Message = "the answer was empty, as some servers send for a request that is too long"
	default:
		return nil
	}
	return fault
}

// The windows that servers run with where nobody chose one: powers of two.
const (
	usualMin = 2048
	usualMax = 131_072
)

// fullWindow is the window that a request of so many tokens fills: the believed one, else a usual
// one below it, and 0 for none.
func fullWindow(reported, believed int) int {
	if believed > 0 && reported >= believed-fullTolerance(believed) {
		return believed
	}
	for w := usualMin; w <= usualMax && (believed == 0 || w < believed); w *= 2 {
		if reported <= w && reported >= w-fullTolerance(w) {
			return w
		}
	}
	return 0
}

// fullTolerance is how far below a window a request that was shortened to it may end: it is
// shortened by whole messages.
func fullTolerance(window int) int { return window/50 + 8 }

const (
	replyLeast = 256 // tokens; a shorter reply is not worth asking for
	replySlack = 25  // one part in so many of a request stays free beside a shortened reply
)

// noteLowered says once for each window that less than max_tokens is asked for.
func (t *turn) noteLowered() {
	to := t.Model()
	window := to.Window().Tokens
	if wanted, asked, ok := to.Lowered(); ok && to.SayOnce(fmt.Sprint("max_tokens in ", window)) {
		t.emit(Notice{fmt.Sprintf("max_tokens = %d is more than half of the model's window of %d tokens; asking for %d",
			wanted, window, asked)})
	}
}

// noteUnsent says once for each model what of the sampling it is documented not to take.
func (t *turn) noteUnsent() {
	to := t.Model()
	if ways := to.Unsent(); ways != "" && to.SayOnce(ways) {
		t.emit(Notice{
			fmt.Sprintf("%s is asked %s, according to its documentation (%s)", to.Name, ways, llm.DocumentedDate),
		})
	}
}

// replySpace is how long a reply the server would take behind the request, where it is the reply that
// is too much, and 0 where the request is.
func replySpace(fault *llm.Error, expected int) int {
	prompt := fault.Prompt
	if fault.AtLeast {
		prompt = max(prompt, expected)
	}
	space := fault.Limit - prompt - prompt/replySlack
	if prompt == 0 || fault.Output < fault.Limit-prompt || space < replyLeast {
		return 0
	}
	return space
}
