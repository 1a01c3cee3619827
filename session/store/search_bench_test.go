//go:build unix

package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"winnow/history"

	"winnow/session/store/search"
)

// BenchmarkLargeHistory measures what a million messages cost: the index, a search of each kind, the
// list and a commit. It takes minutes; run it with -benchtime=1x and by its name.
func BenchmarkLargeHistory(b *testing.B) {
	s := largeHistory(b, largeSessions)
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			buildIndex(b, s) // once: there is nothing left for a second time
		}
	})
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
	for _, indexed := range []bool{true, false} {
		b.Run(fmt.Sprintf("commit/indexed=%v", indexed), func(b *testing.B) { commitRepeatedly(b, s, indexed) })
	}
}

func buildIndex(b *testing.B, s *Store) {
	b.Helper()
	ctx := context.Background()
	var steps []time.Duration
	begun, cpu := time.Now(), cpuTime(b)
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
		more, err = s.MergeIndex(ctx)
		must(b, "tidy", err)
	}
	b.Logf("tidied in %v", time.Since(at).Round(time.Millisecond))
	if len(steps) > 1 {
		slices.Sort(steps)
		b.Logf("index built in %v, of it %v of CPU: %d steps, p50 %v, p99 %v, longest %v", time.Since(begun).Round(time.Second), (cpuTime(b) - cpu).Round(time.Second), len(steps),
			steps[len(steps)/2], steps[len(steps)*99/100], steps[len(steps)-1])
	}
	b.Logf("messages %d, of them in the index %d", countOf(b, s, "SELECT count(*) FROM messages"), countOf(b, s, "SELECT count(*) FROM found_docsize"))
	b.Logf("the index has %d MB in %d segments; the text has %d MB", countOf(b, s, "SELECT sum(length(block)) FROM found_segments")>>20,
		countOf(b, s, "SELECT count(*) FROM found_segdir"), countOf(b, s, "SELECT sum(length(content)) FROM messages")>>20)
	if info, err := os.Stat(s.Path()); err == nil {
		b.Logf("the file has %d MB", info.Size()>>20)
	}
}

// cpuTime is what this program has worked so far. On a machine with other work it says more than the
// clock.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must(b, "read the CPU time", syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
		{"phrase of three", `"` + nthWord(0) + " " + nthWord(2) + " " + nthWord(1) + `"`},
		{"phrase of four", `"` + nthWord(4) + " " + nthWord(0) + " " + nthWord(2) + " " + nthWord(1) + `"`},
		{"phrase of no message", `"` + strings.Repeat(nthWord(1)+" "+nthWord(0)+" ", 4) + `"`},
		{"five and a beginning", strings.Join([]string{nthWord(1), nthWord(10), nthWord(100), nthWord(20), nthWord(80)[:3]}, " ")},
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
	var took, worked []time.Duration
	hits := 0
	for b.Loop() {
		for range 40 {
			at, cpu := time.Now(), cpuTime(b)
			all, err := s.Search(context.Background(), in)
			must(b, "search", err)
			took, worked, hits = append(took, time.Since(at)), append(worked, cpuTime(b)-cpu), len(all)
		}
	}
	slices.Sort(took)
	slices.Sort(worked)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(worked[len(worked)/2].Microseconds())/1000, "cpu-p50-ms")
	b.ReportMetric(float64(worked[len(worked)*95/100].Microseconds())/1000, "cpu-p95-ms")
	b.ReportMetric(float64(hits), "hits")
	var all int
	must(b, "count", s.reads.QueryRow("SELECT count(*) FROM found WHERE found MATCH ?", search.Parse(in.Text).Match()).Scan(&all))
	b.ReportMetric(float64(all), "of")
	b.ReportMetric(0, "ns/op")
}

// commitRepeatedly appends messages as Append does, with the index or without.
func commitRepeatedly(b *testing.B, s *Store, indexed bool) {
	b.Helper()
	ctx := context.Background()
	voice := newSpeaker(2)
	session, last := begin(b, s, "", "hello")
	var took, worked []time.Duration
	for b.Loop() {
		for range 1000 {
			m := says(session.ID, last.ID, "user", voice.text())
			at, cpu := time.Now(), cpuTime(b)
			must(b, "append", s.save(ctx, "append", func(tx *sql.Tx) error {
				n, err := sessionKey(ctx, tx, session.ID)
				if err != nil {
					return err
				}
				if !indexed {
					m.Status = history.Streaming
					m.ID, err = insertAt(ctx, tx, n, len(took)+2, m, "")
					return err
				}
				m.ID, _, err = insertMessage(ctx, tx, n, m, "")
				return err
			}))
			last.ID = m.ID
			took, worked = append(took, time.Since(at)), append(worked, cpuTime(b)-cpu)
		}
	}
	slices.Sort(took)
	slices.Sort(worked)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
	b.ReportMetric(float64(worked[len(worked)/2].Microseconds())/1000, "cpu-p50-ms")
	b.ReportMetric(0, "ns/op")
	at := time.Now()
	must(b, "purge", s.Purge(ctx, session.ID))
	b.Logf("the purge of its %d messages took %v", len(took), time.Since(at).Round(time.Millisecond))
}
