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

// UsageFilter says which requests Usage sums up, and how.
type UsageFilter struct {
	Periods   []Period // when they were sent
	Session   string   // the only session, "" for all
	BySession bool     // each session is summed up by itself
}

// Usage sums up requests by period, model, purpose and origin of their costs, and by session where that is wanted.
// Sessions in the trash count; those that were purged are gone with their requests.
func (s *Store) Usage(ctx context.Context, f UsageFilter) ([]Usage, error) {
	return inTx(ctx, s.view, "sum up the usage", func(t *tx) (all []Usage) {
		for i, p := range f.Periods {
			u := Usage{Period: i}
			for range t.rows([]any{
				&u.Session, &u.Title, &u.Endpoint, &u.Model, &u.Purpose, &u.From, &u.Requests, &u.Cost,
				&u.Prompt, &u.Cached, &u.CacheWrite, &u.Answer, &u.Reasoning, &u.Uncounted,
			}, usageQuery, milliseconds(p.From), milliseconds(p.To), f.Session, f.BySession) {
				all = append(all, u)
			}
		}
		return all
	})
}

// usageQuery sums up the requests of a period. The index has all that is summed up.
const usageQuery = `
	SELECT
		iif(?4, s.id, '') AS of_session,
		iif(?4, s.title, ''),
		r.endpoint,
		r.model,
		r.purpose,
		r.cost_from,
		count(*),
		sum(r.cost_nano),
		sum(max(r.prompt_tokens, 0)),
		sum(max(r.cached_tokens, 0)),
		sum(r.cache_write_tokens),
		sum(max(r.answer_tokens, 0)),
		sum(max(r.reasoning_tokens, 0)),
		sum(r.prompt_tokens < 0 AND r.answer_tokens < 0)
	FROM requests r INDEXED BY requests_usage
	CROSS JOIN sessions s ON s.n = r.session
	WHERE r.created_ms >= ?1
		AND r.created_ms < ?2
		AND (?3 = '' OR s.id = ?3)
	GROUP BY of_session, r.endpoint, r.model, r.purpose, r.cost_from
	ORDER BY of_session, r.endpoint, r.model, r.purpose, r.cost_from`
