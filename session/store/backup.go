package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"winnow/session/store/sqlite"
)

// keptBackups is how many automatic backups are kept.
const keptBackups = 7

// BackupFile is a copy of the history that stands beside it.
type BackupFile struct {
	Path     string
	Day      time.Time // when it was made, for an automatic one midnight UTC of that day
	Bytes    int64
	Sessions int // those in the trash included
	Messages int
}

// Backup copies the whole history to a new file that only the user may read, while others go on
// using it. The file takes its name when it is whole, checked and on the disk; a file that is there
// already is left alone, and the error is fs.ErrExist.
func (s *Store) Backup(ctx context.Context, path string) error {
	doing := "back up the chat history"
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	draft, err := blank(path)
	if err != nil {
		return &trouble{doing: doing, where: filepath.Dir(path), kind: noAccess(err), cause: err}
	}
	defer removeDatabase(draft)
	if err := s.copyHere(ctx, draft); err != nil {
		return s.mark(explain(doing, s.path, err))
	}
	err = os.Link(draft, path)
	if errors.Is(err, fs.ErrExist) {
		return &trouble{doing: doing, where: path, kind: errTaken, cause: err}
	}
	if err != nil && !there(path) {
		err = os.Rename(draft, path) // a file system without links
	}
	if err != nil {
		return &trouble{doing: doing, where: path, kind: noAccess(err), cause: err}
	}
	return syncFolder(path)
}

// errTaken says that a backup never replaces a file.
var errTaken = fmt.Errorf("%w: a file of that name is there, and it is left alone", fs.ErrExist)

// copyHere copies the history into a file.
func (s *Store) copyHere(ctx context.Context, draft string) error {
	from := s.full
	if s.path != sqlite.Memory {
		from = sqlite.Pool(s.path, sqlite.Reading, 1) // the writers are not held up
		if s.readOnly {
			from = s.reads
		} else {
			defer from.Close()
		}
	}
	return copyChecked(ctx, from, draft)
}

// copyChecked copies a database into a file that is on the disk then, and reads the copy: a damaged one is
// no backup.
func copyChecked(ctx context.Context, from *sql.DB, draft string) error {
	if err := sqlite.Copy(ctx, from, draft); err != nil {
		return err
	}
	copied := sqlite.Pool(draft, sqlite.Immutable, 1)
	defer copied.Close()
	if err := soundness(ctx, copied); err != nil {
		return err
	}
	return syncFile(draft)
}

// BackUpToday makes the automatic backup of this day, where there is none yet and something was
// written since the last one, and removes the oldest ones beyond seven. A damaged history is not
// backed up: the error is ErrDamaged. It returns the new file, "" for none.
func (s *Store) BackUpToday(ctx context.Context) (string, error) {
	if s.readOnly || s.path == sqlite.Memory {
		return "", nil
	}
	doing := "back up the chat history"
	name := filepath.Join(backupFolder(s.path), backupName(s.path, s.now()))
	made := automaticBackups(s.path, s.now())
	if there(name) || len(made) > 0 && !s.writtenSince(made[0]) {
		return "", nil
	}
	var messages int
	err := s.view(ctx, doing, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM messages LIMIT 1)").Scan(&messages)
	})
	if err != nil || messages == 0 {
		return "", err
	}
	if err := os.MkdirAll(backupFolder(s.path), 0o700); err != nil {
		return "", &trouble{doing: doing, where: backupFolder(s.path), kind: noAccess(err), cause: err}
	}
	s.sweepDrafts()
	err = s.Backup(ctx, name)
	if errors.Is(err, fs.ErrExist) {
		return "", nil // another window was faster
	}
	if err != nil {
		return "", err
	}
	made = automaticBackups(s.path, s.now())
	for _, old := range made[min(keptBackups, len(made)):] {
		os.Remove(old) // one more than seven does no harm
	}
	return name, nil
}

// sweepDrafts removes what is left of backups whose program ended before they were whole.
func (s *Store) sweepDrafts() {
	drafts, err := filepath.Glob(filepath.Join(backupFolder(s.path), "*.db.new-*"))
	if err != nil {
		return // a folder whose name is a pattern keeps them
	}
	for _, d := range drafts {
		if info, err := os.Stat(d); err == nil && s.now().Sub(info.ModTime()) > time.Hour {
			os.Remove(d)
		}
	}
}

// BackupName is where a backup that the user asks for stands where no other name is given: among the
// automatic ones, named for this moment. It makes the folder. Such a backup is never removed.
func (s *Store) BackupName() string {
	os.MkdirAll(backupFolder(s.path), 0o700) // Backup says what is wrong with it
	return filepath.Join(backupFolder(s.path), backupPrefix(s.path)+s.now().UTC().Format(stampLayout)+".db")
}

// writtenSince reports whether the history was changed after a file was made. Of a file dated in the
// future nobody knows when it was made.
func (s *Store) writtenSince(file string) bool {
	made, err := os.Stat(file)
	if err != nil || made.ModTime().After(s.now().Add(clockSlack)) {
		return true
	}
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path + end); err == nil && info.Size() > 0 && info.ModTime().After(made.ModTime()) {
			return true
		}
	}
	return false
}

