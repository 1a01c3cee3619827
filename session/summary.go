package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"winnow/history"
	"winnow/llm"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// summaryPrompt asks a model for a summary, summaryQuestion stands behind what it is to summarize.
const (
	summaryPrompt = "You condense conversations. Your notes stand in for the messages from now on: whoever goes on " +
		"with the conversation sees nothing else of them."
	summaryQuestion = "Condense the conversation above into notes, in its own language: what the user said of " +
		"themselves and wants of all answers, names, numbers, dates, decisions with their reasons, open questions. " +
		"Leave out what was only said in passing, and add nothing. Answer with the notes alone."
	summaryBefore = "These notes stand for what was said even before. Take them into yours:\n\n"
)

// The length of a summary in tokens: an eighth of what a request may hold, within these bounds.
const (
	summaryMin = 256
	summaryMax = 1024
)

var (
	// ErrNothingOlder says that there is nothing to summarize: a summary never stands for the newest turn.
	ErrNothingOlder = errors.New("there is nothing to summarise yet: the last turn is never summarised")

	errNoneFits = errors.New("each of the older messages is longer than one request can hold")
)

// older chooses what is to be summarized, the oldest first, and the summary that goes into the next one, nil for none.
type older func(c *history.Conversation, o history.Options) (list []history.Message, before *history.Summary)

// condense has the model summarize the oldest messages where the policy wants that, as long as not everything
// fits. A model that fails is not asked again in this turn: the messages are cut and dropped instead.
func (t *turn) condense(ctx context.Context) error {
	for !t.uncondensed && t.Now().Policy.SummarizeRatio > 0 {
		err := t.summarize(ctx, t.nextOptions, t.messages[0].ID, (*history.Conversation).Condense)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrNothingOlder):
			return nil
		case err != nil && !errors.Is(err, errNoneFits):
			t.say("the older messages could not be summarised and are cut instead: %v", err)
		}
		t.uncondensed = err != nil
	}
	return nil
}

// Compact has the model summarize all that was said before the newest turn, and lets the summary
// stand in its place from the next request on, even where everything would fit. The messages stay as
// they are. Where the model fails nothing changes.
func (s *Session) Compact(ctx context.Context) <-chan Event {
	return s.start(ctx, "", func(ctx context.Context, t *turn) error {
		if err := t.askModel(ctx); err != nil {
			return err
		}
		st := t.Now()
		at := st.Branch.Last(history.User)
		if at < 0 {
			return ErrNothingOlder
		}
		t.before = st.Branch.Len()
		next := func(st State) history.Options {
			policy := st.Policy
			policy.SummaryAlways = true // An earlier summary goes into the next.
			return t.options(st, t.Model(), policy)
		}
		var err error
		summaries := 0
		for ; err == nil; summaries++ {
			err = t.summarize(ctx, next, st.Branch.ID(at), (*history.Conversation).Older)
		}
		switch nothing := errors.Is(err, ErrNothingOlder); {
		case summaries > 1 && (nothing || errors.Is(err, errNoneFits)): // What is left is too long for any request.
		case nothing:
			return err
		default:
			return fmt.Errorf("summarise the older messages: %w", err)
		}
		if err := t.Set(ctx, Settings{SummaryAlways: new(true)}); err != nil {
			return err
		}
		t.say("the summary is now sent instead of the older messages where it is shorter; /compact off sends the " +
			"messages again")
		return nil
	})
}

// summarizer is the model that writes summaries: the configured one with its own window and prices, else the
// conversation's own. The messages go to no other where the configured one is not there.
func (t *turn) summarizer(ctx context.Context) (*target.Model, error) {
	to := t.Model()
	if t.deps.SummaryRef != "" {
		other, err := t.find(ctx, t.deps.SummaryRef, "")
		if err == nil {
			ask, cancel := context.WithTimeout(ctx, target.Patience)
			defer cancel()
			err = other.Find(ask)
		}
		if err != nil {
			return nil, fmt.Errorf("find the model for summaries (summary.model): %w", cmp.Or(ctx.Err(), err))
		}
		to = other
	}
	if to.Client.Endpoint().Name == llm.Guide {
		return nil, errors.New("the guide is not a language model")
	}
	return to, nil
}

// summarize has the model summarize as many of the older messages as one request holds whole, and keeps the summary.
// The error is ErrNothingOlder where there are none. A message that no request can hold whole is left out: no summary
// stands for it. next is everything beside the history that decides the request that the summary is made for; what the
// user changes meanwhile holds for what is summarized too.
func (t *turn) summarize(ctx context.Context, next func(State) history.Options, user int64, choose older) error {
	var before *history.Summary
	a, err := t.ask(ctx, errand{
		purpose: store.ForSummary, user: user, reason: summaryNotice,
		plan: func(ctx context.Context) (*attempt, error) {
			if err := t.refresh(ctx); err != nil {
				return nil, err
			}
			var list []history.Message
			st := t.Now()
			o := next(st)
			err := t.plans.reads(st, t.before, func(c *history.Conversation) { list, before = choose(c, o) })
			if err == nil && len(list) == 0 {
				err = ErrNothingOlder
			}
			if err != nil {
				return nil, err
			}
			to, err := t.summarizer(ctx)
			if err != nil {
				return nil, err
			}
			return t.planSummary(st, to, o.Policy, list, before)
		},
	})
	if err != nil {
		return err
	}
	return t.keepSummary(ctx, before, a)
}

