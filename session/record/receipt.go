package record

import (
	"cmp"
	"context"
	"slices"
	"time"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/branch"
	"winnow/session/store"
)

// Receipt sums up what one answer cost and what the model saw for it.
type Receipt struct {
	Turn       int   // the turn it belongs to, from 1
	User       int64 // the user's message that it answers
	Sent       int   // messages of the conversation in the request, the question included
	Stored     int   // messages of the conversation until then
	Cut        int
	Dropped    int
	Recalled   int
	Repaired   int
	Estimate   int // counted tokens of the request
	Expected   int // what the server was expected to count: Estimate, corrected by what was learned
	Usage      pricing.Usage
	Written    int // estimated tokens of the answer, where the server did not count them and the text is known; else 0
	Cost       pricing.Cost
	FirstToken time.Duration // 0 where none came
	Took       time.Duration
	Retries    int
	Stopped    bool // the user stopped it
	End        store.RequestEnd
	Finish     string // the server's finish_reason
	Fault      Fault  // why the turn failed with it, where it did

	Cache CacheUse

	// Unread is what the server was expected to count, where Usage.Prompt shows that it read only a part of
	// the request; else 0.
	Unread int
}

// Receipts are the sums of the answers given so far, by the id of the answer's request.
func (r Records) Receipts(ctx context.Context) (map[int64]Receipt, error) {
	if r.Session == "" {
		return nil, nil
	}
	list, err := r.Store.Requests(ctx, r.Session)
	if err != nil {
		return nil, err
	}
	tallies, err := r.Store.Tallies(ctx, r.Session)
	if err != nil {
		return nil, err
	}
	receipts := make(map[int64]Receipt, len(list))
	for _, q := range list {
		receipts[q.ID] = receiptOf(q, tallies[q.ID])
	}
	return receipts, nil
}

// Failures are the turns that failed, by the receipts of their requests. One whose answer had begun to arrive is not
// among them: what arrived is a message, which says that it is not whole.
func Failures(receipts map[int64]Receipt) []Failure {
	var list []Failure
	for id, r := range receipts {
		if r.End == store.EndFailed && r.Fault != (Fault{}) {
			list = append(list, Failure{Fault: r.Fault, User: r.User, Turn: r.Turn, Request: id, Tries: r.Retries + 1})
		}
	}
	slices.SortFunc(list, func(a, b Failure) int { return cmp.Compare(a.Request, b.Request) })
	return list
}

// ReceiptOf is the receipt of a request that is over, by its record and its plan.
func ReceiptOf(q store.Request, p history.Plan) Receipt {
	c := CountsOf(p.Entries, nil, branch.Branch{})
	return receiptOf(q, store.Tally{
		Sum: p.Sum, Stored: c.Stored, Sent: c.Sent(), Cut: c.Cut, Dropped: c.Dropped, Recalled: c.Recalled,
		Repaired: c.Repaired,
	})
}

// receiptOf is the receipt of a request. counts are of the conversation's messages, the question included.
func receiptOf(r store.Request, counts store.Tally) Receipt {
	cost := CostOf(r)
	usage := pricing.Usage{
		Prompt: r.Prompt, Cached: r.Cached, CacheWrite: r.CacheWrite,
		Answer: r.Answer, Reasoning: r.Reasoning, Cost: -1,
	}
	if cost.From == pricing.Charged {
		usage.Cost = cost.Amount
	}
	return Receipt{
		Turn: r.Turn, User: r.User, Fault: ReadFault(r.Fault), Estimate: r.Estimate, Usage: usage, Cost: cost,
		FirstToken: r.FirstToken, Took: r.Took, Retries: r.Retries,
		Stopped: r.End == store.EndStopped, End: r.End, Finish: r.Finish,
		Cache:  CacheUseOf(r),
		Unread: r.CutExpected, Expected: counts.Sum.Tokens(counts.Sum.Total),
		Stored: counts.Stored, Sent: counts.Sent, Cut: counts.Cut, Dropped: counts.Dropped, Recalled: counts.Recalled,
		Repaired: counts.Repaired,
	}
}
