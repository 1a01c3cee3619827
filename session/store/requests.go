package store

import (
	"cmp"
	"context"
	"time"

	"winnow/history"
)

// Purpose is what a request is sent for.
type Purpose string

const (
	PurposeAnswer  Purpose = ""        // to answer the user
	PurposeSummary Purpose = "summary" // to summarize older messages
	PurposeTitle   Purpose = "title"   // to give the session a title
)

// RequestEnd says how a request ended. It is "" while the request runs and after a crash.
type RequestEnd string

// The first three say how the stream of the answer ended.
const (
	EndDone         RequestEnd = "done"
	EndWithoutDone  RequestEnd = "no-done" // the connection was closed without an end marker such as [DONE]
	EndDisconnected RequestEnd = "cut"     // the connection broke
	EndStopped      RequestEnd = "stopped" // the user stopped it
	EndFailed       RequestEnd = "failed"
)

// Request is the record of one request that was sent.
type Request struct {
	ID         int64
	Session    string
	Turn       int   // the number of the turn that User begins, from 1 across all branches
	User       int64 // the user message that it answers
	Purpose    Purpose
	Created    time.Time
	Endpoint   string
	Model      string
	Options    string           // JSON: what decided the plan besides the messages
	Plan       *history.Plan    // set by callers of AddRequest; see Store.Verdicts for stored requests
	Sum        history.TokenSum // where the tokens of the plan went
	Tally      VerdictCounts    // the verdicts of the plan
	Rules      int              // the version of the rules, see history.Rules
	Tokenizer  string
	Estimate   int    // winnow's token count of the whole request
	BodyHash   string // SHA-256 in hexadecimal of the body sent, which contains no secret
	Prompt     int    // input tokens as the server reported them, -1 if it did not; likewise the next three
	Cached     int
	Answer     int
	Reasoning  int
	Cost       int64         // in billionths of a US dollar, valid if CostFrom names a source
	CostFrom   string        // where the cost comes from, "" if nothing is known
	FirstToken time.Duration // from sending to the first token, 0 if none arrived
	Took       time.Duration
	Retries    int
	Finish     string // finish_reason as received
	End        RequestEnd
	Error      string // the sentence and the body of the error, "" for none

	CacheWrite  int    // input tokens written to the server's cache, 0 for none or unknown
	PriceSource string // whose prices Cost was computed from, for people; "" if none were used

	// Reusable is the number of leading tokens that equal those of the previous request, as the server counts; 0 for
	// none or unknown.
	Reusable    int
	ReusableAge time.Duration // time since that previous request

	Fault string // if its turn failed with this request: why, as JSON; "" otherwise

	CutExpected int // the expected input tokens, if Prompt shows that the server did not read them all; else 0

	record
}

// record holds the columns of a request that callers do not see. It is empty in the requests that AddRequest returns,
// because plans are large.
type record struct {
	session  int64 // the short key of the session
	added    []history.AddedText
	verdicts []history.Entry // those that differ from the request before it
}

func (r *Request) columns() []column {
	return []column{
		{"id", &r.ID, immutable},
		{"session", &r.session, local | immutable},
		{"(SELECT id FROM sessions WHERE n = session)", &r.Session, generated},
		{"turn", &r.Turn, immutable},
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
		{"added", &jsonColumn{&r.added}, secret | immutable},
		{"verdicts", &jsonColumn{&r.verdicts}, lineOnly},
	}
}

// AddRequest records a request that is about to be sent, with its Plan. It sets ID, Turn, Sum, Tally and, if it is
// zero, Created. The returned request has no Plan.
func (s *Store) AddRequest(ctx context.Context, r Request) (Request, error) {
	return withSession(ctx, s.saveFast, "record the request", r.Session, func(t *tx, n int64) Request {
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

// UpdateRequest replaces the record with the request's ID, but not its turn and its plan. The error is ErrNotFound if
// there is no such record.
func (s *Store) UpdateRequest(ctx context.Context, r Request) error {
	return s.saveFast(ctx, "update the request", func(t *tx) { updateRequest(t, r) })
}

func updateRequest(t *tx, r Request) {
	if t.update("requests", r.columns(), "id = ? AND session = ?", r.ID, sessionKey(t, r.Session)) == 0 {
		t.notFound("find request %d", r.ID)
	}
	queueForSync(t, r.ID)
}

// RequestFilter selects requests of a session. The zero value selects all of them, oldest first.
type RequestFilter struct {
	ID      int64 // only the request with this id
	Turn    int   // only the requests of this turn
	User    int64 // only the requests that answer this message
	Newest  int   // only this many, newest first
	Answers bool  // only requests with PurposeAnswer
}

// Requests returns requests of a session. A turn has several if the model called tools, if it was asked again, or if
// the first request was too large; an imported turn has none.
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

// Usage is the sum of the requests of one period with the same model, purpose and cost source.
type Usage struct {
	Period   int    // index into UsageFilter.Periods
	Session  string // "" unless summed by session
	Title    string // of the session
	Endpoint string
	Model    string
	Purpose  Purpose
	CostFrom string // as Request.CostFrom
	Requests int
	Cost     int64 // in billionths of a US dollar

	// Tokens as the servers reported them. Unreported ones are missing from the sums.
	Prompt     int
	Cached     int
	CacheWrite int
	Answer     int
	Reasoning  int
	Uncounted  int // requests whose server reported no tokens
}

// Period is the time from From up to, but not including, To.
type Period struct{ From, To time.Time }

// UsageFilter selects the requests that Usage sums up.
type UsageFilter struct {
	Periods   []Period // when they were sent
	Session   string   // the only session, "" for all
	BySession bool     // sum up each session separately
}

// The index requests_usage contains all columns that are summed up.
func (u *Usage) columns() []column {
	return []column{
		{"iif(?4, s.id, '') AS of_session", &u.Session, 0},
		{"iif(?4, s.title, '')", &u.Title, 0},
		{"r.endpoint", &u.Endpoint, 0},
		{"r.model", &u.Model, 0},
		{"r.purpose", &u.Purpose, 0},
		{"r.cost_from", &u.CostFrom, 0},
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

// Usage sums up requests by period, model, purpose and cost source, and by session if f.BySession is set. It includes
// sessions in the trash, but not purged ones.
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
