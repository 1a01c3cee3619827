package session

import (
	"context"
	"fmt"

	"winnow/llm"
	"winnow/session/target"
)

// overflow is what was tried for one errand whose requests were too long.
type overflow struct {
	refused  *attempt   // the newest, nil for none
	fault    *llm.Error // why
	first    int        // tokens that were expected of the first
	numbered bool       // it was sent once more with the server's number
	shrunk   int        // how often it was sent with less, where the server named none
}

// shrinkTo are the shares of a refused request that are tried one after the other, where the server names
// no number.
var shrinkTo = [...]float64{0.7, 0.35, 0.15}

// smallerBy is the share of what was refused that a retry has at most.
const smallerBy = 0.9

// planSmaller learns from a refusal, and limits the errand's next plan: once with the server's number, three times
// without one. It returns why there is another request, "" where that makes no sense.
func (t *turn) planSmaller(ctx context.Context, a *attempt, fault *llm.Error, over *overflow) (reason string) {
	to := a.to
	if over.refused == nil {
		over.first = a.expected()
	}
	over.fault, over.refused = fault, a
	believed := to.Window().Tokens
	if fault.Limit > 0 {
		to.Refused(fault.Limit, fault.Prompt, target.Comparable(a.record.Estimate, a.plan.Messages), fault.AtLeast)
		t.learn(ctx, to)
	}
	// A number that is not below what was believed, without one for the request, teaches nothing.
	if fault.Limit == 0 || fault.Prompt == 0 && believed > 0 && fault.Limit >= believed {
		if over.shrunk == len(shrinkTo) {
			return ""
		}
		share := shrinkTo[over.shrunk]
		over.shrunk++
		to.ShrinkReply(share)
		t.limit = max(1, int(min(share*float64(over.first), smallerBy*float64(a.expected()))))
		return fmt.Sprintf("the request was too long for the model, and the server does not state its limit; asking "+
			"again with %.0f %% of it", 100*share)
	}
	if over.numbered {
		return ""
	}
	over.numbered = true
	if space := replySpace(fault, a.expected()); space > 0 {
		to.ShortenReply(space)
		return fmt.Sprintf("the request and its reply are more than the model's window of %d tokens; asking once more "+
			"for a reply of at most %d", fault.Limit, space)
	}
	t.limit = max(1, int(smallerBy*float64(to.Expect(a.record.Estimate))))
	return fmt.Sprintf("the request was larger than the model's window of %d tokens; asking once more with less",
		fault.Limit)
}

const (
	replyLeast = 256 // tokens; a shorter reply is not worth asking for
	replySlack = 25  // one part in so many of a request stays free beside a shortened reply
)

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
