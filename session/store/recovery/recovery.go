// Package recovery copies what is readable in a damaged history to a new file: it reads the rows around the damage with
// SQLite, adds lost rows from a backup, and makes the result consistent. It does not detect damage, choose the backup
// or replace files.
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

// Result reports what was recovered from a damaged history. Messages whose text fails its hash count as lost.
type Result struct {
	File                       string // path of the damaged file, which is unchanged
	Sessions, Messages         int    // recovered without change
	LostSessions, LostMessages int    // as far as is known
	Backup                     string // date of the backup that some messages come from, "" for none
	FromBackup                 int    // number of messages from the backup
}

// String describes in a few sentences what was recovered and what was lost.
func (s Result) String() string {
	saved, lost := "Nothing in it could be read, so a new one was started.", "nothing was lost"
	if s.LostSessions+s.LostMessages > 0 {
		lost = counted(s.LostSessions, s.LostMessages) + " were lost"
	}
	switch all := counted(s.Sessions, s.Messages); {
	case s.FromBackup > 0 && s.FromBackup == s.Messages: // later messages are lost, but their number is unknown
		saved = fmt.Sprintf("Nothing in it could be read; %s were taken from the backup of %s.", all, s.Backup)
	case s.FromBackup > 0:
		saved = fmt.Sprintf("%s were recovered, %s of them taken from the backup of %s; %s.", all,
			english.Plural(s.FromBackup, "message", ""), s.Backup, lost)
	case s.Sessions > 0:
		saved = fmt.Sprintf("%s were recovered; %s.", all, lost)
	}
	return fmt.Sprintf("The chat history was damaged. %s The damaged file is kept as %s.", saved, s.File)
}

// counted returns a text such as "1 session and 2 messages".
func counted(sessions, messages int) string {
	return english.Plural(sessions, "chat", "") + " and " + english.Plural(messages, "message", "")
}

// IsDamagedHistory reports whether a file that SQLite does not recognise as winnow's is a damaged history and not an
// unrelated file: it contains tables of winnow, or it is unreadable and has winnow's default name. Such a file is set
// aside, so nothing of it is lost.
func IsDamagedHistory(path string) bool {
	db := sqlite.OpenUnchanging(path)
	defer db.Close()
	var things, ours int
	err := db.QueryRow("SELECT count(*), total(name = 'verdicts') FROM sqlite_schema").Scan(&things, &ours)
	return err == nil && ours > 0 || things == 0 && filepath.Base(path) == "winnow.db"
}

// Files are the paths of the files in a recovery.
type Files struct {
	Damaged string // the damaged file, with its write-ahead log; it is only read
	New     string // an empty file, which becomes the recovered history
	Backup  string // an intact backup, "" for none
}

// FindDamaged returns the ids of the messages of a history that fail their hash.
type FindDamaged func(of *sqlite.Tx) (damaged []int64)

// Recover copies the readable rows of a damaged file to a new one and adds lost rows from the backup.
func Recover(ctx context.Context, f Files, now time.Time, findDamaged FindDamaged) (Result, error) {
	// Rows are inserted in any order; rows that refer to lost ones are removed at the end.
	db := sqlite.OpenPool(f.New, "_foreign_keys=off&"+sqlite.ModeScratch, 1)
	defer db.Close()
	if f.Backup != "" {
		file := url.URL{Scheme: "file", Path: filepath.ToSlash(f.Backup), RawQuery: "mode=ro&immutable=1"}
		if _, err := db.ExecContext(ctx, "ATTACH ? AS backup", file.String()); err != nil {
			return Result{}, err
		}
	}
	r := recovery{
		ctx: ctx, from: sqlite.OpenUnchanging(f.Damaged), now: now.UnixMilli(), findDamaged: findDamaged,
		damagedTables: map[string]bool{}, result: Result{File: f.Damaged},
	}
	defer os.Remove(f.Damaged + "-shm") // SQLite's index of the write-ahead log
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

// tables lists the tables that are recovered. The others are created empty. To other machines a recovered file is a new
// machine: all its rows are synced again, and rows that they already have change nothing.
var tables = []string{
	"sessions", "messages", "attachments", "requests", "verdicts", "summaries", "registers", "tombstones", "endpoints",
	"tool_permissions", "prompts", "drafts", "queued",
}

// recovery is the state of a recovery within its transaction.
type recovery struct {
	*sqlite.Tx    // of the new file
	ctx           context.Context
	from          *sql.DB // the damaged file
	now           int64   // Unix milliseconds
	findDamaged   FindDamaged
	damagedTables map[string]bool // tables with damaged rows
	newest        int64           // the greatest id in any row
	result        Result
}
