package record

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// Past is what the requests of a conversation tell about its next one. Its methods may be called from several
// goroutines.
type Past struct {
	count history.Counter // nil: no prefix is known

	mu    sync.Mutex
	model string  // in use, "endpoint/model"
	turn  []int64 // messages that a request of the running turn did not hold whole, sorted
	known
}

// known is what is known of past requests.
type known struct {
	read      bool       // the records are read
	answered  *answered  // the request that was answered last, nil for none
	begun     bool       // something was answered to one of the requests
	cutShort  []int64    // messages that one of the requests did not hold whole, sorted
	shortfall *Shortfall // what the server counted of the one that it counted last, nil where it read all of it
}

// NewPast is the past of a conversation. One that has just begun has no records to read.
func NewPast(count history.Counter, begins bool) *Past {
	return &Past{count: count, known: known{read: begins}}
}

// Use says that another model, "endpoint/model", is in use.
func (p *Past) Use(model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.model, p.shortfall = model, nil
}

// Lend says that another model is in use until back is called.
func (p *Past) Lend(model string) (back func()) {
	p.mu.Lock()
	own, shortfall := p.model, p.shortfall
	p.mu.Unlock()
	p.Use(model)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.model == model { // nobody chose another one meanwhile
			p.model, p.shortfall = own, shortfall
		}
	}
}

// Counted says that the server counted a request, which its record marks where the server read only a part.
func (p *Past) Counted(r store.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shortfall = nil
	if short, cut := ShortfallOf(r); cut {
		p.shortfall = &short
	}
}

// Answered takes a request of the running turn to which something was answered, and which was sent at a time. messages
// are those of the branch.
func (p *Past) Answered(model string, at time.Time, plan history.Plan, messages branch.Branch) {
	p.mu.Lock()
	before := p.answered
	p.mu.Unlock()
	now := p.weigh(before, model, at, plan, messages)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered, p.turn = now, union(p.turn, cutShort(plan.Entries))
}

// EndTurn says that the turn is over: from now on its requests are earlier ones.
func (p *Past) EndTurn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutShort, p.turn = union(p.cutShort, p.turn), nil
	p.begun = p.begun || p.answered != nil
}

// Load reads what the records of a conversation that was opened tell of its past requests: until it returns, a
// Forecast says nothing of them. It reads all records and makes the newest request again, which takes as long as a
// first plan. What cannot be made again is passed over, and unmade says why.
func (p *Past) Load(ctx context.Context, r Records) (unmade, err error) {
	p.mu.Lock()
	model, read := p.model, p.read
	p.mu.Unlock()
	if read {
		return nil, nil
	}
	loaded, unmade, err := p.load(ctx, r, model)
	if err != nil {
		return nil, fmt.Errorf("read the past requests: %w", err)
	}
	p.keep(loaded, model)
	return unmade, nil
}

// keep keeps what the records tell, which were read for a model.
func (p *Past) keep(loaded known, model string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read, p.cutShort, p.begun = true, union(loaded.cutShort, p.cutShort), p.begun || loaded.begun
	// A turn may have gone on meanwhile, or the model changed, and then the records are out of date.
	if p.answered == nil && p.model == model {
		p.answered, p.shortfall = loaded.answered, loaded.shortfall
	}
}

// recordsAtOnce is how many records are read at once where only the newest are needed.
const recordsAtOnce = 64

// load reads the records, the newest first, as far as older ones can tell more of a model.
func (p *Past) load(ctx context.Context, r Records, model string) (loaded known, unmade, err error) {
	var newest, counted store.Request // that went to the model; counted by its server
	other := false                    // an older one went to another model
	for before := int64(0); !other && (newest.ID == 0 || counted.ID == 0); {
		list, err := r.Store.NewestRequests(ctx, r.Session, before, recordsAtOnce)
		if err != nil {
			return loaded, nil, err
		}
		if len(list) == 0 {
			break
		}
		before = list[len(list)-1].ID
		for _, q := range slices.DeleteFunc(list, func(q store.Request) bool { return !isAnswered(q) }) {
			loaded.begun = true
			other = other || modelOf(q) != model
			if !other && newest.ID == 0 {
				newest = q
			}
			if !other && counted.ID == 0 && r.isCounted(q) {
				counted = q
			}
		}
	}
	if loaded.cutShort, err = r.Store.CutShort(ctx, r.Session); err != nil || newest.ID == 0 {
		return loaded, nil, err
	}
	if short, ok := ShortfallOf(counted); ok {
		loaded.shortfall = &short
	}
	made, unmade := r.rebuild(ctx, Recorded{Request: newest})
	if made.Proven {
		loaded.answered = p.weigh(nil, model, newest.Created, made.Plan, made.Messages)
	}
	return loaded, unmade, ctx.Err()
}

// Alike is how many messages of a plan for a model, "endpoint/model", are those that the request before it began with.
// It is 0 where that request went to another model or offered other tools.
func (p *Past) Alike(model string, plan history.Plan) int {
	p.mu.Lock()
	before := p.answered
	p.mu.Unlock()
	if before == nil || before.model != model || before.tools != plan.Sum.Tools {
		return 0
	}
	return history.Alike(before.messages, plan.Messages)
}

// answered is a request that something was answered to.
type answered struct {
	at       time.Time
	model    string // "endpoint/model"
	tools    int    // tokens of the tool schemas
	messages []history.Message
	upto     []int // tokens of the first n messages, with the tool schemas from the first message on
}

// weigh counts a request of a plan, as far as that is not counted yet: what it begins with as the
// request before, and texts of the branch that are sent whole.
func (p *Past) weigh(
	before *answered, model string, at time.Time, plan history.Plan, messages branch.Branch,
) *answered {
	if p.count == nil {
		return nil
	}
	at = at.UTC().Truncate(time.Millisecond) // as it is stored
	now := &answered{
		at: at, model: model, tools: plan.Sum.Tools, messages: plan.Messages,
		upto: make([]int, 1, len(plan.Messages)+1),
	}
	counts := map[string]int{}
	for i := range plan.Entries {
		e := &plan.Entries[i]
		if !e.Whole || i >= messages.Len() || messages.ID(i) != e.ID || messages.Row(i).Tokens == 0 {
			continue
		}
		if m, err := messages.Message(i); err == nil { // else its text is counted below
			counts[m.Content] = m.Tokens
		}
	}
	if before != nil && before.tools == now.tools {
		now.upto = append(now.upto[:0], before.upto[:1+history.Alike(before.messages, now.messages)]...)
	}
	count := func(text string) int {
		if n, known := counts[text]; known {
			return n
		}
		return p.count(text)
	}
	for n := len(now.upto) - 1; n < len(now.messages); n++ {
		cost := history.Cost(now.messages[n], count)
		if n == 0 {
			cost += now.tools
		}
		now.upto = append(now.upto, now.upto[n]+cost)
	}
	return now
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

// union is all ids of two sorted lists. It is a where b holds no other.
func union(a, b []int64) []int64 {
	var more []int64
	for _, id := range b {
		if _, there := slices.BinarySearch(a, id); !there {
			more = append(more, id)
		}
	}
	if len(more) == 0 {
		return a
	}
	all := append(slices.Clone(a), more...)
	slices.Sort(all)
	return all
}
