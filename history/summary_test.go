package history

import (
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// A summary of all that Condense asks for leaves nothing more to condense, and nothing but what it
// stands for is dropped.
func TestASummaryFreesBudget(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		s.o.Policy.SummarizeRatio, s.o.Summaries, s.o.Flags = 0.5, nil, nil
		c := NewConversation(s.past, s.o.Count)
		list, _ := c.DueForSummary(s.o)
		if len(list) == 0 {
			return
		}
		upto := list[len(list)-1].ID
		s.o.Summaries = []Summary{{Messages: IDRanges{{list[0].ID, upto}}, Text: "Words.", By: "some/model"}}
		p, err := c.Build(s.o)
		if err != nil {
			return
		}
		condensed := 0
		for _, e := range p.Entries[:len(s.past)] {
			// A message that it stands for may be recalled nevertheless.
			if e.Cause.Code == cause.Summarized || e.Recalled && e.Place == LevelOut {
				condensed++
			}
		}
		for _, a := range p.Added {
			if a.Kind == AddedSummary && condensed == 0 {
				t.Fatalf("a summary stands for nothing\n%s\n%s", planText(p, nil), s)
			}
		}
		for i, e := range p.Entries[:len(s.past)] {
			covered := int64(i+1) > upto && len(e.Repairs) == 0
			if covered && e.Cause.Code == cause.Summarized {
				t.Fatalf("message %d was said behind the summary: %+v\n%s", i, e, s)
			}
		}
	})
}
