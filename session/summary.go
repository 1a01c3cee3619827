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

// condense has the model summarize the oldest messages where the policy wants that, as long as not everything
// fits. A model that fails is not asked again in this turn: the messages are cut and dropped instead.
func (t *turn) condense(ctx context.Context) error {
	for !t.uncondensed && t.Now().Policy.SummarizeRatio > 0 {
		err := t.summarize(ctx, false)
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
		b := t.Branch()
		at := b.Last(history.User)
		if at < 0 {
			return ErrNothingOlder
		}
		t.user, t.before = b.ID(at), b.Len()
		var err error
		summaries := 0
		for ; err == nil; summaries++ {
			err = t.summarize(ctx, true)
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
		ask, cancel := context.WithTimeout(ctx, target.Patience)
		defer cancel()
		var err error
		if to, err = t.find(ask, t.deps.SummaryRef, ""); err == nil {
			err = to.Find(ask)
		}
		if err != nil {
			return nil, fmt.Errorf("find the model for summaries (summary.model): %w", cmp.Or(ctx.Err(), err))
		}
	}
	if to.Client.Endpoint().Name == llm.GuideEndpoint {
		return nil, errors.New("the guide is not a language model")
	}
	return to, nil
}

// summarize has the model summarize as many of the older messages as one request holds whole, and keeps the summary:
// those that the policy wants summarized before the turn's next request, or all of them. The error is ErrNothingOlder
// where there are none. A message that no request can hold whole is left out: no summary stands for it. What the user
// changes meanwhile holds for what is summarized too.
func (t *turn) summarize(ctx context.Context, all bool) error {
	var before *history.Summary // It goes into the new one.
	a, err := t.ask(ctx, errand{
		purpose: store.ForSummary, reason: summaryNotice,
		plan: func(ctx context.Context) (*attempt, error) {
			if err := t.refresh(ctx); err != nil {
				return nil, err
			}
			st, choose := t.Now(), (*history.Conversation).Condense
			if all {
				st.Policy.SummaryAlways, choose = true, (*history.Conversation).Older
			}
			o := t.nextOptions(st)
			var list []history.Message
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
			return t.planSummary(st, to, list, before)
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

// earlier is the messages before the turn of which in holds, and how many they are.
func (t *turn) earlier(in func(id int64) bool) (of history.IDs, n int) {
	of = history.IDsOf(t.Branch().First(t.before).IDs(), func(id int64) bool {
		held := in(id)
		if held {
			n++
		}
		return held
	})
	return of, n
}

// keepSummary keeps the summary that a request asked for. It stands for what the request held whole and for what
// the summary before stands for.
func (t *turn) keepSummary(ctx context.Context, before *history.Summary, a *attempt) error {
	held := a.held()
	m := store.Summary{
		Session: a.record.Session, Endpoint: a.record.Endpoint, Model: a.record.Model, Text: a.text(),
	}
	m.Sources, m.Messages = t.earlier(func(id int64) bool {
		return held[id] || before != nil && before.Messages.Holds(id)
	})
	return detached(ctx, func(ctx context.Context) error {
		made, err := t.deps.Store.AddSummary(ctx, m)
		if err == nil {
			t.set(func(st *State) { st.summaries = append(slices.Clip(st.summaries), made) })
		}
		return err
	})
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
// written as text, because the request offers no tools.
func (t *turn) planSummary(
	st State, to *target.Model, list []history.Message, before *history.Summary,
) (*attempt, error) {
	policy, err := history.Preset("full")
	if err != nil {
		return nil, err
	}
	limit := t.summaryLength(to, st.Policy)
	policy.Budget, policy.MaxContextTokens, policy.OutputReserve = st.Policy.Budget, st.Policy.MaxContextTokens, limit
	policy.ToolHistory = history.ToolsText
	text := summaryQuestion
	if before != nil {
		text = summaryBefore + before.Text + "\n\n" + text
	}
	o := t.options(st, to, policy, record.Question(text))
	o.Policy, o.System, o.Tools, o.Summaries = policy, summaryPrompt, 0, nil
	for units := unitsOf(list); len(units) > 0; units = units[1:] { // No request may hold the first one.
		for n := len(units); n > 0; {
			some := slices.Concat(units[:n]...)
			ids, _ := t.earlier(func(id int64) bool {
				_, there := slices.BinarySearch(some, id)
				return there
			})
			o.Scope = &history.Scope{For: history.ForSummary, Messages: ids}
			a, err := t.decide(st, &t.plans, t.before, to, o)
			if err == nil {
				a.request.Tools, a.request.MaxTokens = nil, limit
				if len(a.held()) == 0 {
					err = errNoneFits
				}
			}
			over, is := errors.AsType[*history.OverBudgetError](err)
			if !is {
				return a, err
			}
			n = min(n-1, max(1, n*over.Have/max(1, over.Need)))
		}
	}
	return nil, errNoneFits
}

// unitsOf is the ids of messages, those of the results of calls together with their call's.
func unitsOf(list []history.Message) (units [][]int64) {
	for _, m := range list {
		if n := len(units); n > 0 && m.Role == history.Tool {
			units[n-1] = append(units[n-1], m.ID)
			continue
		}
		units = append(units, []int64{m.ID})
	}
	return units
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
