package session

import (
	"maps"
	"slices"
	"testing"

	"winnow/history"
	"winnow/history/cause"
)

// Each change of flags is undone with the flags that it returned, in reverse order. After each step the conversation,
// the store and the plan agree.
func TestFlagsAreUndone(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Three."))
	s := b.begin()
	for _, draft := range []string{"First", "Second", "Third"} {
		drain(s.Send(t.Context(), say(draft)))
	}
	var flags []map[int64]history.Flag // after each step
	agree := func(want map[int64]history.Flag) {
		t.Helper()
		decided, err := b.deps.Store.UserDecisions(t.Context(), s.Info().ID)
		if err != nil || !maps.Equal(decided.Flags, want) || !maps.Equal(s.State().Flags, want) {
			t.Fatalf("stored are %v (%v), known are %v, want %v", decided.Flags, err, s.State().Flags, want)
		}
		plan, err := s.Preview(say(""))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range plan.Entries {
			excluded := e.Disposition == history.Excluded && e.Cause.Code != cause.QuestionExcluded
			if e.Pinned != (want[e.ID] == history.Pin) || excluded != (want[e.ID] == history.Exclude) {
				t.Errorf("message %d has the flag %q and the verdict %+v", e.Index, want[e.ID], e)
			}
		}
	}
	var undo []map[int64]history.Flag
	now := map[int64]history.Flag{}
	for _, step := range []struct {
		flag history.Flag
		at   []int
	}{{history.Pin, []int{0, 3}}, {history.Exclude, []int{3, 4}}, {"", []int{0, 4}}, {history.Pin, []int{5, 0}}} {
		flags = append(flags, maps.Clone(now))
		all := map[int64]history.Flag{}
		for _, at := range step.at {
			all[s.Branch().ID(at)] = step.flag
		}
		before, err := s.SetFlags(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		undo = append(undo, before)
		maps.Copy(now, all)
		maps.DeleteFunc(now, func(_ int64, f history.Flag) bool { return f == "" })
		agree(now)
	}
	for i, before := range slices.Backward(undo) {
		if _, err := s.SetFlags(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		agree(flags[i])
	}
}
