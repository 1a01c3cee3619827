package history

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestGroupIsACallWithItsResults(t *testing.T) {
	c := Read(parseMessages(t, `user: Look.
assistant: Both. | a=ls({}) | b=pwd({})
tool a: one
tool b: two
assistant: Done.
user: Again.
assistant: | c=ls({})
user: Wait.
tool c: late
`), nil)
	for i, want := range [][]int{{0}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {4}, {5}, {6, 8}, {7}, {6, 8}} {
		if got := c.Group(i); !slices.Equal(got, want) {
			t.Errorf("the group of message %d is %v, want %v", i, got, want)
		}
	}
}

// TestAFlagHoldsForTheWholeGroup excludes one message of any conversation: those that leave with it are
// its group.
func TestAFlagHoldsForTheWholeGroup(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		if len(s.past) == 0 {
			return
		}
		c := Read(s.past, s.o.Count)
		i := rapid.IntRange(0, len(s.past)-1).Draw(t, "message")
		s.o.Flags = map[int64]Flag{s.past[i].ID: Exclude}
		s.o.Profile, s.o.Policy.ToolHistory, s.o.Policy.Recovery = Profile{}, ToolsKeep, "repair"
		plan, err := c.Build(s.o)
		if over := (*OverBudgetError)(nil); err != nil && !errors.As(err, &over) {
			t.Fatal(err)
		}
		var left []int
		for k, e := range plan.Entries[:len(s.past)] {
			if e.Disposition == Excluded && !e.Unasked() {
				left = append(left, k)
			}
		}
		if got := c.Group(i); len(left) > 0 && !slices.Equal(got, left) {
			t.Fatalf("excluding message %d takes %v out, and its group is %v:\n%s", i, left, got, s)
		}
	})
}
