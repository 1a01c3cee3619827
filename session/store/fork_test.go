package store

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// A fork of any history at any message has the branch as it is, with what was decided of it, and changes nothing of the
// session that it comes from.
func TestForkCopiesTheBranch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		w := fill(t)
		defer w.s.Close()
		row, ids := w.any()
		at := ids[w.pick("at", len(ids))]
		before := linesOf(t, w.s, row.ID)
		want, err := w.s.Branch(ctx, at, 0)
		w.must("read the branch", err)
		decided, err := w.s.UserDecisions(ctx, row.ID)
		w.must("read the decisions", err)

		fork, err := w.s.Fork(ctx, row.ID, at)
		w.must("fork", err)
		got, err := w.s.Branch(ctx, fork.Leaf, 0)
		w.must("read the fork", err)
		copies, err := w.s.UserDecisions(ctx, fork.ID)
		w.must("read what was decided of the fork", err)
		if fork.Parent != row.ID || fork.ForkedAt != at || len(got) != len(want) || fork.Messages != len(want) ||
			row.Title != "" && !strings.HasSuffix(fork.Title, " (fork)") || !reflect.DeepEqual(fork.Tags, row.Tags) {
			t.Fatalf("the fork at %d of\n%+v is\n%+v with %d messages, want %d", at, row, fork, len(got), len(want))
		}
		var inBranch []int64
		for i, m := range got {
			w := want[i]
			inBranch = append(inBranch, w.ID)
			if w.Status == history.Streaming {
				w.Status = history.Interrupted
			}
			w.ID, w.Parent, w.Session, w.Seq, w.Request = m.ID, m.Parent, fork.ID, i+1, 0
			w.Siblings, w.Sibling = 1, 1
			of := inBranch[i]
			if !reflect.DeepEqual(m, w) || i > 0 && m.Parent != got[i-1].ID ||
				copies.Flags[m.ID] != decided.Flags[of] || copies.Remedies[m.ID] != decided.Remedies[of] {
				t.Fatalf("the copy at place %d is\n%+v, want\n%+v; decided is %+v, was %+v", i, m, w, copies, decided)
			}
		}
		of, err := w.s.Summaries(ctx, row.ID)
		w.must("read the summaries", err)
		of = slices.DeleteFunc(of, func(m Summary) bool {
			return !slices.Contains(inBranch, m.Sources[0][0]) || !slices.Contains(inBranch, m.LastMessage())
		})
		if copies, err := w.s.Summaries(ctx, fork.ID); err != nil || len(copies) != len(of) {
			t.Fatalf("the fork has the summaries %+v, %v, want copies of %+v", copies, err, of)
		}
		if after := linesOf(t, w.s, row.ID); !reflect.DeepEqual(after, before) {
			t.Fatalf("the session is\n%+v, was\n%+v", after, before)
		}
	})
}
