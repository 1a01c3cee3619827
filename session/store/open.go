package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"winnow/session/store/owner"
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
	path     string
	now      func() time.Time
	redact   func(string) string // nil where nothing is taken out
	patience time.Duration
	readOnly bool
	frozen   string // why, "" where the caller asked for it
	notices  []string

	full  *sql.DB // one connection, synchronous FULL
	quick *sql.DB // one connection, synchronous NORMAL
	reads *sql.DB // a few connections, query_only

	writing chan struct{} // holds a token while a writer of this store is at work

	opened   os.FileInfo       // the file that was opened: another may take its place
	retired  *os.File          // a damaged file that was set aside, locked so that nobody takes it for the history
	salvaged *recovery.Salvage // what became of a damaged file, nil where it was not
	fresh    bool              // nothing was in the file
	checked  atomic.Bool       // the whole file was read and is sound

	mu     sync.Mutex
	newest newestPlan // the plan that was stored last

	owner *owner.Owner   // who this store is for its unfinished answers and leases
	held  map[string]int // how often this store's window has a session open, by id
}

// Open opens the chat history at path, and makes the folder (0700) and the file (0600) where they
// are missing. It marks answers as interrupted that a program left behind unfinished when it died.
//
// A file that cannot be written is opened for reading only: Notices says so, and methods that write return
// ErrReadOnly. One of another build is left as it is, with ErrOtherBuild. The path sqlite.Memory keeps everything in
// memory.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	s := &Store{path: path, now: o.Now, redact: o.Redact, patience: patience, writing: make(chan struct{}, 1)}
	if s.now == nil {
		s.now = time.Now
	}
	if path == sqlite.Memory {
		s.owner = owner.New(path)
		// One connection for everything: each further one would see a database of its own.
		s.full = sqlite.Pool(sqlite.Memory, sqlite.Durable, 1)
		s.quick, s.reads = s.full, s.full
		return s.ready(s.create(ctx))
	}
	var err error
	if s.path, err = locate(path, o.ReadOnly); err != nil {
		return nil, err
	}
	s.owner = owner.New(s.path)
	if o.ReadOnly {
		return s.ready(s.freeze(ctx))
	}
	err = s.sound(ctx)
	for errors.Is(err, errReplaced) && ctx.Err() == nil {
		if s.path, err = locate(path, false); err == nil {
			s.owner = owner.New(s.path)
			err = s.sound(ctx)
		}
	}
	if err == nil {
		s.offerBackup(ctx)
		return s, nil
	}
	s.closePools()
	switch {
	case errors.Is(err, errHeld):
		s.frozen = errHeld.Error()
		s.notices = []string{fmt.Sprintf("In %s %s. Until then it is open read-only.", s.path, errHeld)}
	case errors.Is(err, ErrDiskFull) && s.retired == nil: // what a damaged file holds is not shown before it is saved
		s.frozen = "the disk is full; free some space and start winnow again"
		const full = "The disk is full: %s is open read-only. Free some space and start winnow again."
		s.notices = []string{fmt.Sprintf(full, s.path)}
	case errors.Is(err, ErrReadOnly), errors.Is(err, ErrNoAccess):
		s.frozen = "there is no permission to write the file"
		s.notices = []string{fmt.Sprintf("There is no permission to write %s: it is open read-only.", s.path)}
	default:
		return nil, err
	}
	if s.freeze(ctx) != nil {
		s.closePools()
		return nil, err
	}
	return s, nil
}

// sound opens the file for writing. A damaged one is set aside first, and what it holds is saved. It
// returns errReplaced where another window was faster to do that.
func (s *Store) sound(ctx context.Context) error {
	found, err := os.Stat(s.path)
	if err != nil {
		return explain("open the chat history", s.path, err)
	}
	if err = s.inspect(ctx); err == nil {
		err = s.begin(ctx)
	}
	if !sqlite.IsDamage(err) {
		return err
	}
	s.closePools()
	if err := s.salvage(ctx, found); err != nil {
		return err
	}
	return s.begin(ctx)
}

