package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"winnow/session/store/sqlite"
)

// tx is a transaction of a store.
type tx struct {
	*sqlite.Tx
	clean func(string) string // removes secrets from texts before they are stored
}

// notFound fails with ErrNotFound and names what was looked for.
func (t *tx) notFound(what string, args ...any) {
	t.Fail(&sqlite.Error{Doing: fmt.Sprintf(what, args...), Kind: ErrNotFound})
}

// busyTimeout is how long a transaction waits for other programs before it fails with ErrBusy.
const busyTimeout = 15 * time.Second

// save runs f in one transaction that is on disk when save returns.
func (s *Store) save(ctx context.Context, doing string, f func(t *tx)) error {
	return s.change(ctx, s.durable, doing, f)
}

// saveFast runs f in one transaction that survives a crash of the program immediately, and a power cut a moment later.
func (s *Store) saveFast(ctx context.Context, doing string, f func(t *tx)) error {
	return s.change(ctx, s.fast, doing, f)
}

// view runs f in one read transaction, so that all it reads is from one snapshot.
func (s *Store) view(ctx context.Context, doing string, f func(t *tx)) error {
	return s.markDamaged(sqlite.Explain(doing, s.path, s.transact(ctx, s.reads, f)))
}

// change runs f in one write transaction. Writers of this store take turns; writers in other programs are waited for.
// If the search index is damaged, it is replaced and f runs again. f may run several times.
func (s *Store) change(ctx context.Context, db *sql.DB, doing string, f func(t *tx)) error {
	return s.write(ctx, doing, func() error {
		err := s.transact(ctx, db, f)
		if !indexDamaged(err) {
			return err
		}
		return s.transact(ctx, db, func(t *tx) { renewIndex(t); f(t) })
	})
}

// write runs f as the only writer of this store, and verifies that the file is still in place.
func (s *Store) write(ctx context.Context, doing string, f func() error) error {
	if s.readOnly {
		return s.readOnlyError(doing)
	}
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return sqlite.Explain(doing, s.path, ctx.Err())
	}
	if err := f(); err != nil {
		return s.markDamaged(sqlite.Explain(doing, s.path, err))
	}
	// What was committed to a file that is no longer in place is lost, so report it.
	return s.checkInPlace(doing)
}

// checkInPlace returns ErrMoved if the open file no longer has its name. SQLite would keep writing to a file that
// nobody can find.
func (s *Store) checkInPlace(doing string) error {
	now, err := os.Stat(s.path)
	if s.opened == nil || err == nil && os.SameFile(s.opened, now) {
		return nil
	}
	return &sqlite.Error{Doing: doing, Where: s.path, Kind: ErrMoved, Cause: err}
}

// transact runs f in one transaction, and again while other programs hold the lock.
func (s *Store) transact(ctx context.Context, db *sql.DB, f func(t *tx)) error {
	return Retry(ctx, s.busyTimeout, func() error {
		return sqlite.InTx(ctx, db, func(of *sqlite.Tx) { f(&tx{of, s.clean}) })
	})
}

// transactor is Store.view, Store.save or Store.saveFast.
type transactor func(ctx context.Context, doing string, f func(t *tx)) error

// inTx runs f in one transaction and returns its result, or the zero value with an error.
func inTx[T any](ctx context.Context, transact transactor, doing string, f func(t *tx) T) (T, error) {
	var out, none T
	if err := transact(ctx, doing, func(t *tx) { out = f(t) }); err != nil {
		return none, err
	}
	return out, nil
}

// withSession is inTx for one session. It passes the session's key to f.
func withSession[T any](
	ctx context.Context, transact transactor, doing, session string, f func(t *tx, n int64) T,
) (T, error) {
	return inTx(ctx, transact, doing, func(t *tx) T { return f(t, sessionKey(t, session)) })
}

