package store

import (
	"context"
	"database/sql"

	"winnow/session/store/sqlite"
)

// Spending is what those of a session's requests cost together whose costs come from the same place.
type Spending struct {
	From     string // as Request.CostFrom
	Requests int
	Cost     int64 // nanodollars
}

// Spending sums up what a session's requests cost, on every branch.
func (s *Store) Spending(ctx context.Context, session string) ([]Spending, error) {
	return withSession(ctx, s.view, "sum up the costs", session, func(tx *sql.Tx, n int64) ([]Spending, error) {
		return sqlite.Collect(ctx, tx, func(scan func(...any) error) (s Spending, err error) {
			err = scan(&s.From, &s.Requests, &s.Cost)
			return s, err
		}, `
			SELECT
				cost_from,
				count(*),
				sum(cost_nano)
			FROM requests INDEXED BY requests_cost
			WHERE session = ?
			GROUP BY cost_from
			ORDER BY cost_from`, n)
	})
}

// SessionTokens sums up the tokens of a session's requests and answers, on every branch, as the servers
// reported them.
func (s *Store) SessionTokens(ctx context.Context, session string) (int, error) {
	return withSession(ctx, s.view, "sum up the tokens", session, func(tx *sql.Tx, n int64) (int, error) {
		var tokens int
		err := tx.QueryRowContext(ctx, `
			SELECT coalesce(sum(max(prompt_tokens, 0) + max(answer_tokens, 0)), 0)
			FROM requests
			WHERE session = ?`, n).Scan(&tokens)
		return tokens, err
	})
}
