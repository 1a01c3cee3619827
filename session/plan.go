package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"winnow/history"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/session/target"
)

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

// countAtOnce is how many bytes of text without a count are counted when they are read: some hundredths of a second.
const countAtOnce = 64 << 10

// reading is the beginning of a branch as it was read for plans: it is read once and grows at its end.
type reading struct {
	*history.Conversation
	seen    branch.Branch // what was read, with the counts that it was read with
	guessed map[int]bool  // the messages, by index, that are planned with by a guess of their tokens
}

// nothingRead is the reading of no messages.
func (t tokens) nothingRead() reading {
	return reading{history.Read(nil, t.counter), branch.Branch{}, map[int]bool{}}
}

// to reads the rest of a branch, or all of it where it does not begin with what was read. Counts that came since are
// taken.
func (r *reading) to(b branch.Branch, by tokens) error {
	recounts := map[int]int{}
	same := r.Conversation != nil && r.seen.Len() <= b.Len()
	for i := 0; same && i < r.seen.Len(); i++ {
		was, now := r.seen.Row(i), b.Row(i)
		same = was.ID == now.ID && was.Status() == now.Status() && was.Size == now.Size
		if now.Tokens != was.Tokens && now.Tokens != 0 {
			recounts[i] = int(now.Tokens)
			delete(r.guessed, i)
		}
	}
	if !same {
		*r = by.nothingRead()
	} else if len(recounts) > 0 {
		r.Recount(recounts)
	}
	from, uncounted := r.seen.Len(), 0
	for i := from; i < b.Len(); i++ {
		if row := b.Row(i); row.Tokens == 0 {
			uncounted += int(row.Size)
		}
	}
	err := b.Pieces(context.Background(), from, b.Len(), func(from int, messages []store.Message) error {
		r.take(messages, from, uncounted, by)
		return nil
	})
	r.seen = b
	if err != nil {
		r.Conversation = nil // it may have read a part of them
	}
	return err
}

// take appends messages, the first of which has an index on the branch. Where all that is read has few bytes of text
// without a count they are counted; for more a guess has to do, so that nobody waits.
func (r *reading) take(messages []store.Message, from, uncounted int, by tokens) {
	list := branch.History(messages)
	for i := range list {
		m := &list[i]
		switch {
		case m.Tokens != 0 || m.Content == "" || by.counter == nil:
		case uncounted <= countAtOnce:
			m.Tokens = by.counter(m.Content)
		case by.guess != nil:
			m.Tokens, r.guessed[from+i] = by.guess(m.Content), true
		}
	}
	r.Append(list...)
}

// guesses are the messages that are planned with by a guess, as runs from one id to another.
func (r *reading) guesses() (runs [][2]int64) {
	before := -1
	for _, i := range slices.Sorted(maps.Keys(r.guessed)) {
		if before < 0 || i > before+1 {
			runs = append(runs, [2]int64{r.seen.ID(i), 0})
		}
		runs[len(runs)-1][1], before = r.seen.ID(i), i
	}
	return runs
}

// guessedIn are the messages that a plan sends whole and by a guess. What is sent of the others was counted as it is
// sent.
func (r *reading) guessedIn(plan history.Plan) (some []int) {
	for i, e := range plan.Entries {
		if e.Whole && r.guessed[i] {
			some = append(some, i)
		}
	}
	return some
}

// build plans a request to a model. A limit below what must be sent does not hold, and goes from o.
func (r *reading) build(to *target.Model, o *history.Options) (history.Plan, error) {
	plan, err := r.Build(*o)
	if over := (*history.OverBudgetError)(nil); o.Limit > 0 && to.Shrunk() == 0 && errors.As(err, &over) {
		o.Limit = 0
		return r.Build(*o)
	}
	return plan, err
}

// planner keeps the reading of a branch that requests are planned from. A plan may take a while: nobody waits for one
// but who wants another.
type planner struct {
	mu sync.Mutex
	reading
}

