package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"winnow/history"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/session/target"
)

// planner plans the requests of a conversation: of its active branch, as far as that is loaded, to the model in use, by
// what the user has set. Its methods are called with the lock held.
type planner struct {
	mu sync.Mutex // held for the rest of the Session too

	tokens
	branch branch.Branch
	whole  bool // branch is all of it
	reader *history.Conversation
	read   int         // messages of branch that reader has read
	fresh  map[int]int // counts that came since, by index on the branch
	edited editReader  // the messages before one that is being edited

	model     *target.Model // in use
	policy    history.Policy
	system    string // the system prompt
	flags     map[int64]history.Flag
	remedies  map[int64]history.Remedy
	summaries []store.Summary
}

// find is the index of a message on the branch.
func (p *planner) find(message int64) (at int, there bool) { return p.branch.Find(message) }

// historyOf are stored messages as a plan reads them.
func historyOf(messages []store.Message) []history.Message {
	list := make([]history.Message, len(messages))
	for i := range messages {
		list[i] = messages[i].Message
	}
	return list
}

// recount takes counts of messages that were read with a guess, by their indexes, and removes them from fresh.
func recount(reader *history.Conversation, fresh map[int]int) {
	if len(fresh) > 0 {
		reader.Recount(fresh)
		clear(fresh)
	}
}

// readTo reads the first past messages of the branch.
func (p *planner) readTo(past int) error {
	if !p.whole {
		return ErrLoading
	}
	if p.reader == nil || p.read > past {
		p.reader, p.read, p.fresh = p.newReader(), 0, map[int]int{}
	}
	recount(p.reader, p.fresh)
	if p.read == past {
		return nil
	}
	counted, err := p.append(p.reader, p.branch, p.read, past)
	if err != nil {
		p.reader = nil // it may have read a part of them
		return err
	}
	p.branch, p.read = counted, past
	return nil
}

// counted says how far the messages are counted.
func (p *planner) counted() Counting {
	c := Counting{Of: p.branch.Len()}
	for i := range c.Of {
		if !p.missing(p.branch.Row(i)) {
			c.Counted++
		}
	}
	return c
}

// indexed is a message with its index on the branch.
type indexed struct {
	store.Message
	at int
}

// uncounted are the indexes of the newest messages without a stored count, some of them.
func (p *planner) uncounted() []int {
	var some []int
	size := 0
	for i := p.branch.Len() - 1; i >= 0 && len(some) < sliceRows && size < sliceBytes; i-- {
		if r := p.branch.Row(i); p.missing(r) {
			some = append(some, i)
			if r.Tokens == 0 {
				size += int(r.Size)
			}
		}
	}
	return some
}

// indexedIn are messages of a branch with their indexes.
func indexedIn(b branch.Branch, indexes []int) ([]indexed, error) {
	some := make([]indexed, 0, len(indexes))
	for _, i := range indexes {
		m, err := b.Message(i)
		if err != nil {
			return nil, err
		}
		some = append(some, indexed{m, i})
	}
	return some, nil
}

// recount puts counts into the branch, which may be another one by now. The planner takes them at
// its next plan.
func (p *planner) recount(some []indexed) {
	p.branch = p.branch.Change(func(row func(i int) *branch.Row) {
		for _, c := range some {
			if c.at >= p.branch.Len() || p.branch.ID(c.at) != c.ID {
				continue
			}
			r := row(c.at)
			r.Tokens, r.Counted = int32(c.Tokens), true
			if p.reader != nil && c.at < p.read {
				p.fresh[c.at] = c.Tokens
			}
			if e := &p.edited; e.reader != nil && c.at < e.read {
				e.fresh[c.at] = c.Tokens
			}
		}
	})
}

// guessed says that message i of the branch is planned with by a guess.
func (p *planner) guessed(i int) bool {
	return p.guess != nil && i < p.read && p.branch.Row(i).Tokens == 0 && p.branch.Row(i).Size > 0
}

