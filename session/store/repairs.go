package store

import (
	"context"
	"crypto/sha256"

	"winnow/history"
)

// AddRepairs records repairs that were applied now, or what the user had sent instead. One that was
// applied before keeps its first date.
func (s *Store) AddRepairs(ctx context.Context, rules int, repairs map[int64][]history.Repair) error {
	return s.jot(ctx, "record the repairs", func(t *tx) {
		for message, of := range repairs {
			for _, r := range of {
				before := sha256.Sum256([]byte(r.Before))
				t.exec(`
					INSERT INTO repairs (message, kind, before_hash, what, sent, rules, first_ms, last_ms, undone)
					VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)
					ON CONFLICT (message, kind, before_hash) DO UPDATE
					SET what = ?4, sent = ?5, rules = ?6, last_ms = ?7, undone = ?8`,
					message, r.Kind, before[:], r.Sentence(), []byte(r.After), rules, s.now().UnixMilli(),
					r.Remedy != history.SendRepaired)
			}
		}
	})
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
	return inTx(ctx, s.view, "count the repairs", func(t *tx) (all []RepairCount) {
		t.each(func(scan func(...any) error) error {
			var c RepairCount
			err := scan(&c.Endpoint, &c.Model, &c.Kind, &c.Faults)
			all = append(all, c)
			return err
		}, `
			WITH RECURSIVE origin (kind, message) AS (
				SELECT kind, message
				FROM repairs
				UNION ALL
				SELECT o.kind, m.parent
				FROM origin o
				CROSS JOIN messages m ON m.id = o.message
				WHERE m.role = 'tool' AND m.parent != 0
			)
			SELECT m.endpoint, m.model, o.kind, count(*)
			FROM origin o
			CROSS JOIN messages m ON m.id = o.message
			WHERE m.role != 'tool' OR m.parent = 0
			GROUP BY m.endpoint, m.model, o.kind
			ORDER BY m.endpoint, m.model, length(o.kind), o.kind`)
		return all
	})
}
