package record

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// Past is what the requests of a conversation tell about its next one. Its methods may be called from several
// goroutines.
type Past struct {
	mu sync.Mutex
	known
}

// known is what is known of past requests. Its lists are replaced and never changed.
type known struct {
	model     string     // in use, "endpoint/model"
	read      bool       // the records are read
	begun     bool       // something was answered to one of the requests
	answered  *answered  // the request that was answered last, nil for none
	cutShort  []int64    // messages that one of the requests did not hold whole, sorted
	turn      []int64    // the same of the running turn
	shortfall *Shortfall // what the server counted of the one that it counted last, nil where it read all of it
}

// answered is a request that something was answered to.
type answered struct {
	at       time.Time
	model    string // "endpoint/model"
	tools    int    // tokens of the tool schemas
	messages []history.Message
}

// NewPast is the past of a conversation. One that has just begun has no records to read.
func NewPast(begins bool) *Past { return &Past{known: known{read: begins}} }

func (p *Past) now() known {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known
}

func (p *Past) set(change func(*known)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.known)
}

// Use says that another model, "endpoint/model", is in use.
func (p *Past) Use(model string) { p.set(func(k *known) { k.model, k.shortfall = model, nil }) }

// Lend says that another model is in use until back is called.
func (p *Past) Lend(model string) (back func()) {
	own := p.now()
	p.Use(model)
	return func() {
		p.set(func(k *known) {
			if k.model == model { // nobody chose another one meanwhile
				k.model, k.shortfall = own.model, own.shortfall
			}
		})
	}
}

// Counted says that the server counted a request, which its record marks where the server read only a part.
func (p *Past) Counted(r store.Request) { p.set(func(k *known) { k.shortfall = shortfall(r) }) }

// Answered takes a request of the running turn to which something was answered, and which was sent at a time.
func (p *Past) Answered(model string, at time.Time, plan history.Plan) {
	p.set(func(k *known) {
		k.answered = answerTo(model, at, plan)
		k.turn = union(k.turn, cutShort(plan.Entries))
	})
}

func answerTo(model string, at time.Time, plan history.Plan) *answered {
	at = at.UTC().Truncate(time.Millisecond) // as it is stored
	return &answered{at: at, model: model, tools: plan.Sum.Tools, messages: plan.Messages}
}

// EndTurn says that the turn is over: from now on its requests are earlier ones.
func (p *Past) EndTurn() {
	p.set(func(k *known) {
		k.cutShort, k.turn = union(k.cutShort, k.turn), nil
		k.begun = k.begun || k.answered != nil
	})
}

// Load reads what the records of a conversation that was opened tell of its past requests: until it returns, a
// Forecast says nothing of them. It makes the newest request again, which takes as long as a first plan. What cannot be
// made again is passed over.
func (p *Past) Load(ctx context.Context, r Records) error {
	was := p.now()
	if was.read {
		return nil
	}
	loaded, err := load(ctx, r, was.model)
	if err != nil {
		return fmt.Errorf("read the past requests: %w", err)
	}
	p.keep(loaded)
	return nil
}

// keep keeps what the records tell, which were read for a model.
func (p *Past) keep(loaded known) {
	p.set(func(k *known) {
		k.read, k.cutShort, k.begun = true, union(loaded.cutShort, k.cutShort), k.begun || loaded.begun
		// A turn may have gone on meanwhile, or the model changed, and then the records are out of date.
		if k.answered == nil && k.model == loaded.model {
			k.answered, k.shortfall = loaded.answered, loaded.shortfall
		}
	})
}

// recordsRead is how many of the newest records are looked at for what the model in use answered and counted last.
const recordsRead = 64

// load reads what the records tell of a model.
func load(ctx context.Context, r Records, model string) (loaded known, err error) {
	loaded.model = model
	list, err := r.Store.Requests(ctx, r.Session, store.RequestFilter{Newest: recordsRead})
	if err != nil {
		return loaded, err
	}
	var newest, counted store.Request // that went to the model; counted by its server
	for _, q := range list {
		if q.Purpose != store.ForAnswer || q.End == store.EndFailed {
			continue
		}
		loaded.begun = true
		if q.Endpoint+"/"+q.Model != model {
			break // what is older says nothing of this model
		}
		if newest.ID == 0 {
			newest = q
		}
		if counted.ID == 0 && q.Prompt > 0 && q.Estimate >= r.Least {
			counted = q
		}
	}
	if loaded.cutShort, err = r.Store.CutShort(ctx, r.Session); err != nil || newest.ID == 0 {
		return loaded, err
	}
	loaded.shortfall = shortfall(counted)
	if made, err := r.rebuild(ctx, Recorded{Request: newest}); err == nil && made.Proven {
		loaded.answered = answerTo(model, newest.Created, made.Plan)
	}
	return loaded, ctx.Err()
}

