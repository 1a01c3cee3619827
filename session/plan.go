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

// planner keeps the beginning of a branch in the form that plans read, so that it is read once and then extended. A
// plan may take a while; only other callers of the same planner wait for it.
type planner struct {
	count history.TokenCounter

	mu           sync.Mutex
	conversation *history.Conversation // of branch; nil if nothing is read
	branch       branch.Branch
}

// withConversation calls f with the first messages of the branch; before is their number. The error is ErrLoading while
// they are still being read.
func (p *planner) withConversation(st State, before int, f func(c *history.Conversation)) error {
	if !st.Loaded || before > st.Branch.Len() {
		return ErrLoading
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.extend(st.Branch.First(before)); err != nil {
		return err
	}
	f(p.conversation)
	return nil
}

// extend reads the rest of a branch, or all of it if it does not begin with what was read before.
func (p *planner) extend(b branch.Branch) error {
	same := p.conversation != nil && p.branch.Len() <= b.Len()
	for i := 0; same && i < p.branch.Len(); i++ {
		was, now := p.branch.Row(i), b.Row(i)
		same = was.ID == now.ID && was.Status() == now.Status() && was.Size == now.Size
	}
	if !same {
		p.conversation, p.branch = history.NewConversation(nil, p.count), branch.Branch{}
	}
	err := b.EachChunk(context.Background(), p.branch.Len(), b.Len(), func(_ int, messages []store.Message) error {
		p.conversation.Append(branch.HistoryMessages(messages)...)
		return nil
	})
	if p.branch = b; err != nil {
		p.conversation = nil // it may hold some of them
	}
	return err
}

// build plans a request after the first messages of the branch. A limit below the minimum that must be sent is raised
// to it, except for a summary, which can be made of fewer messages.
func (p *planner) build(st State, before int, o *history.Options) (plan history.Plan, err error) {
	failed := p.withConversation(st, before, func(c *history.Conversation) {
		plan, err = c.Build(*o)
		if over, is := errors.AsType[*history.OverBudgetError](err); is && o.Limit > 0 &&
			(o.Scope == nil || o.Scope.For != history.ForSummary) {
			o.Limit = over.Need
			plan, err = c.Build(*o)
		}
	})
	return plan, cmp.Or(failed, err)
}

// options returns the options of a plan for a model under a policy.
func (s *Session) options(
	st State, to *target.Model, policy history.Policy, turn ...history.Message,
) history.Options {
	o := history.Options{
		Policy: policy, System: st.System, Turn: turn, Flags: st.Flags, Remedies: st.Remedies, Count: s.deps.Count,
	}
	if policy.Summarizes() {
		o.Summaries = st.summariesOn(st.Branch.Len())
	}
	to.FillOptions(&o)
	return o
}

// summariesOn returns the summaries of the first messages of the branch, those that reach furthest first and newer
// before older ones. A summary belongs to the branch if its last message does.
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

// alone reports whether a user message is stored as to be sent without the earlier conversation.
func (st State) alone(user int64) bool {
	at, there := st.Branch.Find(user)
	return there && st.Branch.Row(at).SentAlone
}

// request returns the request of a plan, with marks for the part that the server may have in its cache.
func (s *Session) request(to *target.Model, plan history.Plan) llm.Request {
	r := to.Request(plan)
	r.CacheMarks = to.Client.CacheMarks(r, s.past.CommonPrefix(to.Ref(), plan), plan.Unchanged)
	return r
}

// Trial is a conversation with other settings, none of which are stored. If the settings are not possible, Preview and
// Settings fail with Err.
type Trial struct {
	State                // with the tried settings
	Err    error         // why the settings are not possible; nil if they are
	Target *target.Model // Model, with the tried window

	s            *Session
	keys         []string // the tried keys of the policy
	plans        *planner
	assumeWindow bool // plan with the assumed window if the server has not stated one
}

// Preview plans the request that would be sent for a draft: see Trial.Preview.
func (s *Session) Preview(d Draft) (history.Plan, error) {
	return s.Try(context.Background(), Settings{}).Preview(d)
}

// Preview plans the request that would be sent for a draft. It reads the conversation once, and only what changed after
// that. The error is ErrLoading while the older messages are still being read. With a *history.OverBudgetError the plan
// is still returned, to be shown.
func (w Trial) Preview(d Draft) (history.Plan, error) {
	if w.Err != nil {
		return history.Plan{}, w.Err
	}
	m, behind, err := w.s.resolveDraft(context.Background(), d)
	if err != nil {
		return history.Plan{}, err
	}
	if d.Replaces != 0 {
		w.Branch, w.plans = behind, &w.s.other
	}
	return w.plan(m, d.Cut)
}

// plan plans the request for a message that is not stored, at the end of the branch. An empty message is left out.
func (w Trial) plan(m store.Message, cut bool) (history.Plan, error) {
	var turn []history.Message
	if strings.TrimSpace(m.Content) != "" || len(m.Parts) > 0 {
		turn = []history.Message{m.Message}
	}
	o := w.s.options(w.State, w.Target, w.Policy, turn...)
	if o.CutCurrent = cut; m.Alone {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	if w.assumeWindow && o.Window == 0 {
		o.Window = w.Target.WindowFacts().Window().Tokens
	}
	return w.plans.build(w.State, w.Branch.Len(), &o)
}

// WithRemedy returns the trial with another remedy for some messages, as SetRemedy would set it.
func (w Trial) WithRemedy(r history.Remedy, messages ...int64) Trial {
	// Another remedy for an old message means reading everything after it again; plans with the current remedies must
	// not wait for that.
	w.Remedies, w.plans = withRemedy(w.Remedies, r, w.s.toolGroups(messages)), &w.s.other
	return w
}

// Body returns the body of the request of a plan, with exactly the bytes that would be sent.
func (w Trial) Body(plan history.Plan) ([]byte, error) {
	return w.Target.Client.RequestBody(w.s.request(w.Target, plan))
}

// LoadOlder reads the messages that Open left out and asks the server for the model's window. Until it returns, Preview
// fails with ErrLoading in a long conversation.
func (s *Session) LoadOlder(ctx context.Context) error {
	if err := s.loadBranch(ctx); err != nil {
		return err
	}
	return s.Model().FindWindow(ctx)
}

func (s *Session) loadBranch(ctx context.Context) error {
	st := s.State()
	if st.Loaded {
		return nil
	}
	read, err := s.readBranch(ctx, st.Row.ID, st.Row.Leaf)
	if err != nil {
		return err
	}
	s.set(func(st *State) {
		if !st.Loaded {
			st.Branch, st.Loaded = read, true
		}
	})
	return nil
}

// readBranch reads a branch from its first message, for the screen and for plans, and plans once, because the first
// plan of a long conversation takes seconds. Messages without a token count, such as imported ones, are counted, and
// the counts are stored.
func (s *Session) readBranch(ctx context.Context, id string, leaf int64) (branch.Branch, error) {
	st, conversation := s.State(), history.NewConversation(nil, s.deps.Count)
	ids, err := s.deps.Store.BranchIDs(ctx, id, leaf)
	if err != nil {
		return branch.Branch{}, err
	}
	read, err := st.Branch.First(0).Load(ctx, ids, func(messages []store.Message) error {
		err := s.countMissing(ctx, messages)
		conversation.Append(branch.HistoryMessages(messages)...)
		return err
	})
	if err != nil {
		return branch.Branch{}, err
	}
	conversation.Build(s.options(st, st.Model, st.Policy, history.Message{Role: history.User, Content: "?"}))
	s.plans.mu.Lock()
	defer s.plans.mu.Unlock()
	s.plans.conversation, s.plans.branch = conversation, read
	return read, nil
}

// uncounted reports whether a message lacks a token count by the tokenizer in use.
func (s *Session) uncounted(m store.Message) bool {
	return m.Content != "" && (m.Tokenizer != s.deps.Tokenizer || m.Tokens == 0)
}

// countMissing counts messages that have no count and stores the counts if the store is writable. The count of a
// message that another program is still writing is not stored.
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
