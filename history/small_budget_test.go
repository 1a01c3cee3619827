package history

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// talk is a long conversation in which every message is about the sea, and the last answer is as long as given, in
// words.
func talk(t *rapid.T, last int) []Message {
	var list []Message
	for i := range 2 * rapid.IntRange(60, 120).Draw(t, "turns") {
		m := Message{ID: int64(i + 1), Role: User, Status: Complete}
		if i%2 == 1 {
			m.Role = Assistant
		}
		m.Content = fmt.Sprintf("%d sea ", i) + strings.Repeat("and so on ", rapid.IntRange(0, 12).Draw(t, "length"))
		list = append(list, m)
	}
	list[len(list)-1].Content = strings.Repeat("salt ", last)
	return list
}

// However long the newest turn is, it takes no more of a small budget than its share, or what its messages are cut to.
func TestTheNewestTurnLeavesRoomForTheRest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		past := talk(rt, rapid.IntRange(300, 6000).Draw(rt, "last"))
		o := benchOptions(t, rapid.SampledFrom([]string{"balanced", "recall", "summary"}).Draw(rt, "preset"),
			rapid.IntRange(500, 16000).Draw(rt, "budget"))
		o.Count, o.Turn = words, []Message{{ID: 1 << 40, Role: User, Content: "What of the sea?", Status: Complete}}
		p, err := Build(past, o)
		if err != nil {
			rt.Fatal(err)
		}
		limit := min(o.Policy.LastWholeMaxTokens, max(newestLeast,
			int(o.Policy.LastWholeShare*float64(o.Policy.Budget))))
		if e := p.Entries[len(past)-1]; e.TokensAfter > limit && !e.Whole {
			rt.Fatalf("the last answer takes %d of %d tokens, and may take %d\n%s", e.TokensAfter, o.Policy.Budget,
				limit, planText(p, nil))
		} else if e.Whole && e.TokensBefore > limit && p.Sum.Used() > o.Policy.Budget*9/10 &&
			p.Sum.Sent < p.Sum.Stored {
			rt.Fatalf("the last answer stands whole with %d tokens, and may take %d, where others are left out\n%s",
				e.TokensBefore, limit, planText(p, nil))
		}
	})
}
