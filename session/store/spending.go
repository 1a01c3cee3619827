package store

import (
	"context"
	"database/sql"
)

// Spending is what those of a session's requests cost together whose costs come from the same place.
type Spending struct {
	From     string // as Request.CostFrom
	Requests int
	Cost     int64 // nanodollars
}

// Spending sums up what a session's requests cost, on every branch.
func (s *Store) Spending(ctx context.Context, session string) ([]Spending, error) {
	var out []Spending
	err := s.view(ctx, "sum up the costs", func(tx *sql.Tx) error {
		out = nil
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT
				cost_from,
				count(*),
				sum(cost_nano)
			FROM requests INDEXED BY requests_cost
			WHERE session = ?
			GROUP BY cost_from
			ORDER BY cost_from`, n)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var sum Spending
			if err := rows.Scan(&sum.From, &sum.Requests, &sum.Cost); err != nil {
				return err
			}
			out = append(out, sum)
		}
		return rows.Err()
	})
	return out, err
}
