//go:build unix

package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"winnow/history"
)

// BenchmarkLargeHistory measures what 100,000 messages cost: the index, a search of each kind and a commit. Run it
// with -benchtime=1x.
func BenchmarkLargeHistory(b *testing.B) {
	s := largeHistory(b)
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			buildIndex(b, s) // once: there is nothing left for a second time
		}
	})
	for _, c := range largeSearches() {
		b.Run("search/"+c.name, func(b *testing.B) { searchRepeatedly(b, s, Search{Text: c.text}) })
	}
	b.Run("commit", func(b *testing.B) { commitRepeatedly(b, s) })
}

func buildIndex(b *testing.B, s *Store) {
	b.Helper()
	ctx := context.Background()
	var steps times
	begun := time.Now()
	for left := int64(1); left > 0; {
		at := time.Now()
		var err error
		left, err = s.IndexSome(ctx)
		must(b, "index", err)
		steps = append(steps, time.Since(at))
	}
	b.Logf("index built in %v: %d steps", time.Since(begun).Round(time.Millisecond), len(steps))
	steps.report(b, "ms")
}

// times is how long something took each time.
type times []time.Duration

func (all times) report(b *testing.B, unit string) {
	b.Helper()
	slices.Sort(all)
	for _, percent := range []int{50, 95, 100} {
		at := min(len(all)-1, len(all)*percent/100)
		b.ReportMetric(float64(all[at].Microseconds())/1000, fmt.Sprintf("p%d-%s", percent, unit))
	}
	b.ReportMetric(0, "ns/op")
}

// cpuTime is what this program has worked so far. On a machine with other work it says more than the clock.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must(b, "read the processor time", syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type largeSearch struct{ name, text string }

func largeSearches() []largeSearch {
	rare := nthWord(vocabulary - 10)
	five := []string{nthWord(1), nthWord(10), nthWord(100), nthWord(20), nthWord(50)}
	return []largeSearch{
		{name: "rare", text: rare + " "},
		{name: "nothing", text: "xxxxxxxx "},
		{name: "common", text: nthWord(3) + " "},
		{name: "most common", text: nthWord(0) + " "},
		{name: "common and rare", text: nthWord(0) + " " + rare + " "},
		{name: "two common", text: nthWord(2) + " " + nthWord(5) + " "},
		{name: "five common", text: strings.Join(five, " ") + " "},
		{name: "phrase of two", text: `"` + nthWord(1) + " " + nthWord(2) + `"`},
		{name: "phrase of four", text: `"` + nthWord(4) + " " + nthWord(0) + " " + nthWord(2) + " " + nthWord(1) + `"`},
		{name: "beginning of 3 letters", text: nthWord(80)[:3]},
		{name: "one Chinese character", text: "一"},
		{name: "two Chinese characters", text: string([]rune{'一' + 3, '一' + 5})},
		{name: "three Chinese characters", text: string([]rune{'一', '一' + 1, '一' + 2})},
	}
}

func searchRepeatedly(b *testing.B, s *Store, in Search) {
	b.Helper()
	var took, worked times
	hits := 0
	for b.Loop() {
		for range 100 {
			at, cpu := time.Now(), cpuTime(b)
			all, err := s.Search(context.Background(), in)
			must(b, "search", err)
			took, worked, hits = append(took, time.Since(at)), append(worked, cpuTime(b)-cpu), len(all)
		}
	}
	took.report(b, "ms")
	worked.report(b, "cpu-ms")
	b.ReportMetric(float64(hits), "hits")
}

// commitRepeatedly appends messages as Append does.
func commitRepeatedly(b *testing.B, s *Store) {
	b.Helper()
	voice := newSpeaker(2)
	session, last := begin(b, s, "", "hello")
	var took times
	for b.Loop() {
		for range 1000 {
			m := says(session.ID, last.ID, history.User, voice.text())
			at := time.Now()
			last = add(b, s, m)
			took = append(took, time.Since(at))
		}
	}
	took.report(b, "ms")
	at := time.Now()
	must(b, "purge", s.Purge(context.Background(), session.ID))
	b.Logf("the purge of its %d messages took %v", len(took), time.Since(at).Round(time.Millisecond))
}
