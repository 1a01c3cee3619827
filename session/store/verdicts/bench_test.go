package verdicts

import (
	"database/sql"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// longSession is a session of 1,000 messages with the plans of 500 requests, of which it returns the newest, too.
func longSession(b *testing.B) (*sql.DB, Key, Plan) {
	b.Helper()
	policy, err := history.Preset("balanced")
	must(b, err)
	past := make([]history.Message, 1001)
	for i := range past {
		role, text := history.User, "What about "+strings.Repeat("this and that ", i%17)
		if i%2 == 1 {
			role, text = history.Assistant, "It is so. "+strings.Repeat("And it is so because it was ", i%41)
		}
		past[i] = history.Message{ID: int64(i + 1), Role: role, Content: text, Tokens: len(text) / 4}
	}
	db := newHistory(b)
	var k Key
	var p Plan
	must(b, sqlite.InTx(b.Context(), db, func(tx *sql.Tx) error {
		var w Writer
		for upto := 2; upto < len(past); upto += 2 {
			plan, err := history.Build(past[:upto], history.Options{Policy: policy, Turn: past[upto : upto+1]})
			must(b, err)
			p = Plan{Sum: plan.Sum, Entries: plan.Entries, Added: plan.Added}
			k, err = addRequest(tx, 1, "")
			must(b, err)
			must(b, w.Put(b.Context(), tx, k, p))
		}
		return nil
	}))
	return db, k, p
}

// BenchmarkRead reads one plan of a long session.
func BenchmarkRead(b *testing.B) {
	db, newest, _ := longSession(b)
	defer db.Close()
	for _, read := range []struct {
		name string
		read func(tx *sql.Tx) (Plan, error)
		want int
	}{
		{"newest", func(tx *sql.Tx) (Plan, error) { return Read(b.Context(), tx, newest.Request) }, 1001},
		{"middle", func(tx *sql.Tx) (Plan, error) { return Read(b.Context(), tx, newest.Request/2) }, 501},
	} {
		b.Run(read.name, func(b *testing.B) {
			b.ReportAllocs()
			before := worked(b)
			for b.Loop() {
				must(b, sqlite.InTx(b.Context(), db, func(tx *sql.Tx) error {
					p, err := read.read(tx)
					if err == nil && len(p.Entries) != read.want {
						err = fmt.Errorf("the plan has %d entries", len(p.Entries))
					}
					return err
				}))
			}
			b.ReportMetric((worked(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkSize reports what those plans take in the file.
func BenchmarkSize(b *testing.B) {
	db, _, _ := longSession(b)
	defer db.Close()
	var rows, with, without int
	size := func(of *int) {
		_, err := db.Exec(`VACUUM`)
		must(b, err)
		must(b, db.QueryRow(`SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(of))
	}
	must(b, db.QueryRow(`SELECT count(*) FROM verdicts`).Scan(&rows))
	size(&with)
	_, err := db.Exec(`UPDATE requests SET sum = NULL, added = NULL, shortfalls = NULL; DELETE FROM verdicts`)
	must(b, err)
	size(&without)
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(with-without)/1024, "KB")
}

// worked is the processor time of this program so far.
func worked(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
