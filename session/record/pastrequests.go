package record

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// PastRequests holds what the past requests of a conversation mean for the next one. It is safe for concurrent use.
// Models are named "endpoint/model".
type PastRequests struct {
	mu       sync.Mutex
	read     bool             // the records have been read
	begun    bool             // an earlier turn was answered
	cutShort map[int64]bool   // messages that a request of an earlier turn did not send whole
	turn     []int64          // the same for the running turn
	answered *answeredRequest // the last answered request, nil for none
	counted  *store.Request   // the last request whose tokens the server counted, nil for none
}

// answeredRequest is a request that was answered.
type answeredRequest struct {
	at       time.Time
	model    string
	tools    int // tokens of the tool schemas
	messages []history.Message
}

// NewPastRequests returns the past requests of a conversation. begins is true for a new conversation, which has no
// records to read.
func NewPastRequests(begins bool) *PastRequests {
	return &PastRequests{read: begins, cutShort: map[int64]bool{}}
}

// modelOf returns the name of the model that a request went to.
func modelOf(q store.Request) string { return q.Endpoint + "/" + q.Model }

// NoteCounted takes the record of a request whose tokens the server counted. The count shows whether the server read
// all of the request.
func (p *PastRequests) NoteCounted(q store.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted = &q
}

// NoteAnswered takes a request of the running turn that was answered.
func (p *PastRequests) NoteAnswered(q store.Request, plan history.Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = answerTo(q, plan)
	for i := range plan.Entries {
		if e := &plan.Entries[i]; !e.Whole {
			p.turn = append(p.turn, e.ID)
		}
	}
}

func answerTo(q store.Request, plan history.Plan) *answeredRequest {
	return &answeredRequest{at: q.Created, model: modelOf(q), tools: plan.Sum.Tools, messages: plan.Messages}
}

// EndTurn ends the turn: from now on its requests count as earlier ones.
func (p *PastRequests) EndTurn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = p.begun || p.answered != nil
	for _, id := range p.turn {
		p.cutShort[id] = true
	}
	p.turn = nil
}

// recordsRead is how many of the newest records Load reads.
const recordsRead = 64

// Load reads the records of an opened conversation. Until it returns, Forecast does not know the past requests. It
// rebuilds the newest request, which takes as long as a first plan. Requests that cannot be rebuilt are skipped.
func (p *PastRequests) Load(ctx context.Context, r Records) error {
	p.mu.Lock()
	read := p.read
	p.mu.Unlock()
	if read {
		return nil
	}
	list, err := r.Store.Requests(ctx, r.Session, store.RequestFilter{Newest: recordsRead, Answers: true})
	if err != nil {
		return fmt.Errorf("read the past requests: %w", err)
	}
	cut, err := r.Store.NotSentWhole(ctx, r.Session)
	if err != nil {
		return fmt.Errorf("read what past requests cut: %w", err)
	}
	list = slices.DeleteFunc(list, func(q store.Request) bool { return q.End == store.EndFailed })
	var last *answeredRequest
	if len(list) > 0 {
		if made, err := r.rebuild(ctx, RecordedRequest{Request: list[0]}); err == nil && made.Proven {
			last = answerTo(list[0], made.Plan)
		}
	}
	var counted *store.Request
	comparable := func(q store.Request) bool { return q.Prompt > 0 && q.Estimate >= r.MinCompared }
	if i := slices.IndexFunc(list, comparable); i >= 0 {
		counted = &list[i]
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read, p.begun = true, p.begun || len(list) > 0
	for _, id := range cut {
		p.cutShort[id] = true
	}
	// A turn that ran in the meantime has newer values.
	p.answered, p.counted = cmp.Or(p.answered, last), cmp.Or(p.counted, counted)
	return nil
}

// CommonPrefix returns how many messages at the start of a plan for a model are the same as in the request before it.
// It is 0 if that request went to another model or offered other tools.
func (p *PastRequests) CommonPrefix(model string, plan history.Plan) int {
	p.mu.Lock()
	before := p.answered
	p.mu.Unlock()
	if before == nil || before.model != model || before.tools != plan.Sum.Tools {
		return 0
	}
	return history.CommonPrefix(before.messages, plan.Messages)
}

// Forecast is what past requests mean for a planned one.
type Forecast struct {
	Prefix CachedPrefix

	// Losses are the messages that lose text for the first time in this conversation, as indexes into plan.Entries:
	// they are not sent whole, but were sent whole in every answered request of the earlier turns. Messages that the
	// user excluded or left out, and blank or unreadable ones, do not count. Before the first answer there are no
	// losses, because an imported conversation has not lost anything yet.
	Losses []int

	// Truncation is that of the newest request that the server counted; nil if there was none, or if another model
	// was asked.
	Truncation *ServerTruncation
}

// CachedPrefix is approximately how much of a request the server may have in its cache.
type CachedPrefix struct {
	// Winnow's own count of the tool schemas and the first messages that are the same as in the request before.
	Tokens int
	Known  bool      // false if there is no request to compare with
	Sent   time.Time // when that request was sent
}

// Forecast compares a plan for a model with the requests before it.
func (p *PastRequests) Forecast(model string, plan history.Plan) (f Forecast) {
	alike := p.CommonPrefix(model, plan)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counted != nil && modelOf(*p.counted) == model {
		if short, cut := ServerTruncationOf(*p.counted); cut {
			f.Truncation = &short
		}
	}
	// The server may still have the common prefix in its cache.
	if p.answered != nil && p.answered.model == model {
		f.Prefix = CachedPrefix{Tokens: prefixTokens(plan, alike), Known: true, Sent: p.answered.at}
	}
	if !p.read || !p.begun {
		return f
	}
	for i := range plan.Entries {
		e := &plan.Entries[i]
		given := e.Sent() || e.Disposition == history.Dropped
		if given && !e.Whole && !e.LeftOutByUser() && !p.cutShort[e.ID] {
			f.Losses = append(f.Losses, i)
		}
	}
	return f
}

// prefixTokens returns approximately how many tokens the first n messages of a plan have, including the tool schemas.
// Markers are not counted.
func prefixTokens(plan history.Plan, n int) int {
	if n == 0 {
		return 0
	}
	tokens := plan.Sum.Tools + plan.Sum.System + plan.Sum.Frame*n/len(plan.Messages)
	counted := make([]bool, len(plan.Entries))
	for _, s := range plan.Spans {
		if s.Entry < 0 || s.Message >= n || counted[s.Entry] {
			continue
		}
		counted[s.Entry] = true
		e := &plan.Entries[s.Entry]
		cost := e.TokensAfter
		if size := s.To - s.From; e.Recalled && !s.Recalled && size < e.CharsBefore {
			cost = e.TokensBefore * size / e.CharsBefore // shortened here, and recalled later
		}
		tokens += cost
	}
	return tokens
}