// begin opens the file for writing and makes it ready.
func (s *Store) begin(ctx context.Context) error {
	doing := "open the chat history"
	s.reads = sqlite.Pool(s.path, sqlite.Reading, 4)
	// Whose file it is, is asked before the first connection that would change its journal mode.
	there, err := s.hasSchema(ctx)
	if err != nil {
		return explain(doing, s.path, err)
	}
	s.fresh = !there
	if s.opened, err = os.Stat(s.path); err != nil {
		return explain(doing, s.path, err)
	}
	s.full = sqlite.Pool(s.path, sqlite.Durable, 1)
	s.quick = sqlite.Pool(s.path, sqlite.Quick, 1)
	if err := s.create(ctx); err != nil {
		return explain(doing, s.path, err)
	}
	cut, err := s.interruptDead(ctx)
	if err != nil {
		return err
	}
	if cut == 1 {
		s.notices = append(s.notices, "An answer was cut off when winnow ended unexpectedly. What had arrived is kept.")
	}
	if cut > 1 {
		const many = "%d answers were cut off when winnow ended unexpectedly. What had arrived is kept."
		s.notices = append(s.notices, fmt.Sprintf(many, cut))
	}
	return nil
}

// freeze opens the file for reading only. In a folder that may not be written, and on a full disk, SQLite
// cannot share the file with a writer. Then it is read as it stands, which is safe only without a journal;
// with one it is read alone.
func (s *Store) freeze(ctx context.Context) error {
	s.readOnly = true
	doing := "open the chat history"
	read := func(m sqlite.Mode, connections int) (bool, error) {
		s.reads = sqlite.Pool(s.path, m, connections)
		return s.hasSchema(ctx)
	}
	there, err := read(sqlite.ReadOnly, 4)
	if err != nil && !sqlite.HasJournal(s.path) {
		s.reads.Close()
		there, err = read(sqlite.Immutable, 4)
	} else if errors.Is(explain(doing, s.path, err), ErrDiskFull) {
		s.reads.Close()
		there, err = read(sqlite.Exclusive, 1)
	}
	if err != nil {
		return explain(doing, s.path, err)
	}
	if !there {
		return &sqlite.Error{Doing: doing, Where: s.path, Kind: errEmpty}
	}
	return nil
}

// errEmpty is why an empty file cannot be read.
var errEmpty = fmt.Errorf("%w: the file is empty", ErrNotHistory)

// create makes the schema in a new file, in one transaction, so that nobody finds it half made.
func (s *Store) create(ctx context.Context) error {
	return s.transact(ctx, s.full, func(t *tx) { t.fail(sqlite.Create(ctx, t.Tx)) })
}

func (s *Store) hasSchema(ctx context.Context) (there bool, err error) {
	err = s.retry(ctx, func() error {
		there, err = sqlite.HasSchema(ctx, s.reads)
		return err
	})
	return there, err
}

// ready returns the store, or closes it where making it ready failed.
func (s *Store) ready(err error) (*Store, error) {
	if err != nil {
		s.closePools()
		return nil, explain("open the chat history", s.path, err)
	}
	return s, nil
}

// Path returns the file's absolute path with its symbolic links resolved, or sqlite.Memory.
func (s *Store) Path() string { return s.path }

// ReadOnly reports whether the store can only be read.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Salvaged says what became of a damaged history that this opening met, and false where it met none.
func (s *Store) Salvaged() (recovery.Salvage, bool) {
	if s.salvaged == nil {
		return recovery.Salvage{}, false
	}
	return *s.salvaged, true
}

// Notices returns what the user should know about how the file was opened: one sentence each.
func (s *Store) Notices() []string { return slices.Clone(s.notices) }

// Close marks what this store still streams as interrupted and closes the file.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := s.disown(ctx)
	if !s.readOnly && s.path != sqlite.Memory && s.inPlace("close the chat history") == nil {
		// Left to the last one to close where others still have the file open.
		s.full.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	err = errors.Join(err, explain("close the chat history", s.path, s.closePools()))
	if s.retired != nil {
		s.retired.Close()
	}
	return err
}

func (s *Store) closePools() error {
	var errs []error
	for _, db := range []*sql.DB{s.reads, s.quick, s.full} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}
