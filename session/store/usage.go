package store

import (
	"context"
	"database/sql"
	"time"

	"winnow/session/store/sqlite"
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
	query := usageByModel
	if bySession {
		query = usageBySession
	}
	return inTx(ctx, s.view, "sum up the usage", func(tx *sql.Tx) ([]Usage, error) {
		var all []Usage
		for i, p := range periods {
			some, err := sqlite.Collect(ctx, tx, func(scan func(...any) error) (u Usage, err error) {
				u.Period = i
				err = scan(&u.Session, &u.Title, &u.Endpoint, &u.Model, &u.Purpose, &u.From, &u.Requests, &u.Cost,
					&u.Prompt, &u.Cached, &u.CacheWrite, &u.Answer, &u.Reasoning, &u.Uncounted)
				return u, err
			}, query, milliseconds(p.From), milliseconds(p.To))
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return all, nil
	})
}

// The sums of one period. They read the index requests_usage and nothing else of the requests.
const (
	usageSums = `
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
		sum(prompt_tokens < 0 AND answer_tokens < 0)`

	usageByModel = `
		SELECT '', '',` + usageSums + `
		FROM requests INDEXED BY requests_usage
		WHERE created_ms >= ? AND created_ms < ?
		GROUP BY endpoint, model, purpose, cost_from
		ORDER BY endpoint, model, purpose, cost_from`

	usageBySession = `
		SELECT
			(SELECT id FROM sessions WHERE n = requests.session),
			(SELECT title FROM sessions WHERE n = requests.session),` + usageSums + `
		FROM requests INDEXED BY requests_usage
		WHERE created_ms >= ? AND created_ms < ?
		GROUP BY session, endpoint, model, purpose, cost_from
		ORDER BY session, endpoint, model, purpose, cost_from`
)
