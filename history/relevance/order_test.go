package relevance

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The best units come first, of equals the newer, and none that has nothing to do with the question.
func TestTheBestComeInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := make([]Unit, rapid.IntRange(0, 40).Draw(t, "units"))
		var want []Unit
		for i := range units {
			units[i] = Unit{From: i, To: i + 1, Score: float64(rapid.IntRange(0, 5).Draw(t, "score"))}
			if units[i].Score > 0 {
				want = append(want, units[i])
			}
		}
		slices.SortFunc(want, func(a, b Unit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.From, a.From)) })
		if got := slices.Collect(Ranking{Units: units, index: NewIndex()}.Best()); !slices.Equal(got, want) {
			t.Fatalf("they come as %v, want %v", got, want)
		}
	})
}
