package store

import (
	"context"
	"fmt"
	"slices"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
)

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
	c.Bytes = sqlite.Size(s.path) + sqlite.Size(s.path+"-wal")
	doing := "check the chat history"
	tables, err := sqlite.DamagedTables(ctx, s.reads)
	if err != nil && !sqlite.IsDamage(err) {
		return c, explain(doing, s.path, err)
	}
	for _, table := range tables {
		c.Faults = append(c.Faults, fmt.Sprintf("the table %s is damaged", table))
		_ = s.mark(ErrDamaged)
	}
	err = s.view(ctx, doing, func(t *tx) {
		c.count(t)
		c.hashes(t)
		c.ties(t)
	})
	if sqlite.IsDamage(err) {
		c.Faults = append(c.Faults, "a part of the file cannot be read")
		err = nil
	}
	return c, err
}

func (c *CheckResult) count(t *tx) {
	t.row([]any{&c.Schema, &c.Sessions, &c.Messages, &c.Requests}, `
		SELECT
			(SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM sessions),
			(SELECT count(*) FROM messages),
			(SELECT count(*) FROM requests)`)
}

func (c *CheckResult) hashes(t *tx) {
	c.Damaged, c.Lost = nil, list[int64](t, `SELECT id FROM messages WHERE hash = x'' ORDER BY id`)
	for m := range eachMessage(t, true, "1") {
		if _, lost := slices.BinarySearch(c.Lost, m.ID); m.Damaged && !lost {
			c.Damaged = append(c.Damaged, m.ID)
		}
	}
}

// ties looks for rows whose session or message is not there, and for counts that are wrong.
func (c *CheckResult) ties(t *tx) {
	for _, tie := range []struct{ fault, rows string }{
		{"rows that belong to nothing", `pragma_foreign_key_check`},
		{"messages whose parent is not there", `messages m
			WHERE parent <> 0
				AND NOT EXISTS (SELECT 1 FROM messages p WHERE p.id = m.parent AND p.session = m.session)`},
		{"sessions that count their messages wrongly", `sessions s
			WHERE messages <> (SELECT count(*) FROM messages m WHERE m.session = s.n)`},
		{"sessions whose newest message is not there", `sessions s
			WHERE leaf <> 0
				AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = s.leaf AND m.session = s.n)`},
	} {
		if n := value[int](t, `SELECT count(*) FROM `+tie.rows); n > 0 {
			c.Faults = append(c.Faults, fmt.Sprintf("%s: %d", tie.fault, n))
		}
	}
}
