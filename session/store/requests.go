package store

import (
	"context"
	"database/sql"
	"time"
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
	Turn       int   // the session's turns are numbered from 1
	User       int64 // the user message that it answers
	Purpose    Purpose
	Created    time.Time
	Endpoint   string
	Model      string
	Options    []byte    // JSON: everything that decided the plan beside the messages themselves
	Plan       *Verdicts // of a request that is added: what was decided about each message; Store.Verdicts reads it
	Rules      int       // history's version of the rules
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
	Reusable       int
	ReusableAge    time.Duration // since that request
	CacheDiagnosis string        // what the server says of its cache, JSON as received, "" for nothing

	Fault string // of one with which its turn failed: why, as JSON; "" for none

	CutExpected int // what the server was expected to count, where Prompt shows that it did not read all; else 0
}

func (r *Request) columns() []column {
	return []column{
		{"id", &r.ID, 0},
		{"turn", &r.Turn, 0},
		{"user", &r.User, 0},
		{"purpose", &r.Purpose, 0},
		{"created_ms", millis{&r.Created}, 0},
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
		{"cache_diagnosis", &r.CacheDiagnosis, secret},
		{"first_token_ns", &r.FirstToken, 0},
		{"took_ns", &r.Took, 0},
		{"retries", &r.Retries, 0},
		{"finish", &r.Finish, 0},
		{"ended", &r.End, 0},
		{"error", &r.Error, secret},
		{"fault", &r.Fault, secret},
		{"options", raw{&r.Options}, secret},
	}
}

// AddRequest records a request that is about to be sent with its Plan, and sets its ID, and Created where
// it is zero. What comes back has no Plan.
func (s *Store) AddRequest(ctx context.Context, r Request) (Request, error) {
	r.ID = 0
	s.mu.Lock()
	newest := s.newest
	s.mu.Unlock()
	var plan newestPlan
	out, err := inTx(ctx, s.jot, "record the request", func(t *tx) Request {
		plan = newest
		return s.putRequest(t, &plan, r)
	})
	if err != nil {
		plan = newestPlan{}
	}
	s.mu.Lock()
	s.newest = plan
	s.mu.Unlock()
	return out, err
}

// UpdateRequest replaces the record with the request's ID, or returns ErrNotFound. Its plan stays.
func (s *Store) UpdateRequest(ctx context.Context, r Request) error {
	return s.jot(ctx, "update the request", func(t *tx) {
		if r.ID == 0 {
			t.missing("find the request")
		}
		s.putRequest(t, nil, r)
	})
}

// putRequest inserts a request without an ID, with its plan, and replaces one that has it.
func (s *Store) putRequest(t *tx, newest *newestPlan, r Request) Request {
	n := sessionKey(t, r.Session)
	r.Error, r.Fault = s.clean(r.Error), s.clean(r.Fault)
	if r.Created.IsZero() {
		r.Created = s.now()
	}
	r.Created = timeOf(milliseconds(r.Created))
	if r.ID != 0 {
		if t.update("requests", r.columns(), 0, sql.Named("id", r.ID), sql.Named("session", n)) == 0 {
			t.missing("find request %d", r.ID)
		}
		tellAgain(t, r.ID)
		return r
	}
	plan := r.Plan
	r.Plan, r.ID = nil, s.newID(t)
	t.insert("requests", r.columns(), sql.Named("session", n))
	if plan != nil {
		putPlan(t, n, r, *plan, newest)
	}
	return r
}

// Requests returns the requests of a session, the oldest first.
func (s *Store) Requests(ctx context.Context, session string) ([]Request, error) {
	return s.requestsWhere(ctx, session, `session = ? ORDER BY id`)
}

// TurnRequests returns the requests of a session's turn, the oldest first. There are several where
// the model called tools, where it was asked again, and where the first was too large; there is none
// where the turn was imported.
func (s *Store) TurnRequests(ctx context.Context, session string, turn int) ([]Request, error) {
	return s.requestsWhere(ctx, session, `session = ? AND turn = ? ORDER BY id`, turn)
}

// NewestRequests returns at most n of a session's requests, the newest first, of those before one with an id; 0 is
// all of them.
func (s *Store) NewestRequests(ctx context.Context, session string, before int64, n int) ([]Request, error) {
	return s.requestsWhere(ctx, session, `session = ?1 AND (?2 = 0 OR id < ?2) ORDER BY id DESC LIMIT ?3`, before, n)
}

// requestsWhere returns the requests that a condition of the session's key and args picks.
func (s *Store) requestsWhere(ctx context.Context, session, condition string, args ...any) ([]Request, error) {
	return withSession(ctx, s.view, "read the requests", session, func(t *tx, n int64) []Request {
		all := readRows[Request](t, "requests WHERE "+condition, append([]any{n}, args...)...)
		for i := range all {
			all[i].Session = session
		}
		return all
	})
}

// ClearCuts takes back that the server read only a part of some requests of a session.
func (s *Store) ClearCuts(ctx context.Context, session string, ids []int64) error {
	return s.jot(ctx, "update the requests", func(t *tx) {
		n := sessionKey(t, session)
		for _, id := range ids {
			t.exec(`UPDATE requests SET cut_expected = 0 WHERE id = ? AND session = ?`, id, n)
		}
		tellAgain(t, ids...)
	})
}
