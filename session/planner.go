package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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

	situation
	reading reading
}

// situation is what requests are planned from. Its maps and lists are replaced and never changed, because plans and
// records hold them too.
type situation struct {
	tokens
	branch branch.Branch
	whole  bool // branch is all of it

	model     *target.Model // in use
	policy    history.Policy
	system    string // the system prompt
	flags     map[int64]history.Flag
	remedies  map[int64]history.Remedy
	summaries []store.Summary
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

// countAtOnce is how many bytes of text without a count are counted when they are read: some hundredths of a second.
const countAtOnce = 64 << 10

// reading is the beginning of a branch as it was read for plans: it is read once and grows at its end.
type reading struct {
	conversation *history.Conversation
	seen         branch.Branch // what was read, with the counts that it was read with
	guessed      map[int]bool  // the messages, by index, that are planned with by a guess of their tokens
}

// to reads the rest of a branch, or all of it where it does not begin with what was read. Counts that came since are
// taken.
func (r *reading) to(b branch.Branch, by tokens) error {
	recounts := map[int]int{}
	same := r.conversation != nil && r.seen.Len() <= b.Len()
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
		r.conversation.Recount(recounts)
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
		r.conversation = nil // it may have read a part of them
	}
	return err
}

// nothingRead is the reading of no messages.
func (t tokens) nothingRead() reading {
	return reading{conversation: history.Read(nil, t.counter), guessed: map[int]bool{}}
}

// take appends messages, the first of which has an index on the branch. Where all that is read has few bytes of text
// without a count they are counted; for more a guess has to do, so that nobody waits.
func (r *reading) take(messages []store.Message, from, uncounted int, by tokens) {
	list := historyOf(messages)
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
	r.conversation.Append(list...)
}

// historyOf are stored messages as a plan reads them.
func historyOf(messages []store.Message) []history.Message {
	list := make([]history.Message, len(messages))
	for i := range messages {
		list[i] = messages[i].Message
	}
	return list
}

// find is the index of a message on the branch.
func (p *planner) find(message int64) (at int, there bool) { return p.branch.Find(message) }

// readTo reads the first past messages of the branch.
func (p *planner) readTo(past int) error {
	if !p.whole {
		return ErrLoading
	}
	return p.reading.to(p.branch.First(past), p.tokens)
}

// guesses are the messages that are planned with by a guess, as runs from one id to another.
func (p *planner) guesses() (runs [][2]int64) {
	before := -1
	for _, i := range slices.Sorted(maps.Keys(p.reading.guessed)) {
		if before < 0 || i > before+1 {
			runs = append(runs, [2]int64{p.branch.ID(i), 0})
		}
		runs[len(runs)-1][1], before = p.branch.ID(i), i
	}
	return runs
}

// guessedIn are the messages that a plan sends whole and by a guess. What is sent of the others was counted as it is
// sent.
func (p *planner) guessedIn(plan history.Plan) (some []int) {
	for i, e := range plan.Entries {
		if e.Whole && p.reading.guessed[i] {
			some = append(some, i)
		}
	}
	return some
}

// group is the messages that are sent or left out together with one, itself among them: a message that calls tools
// and the results of its calls, or the message alone. Of what is not planned yet each message is alone.
func (p *planner) group(message int64) []int64 {
	at, there := p.find(message)
	if !there || p.reading.conversation == nil || at >= p.reading.seen.Len() {
		return []int64{message}
	}
	var list []int64
	for _, i := range p.reading.conversation.Group(at) {
		list = append(list, p.branch.ID(i))
	}
	return list
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
	return p.reading.conversation.Build(o)
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

// planEdit plans the request that would leave if a draft were said in the place of a message: Edit says which files go
// with it. What was said since is not in it. from is what the rest is planned from, as of now: its conversation may
// change while the messages before the edited one are read.
func (s *Session) planEdit(
	from *planner, message int64, draft string, files []history.Part,
	options func(p *planner, turn []history.Message) history.Options,
) (history.Plan, error) {
	p := &s.edits
	p.mu.Lock()
	defer p.mu.Unlock()
	from.mu.Lock()
	p.situation = from.situation
	from.mu.Unlock()
	at, there := p.find(message)
	switch {
	case !p.whole:
		return history.Plan{}, ErrLoading
	case !there:
		return history.Plan{}, fmt.Errorf("plan an edit of message %d: %w", message, store.ErrNotFound)
	case p.branch.Role(at) != history.User:
		return history.Plan{}, ErrNotYours
	}
	earlier, err := p.branch.Message(at)
	if err != nil {
		return history.Plan{}, err
	}
	if files == nil {
		files = earlier.Parts
	}
	p.branch = p.branch.First(at)
	o := options(p, asTurn(draft, files))
	if earlier.Alone {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	return p.build(at, o)
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
	s.mu.Lock()
	row, whole := s.row, s.whole
	s.mu.Unlock()
	if whole {
		return nil
	}
	read, err := s.readBranch(ctx, row.ID, row.Leaf)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.whole {
		s.branch, s.whole, s.reading = read.seen, true, read
	}
	return nil
}

// readBranch reads a branch of the session from its first message on, for the screen and for the planner. Nobody who
// asks the session for something else waits for it.
func (s *Session) readBranch(ctx context.Context, id string, leaf int64) (reading, error) {
	read, from := s.nothingRead(), 0
	ids, err := s.deps.Store.BranchIDs(ctx, id, leaf)
	if err != nil {
		return read, err
	}
	uncounted, err := s.deps.Store.Uncounted(ctx, ids, s.tokenizer)
	if err != nil {
		return read, err
	}
	read.seen, err = s.Branch().First(0).Load(ctx, ids, func(messages []store.Message) {
		read.take(messages, from, uncounted, s.tokens)
		from += len(messages)
	})
	if err == nil {
		s.warm(read)
	}
	return read, err
}

// reread reads what came before the running turn for the planner, where that has been cut back.
func (t *turn) reread() error {
	t.mu.Lock()
	past, read := t.branch.First(t.past), t.nothingRead()
	t.mu.Unlock()
	if err := read.to(past, t.tokens); err != nil {
		return err
	}
	t.warm(read)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reading = read
	return nil
}

// warm makes a first plan of what was read, which makes a long conversation searchable: that takes seconds. Nobody who
// asks the session for something else waits for it, and the next plan finds it done.
func (p *planner) warm(read reading) {
	p.mu.Lock()
	o := p.options(p.model, p.policy, []history.Message{{Role: history.User, Content: "?"}})
	p.mu.Unlock()
	read.conversation.Build(o)
}
