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

// tx is a transaction of this store.
type tx struct {
	*sqlite.Tx
	clean func(string) string // takes the secrets out of what is stored
}

// notFound fails with ErrNotFound, naming what was looked for.
func (t *tx) notFound(what string, args ...any) {
	t.Fail(&sqlite.Error{Doing: fmt.Sprintf(what, args...), Kind: ErrNotFound})
}

// busyTimeout is how long a transaction waits for other programs before the user hears of it.
const busyTimeout = 15 * time.Second

// save runs f in one transaction that is on the disk when save returns.
func (s *Store) save(ctx context.Context, doing string, f func(t *tx)) error {
	return s.change(ctx, s.durable, doing, f)
}

// saveFast runs f in one transaction that survives the end of this program at once, and a power cut a
// moment later.
func (s *Store) saveFast(ctx context.Context, doing string, f func(t *tx)) error {
	return s.change(ctx, s.fast, doing, f)
}

// view runs f in one reading transaction: everything it reads belongs to one moment.
func (s *Store) view(ctx context.Context, doing string, f func(t *tx)) error {
	return s.markDamaged(sqlite.Explain(doing, s.path, s.transact(ctx, s.reads, f)))
}

// change runs f in one writing transaction. The writers of this store queue here in order; writers
// of other programs are waited for. A search index that is damaged is made anew. f may run several times.
func (s *Store) change(ctx context.Context, db *sql.DB, doing string, f func(t *tx)) error {
	return s.write(ctx, doing, func() error {
		err := s.transact(ctx, db, f)
		if !indexDamaged(err) {
			return err
		}
		return s.transact(ctx, db, func(t *tx) { renewIndex(t); f(t) })
	})
}

// write runs f as the only writer of this store, on the file that was opened.
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
	// What was committed to a file that has been taken away is not kept: the user hears of it.
	return s.checkInPlace(doing)
}

// checkInPlace returns an error where the file that is open is no longer under its name. SQLite would
// go on writing to it, and nobody would find that again.
func (s *Store) checkInPlace(doing string) error {
	now, err := os.Stat(s.path)
	if s.opened == nil || err == nil && os.SameFile(s.opened, now) {
		return nil
	}
	return &sqlite.Error{Doing: doing, Where: s.path, Kind: ErrMoved, Cause: err}
}

// transact runs f in one transaction, and again while other programs hold the file.
func (s *Store) transact(ctx context.Context, db *sql.DB, f func(t *tx)) error {
	return retry(ctx, s.busyTimeout, func() error {
		return sqlite.InTx(ctx, db, func(of *sqlite.Tx) { f(&tx{of, s.clean}) })
	})
}

// transactor is Store.view, Store.save or Store.saveFast.
type transactor func(ctx context.Context, doing string, f func(t *tx)) error

// inTx runs f in one transaction and returns its result, the zero value with an error.
func inTx[T any](ctx context.Context, transact transactor, doing string, f func(t *tx) T) (T, error) {
	var out, none T
	if err := transact(ctx, doing, func(t *tx) { out = f(t) }); err != nil {
		return none, err
	}
	return out, nil
}

// withSession is inTx with the key of a session.
func withSession[T any](
	ctx context.Context, transact transactor, doing, session string, f func(t *tx, n int64) T,
) (T, error) {
	return inTx(ctx, transact, doing, func(t *tx) T { return f(t, sessionKey(t, session)) })
}

// retry tries again while other programs hold the file, for as long as patience lasts. SQLite's own waiting is not
// enough: it gives up at once in some states, and knows no context.
func retry(ctx context.Context, patience time.Duration, try func() error) error {
	for end := time.Now().Add(patience); ; {
		err := try()
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if !sqlite.IsBusy(err) || time.Now().After(end) {
			return err
		}
		// A random pause, so that programs that collided once do not collide again.
		time.Sleep(time.Millisecond + rand.N(9*time.Millisecond))
	}
}

// What can go wrong with the history file, in the user's words. Errors of this package match them
// with errors.Is; their text never holds SQLite's own.
var (
	ErrNotFound    = sqlite.ErrNotFound
	ErrAmbiguous   = errors.New("the beginning of an id fits several sessions")
	ErrReadOnly    = sqlite.ErrReadOnly
	ErrBusy        = sqlite.ErrBusy
	ErrDiskFull    = sqlite.ErrDiskFull
	ErrNoAccess    = sqlite.ErrNoAccess
	ErrNotHistory  = sqlite.ErrNotHistory
	ErrDamaged     = sqlite.ErrDamaged
	ErrMoved       = errors.New("the file was moved, deleted or replaced while winnow had it open; start winnow again")
	ErrNotStreamed = errors.New("this window does not stream that answer")
)

// readOnlyError reports that nothing is written, and where it is known, why.
func (s *Store) readOnlyError(doing string) error {
	kind := ErrReadOnly
	if s.readOnlyReason != "" {
		kind = fmt.Errorf("%w: %s", ErrReadOnly, s.readOnlyReason)
	}
	return &sqlite.Error{Doing: doing, Where: s.path, Kind: kind}
}

// The ids of messages, requests, summaries, registers and tombstones are global: they are given once, whichever machine
// gives them, so that histories can be merged row by row. An id is a time in milliseconds and the number of the machine
// in the lowest bits, 53 bits in all, so that it fits a rowid and a number in JSON.
//
// The ids of what is imported from another program are made of the file alone: see importing.messageID.
//
// The time is a hybrid clock: it follows the wall clock and never falls behind an id that the file has. So a message is
// always greater than the one it follows, and what is set later has the greater stamp, whatever the wall clock does.
const (
	numberBits = 12
	idStep     = 1 << numberBits // between two ids that one machine gives one after the other
)

// maxClockAhead is how far beyond the time the clock of another machine may be.
const maxClockAhead = 24 * time.Hour

// newID gives one id. Where the history is shared, the other machines are to be told of the row that gets it.
func (s *Store) newID(t *tx) int64 {
	id := sqlite.Value[int64](t, `
		UPDATE home
		SET clock = max(clock + 1, ?1)
		RETURNING clock << ?2 | number`, s.now().UnixMilli(), numberBits)
	queueForSync(t, id)
	return id
}

// queueForSync has the other machines told of rows, where the history is shared: they are new, or changed after the
// machines were told of them.
func queueForSync(t *tx, ids ...int64) {
	t.Exec(`
		INSERT OR IGNORE INTO untold (id)
		SELECT value FROM home CROSS JOIN json_each(?) WHERE folder <> ''`, sqlite.JSONArray(ids))
}
