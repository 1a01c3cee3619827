package store

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"time"

	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// patience is how long a transaction waits for other programs before the user hears of it.
const patience = 15 * time.Second

// save runs f in one transaction that is on the disk when save returns.
func (s *Store) save(ctx context.Context, doing string, f func(tx *sql.Tx) error) error {
	return s.change(ctx, s.full, doing, f)
}

// jot runs f in one transaction that survives the end of this program at once, and a power cut a
// moment later.
func (s *Store) jot(ctx context.Context, doing string, f func(tx *sql.Tx) error) error {
	return s.change(ctx, s.quick, doing, f)
}

// change runs f in one writing transaction. The writers of this store queue here in order; writers
// of other programs are waited for. A search index that is damaged is made anew. f may run several times.
func (s *Store) change(ctx context.Context, db *sql.DB, doing string, f func(tx *sql.Tx) error) error {
	if s.readOnly {
		return s.refused(doing)
	}
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return explain(doing, s.path, ctx.Err())
	}
	if err := s.inPlace(); err != nil {
		return &sqlite.Error{Doing: doing, Where: s.path, Kind: ErrMoved, Cause: err}
	}
	err := s.transact(ctx, db, f)
	if search.Damaged(err) {
		err = s.transact(ctx, db, func(tx *sql.Tx) error { return search.Renew(ctx, tx) })
		if err == nil {
			err = s.transact(ctx, db, f)
		}
	}
	if err != nil {
		return s.mark(explain(doing, s.path, err))
	}
	// What was committed to a file that has just been taken away is not kept: the user hears of it.
	if err := s.inPlace(); err != nil {
		return &sqlite.Error{Doing: doing, Where: s.path, Kind: ErrMoved, Cause: err}
	}
	return nil
}

// inPlace returns an error where the file that is open is no longer under its name. SQLite would
// go on writing to it, and nobody would find that again.
func (s *Store) inPlace() error {
	if s.opened == nil {
		return nil
	}
	now, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if !os.SameFile(s.opened, now) {
		return errors.New("another file stands in its place")
	}
	return nil
}

// view runs f in one reading transaction: everything it reads belongs to one moment.
func (s *Store) view(ctx context.Context, doing string, f func(tx *sql.Tx) error) error {
	return s.mark(explain(doing, s.path, s.transact(ctx, s.reads, f)))
}

// transact runs f in one transaction, and again while other programs hold the file.
func (s *Store) transact(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) error) error {
	return s.retry(ctx, func() error { return sqlite.InTx(ctx, db, f) })
}

// inTx runs f in one transaction of the kind that transact makes, which is view, save or jot, and returns its
// result.
func inTx[T any](
	ctx context.Context, transact func(context.Context, string, func(*sql.Tx) error) error, doing string, f func(tx *sql.Tx) (T, error),
) (T, error) {
	var out T
	err := transact(ctx, doing, func(tx *sql.Tx) error {
		var err error
		out, err = f(tx)
		return err
	})
	return out, err
}

// execute runs a statement whose result nobody asks for.
func execute(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// idsWhere reads a column of ids.
func idsWhere(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]int64, error) {
	return sqlite.Collect(ctx, tx, sqlite.Only[int64], query, args...)
}

// withSession is inTx with the key of a session.
func withSession[T any](
	ctx context.Context, transact func(context.Context, string, func(*sql.Tx) error) error, doing, session string,
	f func(tx *sql.Tx, n int64) (T, error),
) (T, error) {
	return inTx(ctx, transact, doing, func(tx *sql.Tx) (out T, err error) {
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return out, err
		}
		return f(tx, n)
	})
}

// retry tries again while other programs hold the file, for as long as the store's patience lasts.
// SQLite's own waiting is not enough: it gives up at once in some states, and knows no context.
func (s *Store) retry(ctx context.Context, try func() error) error {
	end := time.Now().Add(s.patience)
	for {
		err := try()
		if sqlite.Ended(err) && ctx.Err() != nil {
			return ctx.Err()
		}
		if !sqlite.IsBusy(err) || time.Now().After(end) {
			return err
		}
		// A random pause, so that programs that collided once do not collide again.
		pause := time.NewTimer(time.Millisecond + time.Duration(rand.Int64N(int64(9*time.Millisecond))))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

// found turns "no rows" into ErrNotFound, naming what was looked for.
func found(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return &sqlite.Error{Doing: what, Kind: ErrNotFound}
	}
	return err
}
