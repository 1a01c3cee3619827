package history

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
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

// Where there is enough to say, a request holds what the budget says: what is left is less than the next step costs. A
// step of what is recalled is one message with its label and its day. One of the blocks is no more than what its share
// is of the recalled texts, because recall has a turn before it otherwise. One of the newest turn, which comes first,
// is what may stay whole of it.
func TestABudgetIsUsedToTheLastMessage(t *testing.T) {
	stops := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		past := talk(rt, rapid.IntRange(1, 400).Draw(rt, "last"))
		longest := 0
		for _, m := range past[:len(past)-1] {
			longest = max(longest, words(m.Content))
		}
		o := benchOptions(t, rapid.SampledFrom([]string{"recall", "balanced"}).Draw(rt, "preset"), rapid.IntRange(200,
			2000).Draw(rt, "budget"))
		o.Count, o.Turn = words, []Message{{ID: 1 << 40, Role: User, Content: "What of the sea?", Status: Complete}}
		b := NewConversation(past, words).selectFor(o)
		if b.over {
			rt.Fatal("it does not fit")
		}
		p := b.plan()
		if p.Sum.Sent == p.Sum.Stored {
			return
		}
		var step int
		switch {
		case b.stopped.recall:
			step = longest + 8 // its label and its day
			stops["recall"]++
		case b.stopped.cause == cause.Newest:
			step = b.lastWhole
			stops["newest"]++
		default:
			step = int(float64(b.cost.recalled) * (1 - recallShare) / recallShare)
			stops["block"]++
		}
		// The block, the markers, and the frames of a message and its question.
		around := words(recallHead) + words(recallTail) + 2*b.gap + 2*frameMessage
		if left := p.Sum.Free(); left > step+around {
			rt.Fatalf("%d of %d tokens are left, and the next step is %d\n%+v\n%s", left, o.Policy.Budget, step,
				b.stopped, planText(p, nil))
		}
	})
	t.Logf("what did not fit: %v", stops)
}
