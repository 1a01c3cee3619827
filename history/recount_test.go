package history

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestRecountedIsReadWithTheseCounts reads any history with wrong counts, plans with it, and corrects
// the counts: every plan is then the one of a history that was read with the right ones.
func TestRecountedIsReadWithTheseCounts(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		right, wrong := make([]Message, len(s.past)), make([]Message, len(s.past))
		counts := map[int]int{}
		for i, m := range s.past {
			right[i], wrong[i] = m, m
			if m.Content == "" {
				continue
			}
			wrong[i].Tokens = rapid.IntRange(1, 400).Draw(t, "wrong tokens")
			if rapid.IntRange(0, 3).Draw(t, "not counted yet") == 0 {
				right[i].Tokens = wrong[i].Tokens
				continue
			}
			right[i].Tokens = rapid.IntRange(1, 400).Draw(t, "tokens")
			counts[i] = right[i].Tokens
		}
		want, wantErr := Build(right, s.o)
		c := Read(wrong, s.o.Count)
		c.Build(s.o) // What it remembers of this must not outlive the recount.
		c.Recount(counts)
		got, err := c.Build(s.o)
		if !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("got error %v, want %v", err, wantErr)
		}
		// What a message of the plan says of its stored text is nobody's number.
		for i := range got.Messages {
			got.Messages[i].Tokens = 0
		}
		for i := range want.Messages {
			want.Messages[i].Tokens = 0
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %d messages with %+v, want %d with %+v", len(got.Messages), got.Sum, len(want.Messages), want.Sum)
		}
		for i, m := range s.past {
			if m.Tokens != 0 {
				t.Fatalf("message %d of the caller's was changed", i)
			}
		}
	})
}
