// Package recovery saves what a damaged history still holds: it reads ranges of rows around the damage with SQLite,
// takes what they do not reach from a backup, and puts the rows in order in a new file. It does not decide when a file
// is damaged, does not choose the backup and does not put files in each other's place.
package recovery

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize/english"

	"winnow/session/store/sqlite"
)

// Result says what became of a damaged history. Messages that are there and fail their hash are among the lost ones:
// their text is not shown.
type Result struct {
	File                       string // where the damaged file is now, unchanged
	Sessions, Messages         int    // saved, each message as it was
	LostSessions, LostMessages int    // as far as can be known
	Backup                     string // day of the backup that some of the messages are from, "" for none
	FromBackup                 int    // how many are
}

// String says in a few sentences what was saved and what was lost.
func (s Result) String() string {
	saved, lost := "Nothing in it could be read, so a new one was started.", "nothing was lost"
	if s.LostSessions+s.LostMessages > 0 {
		lost = counted(s.LostSessions, s.LostMessages) + " were lost"
	}
	switch all := counted(s.Sessions, s.Messages); {
	case s.FromBackup > 0 && s.FromBackup == s.Messages: // what was said since then is lost, and nobody knows how much
		saved = fmt.Sprintf("Nothing in it could be read; %s were taken from the backup of %s.", all, s.Backup)
	case s.FromBackup > 0:
		saved = fmt.Sprintf("%s were recovered, %s of them taken from the backup of %s; %s.", all,
			english.Plural(s.FromBackup, "message", ""), s.Backup, lost)
	case s.Sessions > 0:
		saved = fmt.Sprintf("%s were recovered; %s.", all, lost)
	}
	return fmt.Sprintf("The chat history was damaged. %s The damaged file is kept as %s.", saved, s.File)
}

// counted writes "1 session and 2 messages".
func counted(sessions, messages int) string {
	return english.Plural(sessions, "session", "") + " and " + english.Plural(messages, "message", "")
}

// IsDamagedHistory reports whether a file that SQLite does not take for winnow's is a damaged history all the same, and not
// another file that was named by mistake: where tables of winnow are in it, or nothing can be read under winnow's own
// name. It is set aside then, and so nothing of it is lost.
func IsDamagedHistory(path string) bool {
	db := sqlite.OpenUnchanging(path)
	defer db.Close()
	var things, ours int
	err := db.QueryRow("SELECT count(*), total(name = 'verdicts') FROM sqlite_schema").Scan(&things, &ours)
	return err == nil && ours > 0 || things == 0 && filepath.Base(path) == "winnow.db"
}

// Files are the files of a recovery.
type Files struct {
	Damaged string // the damaged file with its write-ahead log, which is only read
	New     string // empty, and afterwards the recovered history
	Backup  string // a sound backup, "" for none
}

// FindDamaged returns the messages of a history that fail their hash.
type FindDamaged func(of *sqlite.Tx) (damaged []int64)

// Recover reads all that can be reached in a damaged file, and in a backup, into a new one.
func Recover(ctx context.Context, f Files, now time.Time, check FindDamaged) (Result, error) {
	// The rows come in any order; what belongs to a lost row is removed at the end.
	db := sqlite.OpenPool(f.New, "_foreign_keys=off&"+sqlite.ModeScratch, 1)
	defer db.Close()
	if f.Backup != "" {
		file := url.URL{Scheme: "file", Path: filepath.ToSlash(f.Backup), RawQuery: "mode=ro&immutable=1"}
		if _, err := db.ExecContext(ctx, "ATTACH ? AS backup", file.String()); err != nil {
			return Result{}, err
		}
	}
	r := recovery{
		ctx: ctx, from: sqlite.OpenUnchanging(f.Damaged), now: now.UnixMilli(), findDamaged: check, damagedTables: map[string]bool{},
		result: Result{File: f.Damaged},
	}
	defer os.Remove(f.Damaged + "-shm") // SQLite's index of the log
	defer r.from.Close()
	err := sqlite.InTx(ctx, db, func(t *sqlite.Tx) {
		r.Tx = t
		sqlite.CreateSchema(t)
		for _, table := range tables {
			r.readTable(table)
		}
		r.repair(f.Backup != "")
	})
	return r.result, err
}

// tables are those that are recovered. The others are made anew: a recovered file is another machine for those that it
// was shared with. All of it is told again, and they know what they have already.
var tables = []string{
	"sessions", "messages", "attachments", "requests", "verdicts", "summaries", "registers", "tombstones", "endpoints",
	"tool_permissions", "prompts", "drafts", "queued",
}

// recovery is a recovery within its transaction.
type recovery struct {
	*sqlite.Tx    // of the new file
	ctx           context.Context
	from          *sql.DB // the damaged file
	now           int64
	findDamaged   FindDamaged
	damagedTables map[string]bool // tables that have a fault
	newest        int64           // no row has or names a greater id
	result        Result
}
