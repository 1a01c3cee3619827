package report

import (
	"testing"
	"time"

	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
)

func TestUsageTable(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.Local) }
	some := func(cost pricing.Money, priced, unpriced int) record.Usage {
		return record.Usage{
			CostSum: record.CostSum{Amount: cost, Priced: priced, Unpriced: unpriced, Requests: priced + unpriced},
			Prompt:  12_345, Cached: 6000, Answer: 900, Reasoning: 100,
		}
	}
	u := NewUsageReport(
		record.UsageReport{
			Lines: []record.UsageLine{
				{
					UsageKey: record.UsageKey{Day: day(2), Model: "openai/gpt-5.2"},
					Usage:    some(12*pricing.Dollar/10, 40, 0),
				},
				{UsageKey: record.UsageKey{Day: day(3), Model: "work/new\x1b[31m"}, Usage: some(0, 0, 3)},
				{UsageKey: record.UsageKey{Day: day(3), Model: "ollama/llama3"}, Usage: record.Usage{
					CostSum: record.CostSum{Requests: 1}, Uncounted: 1,
				}},
			},
			Total: record.Usage{
				CostSum: record.CostSum{
					Amount: 12 * pricing.Dollar / 10, Estimated: true, Priced: 40, Unpriced: 3, Requests: 44,
				},
				Prompt: 24_690, Cached: 12_000, CacheWrite: 500, Answer: 1800, Reasoning: 200, Uncounted: 1,
			},
			Purposes: map[store.Purpose]record.Usage{
				store.PurposeSummary: {CostSum: record.CostSum{Amount: pricing.Dollar / 500, Priced: 2, Requests: 2}},
				store.PurposeTitle:   {CostSum: record.CostSum{Requests: 1}},
			},
		}, day(1), day(30), record.UsageGroups{Day: true, Model: true})
	out := pageOf(0)
	u.Table(out)
	const want = `November 2026
day         model           requests  input   cached         output  reasoning  cost
2026-11-02  openai/gpt-5.2        40  12,345   6,000 (48 %)     900        100  $1.20
2026-11-03  work/new␛[31m          3  12,345   6,000 (48 %)     900        100  3 requests of unknown price
2026-11-03  ollama/llama3          1       0              0       0          0
total                             44  24,690  12,000 (48 %)   1,800        200  ~$1.20 + 3 requests of unknown price
Included: 2 requests for summary.
Included: 1 request for title.
500 input tokens were written to a server's cache.
Servers reported no token counts for 1 request; they are not in the totals.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
