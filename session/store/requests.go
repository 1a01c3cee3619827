package store

import (
	"cmp"
	"context"
	"time"

	"winnow/history"
)

// Purpose is what a request is for.
type Purpose string

// The purposes of requests.
const (
	ForAnswer  Purpose = ""        // to answer the user
	ForSummary Purpose = "summary" // to summarize older messages
	ForTitle   Purpose = "title"   // to give the session a title
)

// RequestEnd says how a request ended, "" while it runs or after a crash.
type RequestEnd string

// The ways a request ends. The first three are those of an answer's stream.
const (
	EndDone    RequestEnd = "done"
	EndNoDone  RequestEnd = "no-done" // in order, but nobody said that the answer was over
	EndCut     RequestEnd = "cut"     // the connection broke
	EndStopped RequestEnd = "stopped" // by the user
	EndFailed  RequestEnd = "failed"
)

// Request is the record of one request that was sent.
type Request struct {
	ID         int64
	Session    string
	Turn       int   // which of the user's messages in the session User is, from 1, counting every branch
	User       int64 // the user message that it answers
	Purpose    Purpose
	Created    time.Time
	Endpoint   string
	Model      string
	Options    string           // JSON: everything that decided the plan beside the messages themselves
	Plan       *history.Plan    // of a request that is added; Store.Verdicts reads it
	Sum        history.TokenSum // where the tokens of its plan went
	Tally      Tally            // how many messages its plan gave which verdict
	Rules      int              // history's version of the rules
	Tokenizer  string
	Estimate   int    // counted tokens of the whole request
	BodyHash   string // hex SHA-256 of the body sent, which never holds a secret
	Prompt     int    // tokens as reported, -1 not said
	Cached     int
	Answer     int
	Reasoning  int
	Cost       int64         // nanodollars, where CostFrom says that they are known
	CostFrom   string        // where the cost comes from, "" where there is nothing to say of it
	FirstToken time.Duration // 0 for none
	Took       time.Duration
	Retries    int
	Finish     string // finish_reason as received
	End        RequestEnd
	Error      string // the error's sentence and body, "" for none

	CacheWrite  int    // tokens of Prompt that the server wrote to its cache, 0 for none or not said
	PriceSource string // whose prices Cost was computed from, for people, "" for nobody's

	// Reusable are the tokens at its beginning that the request before it began with too, as the server counts; 0 for
	// none or not known.
	Reusable    int
	ReusableAge time.Duration // since that request

	Fault string // of one with which its turn failed: why, as JSON; "" for none

	CutExpected int // what the server was expected to count, where Prompt shows that it did not read all; else 0

	record
}

// record is what the row of a request has besides, its plan first of all: see putPlan. Callers of AddRequest get
// requests without it: a plan is large.
type record struct {
	session  int64 // the short key of the session
	added    []history.AddedText
	verdicts []history.Entry // that are otherwise than in the request before it
}

func (r *Request) columns() []column {
	return []column{
		{"id", &r.ID, fixed},
		{"session", &r.session, local | fixed},
		{"(SELECT id FROM sessions WHERE n = session)", &r.Session, given},
		{"turn", &r.Turn, fixed},
		{"user", &r.User, 0},
		{"purpose", &r.Purpose, 0},
		{"created_ms", (*millis)(&r.Created), 0},
		{"endpoint", &r.Endpoint, 0},
		{"model", &r.Model, 0},
		{"rules", &r.Rules, 0},
		{"tokenizer", &r.Tokenizer, 0},
		{"estimate", &r.Estimate, 0},
		{"body_hash", &r.BodyHash, 0},
		{"prompt_tokens", &r.Prompt, 0},
		{"cached_tokens", &r.Cached, 0},
		{"answer_tokens", &r.Answer, 0},
		{"reasoning_tokens", &r.Reasoning, 0},
		{"cache_write_tokens", &r.CacheWrite, 0},
		{"cut_expected", &r.CutExpected, 0},
		{"cost_nano", &r.Cost, 0},
		{"cost_from", &r.CostFrom, 0},
		{"price_source", &r.PriceSource, 0},
		{"reusable_tokens", &r.Reusable, 0},
		{"reusable_ns", &r.ReusableAge, 0},
		{"first_token_ns", &r.FirstToken, 0},
		{"took_ns", &r.Took, 0},
		{"retries", &r.Retries, 0},
		{"finish", &r.Finish, 0},
		{"ended", &r.End, 0},
		{"error", &r.Error, secret},
		{"fault", &r.Fault, secret},
		{"options", (*blob)(&r.Options), secret},
		{"sum", &jsonColumn{&r.Sum}, 0},
		{"tally", &jsonColumn{&r.Tally}, 0},
		{"added", &jsonColumn{&r.added}, secret | fixed},
		{"verdicts", &jsonColumn{&r.verdicts}, lineOnly},
	}
}

