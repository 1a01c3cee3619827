package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"winnow/history"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/session/target"
)

// planner has the beginning of a branch as plans read it: it is read once and grows at its end. A plan may take a
// while: nobody waits for one but who wants another.
type planner struct {
	count history.Counter

	mu   sync.Mutex
	read *history.Conversation // of seen, nil where nothing is read
	seen branch.Branch
}

// reads hands the first messages of a conversation's branch to f, as many as before says. While they are still loading
// the error is ErrLoading.
func (p *planner) reads(st State, before int, f func(c *history.Conversation)) error {
	if !st.Whole || before > st.Branch.Len() {
		return ErrLoading
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.to(st.Branch.First(before)); err != nil {
		return err
	}
	f(p.read)
	return nil
}

// to reads the rest of a branch, or all of it where it does not begin with what was read.
func (p *planner) to(b branch.Branch) error {
	same := p.read != nil && p.seen.Len() <= b.Len()
	for i := 0; same && i < p.seen.Len(); i++ {
		was, now := p.seen.Row(i), b.Row(i)
		same = was.ID == now.ID && was.Status() == now.Status() && was.Size == now.Size
	}
	if !same {
		p.read, p.seen = history.Read(nil, p.count), branch.Branch{}
	}
	err := b.Pieces(context.Background(), p.seen.Len(), b.Len(), func(_ int, messages []store.Message) error {
		p.read.Append(branch.History(messages)...)
		return nil
	})
	if p.seen = b; err != nil {
		p.read = nil // it may have read a part of them
	}
	return err
}

// build plans a request after the first messages of a conversation's branch. A limit below what must be sent is raised
// to that, but for a summary, which may be one of fewer messages.
func (p *planner) build(st State, before int, o *history.Options) (plan history.Plan, err error) {
	failed := p.reads(st, before, func(c *history.Conversation) {
		plan, err = c.Build(*o)
		if over, is := errors.AsType[*history.OverBudgetError](err); is && o.Limit > 0 &&
			(o.Scope == nil || o.Scope.For != history.ForSummary) {
			o.Limit = over.Need
			plan, err = c.Build(*o)
		}
	})
	return plan, cmp.Or(failed, err)
}

// options is everything beside the history that decides a request to a model under a policy.
func (s *Session) options(
	st State, to *target.Model, policy history.Policy, turn ...history.Message,
) history.Options {
	o := history.Options{
		Policy: policy, System: st.System, Turn: turn, Flags: st.Flags, Remedies: st.Remedies, Count: s.deps.Count,
	}
	if policy.Summarizes() {
		o.Summaries = st.summariesOn(st.Branch.Len())
	}
	to.Fill(&o)
	return o
}

// summariesOn are the summaries that are of the first messages of the branch, the widest first; of two as wide
// the newer comes first. A message is on the branch with all that came before it, so the newest message of a
// summary tells.
func (st State) summariesOn(first int) []history.Summary {
	var list []history.Summary
	for _, m := range slices.Backward(st.summaries) {
		if at, there := st.Branch.Find(m.LastMessage()); there && at < first {
			list = append(list, history.Summary{
				ID: m.ID, Messages: m.Sources, Text: m.Text, By: m.Endpoint + "/" + m.Model,
			})
		}
	}
	newest := func(m history.Summary) int64 { return m.Messages[len(m.Messages)-1][1] }
	slices.SortStableFunc(list, func(x, y history.Summary) int { return cmp.Compare(newest(y), newest(x)) })
	return list
}

// alone says that a message of the user's is sent without the conversation before it: it says so in the store,
// whichever way it is asked about.
func (st State) alone(user int64) bool {
	at, there := st.Branch.Find(user)
	return there && st.Branch.Row(at).Alone
}

// request is the request of a plan to a model, with what the server's cache may know of it.
func (s *Session) request(to *target.Model, plan history.Plan) llm.Request {
	r := to.Request(plan)
	r.CacheMarks = to.Client.CacheMarks(r, s.past.Alike(to.Ref(), plan), plan.Stays)
	return r
}

// Tried is a conversation with other settings, of which nothing is kept. Where they are not possible, Preview and
// Settings fail with Err, and what is said of a plan is of the model in use.
type Tried struct {
	State               // with the settings
	Err   error         // why they are not possible, nil where they are
	To    *target.Model // the state's model, with the window that is tried

	s       *Session
	keys    []string // of the policy, that are tried
	plans   *planner
	sending bool // a window that nobody has stated yet is taken as it is assumed
}

// Preview is the plan of the request that would leave if a draft were sent now: see Tried.Preview.
func (s *Session) Preview(d Draft) (history.Plan, error) {
	return s.Try(context.Background(), Settings{}).Preview(d)
}

// Preview is the plan of the request that would leave if a draft were sent now. It reads the
// conversation once and then costs what changed. While the older messages are still loading
// there is no true answer, and the error is ErrLoading. A *history.OverBudgetError comes with a
// plan to show.
func (w Tried) Preview(d Draft) (history.Plan, error) {
	if w.Err != nil {
		return history.Plan{}, w.Err
	}
	m, behind, err := w.s.place(context.Background(), d)
	if err != nil {
		return history.Plan{}, err
	}
	if d.Instead != 0 {
		w.Branch, w.plans = behind, &w.s.other
	}
	return w.plan(m, d.Cut)
}

// plan plans the request of a message that is not stored, at the end of the branch; nothing is said with an empty one.
func (w Tried) plan(m store.Message, cut bool) (history.Plan, error) {
	var turn []history.Message
	if strings.TrimSpace(m.Content) != "" || len(m.Parts) > 0 {
		turn = []history.Message{m.Message}
	}
	o := w.s.options(w.State, w.To, w.Policy, turn...)
	if o.CutCurrent = cut; m.Alone {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	if w.sending && o.Window == 0 {
		o.Window = w.To.Windows().Window().Tokens
	}
	return w.plans.build(w.State, w.Branch.Len(), &o)
}

// WithRemedy is w with another remedy for some messages, as SetRemedy would set it.
func (w Tried) WithRemedy(r history.Remedy, messages ...int64) Tried {
	// To read an old message otherwise is to read all behind it again: nobody who plans as it is set waits for that.
	w.Remedies, w.plans = withRemedy(w.Remedies, r, w.s.groups(messages)), &w.s.other
	return w
}

// Body is the body of the request that a plan of Preview makes, byte for byte as it would be sent.
func (w Tried) Body(plan history.Plan) ([]byte, error) {
	return w.To.Client.RequestBody(w.s.request(w.To, plan))
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
	st := s.Now()
	if st.Whole {
		return nil
	}
	read, err := s.readBranch(ctx, st.Row.ID, st.Row.Leaf)
	if err != nil {
		return err
	}
	s.set(func(st *State) {
		if !st.Whole {
			st.Branch, st.Whole = read, true
		}
	})
	return nil
}

// readBranch reads a branch of the session from its first message on, for the screen and for plans, and makes a first
// plan of it: that makes a long conversation searchable, which takes seconds. What has no count of its tokens yet, as
// in an imported conversation, is counted, and the counts are stored.
func (s *Session) readBranch(ctx context.Context, id string, leaf int64) (branch.Branch, error) {
	st, conversation := s.Now(), history.Read(nil, s.deps.Count)
	ids, err := s.deps.Store.BranchIDs(ctx, id, leaf)
	if err != nil {
		return branch.Branch{}, err
	}
	read, err := st.Branch.First(0).Load(ctx, ids, func(messages []store.Message) error {
		err := s.countMissing(ctx, messages)
		conversation.Append(branch.History(messages)...)
		return err
	})
	if err != nil {
		return branch.Branch{}, err
	}
	conversation.Build(s.options(st, st.Model, st.Policy, history.Message{Role: history.User, Content: "?"}))
	s.plans.mu.Lock()
	defer s.plans.mu.Unlock()
	s.plans.read, s.plans.seen = conversation, read
	return read, nil
}

// uncounted says that a message's text has no count by the tokenizer in use.
func (s *Session) uncounted(m store.Message) bool {
	return m.Content != "" && (m.Tokenizer != s.deps.Tokenizer || m.Tokens == 0)
}

// countMissing counts messages that have no count, and stores the counts where that is possible. A message that another
// program still writes is counted for now.
func (s *Session) countMissing(ctx context.Context, messages []store.Message) error {
	counts := map[int64]int{}
	for i := range messages {
		if m := &messages[i]; s.uncounted(*m) {
			m.Tokens, m.Tokenizer = max(1, s.deps.Count(m.Content)), s.deps.Tokenizer
			if m.Status != history.Streaming {
				counts[m.ID] = m.Tokens
			}
		}
	}
	if len(counts) == 0 {
		return ctx.Err()
	}
	if err := s.deps.Store.SetTokens(ctx, s.deps.Tokenizer, counts); !errors.Is(err, store.ErrReadOnly) {
		return err
	}
	return nil
}
