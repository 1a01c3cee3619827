package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"
)

// steps are the steps of the schema, with the code of those that SQL alone cannot take.
func steps() ([]sqlite.Step, error) {
	all, err := sqlite.Steps()
	if err != nil {
		return nil, err
	}
	all[14-1].Then = verdicts.FromPacked
	return all, nil
}

// migrate applies the steps that the file lacks. A new file gets them all in one transaction, so that
// nobody finds it half made. A file that holds something is copied first; then each step is one
// transaction, so that a crash leaves the file at one step or the next, and two programs that migrate
// at once take turns.
func (s *Store) migrate(ctx context.Context, all []sqlite.Step) error {
	version, err := s.schemaVersion(ctx, s.full)
	if err != nil {
		return err
	}
	if 0 < version && version < len(all) {
		if err := s.backupBefore(ctx, version); err != nil {
			return err
		}
	}
	for {
		err := s.transact(ctx, s.full, func(tx *sql.Tx) error {
			var err error
			version, err = sqlite.StepUp(ctx, tx, all)
			return err
		})
		if err != nil || version >= len(all) {
			return err
		}
	}
}

func (s *Store) schemaVersion(ctx context.Context, db *sql.DB) (version int, err error) {
	err = s.retry(ctx, func() error {
		version, err = sqlite.SchemaVersion(ctx, db)
		return err
	})
	return version, err
}

// backupBefore copies the file beside itself, named for the version it has, and says so in the
// notices. The copy takes its name only when it is whole, and still of that version: where another
// program has changed the format meanwhile, that one has copied it.
func (s *Store) backupBefore(ctx context.Context, version int) error {
	name := fmt.Sprintf("%s.schema-%d-%s.bak", s.path, version, s.now().UTC().Format("20060102-150405"))
	doing := "copy the chat history before changing its format"
	draft, err := backup.Draft(name)
	if err != nil {
		return explain(doing, name, err)
	}
	defer backup.Discard(draft)
	if err := sqlite.Copy(ctx, s.full, draft); err != nil {
		return explain(doing, name, err)
	}
	if now, err := sqlite.SchemaVersion(ctx, s.full); err != nil || now != version {
		return err
	}
	if err := os.Rename(draft, name); err != nil {
		return explain(doing, name, err)
	}
	s.notices = append(s.notices, fmt.Sprintf("The chat history was converted to a new format; the old file was copied to %s.", name))
	return nil
}
