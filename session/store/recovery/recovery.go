// Package recovery saves what a damaged history still holds: it reads ranges of rows around the damage with SQLite,
// takes what they do not reach from a backup, and puts the rows in order in a new file. It does not decide when a file
// is damaged, does not choose the backup and does not put files in each other's place.
package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"winnow/session/store/sqlite"
)

// Salvage says what became of a damaged history. Messages that are there and fail their hash are among the lost ones:
// their text is not shown.
type Salvage struct {
	File                       string // where the damaged file is now, unchanged
	Sessions, Messages         int    // saved, each message as it was
	LostSessions, LostMessages int    // as far as can be known
	Backup                     string // day of the backup that some of the messages are from, "" for none
	FromBackup                 int    // how many are
}

// String says in a few sentences what was saved and what was lost.
func (s Salvage) String() string {
	said := "Nothing in it could be read, so a new one was started."
	switch {
	case s.Sessions > 0 && s.FromBackup == s.Messages:
		return fmt.Sprintf("The chat history was damaged, and nothing in it could be read. %s taken from the backup "+
			"of %s. The damaged file is kept as %s.", counted(s.Sessions, s.Messages), s.Backup, s.File)
	case s.Sessions > 0:
		said = fmt.Sprintf("%s recovered; %s lost.", counted(s.Sessions, s.Messages),
			counted(s.LostSessions, s.LostMessages))
	}
	if n := s.FromBackup; n > 0 {
		said += fmt.Sprintf(" Of the recovered ones, %s %s taken from the backup of %s.",
			english.Plural(n, "message", ""), english.PluralWord(n, "was", "were"), s.Backup)
	}
	return fmt.Sprintf("The chat history was damaged. %s The damaged file is kept as %s.", said, s.File)
}

// counted writes "nothing was" and "1 session and 2 messages were".
func counted(sessions, messages int) string {
	var things []string
	if sessions > 0 {
		things = append(things, english.Plural(sessions, "session", ""))
	}
	if messages > 0 {
		things = append(things, english.Plural(messages, "message", ""))
	}
	if len(things) == 0 {
		return "nothing was"
	}
	return strings.Join(things, " and ") + english.PluralWord(sessions+messages, " was", " were")
}

// IsHistory reports whether a file that SQLite does not take for winnow's is a damaged history all the same, and not
// another file that was named by mistake: where tables of winnow are in it, or nothing can be read under winnow's own
// name. It is set aside then, and so nothing of it is lost.
func IsHistory(path string) bool {
	db := sqlite.Unchanging(path)
	defer db.Close()
	var things, ours int
	err := db.QueryRow("SELECT count(*), total(name = 'verdicts') FROM sqlite_schema").Scan(&things, &ours)
	return err == nil && ours > 0 || things == 0 && filepath.Base(path) == "winnow.db"
}

// Files are the files of a recovery.
type Files struct {
	Damaged string // the damaged file with its write-ahead log, which is only read
	Fresh   string // empty, and afterwards the recovered history
	Backup  string // a sound backup, "" for none
}

// Check returns the messages of a history that fail their hash.
type Check func(ctx context.Context, tx *sql.Tx) (damaged []int64, err error)

// recovery is a recovery within its transaction.
type recovery struct {
	ctx     context.Context
	from    *sql.DB // the damaged file
	tx      *sql.Tx // of the new file
	now     int64
	check   Check
	tables  []string
	damaged map[string]bool // tables that have a fault, or may have one
	newest  int64           // no row has or names a greater id
	out     Salvage
	err     error // the first one of putting the rows in order
}

// Save reads all that can be reached in a damaged file, and in a backup, into a new one.
func Save(ctx context.Context, f Files, now time.Time, check Check) (Salvage, error) {
	// The rows come in any order; what belongs to a lost row is removed at the end.
	db := sqlite.Pool(f.Fresh, "_foreign_keys=off&"+sqlite.Scratch, 1)
	defer db.Close()
	if f.Backup != "" {
		file := url.URL{Scheme: "file", Path: filepath.ToSlash(f.Backup), RawQuery: "mode=ro&immutable=1"}
		if _, err := db.ExecContext(ctx, "ATTACH ? AS backup", file.String()); err != nil {
			return Salvage{}, err
		}
	}
	r := recovery{
		ctx: ctx, from: sqlite.Unchanging(f.Damaged), now: now.UnixMilli(), check: check, damaged: map[string]bool{},
		out: Salvage{File: f.Damaged},
	}
	defer os.Remove(f.Damaged + "-shm") // SQLite's index of the log
	defer r.from.Close()
	err := sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		r.tx = tx
		return r.save(f.Backup != "")
	})
	return r.out, errors.Join(err, db.Close())
}

// derived are the tables that are not recovered. A recovered file is another machine for those that it was shared with:
// all of it is told again, and they know what they have already.
const derived = `'found_text', 'purged', 'windows', 'home', 'homes', 'segments', 'untold'`

// save makes a history of the rows that can be read: every session has its row, every branch leads to its beginning, no
// row names a lost one.
func (r *recovery) save(backup bool) (err error) {
	if err := sqlite.Create(r.ctx, r.tx); err != nil {
		return err
	}
	r.tables, err = sqlite.Collect[string](r.ctx, r.tx, `
		SELECT name
		FROM pragma_table_list
		WHERE schema = 'main'
			AND type = 'table'
			AND strict
			AND name NOT IN (`+derived+`)`)
	if err != nil {
		return err
	}
	for _, table := range r.tables {
		r.readTable(table)
	}
	// A session that cannot be real is known by its messages alone.
	r.exec(`
		DELETE FROM sessions
		WHERE length(id) <> 36
			OR id GLOB '*[^0-9a-f-]*'
			OR min(created_ms, updated_ms, used) < 0
			OR max(created_ms, updated_ms, used) > ?`, r.tooHigh()>>idBits)
	if backup {
		r.adopt()
	}
	r.reattach()
	// Sessions count their messages, and places are counted from 1: more messages than are here are lost.
	r.exec(`
		CREATE TEMP TABLE expected AS
		SELECT
			n AS session,
			max(messages, (SELECT coalesce(max(seq), 0) FROM messages WHERE session = n)) AS messages
		FROM sessions
		WHERE messages < 1 << 30`)
	if backup {
		r.fill()
	}
	r.tie()
	r.count()
	if r.err != nil {
		return fmt.Errorf("put the saved rows in order: %w", r.err)
	}
	return nil
}