// guessedIn are the messages that a plan sends whole and by a guess. What is sent of the others was
// counted as it is sent.
func (p *planner) guessedIn(plan history.Plan) []int {
	var some []int
	for i, e := range plan.Entries {
		if e.Whole && i < p.read && p.guessed(i) {
			some = append(some, i)
		}
	}
	return some
}

// guesses are the messages of the branch's beginning that are planned with by a guess, as runs from
// one id to another.
func (p *planner) guesses(past int) [][2]int64 {
	var runs [][2]int64
	for i := range past {
		if !p.guessed(i) {
			continue
		}
		if n := len(runs); n > 0 && i > 0 && p.guessed(i-1) {
			runs[n-1][1] = p.branch.ID(i)
			continue
		}
		runs = append(runs, [2]int64{p.branch.ID(i), p.branch.ID(i)})
	}
	return runs
}

// pending are the calls without a result of the answer that ends the branch. Only calls of a complete answer to a
// request of this session are pending: those of an interrupted or imported answer are not.
func (p *planner) pending() []call {
	results, at := 0, p.branch.Len()-1
	for ; at >= 0 && p.branch.Role(at) == history.Tool; at-- {
		results++ // they are stored in the order of the calls
	}
	if at < 0 {
		return nil
	}
	r := p.branch.Row(at)
	if r.Role() != history.Assistant || r.Status() != history.Complete || r.Request == 0 || results >= int(r.Calls) {
		return nil
	}
	m, err := p.branch.Message(at)
	if err != nil || results >= len(m.ToolCalls) {
		return nil
	}
	if llm.WholenessOf(m.FinishReason) == llm.Cut {
		return nil
	}
	calls := callsOf(m)[results:]
	for i := range calls {
		calls[i].again = true
	}
	return calls
}

// editReader reads what came before a message that is being edited. The reader of the whole branch stays as it is
// meanwhile.
type editReader struct {
	message int64 // 0 for none
	reader  *history.Conversation
	read    int         // messages before it
	fresh   map[int]int // counts that came since, by index on the branch
}

// readBefore is the reader of the messages before one, which are the first so many. A long conversation takes seconds
// to read, and the lock is given away meanwhile.
func (p *planner) readBefore(message int64, first int) (*history.Conversation, error) {
	if e := &p.edited; e.message == message && e.reader != nil {
		recount(e.reader, e.fresh)
		return e.reader, nil
	}
	past, reader := p.branch.First(first), p.newReader()
	p.mu.Unlock()
	_, err := p.append(reader, past, 0, first)
	p.mu.Lock()
	if err != nil {
		return nil, err
	}
	if at, there := p.find(message); there && at == first {
		p.edited = editReader{message: message, reader: reader, read: first, fresh: map[int]int{}}
	}
	return reader, nil
}

// group is the messages that are sent or left out together with one, itself among them: a message that calls tools
// and the results of its calls, or the message alone. Of what is not planned yet each message is alone.
func (p *planner) group(message int64) []int64 {
	at, there := p.find(message)
	if !there || p.reader == nil || at >= p.read {
		return []int64{message}
	}
	var list []int64
	for _, i := range p.reader.Group(at) {
		list = append(list, p.branch.ID(i))
	}
	return list
}

// tokens counts texts.
type tokens struct {
	counter   history.Counter // nil counts none
	guess     history.Counter // says at once about what counter would; nil guesses none
	tokenizer string          // what counter is called
}

// count counts a text's tokens, or 0 where nothing counts: the plan then estimates.
func (t tokens) count(text string) int {
	if t.counter == nil {
		return 0
	}
	return t.counter(text)
}

// missing says that a message's tokens are not in the store yet.
func (t tokens) missing(r branch.Row) bool {
	return t.counter != nil && r.Size > 0 && r.Status() != history.Streaming && (r.Tokens == 0 || !r.Counted)
}

