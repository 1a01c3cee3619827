package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Repair is one fault of a stored message that was repaired on the way to a model.
type Repair struct {
	history.Repair           // Before and Remedy come back empty: the message has the damaged bytes, Remedies the remedy
	ID             int64     // set by the store
	Message        int64     // the message that has the fault
	BeforeHash     []byte    // SHA-256 of the damaged bytes
	Rules          int       // the version of the rules that repaired it last
	First, Last    time.Time // when it was first and last applied
	Undone         bool      // another remedy holds: the damaged message is not repaired, but sent as text or left out
}

// AddRepairs records repairs that were applied now, or what the user had sent instead. One that was
// applied before keeps its first date.
func (s *Store) AddRepairs(ctx context.Context, rules int, repairs map[int64][]history.Repair) error {
	return s.jot(ctx, "record the repairs", func(tx *sql.Tx) error {
		for message, of := range repairs {
			for _, r := range of {
				if err := s.putRepair(ctx, tx, rules, message, r); err != nil {
					return fmt.Errorf("message %d: %w", message, err)
				}
			}
		}
		return nil
	})
}

func (s *Store) putRepair(ctx context.Context, tx *sql.Tx, rules int, message int64, r history.Repair) error {
	before := sha256.Sum256([]byte(r.Before))
	return execute(ctx, tx, `
		INSERT INTO repairs (message, kind, before_hash, what, sent, rules, first_ms, last_ms, undone)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)
		ON CONFLICT (message, kind, before_hash) DO UPDATE
		SET what = ?4,
			sent = ?5,
			rules = ?6,
			last_ms = ?7,
			undone = ?8`,
		message, r.Kind, before[:], r.What, []byte(r.After), rules, s.now().UnixMilli(), r.Remedy != history.SendRepaired)
}

// Repairs returns the repairs of a session's messages, in the order of the messages.
func (s *Store) Repairs(ctx context.Context, session string) ([]Repair, error) {
	return inTx(ctx, s.view, "read the repairs", func(tx *sql.Tx) ([]Repair, error) {
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return nil, err
		}
		var out []Repair
		err = sqlite.EachRow(ctx, tx, "repairs WHERE "+ofSession+" ORDER BY message, id", func(row *repairRow) error {
			r := Repair{ID: row.ID, Message: row.Message, BeforeHash: row.Before, Rules: int(row.Rules), First: at(row.First), Last: at(row.Last), Undone: row.Undone}
			r.Kind, r.What, r.After = string(row.Kind), string(row.What), string(row.Sent)
			out = append(out, r)
			return nil
		}, n)
		return out, err
	})
}

// repairRow is the record of a repair with the column that its line does not have.
type repairRow struct {
	RepairLine
	ID int64 `db:"id"`
}

// RepairCount is how many faults of one kind the messages of a model had.
type RepairCount struct {
	Endpoint string // "" where the messages were imported
	Model    string
	Kind     string // C1 to C15
	Faults   int
}

// RepairCounts counts all recorded repairs by the model that wrote the message, or the call that a tool's
// result belongs to, and by kind.
func (s *Store) RepairCounts(ctx context.Context) ([]RepairCount, error) {
	return inTx(ctx, s.view, "count the repairs", func(tx *sql.Tx) ([]RepairCount, error) {
		return sqlite.Collect(ctx, tx, func(scan func(...any) error) (c RepairCount, err error) {
			err = scan(&c.Endpoint, &c.Model, &c.Kind, &c.Faults)
			return c, err
		}, `
			WITH RECURSIVE origin (kind, message) AS (
				SELECT
					kind,
					message
				FROM repairs
				UNION ALL
				SELECT
					o.kind,
					m.parent
				FROM origin o
				CROSS JOIN messages m ON m.id = o.message
				WHERE m.role = 'tool'
					AND m.parent != 0
			)
			SELECT
				m.endpoint,
				m.model,
				o.kind,
				count(*)
			FROM origin o
			CROSS JOIN messages m ON m.id = o.message
			WHERE m.role != 'tool'
				OR m.parent = 0
			GROUP BY m.endpoint, m.model, o.kind
			ORDER BY m.endpoint, m.model, length(o.kind), o.kind`)
	})
}
