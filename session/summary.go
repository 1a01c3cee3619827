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

// The prompts of a request for a summary.
const (
	summaryPrompt = "You condense conversations. Your notes stand in for the messages from now on: whoever goes on " +
		"with the conversation sees nothing else of them."
	summaryQuestion = "Condense the conversation above into notes, in its own language: what the user said of " +
		"themselves and wants of all answers, names, numbers, dates, decisions with their reasons, open questions. " +
		"Leave out what was only said in passing, and add nothing. Answer with the notes alone."
	summaryBefore = "These notes stand for what was said even before. Take them into yours:\n\n"
)

// The bounds of the length of a summary, in tokens.
const (
	summaryMin = 256
	summaryMax = 1024
)

var (
	// ErrNothingToSummarize is returned if there are no messages before the newest turn, which is never summarized.
	ErrNothingToSummarize = errors.New("there is nothing to summarise yet: the last turn is never summarised")

	errNoneFits = errors.New("each of the older messages is longer than one request can hold")
)

// condense has the model summarize the oldest messages as long as the policy wants that and not everything fits. A
// model that fails is not asked again in this turn: the messages are cut and dropped instead.
func (t *turn) condense(ctx context.Context) error {
	for !t.summaryFailed && t.State().Policy.SummarizeRatio > 0 {
		err := t.summarize(ctx, false)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrNothingToSummarize):
			return nil
		case err != nil && !errors.Is(err, errNoneFits):
			t.say("the older messages could not be summarised and are cut instead: %v", err)
		}
		t.summaryFailed = err != nil
	}
	return nil
}

// Compact has the model summarize everything before the newest turn. From the next request on, the summary is sent
// instead, even if everything would fit. The messages stay as they are. If the model fails, nothing changes.
func (s *Session) Compact(ctx context.Context) <-chan Event {
	return s.start(ctx, "", func(ctx context.Context, t *turn) error {
		if err := t.askModel(ctx); err != nil {
			return err
		}
		b := t.Branch()
		at := b.LastOf(history.User)
		if at < 0 {
			return ErrNothingToSummarize
		}
		t.user, t.before = b.ID(at), b.Len()
		var err error
		summaries := 0
		for ; err == nil; summaries++ {
			err = t.summarize(ctx, true)
		}
		switch nothing := errors.Is(err, ErrNothingToSummarize); {
		case summaries > 1 && (nothing || errors.Is(err, errNoneFits)): // what is left fits in no request
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

// summarizer returns the model that writes summaries: the configured one with its window and prices, or else the
// conversation's own. If the configured one is not available, no other model gets the messages.
func (t *turn) summarizer(ctx context.Context) (*target.Model, error) {
	to := t.Model()
	if t.deps.SummaryModel != "" {
		ask, cancel := context.WithTimeout(ctx, target.WindowTimeout)
		defer cancel()
		var err error
		if to, err = t.find(ask, t.deps.SummaryModel, ""); err == nil {
			err = to.FindWindow(ask)
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

// summarize has the model summarize as many of the older messages as fit whole into one request, and stores the
// summary. all selects every older message; otherwise only those that the policy wants summarized before the next
// request. The error is ErrNothingToSummarize if there are none. Messages that fit whole in no request are left out of
// every summary. Changes that the user makes meanwhile apply to the summarized messages too.
func (t *turn) summarize(ctx context.Context, all bool) error {
	var before *history.Summary // an earlier summary, which becomes part of the new one
	a, err := t.ask(ctx, task{
		purpose: store.PurposeSummary, reason: summaryNotice,
		plan: func(ctx context.Context) (*attempt, error) {
			if err := t.refreshSettings(ctx); err != nil {
				return nil, err
			}
			st, choose := t.State(), (*history.Conversation).DueForSummary
			if all {
				st.Policy.SummaryAlways, choose = true, (*history.Conversation).Summarizable
			}
			o := t.nextOptions(st)
			var list []history.Message
			err := t.plans.withConversation(st, t.before, func(c *history.Conversation) { list, before = choose(c, o) })
			if err == nil && len(list) == 0 {
				err = ErrNothingToSummarize
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

// earlier returns the messages before the turn that in selects, and their number.
func (t *turn) earlier(in func(id int64) bool) (of history.IDRanges, n int) {
	of = history.IDRangesOf(t.Branch().First(t.before).IDs(), func(id int64) bool {
		held := in(id)
		if held {
			n++
		}
		return held
	})
	return of, n
}

// keepSummary stores the summary that a request asked for. It covers the messages that the request held whole and those
// of the summary before.
func (t *turn) keepSummary(ctx context.Context, before *history.Summary, a *attempt) error {
	held := a.held()
	m := store.Summary{
		Session: a.record.Session, Endpoint: a.record.Endpoint, Model: a.record.Model, Text: a.text(),
	}
	m.Sources, m.Messages = t.earlier(func(id int64) bool {
		return held[id] || before != nil && before.Messages.Contains(id)
	})
	return detached(ctx, func(ctx context.Context) error {
		made, err := t.deps.Store.AddSummary(ctx, m)
		if err == nil {
			t.set(func(st *State) { st.summaries = append(slices.Clip(st.summaries), made) })
		}
		return err
	})
}

// held returns the ids of the messages that the request for a summary holds whole.
func (a *attempt) held() map[int64]bool {
	held := map[int64]bool{}
	for _, e := range a.plan.Entries {
		if e.Disposition == history.Kept && e.ID != 0 {
			held[e.ID] = true
		}
	}
	return held
}

// planSummary plans a request that holds as many of the messages whole as fit, starting with the first one that fits.
// Tool calls are written as text, because the request offers no tools.
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
	o := t.options(st, to, policy, record.OwnQuestion(text))
	o.Policy, o.System, o.Tools, o.Summaries = policy, summaryPrompt, 0, nil
	for units := unitsOf(list); len(units) > 0; units = units[1:] {
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

// unitsOf returns the ids of messages, grouped so that tool results stay with their call.
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

// summaryLength returns the maximum number of tokens in a summary: a fraction of the request that will hold it, and at
// most half the window of the model that writes it.
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
