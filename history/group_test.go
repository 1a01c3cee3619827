package history

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// TestAFlagHoldsForTheWholeGroup excludes one message of any conversation: those that leave with it are
// its group, but for copies of results and what a remedy leaves out, which are not sent anyway.
func TestAFlagHoldsForTheWholeGroup(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		if len(s.past) == 0 {
			return
		}
		c := NewConversation(s.past, s.o.Count)
		i := rapid.IntRange(0, len(s.past)-1).Draw(t, "message")
		s.o.Flags = map[int64]Flag{s.past[i].ID: Exclude}
		s.o.Profile, s.o.Policy.ToolHistory, s.o.Policy.Recovery = Profile{}, ToolsKeep, "repair"
		plan, err := c.Build(s.o)
		if over := (*OverBudgetError)(nil); err != nil && !errors.As(err, &over) {
			t.Fatal(err)
		}
		var left []int
		for k, e := range plan.Entries[:len(s.past)] {
			if e.Disposition == Excluded && e.Cause.Code != cause.QuestionExcluded {
				left = append(left, k)
			}
		}
		got := c.ToolGroup(i)
		if !slices.Contains(got, i) {
			t.Fatalf("the group of message %d is %v, without it:\n%s", i, got, s)
		}
		for _, mate := range got {
			if other := c.ToolGroup(mate); !slices.Equal(other, got) {
				t.Fatalf("the group of message %d is %v, and that of %d in it is %v:\n%s", i, got, mate, other, s)
			}
		}
		sent := slices.DeleteFunc(slices.Clone(got), func(k int) bool {
			copied := plan.Entries[k].Cause.Code == cause.Duplicate
			return copied || plan.Entries[k].LeftOutByUser()
		})
		if len(left) > 0 && !slices.Equal(sent, left) {
			t.Fatalf("excluding message %d takes %v out, and its group is %v:\n%s", i, left, got, s)
		}
	})
}
