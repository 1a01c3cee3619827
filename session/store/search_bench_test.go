package store

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkLargeHistory measures what a million messages cost: the index, a search of each kind, the
// list and a commit. It takes minutes; run it with -benchtime=1x and by its name.
func BenchmarkLargeHistory(b *testing.B) {
	s := largeHistory(b, largeSessions)
	b.Run("index", func(b *testing.B) { buildIndex(b, s) })
	for _, c := range largeSearches() {
		b.Run("search/"+c.name, func(b *testing.B) { searchRepeatedly(b, s, Search{Text: c.text}) })
	}
	for _, f := range []Filter{{Limit: 200}, {}, {Text: "about"}} {
		b.Run(fmt.Sprintf("list/limit=%d,text=%s", f.Limit, f.Text), func(b *testing.B) {
			for b.Loop() {
				_, err := s.Sessions(context.Background(), f)
				must(b, "list", err)
			}
		})
	}
	b.Run("commit", func(b *testing.B) { commitRepeatedly(b, s) })
}

func buildIndex(b *testing.B, s *Store) {
	b.Helper()
	ctx := context.Background()
	var steps []time.Duration
	begun := time.Now()
	for b.Loop() {
	}
	for {
		at := time.Now()
		left, err := s.IndexSome(ctx)
		must(b, "index", err)
		steps = append(steps, time.Since(at))
		if left == 0 {
			break
		}
	}
	at := time.Now()
	for more := true; more; {
		var err error
		more, err = s.TidySome(ctx)
		must(b, "tidy", err)
	}
	b.Logf("tidied in %v", time.Since(at).Round(time.Millisecond))
	if len(steps) > 1 {
		slices.Sort(steps)
		b.Logf("index built in %v: %d steps, p50 %v, p99 %v, longest %v", time.Since(begun).Round(time.Second), len(steps),
			steps[len(steps)/2], steps[len(steps)*99/100], steps[len(steps)-1])
	}
	b.Logf("messages %d, of them in the index %d", countOf(b, s, "SELECT count(*) FROM messages"), countOf(b, s, "SELECT count(*) FROM found_docsize"))
	b.Logf("the index has %d MB in %d segments; the text has %d MB", countOf(b, s, "SELECT sum(length(block)) FROM found_segments")>>20,
		countOf(b, s, "SELECT count(*) FROM found_segdir"), countOf(b, s, "SELECT sum(length(content)) FROM messages")>>20)
	if info, err := os.Stat(s.Path()); err == nil {
		b.Logf("the file has %d MB", info.Size()>>20)
	}
}

type largeSearch struct{ name, text string }

func largeSearches() []largeSearch {
	common, often, rare := nthWord(0), nthWord(40), nthWord(vocabulary-10)
	han := func(n ...rune) string {
		for i := range n {
			n[i] += '一'
		}
		return string(n)
	}
	return []largeSearch{
		{"common", common + " "},
		{"common2", nthWord(3) + " "},
		{"often", often + " "},
		{"rare", rare + " "},
		{"nothing", "xxxxxxxx "},
		{"two common", nthWord(2) + " " + nthWord(5) + " "},
		{"common and rare", common + " " + rare + " "},
		{"five", strings.Join([]string{nthWord(1), nthWord(10), nthWord(100), nthWord(20), nthWord(50)}, " ") + " "},
		{"phrase of common", `"` + nthWord(1) + " " + nthWord(2) + `"`},
		{"phrase of five", `"` + strings.Join([]string{nthWord(0), nthWord(1), nthWord(0), nthWord(2), nthWord(0)}, " ") + `"`},
		{"prefix 1", common[:1]},
		{"prefix 2", nthWord(80)[:2]},
		{"prefix 3", nthWord(80)[:3]},
		{"prefix 4", nthWord(80)[:4]},
		{"prefix 5", nthWord(6000)[:5]},
		{"common and prefix 1", common + " " + nthWord(7)[:1]},
		{"han 1", han(0)},
		{"han 2", han(3, 5)},
		{"han 3", han(0, 1, 2)},
		{"han 6", han(0, 1, 0, 2, 1, 0)},
	}
}

func searchRepeatedly(b *testing.B, s *Store, in Search) {
	b.Helper()
	var took []time.Duration
	hits := 0
	for b.Loop() {
		for range 20 {
			at := time.Now()
			all, err := s.Search(context.Background(), in)
			must(b, "search", err)
			took, hits = append(took, time.Since(at)), len(all)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(hits), "hits")
	var all int
	must(b, "count", s.reads.QueryRow("SELECT count(*) FROM found WHERE found MATCH ?", parseQuery(in.Text).match()).Scan(&all))
	b.ReportMetric(float64(all), "of")
	b.ReportMetric(0, "ns/op")
}

func commitRepeatedly(b *testing.B, s *Store) {
	b.Helper()
	voice := newSpeaker(2)
	session, last := begin(b, s, "", "hello")
	var took []time.Duration
	for b.Loop() {
		for range 300 {
			m := says(session.ID, last.ID, "user", voice.text())
			at := time.Now()
			last = add(b, s, m)
			took = append(took, time.Since(at))
		}
	}
	slices.Sort(took)
	for name, d := range map[string]time.Duration{"p50-ms": took[len(took)/2], "p99-ms": took[len(took)*99/100], "max-ms": took[len(took)-1]} {
		b.ReportMetric(float64(d.Microseconds())/1000, name)
	}
	b.ReportMetric(0, "ns/op")
	must(b, "purge", s.Purge(context.Background(), session.ID))
}