// read hands the first past messages of a conversation's branch to f. While they are still loading the error is
// ErrLoading.
func (p *planner) read(st state, past int, f func(r *reading)) error {
	if !st.whole || past > st.branch.Len() {
		return ErrLoading
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.to(st.branch.First(past), st.tokens); err != nil {
		return err
	}
	f(&p.reading)
	return nil
}

// build plans a request to a model after the first past messages of a conversation's branch.
func (p *planner) build(st state, past int, to *target.Model, o history.Options) (plan history.Plan, err error) {
	failed := p.read(st, past, func(r *reading) { plan, err = r.build(to, &o) })
	return plan, cmp.Or(failed, err)
}

// pending are the calls without a result of the answer that ends the branch. Only calls of a complete answer to a
// request of this session are pending: those of an interrupted or imported answer are not.
func (st state) pending() []call {
	results, at := 0, st.branch.Len()-1
	for ; at >= 0 && st.branch.Role(at) == history.Tool; at-- {
		results++ // they are stored in the order of the calls
	}
	if at < 0 {
		return nil
	}
	r := st.branch.Row(at)
	if r.Role() != history.Assistant || r.Status() != history.Complete || r.Request == 0 || results >= int(r.Calls) {
		return nil
	}
	m, err := st.branch.Message(at)
	if err != nil || results >= len(m.ToolCalls) || llm.WholenessOf(m.FinishReason) == llm.Cut {
		return nil
	}
	calls := callsOf(m)[results:]
	for i := range calls {
		calls[i].again = true
	}
	return calls
}

// summariesOn are the summaries that are of the first messages of the branch, the widest first; of two as wide
// the newer comes first. A message is on the branch with all that came before it, so the newest message of a
// summary tells.
func (st state) summariesOn(first int) []history.Summary {
	var list []history.Summary
	for _, m := range slices.Backward(st.summaries) {
		if at, there := st.branch.Find(m.LastMessage()); there && at < first {
			list = append(list, summaryOf(m))
		}
	}
	newest := func(m history.Summary) int64 { return m.Messages[len(m.Messages)-1][1] }
	slices.SortStableFunc(list, func(x, y history.Summary) int { return cmp.Compare(newest(y), newest(x)) })
	return list
}

// summaryOf is a stored summary as a plan reads it.
func summaryOf(m store.Summary) history.Summary {
	return history.Summary{ID: m.ID, Messages: m.Sources, Text: m.Text, By: m.Endpoint + "/" + m.Model}
}

// options is everything beside the history that decides a request to a model under a policy.
func (st state) options(to *target.Model, policy history.Policy, turn ...history.Message) history.Options {
	o := history.Options{
		Policy: policy, System: st.system, Turn: turn, Flags: st.flags, Remedies: st.remedies, Count: st.counter,
	}
	if policy.Summarizes() {
		o.Summaries = st.summariesOn(st.branch.Len())
	}
	to.Fill(&o)
	return o
}

// before is the conversation without a message of the user's and what was said since, and that message.
func (st state) before(message int64) (state, store.Message, error) {
	at, there := st.branch.Find(message)
	switch {
	case !st.whole:
		return st, store.Message{}, ErrLoading
	case !there:
		return st, store.Message{}, fmt.Errorf("plan an edit of message %d: %w", message, store.ErrNotFound)
	case st.branch.Role(at) != history.User:
		return st, store.Message{}, ErrNotYours
	}
	m, err := st.branch.Message(at)
	st.branch = st.branch.First(at)
	return st, m, err
}

// request is the request of a plan to a model, with what the server's cache may know of it.
func (s *Session) request(st state, to *target.Model, plan history.Plan) llm.Request {
	r := to.Request(plan)
	r.Cache = to.Client.Caching(r, llm.CacheHint{
		Alike: s.before.Alike(to.Ref(), plan),
		Stays: plan.Stays,
	})
	return r
}

// LoadRest reads what Open left out and asks the server how large the model's window is. Until it
// returns, Preview answers ErrLoading in a long conversation.
func (s *Session) LoadRest(ctx context.Context) error {
	if err := s.loadBranch(ctx); err != nil {
		return err
	}
	return s.Model().Find(ctx)
}

func (s *Session) loadBranch(ctx context.Context) error {
	if st := s.now(); !st.whole {
		read, err := s.readBranch(ctx, st.row.ID, st.row.Leaf)
		if err != nil {
			return err
		}
		s.set(func(st *state) {
			if !st.whole {
				st.branch, st.whole = read.seen, true
			}
		})
	}
	return nil
}

// readBranch reads a branch of the session from its first message on, for the screen and for plans, and makes a first
// plan of it: that makes a long conversation searchable, which takes seconds.
func (s *Session) readBranch(ctx context.Context, id string, leaf int64) (reading, error) {
	st := s.now()
	read, from := st.nothingRead(), 0
	ids, err := s.deps.Store.BranchIDs(ctx, id, leaf)
	if err != nil {
		return read, err
	}
	uncounted, err := s.deps.Store.Uncounted(ctx, ids, st.tokenizer)
	if err != nil {
		return read, err
	}
	read.seen, err = st.branch.First(0).Load(ctx, ids, func(messages []store.Message) {
		read.take(messages, from, uncounted, st.tokens)
		from += len(messages)
	})
	if err != nil {
		return read, err
	}
	read.Build(st.options(st.model, st.policy, history.Message{Role: history.User, Content: "?"}))
	s.plans.mu.Lock()
	defer s.plans.mu.Unlock()
	s.plans.reading = read
	return read, nil
}

// userTurn is what the user would say with a draft, nothing where that is empty.
func userTurn(text string, files []history.Part) []history.Message {
	if strings.TrimSpace(text) == "" && len(files) == 0 {
		return nil
	}
	return []history.Message{{Role: history.User, Content: text, Parts: files}}
}
