package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// forSummaries is the model that writes summaries: the configured one with its own window and prices, else the
// conversation's own. Where the configured one is not there, that is said and the conversation's own is taken: the
// messages go to no third place.
func (t *turn) forSummaries(ctx context.Context) (*target.Model, error) {
	if t.deps.SummaryRef == "" {
		return t.Model(), nil
	}
	if t.summaryBy == nil {
		to, err := t.findSummarizer(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			to = t.Model()
			t.emit(Notice{fmt.Sprintf("the model for summaries (summary.model) cannot be used, so %s writes them: %s",
				to.Ref(), clause(err))})
		}
		t.summaryBy = to
	}
	return t.summaryBy, nil
}

// findSummarizer finds the configured model for summaries, its window and its prices.
func (t *turn) findSummarizer(ctx context.Context) (*target.Model, error) {
	to, err := t.find(ctx, t.deps.SummaryRef, "")
	if err != nil {
		return nil, err
	}
	ask, cancel := context.WithTimeout(ctx, target.Patience)
	defer cancel()
	if err := to.Find(ask); err != nil {
		return nil, err
	}
	to.AskWindowAgain(ask)
	return to, nil
}

// summarizing is what is left to do of a summary.
type summarizing struct {
	next   history.Options   // of the request that the summary is made for
	list   []history.Message // still to be summarized, the oldest first
	before *history.Summary  // goes into the next summary, nil for none
	user   int64             // the user's message that the requests are recorded with
	turn   int               // and its turn
}

// condense has the model summarize the oldest messages where the policy wants that, as long as not everything
// fits. A model that fails is not asked again in this turn: the messages are cut and dropped instead.
func (t *turn) condense(ctx context.Context) error {
	for !t.uncondensed {
		st := t.now()
		work := summarizing{next: t.nextOptions(st), user: t.messages[0].ID, turn: t.number}
		if work.next.Policy.SummarizeRatio == 0 {
			return nil
		}
		err := t.plans.read(st, t.past, func(r *reading) { work.list, work.before = r.Condense(work.next) })
		if err != nil || len(work.list) == 0 {
			return err
		}
		err = t.summarize(ctx, &work)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.uncondensed = err != nil
		if err != nil && !errors.Is(err, errNoneFits) {
			t.emit(Notice{"the older messages could not be summarised and are cut instead: " + err.Error()})
		}
	}
	return nil
}

// errChanged says that what is to be summarized was chosen by flags or settings that do not hold any more.
var errChanged = errors.New("the pins, exclusions or settings of this chat were changed meanwhile")

// errNoneFits says that not one of the messages fits a request whole.
var errNoneFits = errors.New("each of the older messages is longer than one request can hold")

// summarize has the model summarize as many of the messages as one request holds whole, takes them from the
// list and keeps the summary. A message that no request can hold whole is left out: no summary stands for it.
func (t *turn) summarize(ctx context.Context, s *summarizing) error {
	to, err := t.forSummaries(ctx)
	if err != nil {
		return err
	}
	if to.Client.Endpoint().Name == llm.Guide {
		return errors.New("the guide is not a language model")
	}
	if to != t.Model() {
		defer to.FreeReply() // The turn does that for its own.
	}
	var held map[int64]bool // messages that the newest request holds whole
	var rest []history.Message
	var text string
	announced := false
	err = t.attempt(ctx, errand{
		purpose: store.ForSummary, turn: s.turn, user: s.user,
		plan: func(ctx context.Context) (a asked, err error) {
			changed, err := t.refresh(ctx)
			if err == nil && (changed || !maps.Equal(t.now().flags, s.next.Flags)) {
				err = errChanged
			}
			if err == nil {
				a, rest, err = t.planSummary(ctx, to, s)
			}
			if held = a.held(); err == nil && len(held) == 0 {
				err = errNoneFits
			}
			return a, err
		},
		announce: func(a *asked) {
			if !announced { // A second request is announced with the reason for it.
				t.emit(Notice{fmt.Sprintf("asking %s to summarise %s (about %d tokens%s)", to.Ref(),
					english.Plural(len(held), "older message", ""), a.expected(), a.inputCost())})
			}
			announced = true
		},
		ask: func(ctx context.Context, a *asked) (begun bool, err error) {
			text, err = t.text(ctx, a, t.emit)
			return false, err
		},
	}, "")
	if err != nil {
		return err
	}
	made, err := t.keepSummary(ctx, to, s.before, held, text)
	if err != nil {
		return err
	}
	t.set(func(st *state) { st.summaries = append(slices.Clip(st.summaries), made) })
	s.list, s.before = rest, new(summaryOf(made))
	return nil
}

// keepSummary keeps the summary that a request asked for. It stands for what the request held whole and for what
// the summary before stands for.
func (t *turn) keepSummary(
	ctx context.Context, by *target.Model, before *history.Summary, held map[int64]bool, text string,
) (store.Summary, error) {
	st := t.now()
	made := store.Summary{
		Session: st.row.ID, Endpoint: by.Client.Endpoint().Name, Model: by.Name, Text: text,
		Sources: history.IDsOf(st.branch.First(t.past).IDs(), func(id int64) bool {
			return held[id] || before != nil && before.Messages.Holds(id)
		}),
	}
	for id := range st.branch.First(t.past).IDs() {
		if made.Sources.Holds(id) {
			made.Messages++
		}
	}
	if made.Messages == 0 {
		return made, errNoneFits
	}
	save, cancel := detached(ctx)
	defer cancel()
	return t.deps.Store.AddSummary(save, made)
}

