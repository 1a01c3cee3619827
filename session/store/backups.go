package store

import (
	"context"
	"fmt"
	"slices"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
)

// Backup copies the whole history to a new file at path. See backup.Write for its guarantees and errors.
func (s *Store) Backup(ctx context.Context, path string) error {
	return s.markDamaged(backup.Write(ctx, s.reads, s.path, path))
}

// BackUpToday writes today's automatic backup unless it exists already or the history has no messages. It returns the
// path of the new file, or "" if it wrote none. The error is ErrDamaged if not every row can be read; a damaged history
// is not backed up.
func (s *Store) BackUpToday(ctx context.Context) (string, error) {
	if s.readOnly || s.path == sqlite.InMemory {
		return "", nil
	}
	messages, err := inTx(ctx, s.view, "back up the chat history", func(t *tx) bool {
		return sqlite.QueryValue[bool](t, "SELECT EXISTS (SELECT 1 FROM messages)")
	})
	if err != nil || !messages {
		return "", err
	}
	return backup.WriteDaily(s.path, s.now(), func(to string) error { return s.Backup(ctx, to) })
}

// NewBackupPath returns a dated path in the backup folder for a backup that the user requests without naming a file.
func (s *Store) NewBackupPath() string { return backup.NewPath(s.path, s.now()) }

// NewestBackup returns the newest backup of this history, and false if there is none.
func (s *Store) NewestBackup() (backup.File, bool) {
	all := append(backup.List(s.path, s.now()), backup.File{})
	return all[0], len(all) > 1
}

// CheckResult is the result of checking the whole history.
type CheckResult struct {
	Path     string
	Schema   int
	Bytes    int64 // of the database and its write-ahead log
	Sessions int   // including those in the trash
	Messages int
	Requests int
	Damaged  []int64  // messages whose content no longer matches its hash
	Lost     []int64  // messages that lost their text in an earlier recovery
	SetAside []string // damaged files that an earlier recovery set aside and that still exist
	Faults   []string // other damage, one sentence each
}

// Sound reports whether nothing is damaged now. Messages that an earlier recovery lost do not count.
func (c CheckResult) Sound() bool { return len(c.Damaged) == 0 && len(c.Faults) == 0 }

// Check reads every page, index and message of the history, verifies the hashes of the messages and looks for rows that
// refer to missing ones. It changes nothing. Damage is reported in the CheckResult; the error is non-nil only if the
// check could not be made.
func (s *Store) Check(ctx context.Context) (CheckResult, error) {
	c := CheckResult{Path: s.path, SetAside: backup.DamagedFiles(s.path)}
	c.Bytes = sqlite.FileSize(s.path) + sqlite.FileSize(s.path+"-wal")
	err := s.view(ctx, "check the chat history", func(t *tx) {
		c.Faults = nil
		for _, table := range sqlite.List[string](t, sqlite.DamagedTablesQuery) {
			c.Faults = append(c.Faults, fmt.Sprintf("the table %s is damaged", table))
			_ = s.markDamaged(ErrDamaged)
		}
		t.Row([]any{&c.Schema, &c.Sessions, &c.Messages, &c.Requests}, `
			SELECT
				(SELECT user_version FROM pragma_user_version),
				(SELECT count(*) FROM sessions),
				(SELECT count(*) FROM messages),
				(SELECT count(*) FROM requests)`)
		c.Lost = sqlite.List[int64](t, `SELECT id FROM messages WHERE hash = x'' ORDER BY id`)
		c.Damaged = slices.DeleteFunc(damagedMessages(t.Tx), func(id int64) bool { return slices.Contains(c.Lost, id) })
		if n := sqlite.QueryValue[int](t, `SELECT count(*) FROM pragma_foreign_key_check`); n > 0 {
			c.Faults = append(c.Faults, fmt.Sprintf("rows that refer to missing rows: %d", n))
		}
	})
	if sqlite.IsDamaged(err) {
		c.Faults = append(c.Faults, "part of the file cannot be read")
		err = nil
	}
	return c, err
}

// damagedMessages returns the ids of the messages whose content does not match its hash.
func damagedMessages(of *sqlite.Tx) (all []int64) {
	for m := range eachMessage(&tx{Tx: of}, true, "1") {
		if m.Damaged {
			all = append(all, m.ID)
		}
	}
	return all
}
