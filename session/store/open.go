// Package store keeps conversations, the requests that were sent for them and the verdicts on their messages in one
// SQLite file. Each exported method of Store is one transaction. The columns of a table are listed once, beside the
// struct of its rows; reading, writing, archives and sync all use that list. The package does not decide what a model
// gets, and sends nothing.
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

// Options configures Open.
type Options struct {
	Now      func() time.Time // the clock; nil is time.Now
	ReadOnly bool             // open for reading only; the file must exist

	// Redact removes known API keys from every text before it is stored; nil stores texts unchanged.
	Redact func(string) string
}

// Store is a chat history in one SQLite file. Its methods are safe for concurrent use, and several stores, in one
// program or in several, may have the same file open.
//
// Each exported method is one transaction. Cancelling its ctx ends the waiting for other programs and the transaction.
// A method that returns an error has changed nothing.
type Store struct {
	path           string
	now            func() time.Time
	clean          func(string) string // removes secrets from a text
	busyTimeout    time.Duration       // how long to wait for other programs
	readOnly       bool
	readOnlyReason string // why the file is open read-only, "" if the caller asked for it
	notices        []string

	durable *sql.DB // one connection, synchronous FULL
	fast    *sql.DB // one connection, synchronous NORMAL
	reads   *sql.DB // several connections that only read

	writing chan struct{} // holds a token while one of this store's writers runs

	opened   os.FileInfo      // the file that was opened, to notice if another takes its place
	salvaged *recovery.Result // the outcome of the recovery of a damaged file, nil if there was none

	owner *sqlite.Owner // owns this store's streaming answers and leases
}

// InMemory is the path of a store that writes nothing to disk.
const InMemory = sqlite.InMemory

const opening = "open the chat history"

// errNoHistory is the reason given with ErrNotFound if the file does not exist.
var errNoHistory = errors.New("there is no chat history yet")

// Open opens the chat history at path. It creates the folder (mode 0700) and the file (mode 0600) if they do not exist,
// recovers a damaged file, and marks answers as interrupted whose program ended while they were streaming.
//
// A file that cannot be written is opened for reading only: Notices says so, and methods that write return ErrReadOnly.
// A file with the schema of another version is not opened; the error is sqlite.ErrOtherBuild. The path InMemory keeps
// everything in memory.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	var err error
	if path != sqlite.InMemory {
		path, err = locate(path, o.ReadOnly)
	}
	s := unopened(path, o)
	switch {
	case err != nil:
	case path == sqlite.InMemory:
		// A single connection, because each connection to :memory: has a database of its own.
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

// unopened returns a store without connections.
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

// recoveryTimeout is how long to wait for another program that has the damaged file open. A command ends soon, and so
// does a window that is recovering the file.
const recoveryTimeout = 3 * time.Second

// errOpenElsewhere is the reason why a damaged file is not recovered now.
var errOpenElsewhere = fmt.Errorf("%w, and it is open in another window; close that window and start winnow again to "+
	"recover what can be read", ErrDamaged)

// openOrRecover opens the file for writing. It recovers a damaged file first, and falls back to reading only if the
// file cannot be written.
func (s *Store) openOrRecover(ctx context.Context) error {
	damaged := false
	err := Retry(ctx, min(s.busyTimeout, recoveryTimeout), func() error {
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
	case errors.Is(err, ErrDiskFull) && !damaged: // a damaged file is not shown before it is recovered
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

// checkedAtOnce is the largest size in bytes of a file that is checked completely each time it is opened. A larger one
// is checked once a day, by BackUpToday. The limit is a size and not a duration, so that a busy machine does not skip
// the check.
const checkedAtOnce = 8 << 20

// checkFile looks for damage without changing the file. It reads the header and, if the file is small or damage was
// noticed earlier, everything. It must run before the first connection that would change the journal mode of a file
// that may not be winnow's.
func (s *Store) checkFile(ctx context.Context) error {
	size, journal := sqlite.FileSize(s.path), sqlite.FileSize(s.path+"-wal")
	if size == 0 && journal > 0 {
		// SQLite would treat the file as new and delete its write-ahead log.
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
			s.notices = []string{fmt.Sprintf("There is no chat history here, but a backup of %s. "+
				"Restore it with winnow db restore latest.", b.Day.Format(time.DateOnly))}
		}
	}
	if sqlite.IsNotHistory(err) && recovery.IsDamagedHistory(s.path) {
		err = fmt.Errorf("%w: the header is unreadable", ErrDamaged)
	}
	return err
}

// openWritable opens the file for writing, creates the schema if necessary and interrupts the answers of dead programs.
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

// openReadOnly opens the file for reading only. In a folder without write permission, and on a full disk, SQLite cannot
// share the file with writers. Then the file is read as immutable, which is safe only without a write-ahead log; with a
// log it is opened exclusively.
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
	err = Retry(ctx, s.busyTimeout, func() error {
		// Reopen on each try: a window that recovers the file replaces it.
		s.closePools()
		s.reads = sqlite.OpenPool(s.path, mode, 1)
		there, err = sqlite.HasSchema(ctx, s.reads)
		return err
	})
	return there, err
}

// create creates the schema in a new file, in one transaction, so that no other program sees half of it.
func (s *Store) create(ctx context.Context) error {
	return s.transact(ctx, s.durable, func(t *tx) { sqlite.CreateSchema(t.Tx) })
}

// Path returns the absolute path of the file with symbolic links resolved, or InMemory.
func (s *Store) Path() string { return s.path }

// ReadOnly reports whether the store is open for reading only.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Salvaged reports whether Open recovered a damaged file. Notices describes the outcome.
func (s *Store) Salvaged() bool { return s.salvaged != nil }

// Notices returns what the user should know about how the file was opened, one sentence each.
func (s *Store) Notices() []string { return slices.Clone(s.notices) }

// damageMarker returns the path of an empty file that records that damage was noticed, so that the next Open checks the
// whole file.
func (s *Store) damageMarker() string { return s.path + ".look" }

// markDamaged creates the damage marker if err reports a damaged file, and returns err. A damaged search index alone
// needs no marker, because it is rebuilt at once.
func (s *Store) markDamaged(err error) error {
	if sqlite.IsDamaged(err) && !indexDamaged(err) && !s.readOnly && s.path != sqlite.InMemory {
		_ = os.WriteFile(s.damageMarker(), nil, 0o600) // without it the next Open checks less
	}
	return err
}

// Close marks the answers that this store is streaming as interrupted and closes the file. The last store to close a
// file moves its write-ahead log into it.
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

// locate returns the absolute path with symbolic links resolved, so that windows that name a file differently agree on
// it. Unless mustExist, it creates the folder (mode 0700) and the file (mode 0600) if they do not exist.
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

// salvage recovers what is readable in a damaged history. It writes the readable rows to a new file, adds rows that
// only the newest intact backup has, sets the damaged file aside unchanged, and puts the new file in its place. If it
// fails, nothing has changed. No other program may have the file open meanwhile, because what it wrote would be lost.
func (s *Store) salvage(ctx context.Context, damaged os.FileInfo) error {
	var saved recovery.Result
	_, err := backup.ReplaceDatabase(s.path, "damaged", s.now(), func(aside, draft string) (err error) {
		if now, err := os.Stat(s.path); err != nil || !os.SameFile(damaged, now) {
			return ErrBusy // another window has just recovered it
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
		return sqlite.Explain("recover the damaged chat history", s.path, err)
	}
	os.Remove(s.damageMarker())
	s.salvaged = &saved
	s.notices = append(s.notices, saved.String())
	return s.openWritable(ctx)
}
