package store

import (
	"context"
	"fmt"
	"slices"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
)

// Backup copies the whole history to a new file, as backup.Write does.
func (s *Store) Backup(ctx context.Context, path string) error {
	return s.markDamaged(backup.Write(ctx, s.reads, s.path, path))
}

// BackUpToday makes the automatic backup of this day, where one is due and there is a message to keep. A history whose
// rows cannot all be read is not backed up: the error is ErrDamaged. It returns the new file, "" for none.
func (s *Store) BackUpToday(ctx context.Context) (string, error) {
	if s.readOnly || s.path == sqlite.InMemory {
		return "", nil
	}
	messages, err := inTx(ctx, s.view, "back up the chat history", func(t *tx) bool {
		return sqlite.Value[bool](t, "SELECT EXISTS (SELECT 1 FROM messages)")
	})
	if err != nil || !messages {
		return "", err
	}
	return backup.WriteDaily(s.path, s.now(), func(to string) error { return s.Backup(ctx, to) })
}

// NewBackupPath is where a backup that the user asks for stands where no other name is given.
func (s *Store) NewBackupPath() string { return backup.NewPath(s.path, s.now()) }

// NewestBackup returns the newest backup of this history, and false where there is none.
func (s *Store) NewestBackup() (backup.File, bool) {
	all := append(backup.List(s.path, s.now()), backup.File{})
	return all[0], len(all) > 1
}

// CheckResult is what a check of the whole history found.
type CheckResult struct {
	Path     string
	Schema   int
	Bytes    int64 // of the file and its journal
	Sessions int   // those in the trash included
	Messages int
	Requests int
	Damaged  []int64  // messages that fail their hash
	Lost     []int64  // messages that were damaged when the file was saved from an earlier damage
	SetAside []string // the damaged files that were set aside then and are still there
	Faults   []string // sentences, without those about single messages
}

// Sound reports whether nothing is damaged now. What was lost by an earlier damage is no fault of the file.
func (c CheckResult) Sound() bool { return len(c.Damaged) == 0 && len(c.Faults) == 0 }

// Check reads everything: each page, each index, each message against its hash, and whether all that
// belongs to something finds it. It changes nothing. What it finds is in the CheckResult; the
// error is for a check that could not be made.
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
		if n := sqlite.Value[int](t, `SELECT count(*) FROM pragma_foreign_key_check`); n > 0 {
			c.Faults = append(c.Faults, fmt.Sprintf("rows that belong to nothing: %d", n))
		}
	})
	if sqlite.IsDamaged(err) {
		c.Faults = append(c.Faults, "a part of the file cannot be read")
		err = nil
	}
	return c, err
}

// damagedMessages are the messages of a history that fail their hash.
func damagedMessages(of *sqlite.Tx) (all []int64) {
	for m := range eachMessage(&tx{Tx: of}, true, "1") {
		if m.Damaged {
			all = append(all, m.ID)
		}
	}
	return all
}
