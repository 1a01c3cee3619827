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

// Steps are what the owner of the tables adds to Save.
type Steps struct {
	// Check returns the messages of a history that fail their hash.
	Check func(ctx context.Context, tx *sql.Tx) (damaged []int64, err error)

	// Apply applies the sessions of the backup and returns how many messages that added. Without all it leaves out
	// those that are not there: they were purged since.
	Apply func(ctx context.Context, tx *sql.Tx, all bool) (messages int, err error)
}

// derived are the tables that are not recovered. A recovered file is another machine for those that it was shared with:
// all of it is told again, and they know what they have already.
const derived = `'found_text', 'purged', 'windows', 'home', 'homes', 'segments', 'untold'`

// recovery is a recovery within its transaction.
type recovery struct {
	ctx     context.Context
	from    *sql.DB // the damaged file
	tx      *sql.Tx // of the new file
	now     int64
	tables  []string
	damaged map[string]bool // tables that have a fault, or may have one
	newest  int64           // no row has or names a greater id
	out     Salvage
	err     error // the first one of putting the rows in order
}

// Save reads all that can be reached in a damaged file, and in a backup, into a new one. now is in Unix milliseconds.
func Save(ctx context.Context, f Files, now int64, steps Steps) (Salvage, error) {
	db := sqlite.Pool(f.Fresh, sqlite.Scratch, 1)
	defer db.Close()
	if err := sqlite.InTx(ctx, db, func(tx *sql.Tx) error { return sqlite.Create(ctx, tx) }); err != nil {
		return Salvage{}, err
	}
	r := recovery{ctx: ctx, now: now, damaged: map[string]bool{}, out: Salvage{File: f.Damaged}}
	var err error
	r.tables, err = sqlite.Collect[string](ctx, db, `
		SELECT name
		FROM pragma_table_list
		WHERE schema = 'main'
			AND type = 'table'
			AND strict
			AND name NOT IN (`+derived+`)`)
	if err != nil {
		return Salvage{}, err
	}
	// The rows come in any order; what belongs to a lost row is removed at the end.
	if _, err := db.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return Salvage{}, err
	}
	if f.Backup != "" {
		file := url.URL{Scheme: "file", Path: filepath.ToSlash(f.Backup), RawQuery: "mode=ro&immutable=1"}
		if _, err := db.ExecContext(ctx, "ATTACH ? AS backup", file.String()); err != nil {
			return Salvage{}, err
		}
	}
	r.from = sqlite.Unchanging(f.Damaged)
	defer os.Remove(f.Damaged + "-shm") // SQLite's index of the log
	defer r.from.Close()
	// To read from a file that SQLite does not open at all would be an attempt to open it each time, thousands in all.
	opens := r.from.PingContext(ctx) == nil
	err = sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		r.tx = tx
		for _, table := range r.tables {
			if r.damaged[table] = !opens; opens {
				r.readTable(table)
			}
		}
		return r.putInOrder(f.Backup != "", steps)
	})
	return r.out, errors.Join(err, db.Close())
}
