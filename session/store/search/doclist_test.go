package search

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// someDoclist makes a doclist and the places that it has of each message, with messages and places as near to each other
// and as far apart as they are in histories.
func someDoclist(r *rand.Rand) (data []byte, places map[int64][]int) {
	places = map[int64][]int{}
	oneOf := func(steps ...int) int { return steps[r.IntN(len(steps))] }
	for id, n := int64(1_000_000), r.IntN(2000); n > 0; n-- {
		step := 1 + r.IntN(1+r.IntN(3))
		if r.IntN(50) == 0 {
			step = oneOf(63, 126, 127, 128, 129, 300, window, 3*window+1)
		}
		if id -= int64(step); len(places) == 0 {
			step = int(id)
		}
		data = binary.AppendUvarint(data, uint64(step))
		places[id] = nil
		place, far := 0, r.IntN(20) == 0
		for range r.IntN(1 + oneOf(1, 3, 3, 3, 6, 8, 20)) {
			step := r.IntN(20)
			if far {
				step = oneOf(0, 62, 63, 64, 100, 120, 124, 125, 126, 20_000)
			}
			if len(places[id]) > 0 {
				step++
			}
			place += step
			places[id] = append(places[id], place)
			data = binary.AppendUvarint(data, uint64(step+2))
		}
		data = append(data, 0)
	}
	return data, places
}

func startOf(t *rapid.T, data []byte) doclist {
	d := doclist{data: string(data)}
	if err := d.next(0); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestADoclistIsSkippedToTheNextMessage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		data, places := someDoclist(r)
		ids := slices.SortedFunc(maps.Keys(places), func(a, b int64) int { return cmp.Compare(b, a) })
		d := startOf(t, data)
		for target := int64(1_000_001); d.id > 0; {
			target -= int64(1 + r.IntN(1+1<<r.IntN(13)))
			if err := d.skipTo(target); err != nil {
				t.Fatal(err)
			}
			for len(ids) > 0 && ids[0] > target {
				ids = ids[1:]
			}
			want := int64(0)
			if len(ids) > 0 {
				want = ids[0]
			}
			if d.id != want {
				t.Fatalf("the newest message up to %d is %d, want %d", target, d.id, want)
			}
			if want == 0 {
				break
			}
			if got, err := placesIn(d.data, d.at, 0, nil); err != nil || !slices.Equal(got, places[d.id]) {
				t.Fatalf("the places in %d are %v (%v), want %v", d.id, got, err, places[d.id])
			}
		}
	})
}

func TestAWindowHasWhatItsListsHave(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := &postings{shaded: true, word: queryWord{open: rapid.Bool().Draw(t, "open")}}
		all := map[int64][]int{}
		for range rapid.IntRange(1, 3).Draw(t, "segments") {
			data, places := someDoclist(r)
			p.lists = append(p.lists, startOf(t, data))
			for id, are := range places {
				all[id] = are // a newer segment replaces an older one
			}
		}
		asks := rapid.SampledFrom([]int{1, 2, 7, 9, 100, 5000}).Draw(t, "one in")
		for high := int64(1_000_000); high > 900_000 && high > 0; high -= window + r.Int64N(100) {
			low := max(1, high-window+1)
			var asked set
			for i := range uint(high - low + 1) {
				if r.IntN(asks) == 0 {
					asked.add(i)
				}
			}
			if err := p.fill(low, high, &asked); err != nil {
				t.Fatal(err)
			}
			for i := range uint(high - low + 1) {
				var want []int
				if got, ok := asked.upTo(i); ok && got == i {
					want = all[low+int64(i)]
				}
				var got []int
				if found, ok := p.in.upTo(i); ok && found == i {
					var err error
					if got, err = p.places(i, 0, nil); err != nil {
						t.Fatal(err)
					}
					shadow := uint64(0)
					for _, place := range got {
						shadow |= 1 << (place % 64)
					}
					if p.shadows[i]&shadow != shadow || !p.word.open && p.shadows[i] != shadow {
						t.Fatalf("the places %v cast the shadow %b, want %b", got, p.shadows[i], shadow)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("the places in %d are %v, want %v", low+int64(i), got, want)
				}
			}
		}
	})
}
