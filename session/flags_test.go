package session

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/history/cause"
	"winnow/llm/tool"
)

// TestFlagsAreUndoneInAnyOrder pins, excludes and frees messages at random and then takes every
// deed back, the last one first. After each step the conversation, the store and the plan agree.
func TestFlagsAreUndoneInAnyOrder(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Three."), says("Four."))
	s := b.begin()
	for _, draft := range []string{"First", "Second", "Third", "Fourth"} {
		drain(s.Send(t.Context(), say(draft)))
	}
	messages := s.Messages()
	rapid.Check(t, func(rt *rapid.T) {
		want := map[int64]history.Flag{}
		agree := func() {
			decided, err := b.deps.Store.Decisions(t.Context(), s.Info().ID)
			stored := decided.Flags
			if err != nil || !maps.Equal(stored, want) {
				rt.Fatalf("stored are %v (%v), want %v", stored, err, want)
			}
			plan, err := s.Preview(say(""))
			if err != nil {
				rt.Fatalf("plan: %v", err)
			}
			for i, e := range plan.Entries {
				f := want[e.ID]
				if s.Now().Flags[e.ID] != f || e.Pinned != (f == history.Pin) || (e.Disposition == history.Excluded &&
					e.Cause.Code != cause.QuestionExcluded) != (f == history.Exclude) {
					rt.Fatalf("message %d has the flag %q and the verdict %+v, want %q", i, s.Now().Flags[e.ID], e, f)
				}
			}
		}
		agree()
		var past []map[int64]history.Flag // what was before each deed
		var undo []map[int64]history.Flag // what each deed returned
		for range rapid.IntRange(1, 6).Draw(rt, "actions") {
			f := rapid.SampledFrom([]history.Flag{history.Pin, history.Exclude, ""}).Draw(rt, "flag")
			var ids []int64
			for _, at := range rapid.SliceOf(rapid.IntRange(0, len(messages)-1)).Draw(rt, "messages") {
				ids = append(ids, messages[at].ID)
			}
			past = append(past, maps.Clone(want))
			changed := map[int64]history.Flag{}
			for _, id := range ids {
				if old := want[id]; old != f {
					changed[id] = old
					want[id] = f
				}
				if f == "" {
					delete(want, id)
				}
			}
			before, err := s.SetFlags(t.Context(), flagged(f, ids...))
			if err != nil || !maps.Equal(before, changed) {
				rt.Fatalf("flagging %v with %q: before were %v (%v), want %v", ids, f, before, err, changed)
			}
			undo = append(undo, before)
			agree()
		}
		for i := len(undo) - 1; i >= 0; i-- {
			if _, err := s.SetFlags(t.Context(), undo[i]); err != nil {
				rt.Fatalf("undo: %v", err)
			}
			want = past[i]
			agree()
		}
	})
}

// A branch that begins in front of an excluded result must not hold the call without it, whenever the result was
// excluded.
func TestExclusionDuringATurnTakesTheWholeGroup(t *testing.T) {
	b := newBench(t, calls("c1", "read_file", `{"path":"a"}`), says("No such tool."), says("Two."))
	b.offer(&tool.Toolbox{})
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), say("read it"))); err != nil {
		t.Fatal(err)
	}
	call, result := s.Messages()[1].ID, s.Messages()[2].ID
	for e := range s.Send(t.Context(), say("Second")) {
		if _, streams := e.(Delta); !streams {
			continue
		}
		if _, err := s.SetFlags(t.Context(), flagged(history.Exclude, result)); err != nil {
			t.Fatal(err)
		}
		if flags := s.Now().Flags; !s.Now().Busy() || flags[call] != history.Exclude {
			t.Errorf("during a turn (%t) the flags are %v; want the call %d excluded too", s.Now().Busy(), flags, call)
		}
	}
}