// Errors of this package, for errors.Is. Their texts are sentences for the user and never contain SQLite's own.
var (
	ErrNotFound    = sqlite.ErrNotFound
	ErrAmbiguous   = errors.New("the beginning of an id matches several chats")
	ErrReadOnly    = sqlite.ErrReadOnly
	ErrBusy        = sqlite.ErrBusy
	ErrDiskFull    = sqlite.ErrDiskFull
	ErrNoAccess    = sqlite.ErrNoAccess
	ErrNotHistory  = sqlite.ErrNotHistory
	ErrDamaged     = sqlite.ErrDamaged
	ErrMoved       = errors.New("the file was moved, deleted or replaced while winnow had it open; start winnow again")
	ErrNotStreamed = errors.New("this window does not stream that answer")
)

// readOnlyError returns ErrReadOnly with the reason, if it is known.
func (s *Store) readOnlyError(doing string) error {
	kind := ErrReadOnly
	if s.readOnlyReason != "" {
		kind = fmt.Errorf("%w: %s", ErrReadOnly, s.readOnlyReason)
	}
	return &sqlite.Error{Doing: doing, Where: s.path, Kind: kind}
}

// The ids of messages, requests, summaries, registers and tombstones are unique across machines, so that histories can
// be merged row by row. An id is a time in milliseconds, followed by the 12-bit number of the machine: 53 bits in all,
// which fit an SQLite rowid and a JSON number.
//
// The ids of imported messages are derived from the imported file: see importing.messageID.
//
// The time is a hybrid clock: it follows the wall clock but never falls behind an id in the file. So a message always
// has a greater id than its parent, and a later change a greater stamp, whatever the wall clock does.
const (
	numberBits = 12
	idStep     = 1 << numberBits // distance between two consecutive ids of one machine
)

// maxClockAhead is how far the clock of another machine may be ahead.
const maxClockAhead = 24 * time.Hour

// newID assigns an id. If the history is synced, the row with that id is queued for sync.
func (s *Store) newID(t *tx) int64 {
	id := sqlite.QueryValue[int64](t, `
		UPDATE home
		SET clock = max(clock + 1, ?1)
		RETURNING clock << ?2 | number`, s.now().UnixMilli(), numberBits)
	queueForSync(t, id)
	return id
}

// queueForSync queues rows that are new or have changed, if the history is synced.
func queueForSync(t *tx, ids ...int64) {
	t.Exec(`
		INSERT OR IGNORE INTO untold (id)
		SELECT value FROM home CROSS JOIN json_each(?) WHERE folder <> ''`, sqlite.JSONArray(ids))
}

// Retry calls try until it does not fail with a busy error, or until patience has passed. SQLite's busy timeout is not
// enough: it gives up immediately in some states and does not know about contexts.
func Retry(ctx context.Context, patience time.Duration, try func() error) error {
	for end := time.Now().Add(patience); ; {
		err := try()
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if !sqlite.IsBusy(err) || time.Now().After(end) {
			return err
		}
		// A random pause keeps programs from colliding again.
		time.Sleep(time.Millisecond + rand.N(9*time.Millisecond))
	}
}

// Rewrite writes the whole database anew and truncates its write-ahead log, so that no byte of a deleted row is left
// in either file. PRAGMA secure_delete is not enough: when SQLite rearranges the rows of a page, copies of deleted
// rows can stay in its unused part. Rewrite waits up to patience for other programs, twice.
func Rewrite(ctx context.Context, db *sql.DB, patience time.Duration) error {
	err := Retry(ctx, patience, func() error {
		// The temporary copy is made on disk, because a large file does not fit in memory. SQLite unlinks its temporary
		// file as soon as it is open.
		_, err := db.ExecContext(ctx, "PRAGMA temp_store = FILE; VACUUM")
		return err
	})
	if err != nil {
		return err
	}
	return Retry(ctx, patience, func() error { return sqlite.TruncateWAL(ctx, db) })
}
