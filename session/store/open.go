// Package store keeps conversations, what was sent for them and what was decided of it in one SQLite file. An exported
// method of Store is one transaction. The columns of a table stand once, beside the struct that they are read into;
// from that list rows are read and written, and the lines of archives and of the synced folder. It decides nothing of
// what a model gets, and sends nothing.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"winnow/session/store/backup"
	"winnow/session/store/recovery"
	"winnow/session/store/sqlite"
)

// Options is what Open needs beside the path.
type Options struct {
	Now      func() time.Time // the clock, time.Now where nil
	ReadOnly bool             // open for reading only; the file must exist

	// Redact takes the keys that winnow knows out of every text that is stored; nil takes none.
	Redact func(string) string
}

// Store is the chat history in one file. All its methods may be called at once, and several stores,
// of one program or of many, may have the same file open.
//
// An exported method is one transaction. Its ctx ends the waiting and the transaction with it: what
// then returns an error has changed nothing.
type Store struct {
	path           string
	now            func() time.Time
	clean          func(string) string // takes the secrets out of a text
	busyTimeout    time.Duration
	readOnly       bool
	readOnlyReason string // why, "" where the caller asked for it
	notices        []string

	durable *sql.DB // one connection, synchronous FULL
	fast    *sql.DB // one connection, synchronous NORMAL
	reads   *sql.DB // a few connections that only read

	writing chan struct{} // holds a token while a writer of this store is at work

	opened   os.FileInfo      // the file that was opened: another may take its place
	salvaged *recovery.Result // what became of a damaged file, nil where it was not

	owner *sqlite.Owner // who this store is for its unfinished answers and leases
}

// InMemory is the path of a store that leaves nothing on disk.
const InMemory = sqlite.InMemory

const opening = "open the chat history"

// errNoHistory comes with ErrNotFound.
var errNoHistory = errors.New("there is no chat history yet")

// Open opens the chat history at path, and makes the folder (0700) and the file (0600) where they
// are missing. It marks answers as interrupted that a program left behind unfinished when it died.
//
// A file that cannot be written is opened for reading only: Notices says so, and methods that write return
// ErrReadOnly. One of another build is left as it is, with sqlite.ErrOtherBuild. The path sqlite.InMemory keeps everything
// in memory.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	var err error
	if path != sqlite.InMemory {
		path, err = locate(path, o.ReadOnly)
	}
	s := unopened(path, o)
	switch {
	case err != nil:
	case path == sqlite.InMemory:
		// One connection for everything: each further one would see a database of its own.
		s.durable = sqlite.OpenPool(sqlite.InMemory, sqlite.ModeDurable, 1)
		s.fast, s.reads = s.durable, s.durable
		err = s.create(ctx)
	case o.ReadOnly:
		err = s.openReadOnly(ctx)
	default:
		err = s.openOrRecover(ctx)
	}
	if err != nil {
		s.closePools()
		return nil, sqlite.Explain(opening, path, err)
	}
	return s, nil
}

// unopened is a store that is not open yet.
func unopened(path string, o Options) *Store {
	s := &Store{
		path: path, now: o.Now, clean: o.Redact, busyTimeout: busyTimeout, writing: make(chan struct{}, 1),
		owner: sqlite.NewOwner(path),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.clean == nil {
		s.clean = func(text string) string { return text }
	}
	return s
}

// recoveryTimeout is how long to wait for another window that has the damaged file open: a command
// ends soon, and so does another window that is saving it at this moment.
const recoveryTimeout = 3 * time.Second

// errOpenElsewhere is the reason why a damaged file is left as it is for now.
var errOpenElsewhere = fmt.Errorf("%w, and it is open in another window; close that window and start winnow again to recover "+
	"what can be read", ErrDamaged)

// openOrRecover opens the file for writing, and for reading only where that cannot be. A damaged one is set aside first,
// and what it holds is saved.
func (s *Store) openOrRecover(ctx context.Context) error {
	damaged := false
	err := retry(ctx, min(s.busyTimeout, recoveryTimeout), func() error {
		found, err := os.Stat(s.path)
		if err == nil {
			err = s.checkFile(ctx)
		}
		if err == nil {
			err = s.openWritable(ctx)
		}
		if damaged = sqlite.IsDamaged(err); damaged {
			s.closePools()
			err = s.salvage(ctx, found)
		}
		return err
	})
	err = sqlite.Explain(opening, s.path, err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errOpenElsewhere):
		s.readOnlyReason = errOpenElsewhere.Error()
	case errors.Is(err, ErrDiskFull) && !damaged: // what a damaged file holds is not shown before it is saved
		s.readOnlyReason = "the disk is full; free some space and start winnow again"
	case errors.Is(err, ErrReadOnly), errors.Is(err, ErrNoAccess):
		s.readOnlyReason = "there is no permission to write the file"
	default:
		return err
	}
	s.notices = []string{fmt.Sprintf("%s is open read-only: %s.", s.path, s.readOnlyReason)}
	s.closePools()
	if s.openReadOnly(ctx) != nil {
		return err
	}
	return nil
}