// summaryNotice announces the request for a summary.
func summaryNotice(a *attempt) string {
	cost := ""
	if c := a.to.InputCost(a.plan.Sum); c.Known() {
		cost = ", " + c.String()
	}
	return fmt.Sprintf("asking %s to summarise %s (about %d tokens%s)", a.to.Ref(),
		english.Plural(len(a.held()), "older message", ""), a.expected(), cost)
}

// keepSummary keeps the summary that a request asked for. It stands for what the request held whole and for what
// the summary before stands for.
func (t *turn) keepSummary(ctx context.Context, before *history.Summary, a *attempt) error {
	st, held := t.Now(), a.held()
	m := store.Summary{
		Session: st.Row.ID, Endpoint: a.record.Endpoint, Model: a.record.Model, Text: a.text(),
		Sources: history.IDsOf(st.Branch.First(t.before).IDs(), func(id int64) bool {
			return held[id] || before != nil && before.Messages.Holds(id)
		}),
	}
	for id := range st.Branch.First(t.before).IDs() {
		if m.Sources.Holds(id) {
			m.Messages++
		}
	}
	save, cancel := detached(ctx)
	defer cancel()
	made, err := t.deps.Store.AddSummary(save, m)
	if err == nil {
		t.set(func(st *State) { st.summaries = append(slices.Clip(st.summaries), made) })
	}
	return err
}

// held is the messages that a summary's request holds whole.
func (a *attempt) held() map[int64]bool {
	held := map[int64]bool{}
	for _, e := range a.plan.Entries {
		if e.Disposition == history.Kept && e.ID != 0 {
			held[e.ID] = true
		}
	}
	return held
}

// planSummary plans a request that holds as many of the messages as fit whole, from the first on that does. Calls are
// written as text, because the request offers no tools. next is the policy of the request that the summary is made for.
func (t *turn) planSummary(
	st State, to *target.Model, next history.Policy, list []history.Message, before *history.Summary,
) (*attempt, error) {
	policy, err := history.Preset("full")
	if err != nil {
		return nil, err
	}
	limit := t.summaryLength(to, next)
	policy.Budget, policy.MaxContextTokens, policy.OutputReserve = next.Budget, next.MaxContextTokens, limit
	policy.ToolHistory = history.ToolsText
	text := summaryQuestion
	if before != nil {
		text = summaryBefore + before.Text + "\n\n" + text
	}
	for n := len(list); len(list) > 0; {
		some := map[int64]bool{}
		for _, m := range list[:n] {
			some[m.ID] = true
		}
		o := t.options(st, to, policy, record.Question(text))
		o.Policy, o.System, o.Tools, o.Summaries = policy, summaryPrompt, 0, nil
		o.Scope = &history.Scope{
			For:      history.ForSummary,
			Messages: history.IDsOf(st.Branch.First(t.before).IDs(), func(id int64) bool { return some[id] }),
		}
		a, err := t.decide(st, &t.plans, t.before, to, o)
		over := (*history.OverBudgetError)(nil)
		if err == nil {
			a.request.Tools, a.request.MaxTokens = nil, limit
			if len(a.held()) == 0 {
				err = errNoneFits
			}
		}
		if !errors.As(err, &over) {
			return a, err
		}
		first := unitEnd(list, 1)
		if n <= first {
			list = list[first:]
			n = len(list)
			continue
		}
		n = max(first, min(n-1, n*over.Have/max(1, over.Need)))
		for n > first && list[n].Role == history.Tool {
			n--
		}
	}
	return nil, errNoneFits
}

// unitEnd is the end of the first messages, at least n, that are no part of a tool's call.
func unitEnd(list []history.Message, n int) int {
	for n < len(list) && list[n].Role == history.Tool {
		n++
	}
	return n
}

// summaryLength is how many tokens a summary may have: a part of the request that it will stand in, and no more than
// half of the window of the model that writes it.
func (t *turn) summaryLength(to *target.Model, next history.Policy) int {
	capacity := cmp.Or(next.Budget, next.MaxContextTokens)
	if window := t.Model().Window().Tokens; window > 0 {
		capacity = min(capacity, window)
	}
	length := min(max(summaryMin, capacity/8), summaryMax, max(1, capacity/2))
	if window := to.Window().Tokens; window > 0 {
		length = min(length, max(1, window/2))
	}
	return length
}
