package sync

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// words is a text of about n bytes.
func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "w%d ", int(float64(20000)*r.Float64()*r.Float64()*r.Float64()))
	}
	return b.String()
}

// BenchmarkFirstSync syncs 200 sessions of 1,000 messages for the first time, from one machine to another, and then one
// new turn.
func BenchmarkFirstSync(b *testing.B) {
	const sessions, each = 200, 1000
	dir := b.TempDir()
	open := func(name string) *store.Store {
		s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), name, "winnow.db"), store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		return s
	}
	from, to := open("from"), open("to")
	r := rand.New(rand.NewPCG(1, 2))
	last := ""
	for i := range sessions {
		conversation := store.ImportedConversation{Session: store.Session{Title: fmt.Sprint("session ", i)}, Leaf: -1}
		for k := range each {
			m := store.Message{Message: history.Message{Role: history.User, Content: words(r, 100)}}
			if k%2 == 1 {
				m.Role, m.Content = history.Assistant, words(r, 600)
			}
			conversation.Add(m)
		}
		imported, err := from.Import(b.Context(), conversation)
		if err != nil {
			b.Fatal(err)
		}
		row := imported.Session
		last = row.ID
	}
	run := func(s *store.Store) (Result, time.Duration) {
		begun := time.Now()
		out, err := Run(b.Context(), s, Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		return out, time.Since(begun)
	}
	for b.Loop() {
		sent, wrote := run(from)
		received, merged := run(to)
		if sent.Sent != sessions*each || received.Received != sessions*each {
			b.Fatalf("sent %+v, received %+v", sent, received)
		}
		b.ReportMetric(wrote.Seconds(), "write-s")
		b.ReportMetric(merged.Seconds(), "merge-s")
	}
	b.ReportMetric(float64(folderSize(b, dir))/1e6, "folder-MB")
	row, err := from.Session(b.Context(), last)
	if err != nil {
		b.Fatal(err)
	}
	text := words(r, 600)
	if _, err := from.AppendMessage(b.Context(), store.Message{Session: last, Parent: row.Leaf, Message: history.Message{Role: history.User, Content: text}}); err != nil {
		b.Fatal(err)
	}
	before := folderSize(b, dir)
	_, wrote := run(from)
	_, merged := run(to)
	b.ReportMetric(float64(wrote.Microseconds())/1000, "turn-write-ms")
	b.ReportMetric(float64(merged.Microseconds())/1000, "turn-merge-ms")
	b.ReportMetric(float64(folderSize(b, dir)-before), "turn-bytes")
	b.ReportMetric(float64(len(text)), "turn-text-bytes")
	b.ReportMetric(peakMB(b), "peak-MB")
	b.ReportMetric(0, "ns/op")
}

func folderSize(b *testing.B, dir string) (size int64) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	return size
}

// peakMB is the most memory that the process had, 0 where the system does not say.
func peakMB(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kb float64
	fmt.Sscan(rest, &kb)
	return kb / 1000
}
