package record

import (
	"context"
	"time"

	"winnow/llm/pricing"
	"winnow/session/store"
)

// Receipt summarises the cost of one answer and what the model saw for it.
type Receipt struct {
	store.VerdictCounts     // of the conversation's messages, the question included
	Turn                int // the turn it belongs to, from 1
	Estimate            int // counted tokens of the request
	Expected            int // what the server was expected to count: Estimate, corrected by what was learned
	Usage               pricing.Usage
	Cost                pricing.Cost
	Took                time.Duration
	Retries             int
	End                 store.RequestEnd
	Finish              string    // the server's finish_reason
	Fault               TurnFault // why the turn failed with it, where it did

	Cache CacheUse

	// Unread is the count that was expected of the server, if Usage.Prompt shows that it read only a part of the
	// request; otherwise 0.
	Unread int
}

// Receipts returns the receipts of the conversation's requests by request id.
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

// ReceiptOf returns the receipt of a recorded request.
func ReceiptOf(r store.Request) Receipt {
	return Receipt{
		VerdictCounts: r.Tally, Turn: r.Turn, Fault: ParseTurnFault(r.Fault),
		Estimate: r.Estimate, Expected: r.Sum.Tokens(r.Sum.Total), Unread: r.CutExpected, Cost: CostOf(r),
		Took: r.Took, Retries: r.Retries, End: r.End, Finish: r.Finish, Cache: CacheUseOf(r),
		Usage: pricing.Usage{
			Prompt: r.Prompt, Cached: r.Cached, CacheWrite: r.CacheWrite, Answer: r.Answer, Reasoning: r.Reasoning,
			Cost: -1, // see Receipt.Cost
		},
	}
}
