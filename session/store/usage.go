package store

import (
	"context"
	"time"
)

// Usage is what some requests of a period used, those to one model for one purpose whose costs come from the
// same place.
type Usage struct {
	Period   int    // index of the period
	Session  string // "" where the sums are not by session
	Title    string // of the session
	Endpoint string
	Model    string
	Purpose  Purpose
	From     string // as Request.CostFrom
	Requests int
	Cost     int64 // nanodollars

	// Tokens as the servers reported them. What was not reported is not in the sums.
	Prompt     int
	Cached     int
	CacheWrite int
	Answer     int
	Reasoning  int
	Uncounted  int // requests of which the server reported no tokens
}

// Period is a span of time: from From until before To.
type Period struct{ From, To time.Time }

// Usage sums up the requests of all sessions that were sent in some periods, by period, model, purpose and
// origin of their costs, and by session where that is wanted. Sessions in the trash count; those that were
// purged are gone with their requests.
func (s *Store) Usage(ctx context.Context, periods []Period, bySession bool) ([]Usage, error) {
	session, by := `'', ''`, ""
	if bySession {
		const of = ` FROM sessions WHERE n = requests.session)`
		session = `(SELECT id` + of + `, (SELECT title` + of
		by = "session, "
	}
	// The index has all that is summed up.
	query := `
		SELECT ` + session + `,
			endpoint,
			model,
			purpose,
			cost_from,
			count(*),
			sum(cost_nano),
			sum(max(prompt_tokens, 0)),
			sum(max(cached_tokens, 0)),
			sum(cache_write_tokens),
			sum(max(answer_tokens, 0)),
			sum(max(reasoning_tokens, 0)),
			sum(prompt_tokens < 0 AND answer_tokens < 0)
		FROM requests INDEXED BY requests_usage
		WHERE created_ms >= ? AND created_ms < ?
		GROUP BY ` + by + `endpoint, model, purpose, cost_from
		ORDER BY ` + by + `endpoint, model, purpose, cost_from`
	return inTx(ctx, s.view, "sum up the usage", func(t *tx) (all []Usage) {
		for i, p := range periods {
			t.each(func(scan func(...any) error) error {
				u := Usage{Period: i}
				err := scan(&u.Session, &u.Title, &u.Endpoint, &u.Model, &u.Purpose, &u.From, &u.Requests, &u.Cost,
					&u.Prompt, &u.Cached, &u.CacheWrite, &u.Answer, &u.Reasoning, &u.Uncounted)
				all = append(all, u)
				return err
			}, query, milliseconds(p.From), milliseconds(p.To))
		}
		return all
	})
}

// Spending is what those of a session's requests cost together whose costs come from the same place.
type Spending struct {
	From     string // as Request.CostFrom
	Requests int
	Cost     int64 // nanodollars
}

// Spending sums up what a session's requests cost, on every branch.
func (s *Store) Spending(ctx context.Context, session string) ([]Spending, error) {
	return withSession(ctx, s.view, "sum up the costs", session, func(t *tx, n int64) (all []Spending) {
		t.each(func(scan func(...any) error) error {
			var s Spending
			err := scan(&s.From, &s.Requests, &s.Cost)
			all = append(all, s)
			return err
		}, `
			SELECT cost_from, count(*), sum(cost_nano)
			FROM requests INDEXED BY requests_cost
			WHERE session = ?
			GROUP BY cost_from
			ORDER BY cost_from`, n)
		return all
	})
}

// SessionTokens sums up the tokens of a session's requests and answers, on every branch, as the servers
// reported them.
func (s *Store) SessionTokens(ctx context.Context, session string) (int, error) {
	return withSession(ctx, s.view, "sum up the tokens", session, func(t *tx, n int64) int {
		return value[int](t, `
			SELECT coalesce(sum(max(prompt_tokens, 0) + max(answer_tokens, 0)), 0)
			FROM requests
			WHERE session = ?`, n)
	})
}