// summariesOn are the summaries that are of the first messages of the branch, the widest first; of two as wide
// the newer comes first. A message is on the branch with all that came before it, so the newest message of a
// summary tells.
func (p *planner) summariesOn(first int) []history.Summary {
	on := slices.DeleteFunc(slices.Clone(p.summaries), func(m store.Summary) bool {
		at, there := p.find(m.LastMessage())
		return !there || at >= first
	})
	slices.Reverse(on)
	slices.SortStableFunc(on, func(x, y store.Summary) int { return cmp.Compare(y.LastMessage(), x.LastMessage()) })
	list := make([]history.Summary, len(on))
	for i, m := range on {
		list[i] = summaryOf(m)
	}
	return list
}

// summaryOf is a stored summary as a plan reads it.
func summaryOf(m store.Summary) history.Summary {
	return history.Summary{ID: m.ID, Messages: m.Sources, Text: m.Text, By: m.Endpoint + "/" + m.Model}
}

// build plans a request that answers o.Turn after the first past messages of the branch.
func (p *planner) build(past int, o history.Options) (history.Plan, error) {
	if err := p.readTo(past); err != nil {
		return history.Plan{}, err
	}
	return p.reader.Build(o)
}

// buildLimited is build of a request to a model, but a limit below what must be sent does not hold.
func (p *planner) buildLimited(to *target.Model, past int, o *history.Options) (history.Plan, error) {
	plan, err := p.build(past, *o)
	if over := (*history.OverBudgetError)(nil); o.Limit > 0 && to.Shrunk() == 0 && errors.As(err, &over) {
		o.Limit = 0
		return p.build(past, *o)
	}
	return plan, err
}

// options is everything beside the history that decides a request to a model under a policy.
func (p *planner) options(to *target.Model, policy history.Policy, turn []history.Message) history.Options {
	o := history.Options{
		Policy:   policy,
		System:   p.system,
		Turn:     turn,
		Flags:    p.flags,
		Remedies: p.remedies,
		Count:    p.counter,
	}
	if policy.Summarizes() {
		o.Summaries = p.summariesOn(p.branch.Len())
	}
	to.Fill(&o)
	return o
}

// previewEdit plans the request that would leave if a draft were said in the place of a message: Edit says
// which files go with it. What was said since is not in it.
func (p *planner) previewEdit(
	message int64, draft string, files []history.Part, options func([]history.Message) history.Options,
) (history.Plan, error) {
	at, there := p.find(message)
	switch {
	case !p.whole:
		return history.Plan{}, ErrLoading
	case !there:
		return history.Plan{}, fmt.Errorf("plan an edit of message %d: %w", message, store.ErrNotFound)
	case p.branch.Role(at) != history.User:
		return history.Plan{}, ErrNotYours
	}
	alone := p.branch.Row(at).Alone
	if files == nil {
		m, err := p.branch.Message(at)
		if err != nil {
			return history.Plan{}, err
		}
		files = m.Parts
	}
	reader, err := p.readBefore(message, at)
	if err != nil {
		return history.Plan{}, err
	}
	o := options(asTurn(draft, files))
	if len(o.Summaries) > 0 {
		o.Summaries = p.summariesOn(at)
	}
	if alone {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	return reader.Build(o)
}

// warm makes a first plan of what was read, which makes a long conversation searchable: that takes seconds. Nobody who
// asks the session for something else waits for it, and the next plan finds it done.
func (p *planner) warm(reader *history.Conversation) {
	p.mu.Lock()
	o := p.options(p.model, p.policy, []history.Message{{Role: history.User, Content: "?"}})
	p.mu.Unlock()
	reader.Build(o)
}

// previewOptions are options for a request that is only shown. A message that is sent leaves the pending calls
// without a result, which a strict recovery refuses.
func (p *planner) previewOptions(to *target.Model, policy history.Policy, draft []history.Message) history.Options {
	o := p.options(to, policy, draft)
	refused := policy.Recovery == history.RecoverStrict && len(draft) > 0
	if calls := p.pending(); len(calls) > 0 && !refused {
		o.Pending = calls[0].message
	}
	return o
}
