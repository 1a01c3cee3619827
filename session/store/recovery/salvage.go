// Package recovery saves what a damaged history still holds: it reads the pages of the file without SQLite,
// knows the rows by their columns and puts them in order in a new file. It does not decide when a file is
// damaged and does not put files in each other's place.
package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"winnow/session/store/sqlite"
)

// Salvage says what became of a damaged history.
type Salvage struct {
	File         string // where the damaged file is now, unchanged
	Sessions     int    // saved
	Nameless     int    // those of them whose row was lost: they are called Recovered conversation
	Messages     int    // saved, each of them as it was
	LostSessions int    // as far as can be known
	LostMessages int    // as far as can be known; those that fail their hash are among them
	Damaged      int    // messages that are there and fail their hash: their text is not shown

	LostRequests  int // records of requests that other rows name
	LostSummaries int // that the records of requests name
}

// Check calls each for every message of a history, with whether it fails its hash.
type Check func(ctx context.Context, tx *sql.Tx, each func(id int64, damaged bool)) error

// Salvage puts all that an image still holds into the empty file at fresh, and returns what was saved. now is
// in Unix milliseconds.
func (im Image) Salvage(ctx context.Context, fresh string, now int64, check Check) (Salvage, error) {
	db := sqlite.Pool(fresh, sqlite.Scratch, 1)
	defer db.Close()
	if err := sqlite.InTx(ctx, db, func(tx *sql.Tx) error { return sqlite.Create(ctx, tx) }); err != nil {
		return Salvage{}, err
	}
	// The rows come in any order; what hangs on a lost row is removed at the end.
	if _, err := db.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return Salvage{}, err
	}
	var out Salvage
	err := sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		h := &salvager{im: im, to: tx, tables: Tables(), now: now}
		if err := h.run(ctx); err != nil {
			return err
		}
		var err error
		out, err = putInOrder(ctx, tx, now, check)
		return err
	})
	return out, errors.Join(err, db.Close())
}

// String says in a few sentences what was saved and what was lost.
func (s Salvage) String() string {
	var b strings.Builder
	b.WriteString("The chat history was damaged. ")
	if s.Sessions == 0 && s.Damaged == 0 {
		b.WriteString("Nothing in it could be read, so a new one was started. ")
	} else {
		fmt.Fprintf(&b, "%s and %s were recovered; ",
			english.Plural(s.Sessions, "session", ""), english.Plural(s.Messages, "message", ""))
		fmt.Fprintf(&b, "%s lost. ", s.lost())
	}
	if s.Damaged > 0 {
		fmt.Fprintf(&b, "Of the lost ones, %s still in place without text. ", were(s.Damaged, "message"))
	}
	if s.Nameless > 0 {
		fmt.Fprintf(&b, "%s saved without a title, as %q. ", were(s.Nameless, "session"), recoveredTitle)
	}
	fmt.Fprintf(&b, "The damaged file is kept as %s.", s.File)
	return b.String()
}

// lost writes "nothing was" and "1 session and 2 messages were".
func (s Salvage) lost() string {
	var things []string
	total := 0
	for _, lost := range []struct {
		n     int
		thing string
	}{{s.LostSessions, "session"}, {s.LostMessages, "message"}, {s.LostRequests, "request record"}} {
		if lost.n > 0 {
			things = append(things, english.Plural(lost.n, lost.thing, ""))
			total += lost.n
		}
	}
	if s.LostSummaries > 0 {
		things = append(things, english.Plural(s.LostSummaries, "summary", "summaries"))
		total += s.LostSummaries
	}
	if total == 0 {
		return "nothing was"
	}
	return english.WordSeries(things, "and") + " " + english.PluralWord(total, "was", "were")
}

// were writes "1 message was" and "2 messages were".
func were(n int, thing string) string {
	return english.Plural(n, thing, "") + " " + english.PluralWord(n, "was", "were")
}