// Alike is how many messages of a plan for a model, "endpoint/model", are those that the request before it began with.
// It is 0 where that request went to another model or offered other tools.
func (p *Past) Alike(model string, plan history.Plan) int {
	before := p.now().answered
	if before == nil || before.model != model || before.tools != plan.Sum.Tools {
		return 0
	}
	return history.Alike(before.messages, plan.Messages)
}

// Forecast is what the requests before tell about one that is planned.
type Forecast struct {
	Prefix Prefix

	// Losses are the messages that lose text for the first time in this conversation, as indexes into
	// plan.Entries: they are not sent whole, and were sent whole in every earlier request that knew them and
	// that something was answered to. Those that the user excludes or has left out, and those that hold
	// nothing to send or cannot be read, are none. A turn's own requests count as earlier ones once it has
	// ended. Before the first answer there are none: a conversation that was imported has lost nothing.
	Losses []int

	// Of the newest request that the server counted; nil where it read all, and after a change of the model.
	Shortfall *Shortfall
}

// Prefix is about how much of a request a server may have read before, in counted tokens.
type Prefix struct {
	// The messages that the request and the one before it begin with alike, and the tool schemas in front of them.
	Tokens      int
	IfNextDrops int       // how many of those stay when the plan's Next loses its text
	Known       bool      // false where there is nothing to compare with
	Sent        time.Time // when the one before it was sent
}

// Forecast compares a plan for the model in use with the requests before it. Of a conversation that was opened nothing
// is known before Load.
func (p *Past) Forecast(plan history.Plan) Forecast {
	before := p.now()
	f := Forecast{Shortfall: before.shortfall}
	// What both requests begin with alike, the server of the same model may still know.
	if a := before.answered; a != nil && a.model == before.model {
		alike := p.Alike(a.model, plan)
		f.Prefix = Prefix{
			Tokens: beginning(plan, alike), IfNextDrops: beginning(plan, min(alike, plan.Stays)),
			Known: true, Sent: a.at,
		}
	}
	if before.read && before.begun {
		f.Losses = losses(plan.Entries, before.cutShort)
	}
	return f
}

// beginning is about how many tokens the first n messages of a plan have, with the tool schemas in front of them. The
// markers among them are not counted.
func beginning(plan history.Plan, n int) int {
	if n == 0 {
		return 0
	}
	tokens := plan.Sum.Tools + plan.Sum.System + plan.Sum.Frame*n/len(plan.Messages)
	counted := make([]bool, len(plan.Entries))
	for _, s := range plan.Spans {
		if s.Entry >= 0 && s.Message < n && !counted[s.Entry] {
			counted[s.Entry] = true
			e, size := &plan.Entries[s.Entry], s.To-s.From
			if e.Recalled && !s.Recalled && size < e.CharsBefore { // shortened here, and recalled behind it
				tokens += e.TokensBefore * size / e.CharsBefore
				continue
			}
			tokens += e.TokensAfter
		}
	}
	return tokens
}

// losses are the indexes of the entries that lose text and are not among the messages that did so before, whose
// ids are sorted. It is asked with every key, so it walks both lists at once: entries are nearly always sorted too.
func losses(entries []history.Entry, before []int64) []int {
	var list []int
	at := 0 // index into before
	for i := range entries {
		e := &entries[i]
		if e.Whole || e.LeftOut() || !e.Sent() && e.Disposition != history.Dropped {
			continue
		}
		if at > 0 && before[at-1] >= e.ID {
			at = 0
		}
		for at < len(before) && before[at] < e.ID {
			at++
		}
		if at == len(before) || before[at] != e.ID {
			list = append(list, i)
		}
	}
	return list
}

// cutShort are the ids of the messages that a request did not hold whole, sorted.
func cutShort(entries []history.Entry) []int64 {
	var ids []int64
	for i := range entries {
		if !entries[i].Whole {
			ids = append(ids, entries[i].ID)
		}
	}
	return ids
}

// union is all ids of two lists, sorted.
func union(a, b []int64) []int64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
