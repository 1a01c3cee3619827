package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// The schema, a file for each step. A released step is never edited: a change is a new file.
//
//go:embed schema/*.sql
var schemaFiles embed.FS

// applicationID marks a file as winnow's: "winn".
const applicationID = 0x77696e6e

// step takes the schema from number-1 to number.
type step struct {
	number int
	name   string
	sql    string
}

// steps returns the embedded steps in order. They are numbered from 1 without a gap.
func steps() ([]step, error) {
	entries, err := schemaFiles.ReadDir("schema")
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var all []step
	for i, e := range entries {
		text, err := schemaFiles.ReadFile(path.Join("schema", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		digits, _, _ := strings.Cut(e.Name(), "_")
		number, err := strconv.Atoi(digits)
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("read the schema: %s stands where step %d belongs", e.Name(), i+1)
		}
		all = append(all, step{number, e.Name(), string(text)})
	}
	return all, nil
}

// Schema returns the SQL of all steps in order, for the documentation.
func Schema() string {
	all, err := steps()
	if err != nil {
		panic(err) // the files are part of the program
	}
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.sql)
	}
	return b.String()
}

// newerError says that the file was written by a later winnow.
type newerError struct{ have, know int }

func (e *newerError) Error() string {
	return fmt.Sprintf("the chat history was written by a newer winnow (schema %d, this one knows %d)", e.have, e.know)
}

// querier is what *sql.DB, *sql.Conn and *sql.Tx have in common for reading.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schemaVersion returns the number of the last step that was applied to a file, 0 for an empty
// one, and an error for a database of another program.
func schemaVersion(ctx context.Context, q querier) (int, error) {
	var app, version, things int
	err := q.QueryRowContext(ctx, `
		SELECT
			(SELECT application_id FROM pragma_application_id),
			(SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM sqlite_schema)`).Scan(&app, &version, &things)
	if err != nil {
		return 0, err
	}
	if app == applicationID {
		return version, nil
	}
	if app == 0 && version == 0 && things == 0 {
		return 0, nil
	}
	return 0, &trouble{
		doing: "open the chat history",
		kind:  ErrNotHistory,
		cause: errors.New("an SQLite database of another program"),
	}
}

// migrate applies the steps that the file lacks. A new file gets them all in one transaction, so that
// nobody finds it half made. A file that holds something is copied first; then each step is one
// transaction, so that a crash leaves the file at one step or the next, and two programs that migrate
// at once take turns.
func (s *Store) migrate(ctx context.Context, all []step) error {
	var version int
	err := s.insist(ctx, func() error {
		var err error
		version, err = schemaVersion(ctx, s.full)
		return err
	})
	if err != nil {
		return err
	}
	if 0 < version && version < len(all) {
		if err := s.backupBefore(ctx, version); err != nil {
			return err
		}
	}
	for {
		err := s.insist(ctx, func() error {
			return once(ctx, s.full, func(tx *sql.Tx) error {
				var err error
				version, err = stepUp(ctx, tx, all)
				return err
			})
		})
		if err != nil || version >= len(all) {
			return err
		}
	}
}

// stepUp applies the next step, to a new file all of them, and returns the version then reached. Writing the version when there
// is nothing to do costs nothing on disk, but finds out whether the file can be written at all.
func stepUp(ctx context.Context, tx *sql.Tx, all []step) (int, error) {
	version, err := schemaVersion(ctx, tx)
	if err != nil {
		return 0, err
	}
	if version > len(all) {
		return 0, &newerError{version, len(all)}
	}
	fresh := version == 0
	for version < len(all) {
		next := all[version]
		if _, err := tx.ExecContext(ctx, next.sql); err != nil {
			return 0, fmt.Errorf("apply schema step %s: %w", next.name, err)
		}
		if version = next.number; !fresh {
			break
		}
	}
	// PRAGMA takes no parameters; both values are numbers of ours.
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version))
	return version, err
}

// backupBefore copies the file beside itself, named for the version it has, and says so in the
// notices. The copy takes its name only when it is whole, and still of that version: where another
// program has changed the format meanwhile, that one has copied it.
func (s *Store) backupBefore(ctx context.Context, version int) error {
	name := fmt.Sprintf("%s.schema-%d-%s.bak", s.path, version, s.now().UTC().Format("20060102-150405"))
	doing := "copy the chat history before changing its format"
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return explain(doing, name, err)
	}
	draft := f.Name()
	defer os.Remove(draft)
	if err := errors.Join(f.Close(), copyDatabase(ctx, s.full, draft)); err != nil {
		return explain(doing, name, err)
	}
	if now, err := schemaVersion(ctx, s.full); err != nil || now != version {
		return err
	}
	if err := os.Rename(draft, name); err != nil {
		return explain(doing, name, err)
	}
	s.notices = append(s.notices, fmt.Sprintf("The chat history was brought to a new format; a copy of the old one is %s.", name))
	return nil
}

// copyPatience is how long a copy may take: it keeps the write-ahead log from shrinking meanwhile.
const copyPatience = 10 * time.Minute

// copyDatabase makes a consistent copy of a whole database with SQLite's backup interface, while
// others may go on using it. The file at path is overwritten.
func copyDatabase(ctx context.Context, source *sql.DB, path string) error {
	ctx, cancel := context.WithTimeout(ctx, copyPatience)
	defer cancel()
	return copyInSteps(ctx, source, path, ctx.Err)
}

// copyInSteps is copyDatabase; an error of between, which is called after each step of 1,000 pages, ends it.
func copyInSteps(ctx context.Context, source *sql.DB, path string, between func() error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	from, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := (&sqlite3.SQLiteDriver{}).Open(dsn(path, plain))
	if err != nil {
		return err
	}
	// All steps read within one transaction. Otherwise each write of another connection would make the
	// backup start again, and beside a streaming answer it would never end.
	if _, err := from.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return errors.Join(err, to.Close())
	}
	var things int
	copied := from.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&things) // the transaction begins to read
	if copied == nil {
		copied = from.Raw(func(c any) error {
			b, err := to.(*sqlite3.SQLiteConn).Backup("main", c.(*sqlite3.SQLiteConn), "main")
			if err != nil {
				return err
			}
			for done := false; !done && err == nil; {
				if done, err = b.Step(1000); err == nil {
					err = between()
				}
			}
			return errors.Join(err, b.Finish())
		})
	}
	_, err = from.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(copied, err, to.Close())
}