// held is the messages that a summary's request holds whole.
func (a *asked) held() map[int64]bool {
	held := map[int64]bool{}
	for _, e := range a.plan.Entries {
		if e.Disposition == history.Kept && e.ID != 0 {
			held[e.ID] = true
		}
	}
	return held
}

// planSummary plans a request that holds as many of the messages as fit whole, from the first on that does,
// and returns those behind it too. Calls are written as text, because the request offers no tools.
func (t *turn) planSummary(
	ctx context.Context, to *target.Model, s *summarizing,
) (a asked, rest []history.Message, err error) {
	policy, err := history.Preset("full")
	if err != nil {
		return a, nil, err
	}
	limit, next := t.summaryLength(to, s), s.next.Policy
	policy.Budget, policy.MaxContextTokens, policy.OutputReserve = next.Budget, next.MaxContextTokens, limit
	policy.ToolHistory = history.ToolsText
	text := summaryQuestion
	if s.before != nil {
		text = summaryBefore + s.before.Text + "\n\n" + text
	}
	list, n := s.list, len(s.list)
	for len(list) > 0 {
		some := map[int64]bool{}
		for _, m := range list[:n] {
			some[m.ID] = true
		}
		options := func(st state) history.Options {
			o := st.options(to, policy, record.Question(text))
			o.Policy, o.System, o.Tools, o.Summaries = policy, summaryPrompt, 0, nil
			o.Scope = &history.Scope{
				For:      history.ForSummary,
				Messages: history.IDsOf(st.branch.First(t.past).IDs(), func(id int64) bool { return some[id] }),
			}
			return o
		}
		request := func(_ state, to *target.Model, plan history.Plan) llm.Request {
			r := to.Request(plan)
			r.Tools, r.MaxTokens = nil, limit
			return r
		}
		a, err = t.decide(ctx, &t.plans, t.past, to, options, request)
		over := (*history.OverBudgetError)(nil)
		if !errors.As(err, &over) {
			return a, list[n:], err
		}
		if n = fewer(list, n, over); n == 0 {
			list = list[unitEnd(list, 1):]
			n = len(list)
		}
	}
	return a, nil, errNoneFits
}

// fewer is how many of the first n messages to try where those do not fit, 0 where the first unit alone does
// not.
func fewer(list []history.Message, n int, over *history.OverBudgetError) int {
	first := unitEnd(list, 1)
	if n <= first {
		return 0
	}
	try := max(first, min(n-1, n*over.Have/max(1, over.Need)))
	for try > first && list[try].Role == history.Tool {
		try--
	}
	return try
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
func (t *turn) summaryLength(to *target.Model, s *summarizing) int {
	capacity := s.next.Policy.MaxContextTokens
	if s.next.Policy.Budget > 0 {
		capacity = s.next.Policy.Budget
	}
	if window := t.Model().Window().Tokens; window > 0 {
		capacity = min(capacity, window)
	}
	length := min(max(summaryMin, capacity/8), summaryMax, max(1, capacity/2))
	if window := to.Window().Tokens; window > 0 {
		length = min(length, max(1, window/2))
	}
	return length
}

// ErrNothingOlder says that there is nothing to summarize: a summary never stands for the newest turn.
var ErrNothingOlder = errors.New("there is nothing to summarise yet: the last turn is never summarised")

// Compact has the model summarize all that was said before the newest turn, and lets the summary
// stand in its place from the next request on, even where everything would fit. The messages stay as
// they are. Where the model fails nothing changes.
func (s *Session) Compact(ctx context.Context) <-chan Event {
	return s.start(ctx, func(ctx context.Context, t *turn) error {
		if err := t.askModel(ctx); err != nil {
			return err
		}
		work, err := t.older(ctx)
		if err != nil {
			return err
		}
		for first := true; len(work.list) > 0; first = false {
			err := t.summarize(ctx, &work)
			if errors.Is(err, errNoneFits) && !first {
				break // What is left is too long for any request.
			}
			if err != nil {
				return fmt.Errorf("summarise the older messages: %w", err)
			}
		}
		// A plan that is too large says all the same what it holds.
		st := t.now()
		work.next.Summaries = st.summariesOn(t.past)
		if plan, _ := t.plans.build(st, t.past, t.Model(), work.next); !plan.Summarized() {
			return errors.New("the summary is not shorter than the messages, so the messages are sent as before")
		}
		always := true
		if err := t.Apply(ctx, Trial{SummaryAlways: &always}); err != nil {
			return err
		}
		t.emit(Notice{"the summary is now sent instead of the older messages; /compact off sends the messages again"})
		return nil
	})
}

// older is what a summary of the branch may stand for and none does, recorded with the newest turn.
func (t *turn) older(ctx context.Context) (s summarizing, err error) {
	st := t.now()
	t.past = st.branch.Len()
	policy := st.policy
	policy.SummaryAlways = true // An earlier summary goes into the next.
	s.next = st.options(t.Model(), policy)
	if err := t.plans.read(st, t.past, func(r *reading) { s.list, s.before = r.Older(s.next) }); err != nil {
		return s, err
	}
	at := st.branch.LastUser()
	if len(s.list) == 0 || at < 0 {
		return s, ErrNothingOlder
	}
	s.user = st.branch.ID(at)
	s.turn, err = t.deps.Store.Turn(ctx, s.user)
	return s, err
}
