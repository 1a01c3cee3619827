//go:build unix

package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"winnow/history"
)

// The history of BenchmarkLargeHistory has messages of about 300 bytes whose words are distributed as in a natural
// language. One message in fifty is Chinese.
const (
	largeSessions = 1_000
	largeMessages = 100 // in each session
	vocabulary    = 50_000
)

// speaker generates texts.
type speaker struct {
	rand       *rand.Rand
	words, han *rand.Zipf
}

func newSpeaker() *speaker {
	r := rand.New(rand.NewPCG(1, 1))
	return &speaker{r, rand.NewZipf(r, 1.1, 4, vocabulary-1), rand.NewZipf(r, 1.1, 8, 2999)}
}

// nthWord returns the word with the given rank; more common words have fewer syllables.
func nthWord(rank uint64) string {
	consonants, vowels := "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for rest := rank + 1; rest > 0; rest /= 70 {
		b.WriteByte(consonants[rest%70/5])
		b.WriteByte(vowels[rest%5])
	}
	return b.String()
}

func (s *speaker) text() string {
	var b strings.Builder
	chinese := s.rand.IntN(50) == 0
	for size := 100 + s.rand.IntN(400); b.Len() < size; {
		if chinese {
			b.WriteRune(rune('一' + s.han.Uint64()))
		} else {
			b.WriteString(nthWord(s.words.Uint64()) + " ")
		}
	}
	return b.String()
}

// largeHistory opens a history whose messages are not in the search index.
func largeHistory(b *testing.B, voice *speaker) *Store {
	b.Helper()
	s := openAt(b, newPath(b), Options{})
	for i := range largeSessions {
		must(b, "fill", s.saveFast(context.Background(), "fill", func(t *tx) {
			n, last := s.addSession(t, Session{Title: "About " + nthWord(uint64(i))}), int64(0)
			for seq := 1; seq <= largeMessages; seq++ {
				m := says("", last, history.User, voice.text())
				m.Seq, m.ID, m.Status, m.CreatedMS = seq, s.newID(t), history.Streaming, int64(i+1)*60_000
				insertMessage(t, n, m, "") // not indexed while it is streaming
				last = m.ID
			}
			t.Exec(`UPDATE sessions SET leaf = ?, messages = ? WHERE n = ?`, last, largeMessages, n)
			t.Exec(`UPDATE messages SET status = 'complete' WHERE session = ?`, n)
			s.markUsed(t, n)
		}))
	}
	return s
}

// BenchmarkLargeHistory measures indexing, searches and commits with 100,000 messages. Run it with -benchtime=1x.
func BenchmarkLargeHistory(b *testing.B) {
	voice, ctx := newSpeaker(), context.Background()
	s := largeHistory(b, voice)
	b.Run("index", func(b *testing.B) {
		for b.Loop() { // only the first iteration has work to do
			worked(b, 1000, func() (more bool) {
				left, err := s.IndexSome(ctx)
				must(b, "index", err)
				return left > 0
			})
		}
	})
	rare := nthWord(vocabulary - 10)
	five := []string{nthWord(1), nthWord(10), nthWord(100), nthWord(20), nthWord(50)}
	four := []string{nthWord(4), nthWord(0), nthWord(2), nthWord(1)}
	for name, text := range map[string]string{
		"rare": rare + " ", "common": nthWord(3) + " ", "most common and rare": nthWord(0) + " " + rare + " ",
		"five common": strings.Join(five, " ") + " ", "phrase of four": `"` + strings.Join(four, " ") + `"`,
		"beginning of 3 letters": nthWord(80)[:3], "one Chinese character": "一",
	} {
		b.Run("search/"+name, func(b *testing.B) {
			for b.Loop() {
				worked(b, 100, func() bool {
					_, err := s.Search(ctx, SearchQuery{Text: text})
					must(b, "search", err)
					return true
				})
			}
		})
	}
	b.Run("commit", func(b *testing.B) {
		session, last := begin(b, s, "", "hello")
		for b.Loop() {
			worked(b, 1000, func() bool {
				last = add(b, s, says(session.ID, last.ID, history.User, voice.text()))
				return true
			})
		}
	})
}

// worked reports percentiles of the processor time of do, called up to times times. Processor time is more stable than
// wall time on a busy machine.
func worked(b *testing.B, times int, do func() (more bool)) {
	b.Helper()
	now := func() time.Duration {
		var u syscall.Rusage
		must(b, "read the processor time", syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	var all []time.Duration
	for more := true; more && len(all) < times; {
		from := now()
		more = do()
		all = append(all, now()-from)
	}
	slices.Sort(all)
	for _, percent := range []int{50, 95, 100} {
		at := all[min(len(all)-1, len(all)*percent/100)]
		b.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("p%d-ms", percent))
	}
}
