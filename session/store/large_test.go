package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

// The large history of the benchmarks: many sessions of a hundred messages each, of about 300 bytes,
// with words as often as a language has them. One message in fifty is Chinese.
const (
	largeSessions = 1_000
	largeMessages = 100 // in each
	vocabulary    = 50_000
)

// speaker makes texts. The same seed says the same.
type speaker struct {
	rand  *rand.Rand
	words *rand.Zipf
	han   *rand.Zipf
}

func newSpeaker(seed uint64) *speaker {
	r := rand.New(rand.NewPCG(seed, 1))
	return &speaker{r, rand.NewZipf(r, 1.1, 4, vocabulary-1), rand.NewZipf(r, 1.1, 8, 2999)}
}

// nthWord is the word of a rank, the most common first: syllables, the fewer the more common it is.
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
	if s.rand.IntN(50) == 0 {
		for range 40 + s.rand.IntN(120) {
			b.WriteRune(rune('一' + s.han.Uint64()))
		}
		return b.String()
	}
	for size := 100 + s.rand.IntN(400); b.Len() < size; {
		b.WriteString(nthWord(s.words.Uint64()))
		b.WriteByte(' ')
	}
	return b.String()
}

// largeHistory opens a history whose messages are all in the backlog. Where WINNOW_LARGE_HISTORY names a file, that is
// used again, with the index that it has by then.
func largeHistory(b *testing.B) *Store {
	b.Helper()
	path := os.Getenv("WINNOW_LARGE_HISTORY")
	if path == "" {
		path = filepath.Join(b.TempDir(), "large.db")
	}
	_, err := os.Stat(path)
	s, openErr := Open(context.Background(), path, Options{})
	must(b, "open", openErr)
	b.Cleanup(func() { s.Close() })
	if err == nil {
		return s
	}
	begun := time.Now()
	voice := newSpeaker(1)
	for from := 0; from < largeSessions; from += 100 {
		must(b, "fill", s.jot(context.Background(), "fill", func(t *tx) {
			for i := from; i < min(largeSessions, from+100); i++ {
				voice.fill(s, t, i)
			}
		}))
	}
	b.Logf("wrote %d sessions of %d messages in %v", largeSessions, largeMessages, time.Since(begun).Round(time.Second))
	_, err = s.full.Exec(`UPDATE messages SET status = 'complete'`)
	must(b, "fill the backlog", err)
	return s
}

// fill writes one session.
func (s *speaker) fill(store *Store, t *tx, i int) {
	row := Session{
		Title: fmt.Sprintf("About %s and %s", nthWord(s.words.Uint64()), nthWord(s.words.Uint64())),
		Model: "gpt-5.2", Endpoint: "openai",
	}
	if i%10 == 0 {
		row.Tags = []string{"work", nthWord(uint64(i))}
	}
	n := store.addSession(t, row)
	var last int64
	for seq := 1; seq <= largeMessages; seq++ {
		m := says("", last, history.User, s.text())
		m.CreatedMS = int64(i*largeMessages+seq) * 60_000
		if m.Status = history.Streaming; seq%2 == 0 { // which is not indexed
			m.Role = history.Assistant
		}
		m.Seq, m.ID = seq, store.newID(t)
		insertMessage(t, n, m, "")
		last = m.ID
	}
	t.exec(`UPDATE sessions SET leaf = ?, messages = ?, turns = ? WHERE n = ?`, last, largeMessages, largeMessages/2, n)
	store.use(t, n)
}
