package relevance

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPostingsReadAsTheyWereAdded(t *testing.T) {
	type posting struct{ text, times uint32 }
	rapid.Check(t, func(t *rapid.T) {
		var p postings
		var want []posting
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(want) > 0 && rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
				p.remove()
				want = want[:len(want)-1]
				continue
			}
			next := posting{times: rapid.SampledFrom([]uint32{1, 1, 2, 6, 7, 8, 9, 127, 128, 70000, 1<<32 - 1}).Draw(t, "times")}
			next.text = rapid.SampledFrom([]uint32{1, 2, 15, 16, 17, 2047, 2048, 300000, 1 << 24}).Draw(t, "further")
			if len(want) > 0 {
				next.text += want[len(want)-1].text
			} else {
				next.text--
			}
			p.add(next.text, next.times)
			want = append(want, next)
		}
		var got []posting
		c := p.cursor()
		for range p.texts {
			text, times := c.next()
			got = append(got, posting{text, times})
		}
		if slices.Reverse(got); !slices.Equal(got, want) || c.end != 0 {
			t.Fatalf("read %v, want %v, %d bytes left", got, want, c.end)
		}
	})
}
