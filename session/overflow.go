package session

import (
	"context"
	"fmt"

	"winnow/llm"
	"winnow/session/target"
)

// overflow records the attempts of one task whose requests were too long.
type overflow struct {
	refused  *attempt   // the newest; nil for none
	fault    *llm.Error // why it was refused
	first    int        // expected tokens of the first attempt
	numbered bool       // retried with the limit that the server stated
	shrunk   int        // number of retries with less, without a stated limit
}

// shrinkTo are the fractions of the refused request that are tried one after the other if the server states no limit.
var shrinkTo = [...]float64{0.7, 0.35, 0.15}

// smallerBy is the largest fraction of a refused request that a retry may have.
const smallerBy = 0.9

// planSmaller learns from a refusal and limits the next plan of the task: once with the limit that the server stated,
// or three times without one. It returns the reason for the next request, or "" if there is none.
func (t *turn) planSmaller(ctx context.Context, a *attempt, fault *llm.Error, over *overflow) (reason string) {
	to := a.to
	if over.refused == nil {
		over.first = a.expected()
	}
	over.fault, over.refused = fault, a
	believed := to.Window().Tokens
	if fault.Limit > 0 {
		to.NoteRefusal(fault, target.ComparableCount(a.record.Estimate, a.plan.Messages))
		t.learn(ctx, to)
	}
	// A limit that is not below the believed one says nothing unless the size of the request comes with it.
	if fault.Limit == 0 || fault.Prompt == 0 && believed > 0 && fault.Limit >= believed {
		if over.shrunk == len(shrinkTo) {
			return ""
		}
		share := shrinkTo[over.shrunk]
		over.shrunk++
		to.ScaleReply(share)
		t.limit = max(1, int(min(share*float64(over.first), smallerBy*float64(a.expected()))))
		return fmt.Sprintf("the request was too long for the model, and the server does not state its limit; asking "+
			"again with %.0f%% of it", 100*share)
	}
	if over.numbered {
		return ""
	}
	over.numbered = true
	if space := replySpace(fault, a.expected()); space > 0 {
		to.LimitReply(space)
		return fmt.Sprintf("the request and its reply exceed the model's window of %d tokens; asking once more "+
			"for a reply of at most %d", fault.Limit, space)
	}
	t.limit = max(1, int(smallerBy*float64(to.ExpectedTokens(a.record.Estimate))))
	return fmt.Sprintf("the request was larger than the model's window of %d tokens; asking once more with less",
		fault.Limit)
}

const (
	replyLeast = 256 // tokens; a shorter reply is not useful
	replySlack = 25  // 1/25 of the request is left free next to a shortened reply
)

// replySpace returns how many tokens of reply the server would accept after the request if the reply was too long, and
// 0 if the request itself was.
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