// checkedAtOnce is how many bytes of a file are checked before it is opened for writing. A larger one is checked once a
// day, by BackUpToday. Its size alone decides that: where a time did, a busy machine opened damaged files.
const checkedAtOnce = 8 << 20

// checkFile looks at the file without changing a byte of it: at the header and, where a damage was met before or the file
// is small, at everything. Whose file it is, is asked before the first connection that would change its journal mode.
func (s *Store) checkFile(ctx context.Context) error {
	size, journal := sqlite.FileSize(s.path), sqlite.FileSize(s.path+"-wal")
	if size == 0 && journal > 0 {
		// SQLite would take the file for a new one and throw its journal away.
		return fmt.Errorf("%w: the file is empty and its journal is not", ErrDamaged)
	}
	there, err := s.openReads(ctx, sqlite.ModeReadOnly)
	if sqlite.NeedsRollBack(err) {
		there, err = s.openReads(ctx, sqlite.ModeRollBack)
	}
	defer s.closePools()
	if _, noDamage := os.Stat(s.damageMarker()); there && (noDamage == nil || size+journal <= checkedAtOnce) {
		err = sqlite.CheckIntegrity(ctx, s.reads)
	}
	if err == nil && !there {
		if b, ok := s.NewestBackup(); ok {
			s.notices = []string{fmt.Sprintf("There is no chat history here, and a backup of %s. "+
				"winnow db restore latest restores it.", b.Day.Format(time.DateOnly))}
		}
	}
	if sqlite.IsNotHistory(err) && recovery.IsDamagedHistory(s.path) {
		err = fmt.Errorf("%w: nothing of the header is left", ErrDamaged)
	}
	return err
}

// openWritable opens the file for writing and makes it ready.
func (s *Store) openWritable(ctx context.Context) (err error) {
	if s.opened, err = os.Stat(s.path); err != nil {
		return err
	}
	s.reads = sqlite.OpenPool(s.path, sqlite.ModeReadOnly, 4)
	s.durable = sqlite.OpenPool(s.path, sqlite.ModeDurable, 1)
	s.fast = sqlite.OpenPool(s.path, sqlite.ModeFast, 1)
	if err := s.create(ctx); err != nil {
		return err
	}
	cut, err := s.interruptDead(ctx)
	if cut > 0 {
		s.notices = append(s.notices, fmt.Sprintf(
			"%s cut off when winnow ended unexpectedly. What had arrived is kept.",
			english.Plural(cut, "answer was", "answers were")))
	}
	return err
}

// openReadOnly opens the file for reading only. In a folder that may not be written, and on a full disk, SQLite
// cannot share the file with a writer. Then it is read as it stands, which is safe only without a journal;
// with one it is read alone.
func (s *Store) openReadOnly(ctx context.Context) error {
	s.readOnly = true
	there, err := s.openReads(ctx, sqlite.ModeReadOnly)
	if err != nil && !sqlite.HasWAL(s.path) {
		there, err = s.openReads(ctx, sqlite.ModeImmutable)
	} else if errors.Is(sqlite.Explain(opening, s.path, err), ErrDiskFull) {
		there, err = s.openReads(ctx, sqlite.ModeExclusive)
	}
	if err == nil && !there {
		err = fmt.Errorf("%w: the file is empty", ErrNotHistory)
	}
	return err
}