// backupFolder is where the automatic backups of a history stand.
func backupFolder(path string) string { return filepath.Join(filepath.Dir(path), "backups") }

const dayLayout = "20060102"

// backupName is one name for each day: of several windows only one makes the backup.
func backupName(path string, day time.Time) string {
	return backupPrefix(path) + day.UTC().Format(dayLayout) + ".db"
}

func backupPrefix(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base)) + "-"
}

// clockSlack is how far ahead of the clock a file's date may be before it counts as dated in the future:
// the clocks of file servers differ a little from that of this machine.
const clockSlack = 5 * time.Minute

// backupFiles are the backups of a history in its folder, the newest first. A file dated in the future,
// by a clock that was wrong, comes after all others.
func backupFiles(path string, now time.Time) []string {
	entries, err := os.ReadDir(backupFolder(path))
	if err != nil {
		return nil // none were made yet
	}
	type dated struct {
		file string
		made time.Time
	}
	var all []dated
	latest := now.Add(clockSlack)
	for _, e := range entries {
		if made, _, ok := backupDay(path, e.Name()); ok {
			// The name of an automatic one has the day alone, and its time is that of the file.
			if info, err := e.Info(); err == nil && info.ModTime().UTC().Format(dayLayout) == made.Format(dayLayout) && !info.ModTime().After(latest) {
				made = info.ModTime()
			}
			all = append(all, dated{filepath.Join(backupFolder(path), e.Name()), made})
		}
	}
	slices.SortFunc(all, func(a, b dated) int {
		aFuture, bFuture := a.made.After(latest), b.made.After(latest)
		switch {
		case aFuture && !bFuture:
			return 1
		case bFuture && !aFuture:
			return -1
		}
		return b.made.Compare(a.made)
	})
	var out []string
	for _, d := range all {
		out = append(out, d.file)
	}
	return out
}

// automaticBackups are those that winnow made itself, the newest first.
func automaticBackups(path string, now time.Time) []string {
	return slices.DeleteFunc(backupFiles(path, now), func(file string) bool {
		_, automatic, _ := backupDay(path, filepath.Base(file))
		return !automatic
	})
}

// backupDay is the time that stands in the name of a backup: a day in that of an automatic one.
func backupDay(path, name string) (at time.Time, automatic, ok bool) {
	stamp, mine := strings.CutPrefix(name, backupPrefix(path))
	stamp, whole := strings.CutSuffix(stamp, ".db")
	if !mine || !whole {
		return time.Time{}, false, false
	}
	if at, err := time.ParseInLocation(dayLayout, stamp, time.UTC); err == nil {
		return at, true, true
	}
	at, err := time.ParseInLocation(stampLayout, stamp, time.UTC)
	return at, false, err == nil
}

// Backups returns the backups of the history at path in its folder, the newest first: those that winnow
// made itself and those that were asked for without a name of their own. One dated later than now comes
// last. The history itself need not be there. Files that cannot be read are left out.
func Backups(ctx context.Context, path string, now time.Time) []BackupFile {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	var out []BackupFile
	for _, file := range backupFiles(path, now) {
		if b, err := readBackup(ctx, file); err == nil {
			b.Day, _, _ = backupDay(path, filepath.Base(file))
			out = append(out, b)
		}
	}
	return out
}

func readBackup(ctx context.Context, file string) (BackupFile, error) {
	b := BackupFile{Path: file, Bytes: sizeOf(file)}
	db := sqlite.Pool(file, sqlite.Immutable, 1)
	defer db.Close()
	if _, err := sqlite.SchemaVersion(ctx, db); err != nil {
		return b, err
	}
	err := db.QueryRowContext(ctx, `
		SELECT
			(SELECT count(*) FROM sessions),
			(SELECT count(*) FROM messages)`).Scan(&b.Sessions, &b.Messages)
	return b, err
}

// NewestBackup returns the newest of the Backups of this history, and false where there is none.
func (s *Store) NewestBackup(ctx context.Context) (BackupFile, bool) {
	all := Backups(ctx, s.path, s.now())
	if s.path == sqlite.Memory || len(all) == 0 {
		return BackupFile{}, false
	}
	return all[0], true
}

// offerBackup says so where a backup holds more than the file that was opened: after a
// salvage, or where the history has gone.
func (s *Store) offerBackup(ctx context.Context) {
	if !s.fresh && s.salvaged == nil {
		return
	}
	b, ok := s.NewestBackup(ctx)
	switch {
	case !ok:
	case s.salvaged != nil && b.Messages > s.salvaged.Messages:
		s.notices = append(s.notices, fmt.Sprintf("The backup of %s has more: %s and %s. winnow db restore latest brings it back.",
			b.Day.Format("2006-01-02"), count(b.Sessions, "session"), count(b.Messages, "message")))
	case s.salvaged == nil && b.Messages > 0:
		s.notices = append(s.notices, fmt.Sprintf("There is no chat history here, and a backup of %s: %s and %s. winnow db restore latest brings it back.",
			b.Day.Format("2006-01-02"), count(b.Sessions, "session"), count(b.Messages, "message")))
	}
}