// AddRequest records a request that is about to be sent with its Plan, and sets its ID, Turn, Sum and Tally, and
// Created where it is zero. What comes back has no Plan.
func (s *Store) AddRequest(ctx context.Context, r Request) (Request, error) {
	return withSession(ctx, s.jot, "record the request", r.Session, func(t *tx, n int64) Request {
		r.ID, r.session = s.newID(t), n
		r.Turn = cmp.Or(turnOf(t, r.User), r.Turn)
		r.Created = timeOf(cmp.Or(milliseconds(r.Created), s.now().UnixMilli()))
		if r.Plan != nil {
			putPlan(t, &r)
		}
		t.put("INSERT INTO requests", r.columns(), "")
		r.record = record{}
		return r
	})
}

// UpdateRequest replaces the record with the request's ID, or returns ErrNotFound. Its turn and its plan stay.
func (s *Store) UpdateRequest(ctx context.Context, r Request) error {
	return s.jot(ctx, "update the request", func(t *tx) { updateRequest(t, r) })
}

func updateRequest(t *tx, r Request) {
	if t.update("requests", r.columns(), "id = ? AND session = ?", r.ID, sessionKey(t, r.Session)) == 0 {
		t.missing("find request %d", r.ID)
	}
	tellAgain(t, r.ID)
}

// RequestFilter says which of a session's requests are read; its zero value is all of them, the oldest first.
type RequestFilter struct {
	ID      int64 // only the one with this id
	Turn    int   // only those of this turn
	User    int64 // only those that answer this message
	Newest  int   // only so many, and the newest first
	Answers bool  // only those for answers
}

// Requests returns requests of a session. A turn has several where the model called tools, where it was asked again,
// and where the first was too large; it has none where it was imported.
func (s *Store) Requests(ctx context.Context, session string, f RequestFilter) ([]Request, error) {
	order := "id"
	if f.Newest > 0 {
		order = "id DESC"
	}
	return withSession(ctx, s.view, "read the requests", session, func(t *tx, n int64) []Request {
		return readRows[Request](t, `requests
			WHERE session = ?1 AND (?2 = 0 OR id = ?2) AND (?3 = 0 OR turn = ?3) AND (purpose = '' OR NOT ?5)
				AND (?6 = 0 OR user = ?6)
			ORDER BY `+order+`
			LIMIT iif(?4 = 0, -1, ?4)`, n, f.ID, f.Turn, f.Newest, f.Answers, f.User)
	})
}

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

// columns sum up the requests of a period. The index has all that is summed up.
func (u *Usage) columns() []column {
	return []column{
		{"iif(?4, s.id, '') AS of_session", &u.Session, 0},
		{"iif(?4, s.title, '')", &u.Title, 0},
		{"r.endpoint", &u.Endpoint, 0},
		{"r.model", &u.Model, 0},
		{"r.purpose", &u.Purpose, 0},
		{"r.cost_from", &u.From, 0},
		{"count(*)", &u.Requests, 0},
		{"sum(r.cost_nano)", &u.Cost, 0},
		{"sum(max(r.prompt_tokens, 0))", &u.Prompt, 0},
		{"sum(max(r.cached_tokens, 0))", &u.Cached, 0},
		{"sum(r.cache_write_tokens)", &u.CacheWrite, 0},
		{"sum(max(r.answer_tokens, 0))", &u.Answer, 0},
		{"sum(max(r.reasoning_tokens, 0))", &u.Reasoning, 0},
		{"sum(r.prompt_tokens < 0 AND r.answer_tokens < 0)", &u.Uncounted, 0},
	}
}

// Usage sums up requests by period, model, purpose and origin of their costs, and by session where that is wanted.
// Sessions in the trash count; those that were purged are gone with their requests.
func (s *Store) Usage(ctx context.Context, f UsageFilter) ([]Usage, error) {
	return inTx(ctx, s.view, "sum up the usage", func(t *tx) (all []Usage) {
		for i, p := range f.Periods {
			for u := range each[Usage](t, `
				requests r INDEXED BY requests_usage
				CROSS JOIN sessions s ON s.n = r.session
				WHERE r.created_ms >= ?1
					AND r.created_ms < ?2
					AND (?3 = '' OR s.id = ?3)
				GROUP BY of_session, r.endpoint, r.model, r.purpose, r.cost_from
				ORDER BY of_session, r.endpoint, r.model, r.purpose, r.cost_from`,
				milliseconds(p.From), milliseconds(p.To), f.Session, f.BySession) {
				u.Period = i
				all = append(all, *u)
			}
		}
		return all
	})
}