// openReads opens a connection that only reads, and reports whether the file has winnow's schema.
func (s *Store) openReads(ctx context.Context, mode sqlite.Mode) (there bool, err error) {
	err = retry(ctx, s.busyTimeout, func() error {
		// Anew each time: a window that is saving a damaged file at this moment puts another in its place.
		s.closePools()
		s.reads = sqlite.OpenPool(s.path, mode, 1)
		there, err = sqlite.HasSchema(ctx, s.reads)
		return err
	})
	return there, err
}

// create makes the schema in a new file, in one transaction, so that nobody finds it half made.
func (s *Store) create(ctx context.Context) error {
	return s.transact(ctx, s.durable, func(t *tx) { sqlite.CreateSchema(t.Tx) })
}

// Path returns the file's absolute path with its symbolic links resolved, or sqlite.InMemory.
func (s *Store) Path() string { return s.path }

// ReadOnly reports whether the store can only be read.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Salvaged reports whether this opening met a damaged history; Notices says what became of it.
func (s *Store) Salvaged() bool { return s.salvaged != nil }

// Notices returns what the user should know about how the file was opened: one sentence each.
func (s *Store) Notices() []string { return slices.Clone(s.notices) }

// damageMarker is a file that is beside the history where a damage was met: the next start then looks
// at everything. A search index alone is made anew at once.
func (s *Store) damageMarker() string { return s.path + ".look" }

// markDamaged makes the marker where an error is of a damaged file, and returns the error as it is.
func (s *Store) markDamaged(err error) error {
	if sqlite.IsDamaged(err) && !indexDamaged(err) && !s.readOnly && s.path != sqlite.InMemory {
		_ = os.WriteFile(s.damageMarker(), nil, 0o600) // without it the next start still finds what a quick look shows
	}
	return err
}

// Close marks what this store still streams as interrupted and closes the file. The last one to close it moves what is
// in its write-ahead log into the file.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := s.interruptOwn(ctx)
	return errors.Join(err, sqlite.Explain("close the chat history", s.path, s.closePools()))
}

func (s *Store) closePools() (err error) {
	for _, db := range []*sql.DB{s.reads, s.fast, s.durable} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}

// locate returns the path with its links resolved, after making folder (0700) and file (0600) where they are missing.
// Windows that name one file in different ways must agree on it.
func locate(path string, mustExist bool) (string, error) {
	if path == "" {
		return "", errors.New("no file is named")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return path, err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%w: it is a folder or a device, and the history is one file", ErrNotHistory)
	case errors.Is(err, os.ErrNotExist) && mustExist:
		err = &sqlite.Error{Doing: opening, Where: path, Kind: errNoHistory, Cause: ErrNotFound}
	case errors.Is(err, os.ErrNotExist):
		err = sqlite.Explain("create the chat history", filepath.Dir(path), sqlite.CreateFile(path))
	}
	if err != nil {
		return path, err
	}
	return filepath.EvalSymlinks(path)
}

// salvage saves what a damaged history still holds. Everything readable goes into a new file, with what only the newest
// sound backup holds, the damaged one is set aside unchanged, and the new one takes its place and is opened. Until that
// moment nothing has changed, however it fails. Nobody may have the file open meanwhile: what they wrote would be lost.
func (s *Store) salvage(ctx context.Context, damaged os.FileInfo) error {
	var saved recovery.Result
	_, err := backup.ReplaceDatabase(s.path, "damaged", s.now(), func(aside, draft string) (err error) {
		if now, err := os.Stat(s.path); err != nil || !os.SameFile(damaged, now) {
			return ErrBusy // another window has just saved it
		}
		b := backup.NewestIntact(ctx, s.path, s.now())
		f := recovery.Files{Damaged: aside, New: draft, Backup: b.Path}
		saved, err = recovery.Recover(ctx, f, s.now(), damagedMessages)
		saved.Backup = b.Day.Format(time.DateOnly)
		return err
	})
	if errors.Is(err, ErrBusy) {
		return &sqlite.Error{Doing: opening, Where: s.path, Kind: errOpenElsewhere, Cause: ErrBusy}
	}
	if err != nil {
		return sqlite.Explain("save what the damaged chat history holds", s.path, err)
	}
	os.Remove(s.damageMarker())
	s.salvaged = &saved
	s.notices = append(s.notices, saved.String())
	return s.openWritable(ctx)
}
