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

// Past is what the requests of a conversation tell about its next one. Its methods may be called from several
// goroutines. Models are named "endpoint/model".
type PastRequests struct {
	mu       sync.Mutex
	read     bool             // the records are read
	begun    bool             // a turn that is over was answered
	cutShort map[int64]bool   // messages that a request of an earlier turn did not hold whole
	turn     []int64          // the same of the running turn
	answered *answeredRequest // the request that was answered last, nil for none
	counted  *store.Request   // the request whose tokens the server counted last, nil for none
}

// answered is a request that something was answered to.
type answeredRequest struct {
	at       time.Time
	model    string
	tools    int // tokens of the tool schemas
	messages []history.Message
}

// NewPast is the past of a conversation. One that has just begun has no records to read.
func NewPastRequests(begins bool) *PastRequests {
	return &PastRequests{read: begins, cutShort: map[int64]bool{}}
}

// modelOf names the model that a request went to.
func modelOf(q store.Request) string { return q.Endpoint + "/" + q.Model }

// Counted takes the record of a request whose tokens the server counted: it says whether all of them were read.
func (p *PastRequests) NoteCounted(q store.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted = &q
}

// Answered takes a request of the running turn to which something was answered.
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

// EndTurn says that the turn is over: from now on its requests are earlier ones.
func (p *PastRequests) EndTurn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = p.begun || p.answered != nil
	for _, id := range p.turn {
		p.cutShort[id] = true
	}
	p.turn = nil
}

// recordsRead is how many of the newest records are looked at for what was answered and counted last.
const recordsRead = 64

// Load reads what the records of a conversation that was opened tell of its past requests: until it returns, a
// Forecast says nothing of them. It makes the newest request again, which takes as long as a first plan. What cannot be
// made again is passed over.
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
	cut, err := r.Store.CutShort(ctx, r.Session)
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
	// A turn may have gone on meanwhile, and knows better.
	p.answered, p.counted = cmp.Or(p.answered, last), cmp.Or(p.counted, counted)
	return nil
}

// Alike is how many messages of a plan for a model are those that the request before it began with. It is 0 where that
// request went to another model or offered other tools.
func (p *PastRequests) CommonPrefix(model string, plan history.Plan) int {
	p.mu.Lock()
	before := p.answered
	p.mu.Unlock()
	if before == nil || before.model != model || before.tools != plan.Sum.Tools {
		return 0
	}
	return history.CommonPrefix(before.messages, plan.Messages)
}

// Forecast is what the requests before tell about one that is planned.
type Forecast struct {
	Prefix ReusablePrefix

	// Losses are the messages that lose text for the first time in this conversation, as indexes into
	// plan.Entries: they are not sent whole, and were sent whole in every earlier request that knew them and
	// that something was answered to. Those that the user excludes or has left out, and those that hold
	// nothing to send or cannot be read, are none. A turn's own requests count as earlier ones once it has
	// ended. Before the first answer there are none: a conversation that was imported has lost nothing.
	Losses []int

	// Of the newest request that the server counted; nil where it read all, or where it was another model's.
	Truncation *ServerTruncation
}

// Prefix is about how much of a request a server may have read before, in counted tokens.
type ReusablePrefix struct {
	// The messages that the request and the one before it begin with alike, and the tool schemas in front of them.
	Tokens int
	Known  bool      // false where there is nothing to compare with
	Sent   time.Time // when the one before it was sent
}

// Forecast compares a plan for a model with the requests before it. Of a conversation that was opened nothing is known
// before Load.
func (p *PastRequests) Forecast(model string, plan history.Plan) (f Forecast) {
	alike := p.CommonPrefix(model, plan)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counted != nil && modelOf(*p.counted) == model {
		if short, cut := ServerTruncationOf(*p.counted); cut {
			f.Truncation = &short
		}
	}
	// What both requests begin with alike, the server of the same model may still know.
	if p.answered != nil && p.answered.model == model {
		f.Prefix = ReusablePrefix{Tokens: prefixTokens(plan, alike), Known: true, Sent: p.answered.at}
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

// beginning is about how many tokens the first n messages of a plan have, with the tool schemas in front of them. The
// markers among them are not counted.
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
			cost = e.TokensBefore * size / e.CharsBefore // shortened here, and recalled behind it
		}
		tokens += cost
	}
	return tokens
}
