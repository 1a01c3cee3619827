// Package recovery saves what a damaged history still holds: it reads ranges of rows around the damage with SQLite,
// takes what they do not reach from a backup, and puts the rows in order in a new file. It does not decide when a file
// is damaged, does not choose the backup and does not put files in each other's place.
package recovery

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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
	if s.Sessions > 0 {
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
// another file that was named by mistake: by its schema at the beginning of the file or of its log. Under winnow's own
// name every file is one that SQLite cannot read: it is set aside, and so nothing of it is lost.
func IsHistory(path string) bool {
	for _, end := range []string{"", "-wal"} {
		f, err := os.Open(path + end)
		if err != nil {
			continue
		}
		beginning, _ := io.ReadAll(io.LimitReader(f, 1<<20))
		f.Close()
		if bytes.Contains(beginning, []byte("message it was forked at")) {
			return true
		}
	}
	if filepath.Base(path) != "winnow.db" {
		return false
	}
	db := sqlite.Pool(path, sqlite.Immutable, 1)
	defer db.Close()
	var things int
	err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&things)
	return err != nil || things == 0
}

// Files are the files of a recovery.
type Files struct {
	Damaged string // a copy of the damaged file with its write-ahead log, which is changed
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
	r := recovery{ctx: ctx, now: now, damaged: map[string]bool{}}
	var err error
	r.tables, err = sqlite.Collect(ctx, db, sqlite.Only[string], `
		SELECT name
		FROM pragma_table_list
		WHERE schema = 'main'
			AND type = 'table'
			AND strict
			AND name NOT IN (`+derived+`)`)
	if err != nil {
		return Salvage{}, err
	}
	replaced, err := mendHeader(ctx, f, db, r.tables)
	if err != nil {
		return Salvage{}, fmt.Errorf("give the damaged file a header: %w", err)
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
	r.from = sqlite.Pool(f.Damaged, sqlite.Reading, 1)
	defer r.from.Close()
	// Each attempt to read from a file that SQLite does not open at all would be one to open it, thousands in all.
	opens := r.from.PingContext(ctx) == nil
	err = sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		r.tx = tx
		for _, table := range r.tables {
			if r.damaged[table] = replaced || !opens; !opens {
				continue
			}
			if err := r.readTable(table); err != nil {
				return fmt.Errorf("save the rows of %s: %w", table, err)
			}
		}
		return r.putInOrder(f.Backup != "", steps)
	})
	return r.out, errors.Join(err, db.Close())
}

// pageSize is the page size of every history.
const pageSize = 4096

// mendHeader gives the damaged file the header of the new one, with its own size. Where its schema cannot be read, it
// gets the pages of the new one's schema, too, and replaced is true: every history begins with the same tables on the
// same pages.
func mendHeader(ctx context.Context, f Files, fresh *sql.DB, tables []string) (replaced bool, err error) {
	sound, err := os.ReadFile(f.Fresh)
	if err != nil {
		return false, err
	}
	file, err := os.OpenFile(f.Damaged, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer file.Close()
	sound[18], sound[19] = 2, 2 // the write-ahead log is read
	binary.BigEndian.PutUint32(sound[28:], uint32((sqlite.Size(f.Damaged)+pageSize-1)/pageSize))
	if _, err := file.WriteAt(sound[:100], 0); err != nil || readable(ctx, f.Damaged, tables) {
		return false, err
	}
	roots, err := sqlite.Collect(ctx, fresh, sqlite.Only[int], `SELECT rootpage FROM sqlite_schema`)
	for page := range len(sound) / pageSize {
		at := page * pageSize
		if err == nil && !slices.Contains(roots, page+1) {
			_, err = file.WriteAt(sound[at:at+pageSize], int64(at))
		}
	}
	return true, err
}

// readable reports whether the schema of a file has all of some tables.
func readable(ctx context.Context, file string, tables []string) bool {
	db := sqlite.Pool(file, sqlite.Reading, 1)
	defer db.Close()
	var none int
	err := db.QueryRowContext(ctx, "SELECT 1 FROM "+strings.Join(tables, ", ")+" LIMIT 0").Scan(&none)
	return errors.Is(err, sql.ErrNoRows)
}
