// Package recovery saves what a damaged history still holds: it reads ranges of rows around the damage with SQLite and
// puts the rows in order in a new file. It does not decide when a file is damaged, does not read backups and does not
// put files in each other's place.
package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
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
	Backup       string // day of the backup that some of them are from, "" for none
	FromBackup   int    // how many are
	LostSessions int    // as far as can be known
	LostMessages int    // as far as can be known; those that fail their hash are among them
	Damaged      int    // messages that are there and fail their hash: their text is not shown

	LostRequests  int // records of requests that other rows name
	LostSummaries int // that the records of requests name
}

// Steps are what the owner of the tables adds to Save.
type Steps struct {
	// Check calls each for every message of a history, with whether it fails its hash.
	Check func(ctx context.Context, tx *sql.Tx, each func(id int64, damaged bool)) error

	// Fill adds what a backup has and the saved rows lack. broken are the messages that fail their hash.
	Fill func(ctx context.Context, tx *sql.Tx, found Found) (Salvage, error)
}

// Found is what the file held.
type Found struct {
	Damaged map[string]bool // tables that have a fault, or may have one
	Broken  []int64         // messages that fail their hash
}

// Save reads all that can be reached in a damaged file into the empty one at fresh. It changes the damaged file, which
// is a copy with its write-ahead log. now is in Unix milliseconds.
func Save(ctx context.Context, damaged, fresh string, now int64, steps Steps) (Salvage, error) {
	db := sqlite.Pool(fresh, sqlite.Scratch, 1)
	defer db.Close()
	if err := sqlite.InTx(ctx, db, func(tx *sql.Tx) error { return sqlite.Create(ctx, tx) }); err != nil {
		return Salvage{}, err
	}
	// The rows come in any order; what belongs to a lost row is removed at the end.
	if _, err := db.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return Salvage{}, err
	}
	all, err := tables(ctx, db)
	if err == nil {
		err = mendHeader(ctx, damaged, fresh, db, all)
	}
	if err != nil {
		return Salvage{}, err
	}
	from := sqlite.Pool(damaged, sqlite.Reading, 1)
	defer from.Close()
	// Each attempt to read from a file that SQLite does not open at all would be one to open it, thousands in all.
	opens := from.PingContext(ctx) == nil
	found := Found{Damaged: map[string]bool{}}
	faulty, faults := sqlite.DamagedTables(ctx, from)
	for _, name := range faulty {
		found.Damaged[name] = true
	}
	var out Salvage
	err = sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		for _, t := range all {
			if faults != nil || !readable(ctx, from, t) {
				found.Damaged[t.name] = true
			}
			if !opens {
				continue
			}
			if err := t.read(ctx, from, tx, now); err != nil {
				return err
			}
		}
		out, err = putInOrder(ctx, tx, now, found, steps)
		return err
	})
	return out, errors.Join(err, db.Close())
}

// pageSize is the page size of every history.
const pageSize = 4096

// mendHeader gives a damaged file the header of a new one, with its own size, and where its schema cannot be read the
// pages of the new one's schema, too: every history begins with the same tables on the same pages.
func mendHeader(ctx context.Context, damaged, fresh string, db *sql.DB, all []table) error {
	sound, err := os.ReadFile(fresh)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(damaged, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	header := sound[:100]
	pages := uint32((size + pageSize - 1) / pageSize)
	header[18], header[19] = 2, 2 // the write-ahead log is read
	header[28], header[29], header[30], header[31] = byte(pages>>24), byte(pages>>16), byte(pages>>8), byte(pages)
	if _, err := file.WriteAt(header, 0); err != nil {
		return err
	}
	from := sqlite.Pool(damaged, sqlite.Reading, 1)
	defer from.Close()
	unreadable := false
	for _, t := range all {
		unreadable = unreadable || !readable(ctx, from, t)
	}
	if !unreadable {
		return nil
	}
	roots, err := sqlite.Collect(ctx, db, sqlite.Only[int], `SELECT rootpage FROM sqlite_schema`)
	if err != nil {
		return err
	}
	rooted := map[int]bool{}
	for _, page := range roots {
		rooted[page] = true
	}
	for page := 1; page <= len(sound)/pageSize; page++ {
		if at := (page - 1) * pageSize; !rooted[page] {
			if _, err := file.WriteAt(sound[at:at+pageSize], int64(at)); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable reports whether the schema of a file has a table.
func readable(ctx context.Context, db *sql.DB, t table) bool {
	rows, err := db.QueryContext(ctx, "SELECT "+strings.Join(t.columns, ", ")+" FROM "+t.name+" LIMIT 0")
	if err != nil {
		return false
	}
	return rows.Close() == nil
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
	if s.FromBackup > 0 {
		fmt.Fprintf(&b, "Of the recovered ones, %s taken from the backup of %s. ", were(s.FromBackup, "message"), s.Backup)
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
		n         int
		one, many string
	}{
		{s.LostSessions, "session", "sessions"},
		{s.LostMessages, "message", "messages"},
		{s.LostRequests, "request record", "request records"},
		{s.LostSummaries, "summary", "summaries"},
	} {
		if lost.n > 0 {
			things = append(things, english.Plural(lost.n, lost.one, lost.many))
			total += lost.n
		}
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
