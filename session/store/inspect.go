package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"winnow/session/store/recovery"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// checkedAtOnce is how many bytes of a file are checked before it is opened for writing. A larger one is checked after
// the first frame, by Examine. Its size alone decides that: where a time did, a busy machine opened damaged files.
const checkedAtOnce = 8 << 20

// inspect looks at the file without changing a byte of it, and returns an error that is ErrDamaged
// where it is damaged. That it cannot be read for another reason is for the opening to say.
func (s *Store) inspect(ctx context.Context) error {
	doing := "open the chat history"
	size, journal := sqlite.Size(s.path), sqlite.Size(s.path+"-wal")
	if size == 0 && journal > 0 {
		// SQLite would take the file for a new one and throw its journal away.
		cause := errors.New("the file is empty and its journal is not")
		return &sqlite.Error{Doing: doing, Where: s.path, Kind: ErrDamaged, Cause: cause}
	}
	if size == 0 {
		return nil
	}
	err := s.retry(ctx, func() error {
		// Opened anew each time: a window that is saving a damaged file at this moment puts another in its place.
		db := sqlite.Pool(s.path, sqlite.ReadOnly, 1)
		defer db.Close()
		return s.examine(ctx, db)
	})
	if sqlite.IsForeign(err) && recovery.IsHistory(s.path) {
		err = fmt.Errorf("%w: nothing of the header is left", ErrDamaged)
	}
	switch {
	case sqlite.IsDamage(err):
		return &sqlite.Error{Doing: doing, Where: s.path, Kind: ErrDamaged, Cause: err}
	case sqlite.IsBusy(err), ctx.Err() != nil:
		return explain(doing, s.path, err)
	}
	return nil
}

// examine checks the header, the schema and, where a damage was met before or the file is small,
// everything.
func (s *Store) examine(ctx context.Context, db *sql.DB) error {
	there, err := sqlite.HasSchema(ctx, db)
	if err != nil || !there {
		return err
	}
	if err := checkChecks(ctx, db); err != nil {
		return err
	}
	if _, err := os.Stat(s.marker()); err == nil {
		return sqlite.CheckIntegrity(ctx, db)
	}
	if sqlite.Size(s.path)+sqlite.Size(s.path+"-wal") > checkedAtOnce {
		return nil
	}
	if err := sqlite.CheckIntegrity(ctx, db); err != nil {
		return err
	}
	s.checked.Store(true)
	return nil
}

// checkChecks makes the tables that have CHECK constraints in memory. A connection that may not write
// ignores the constraints, and one that may write fails where such a text is damaged.
func checkChecks(ctx context.Context, db *sql.DB) error {
	made, err := sqlite.Collect(ctx, db, sqlite.Only[string], `
		SELECT sql
		FROM sqlite_schema
		WHERE type = 'table'
			AND sql LIKE '%CHECK%'`)
	if err != nil {
		return err
	}
	memory := sqlite.Pool(sqlite.Memory, sqlite.Plain, 1)
	defer memory.Close()
	for _, text := range made {
		if _, err := memory.ExecContext(ctx, text); err != nil && ctx.Err() == nil {
			return fmt.Errorf("%w: its schema cannot be read: %w", ErrDamaged, err)
		}
	}
	return nil
}

// Examine checks the whole file where neither Open nor BackUpToday has, in the background, and returns an error that
// is ErrDamaged where it is damaged; the next Open then saves what can be read into a new file. It reads for one to
// four seconds for each 700 MB: records of requests take longer than messages.
func (s *Store) Examine(ctx context.Context) error {
	if s.checked.Load() || s.path == sqlite.Memory {
		return nil
	}
	err := sqlite.InBackground(func() error { return sqlite.CheckIntegrity(ctx, s.reads) })
	if err == nil {
		s.checked.Store(true)
	}
	return s.mark(explain("check the chat history", s.path, err))
}

// marker is a file that is beside the history where a damage was met: the next start then looks
// at everything. A search index alone is made anew at once.
func (s *Store) marker() string { return s.path + ".look" }

// mark makes the marker where an error is of a damaged file, and returns the error as it is.
func (s *Store) mark(err error) error {
	if sqlite.IsDamage(err) && !search.Damaged(err) && !s.readOnly && s.path != sqlite.Memory {
		if f, err := os.OpenFile(s.marker(), os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			f.Close() // without it the next start still finds what a quick look shows
		}
	}
	return err
}
