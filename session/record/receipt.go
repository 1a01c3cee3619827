package record

import (
	"cmp"
	"context"
	"slices"
	"time"

	"winnow/llm/pricing"
	"winnow/session/store"
)

// Receipt sums up what one answer cost and what the model saw for it.
type Receipt struct {
	store.Tally     // of the conversation's messages, the question included
	Turn        int // the turn it belongs to, from 1
	User        int64
	Estimate    int // counted tokens of the request
	Expected    int // what the server was expected to count: Estimate, corrected by what was learned
	Usage       pricing.Usage
	Cost        pricing.Cost
	Took        time.Duration
	Retries     int
	End         store.RequestEnd
	Finish      string // the server's finish_reason
	Fault       Fault  // why the turn failed with it, where it did

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
	list, err := r.Store.Requests(ctx, r.Session, store.RequestFilter{})
	receipts := make(map[int64]Receipt, len(list))
	for _, q := range list {
		receipts[q.ID] = ReceiptOf(q)
	}
	return receipts, err
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

// ReceiptOf is the receipt of a request, by its record.
func ReceiptOf(r store.Request) Receipt {
	return Receipt{
		Tally: r.Tally, Turn: r.Turn, User: r.User, Fault: ReadFault(r.Fault),
		Estimate: r.Estimate, Expected: r.Sum.Tokens(r.Sum.Total), Unread: r.CutExpected, Cost: CostOf(r),
		Took: r.Took, Retries: r.Retries, End: r.End, Finish: r.Finish, Cache: CacheUseOf(r),
		Usage: pricing.Usage{
			Prompt: r.Prompt, Cached: r.Cached, CacheWrite: r.CacheWrite, Answer: r.Answer, Reasoning: r.Reasoning,
			Cost: -1, // it is in Cost
		},
	}
}
