package session

import (
	"cmp"
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
	if t.summaryBy != nil {
		return t.summaryBy, nil
	}
	to, err := t.findSummarizer(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		t.emit(Notice{
			fmt.Sprintf("the model for summaries (summary.model) cannot be used, so %s writes them: %s",
				t.Model().Ref(), clause(err)),
		})
		to = t.Model()
	}
	t.summaryBy = to
	return to, nil
}

// findSummarizer finds the configured model for summaries, its window and its prices. What is learned of it is kept for
// the conversation's next turns.
func (t *turn) findSummarizer(ctx context.Context) (*target.Model, error) {
	ref, err := t.deps.Models.Find(ctx, t.deps.SummaryRef, "")
	if err != nil {
		return nil, err
	}
	to, err := t.deps.target(ref)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	switch {
	case t.asks().Same(to):
		to = t.asks()
	case t.summarizer != nil && t.summarizer.Same(to):
		to = t.summarizer
	default:
		t.summarizer = to
	}
	t.mu.Unlock()
	ask, cancel := context.WithTimeout(ctx, target.Patience)
	defer cancel()
	if err := to.Find(ask); err != nil {
		return nil, err
	}
	to.AskWindowAgain(ask)
	return to, nil
}

// condense has the model summarize the oldest messages where the policy wants that, as long as not everything
// fits. A model that fails is not asked again in this turn: the messages are cut and dropped instead.
func (t *turn) condense(ctx context.Context) error {
	for !t.uncondensed {
		work, err := t.toCondense()
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

// toCondense is what is to be summarized before the turn's next request.
func (t *turn) toCondense() (summarizing, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := summarizing{next: t.nextOptions(), user: t.messages[0].ID, turn: t.number}
	if s.next.Policy.SummarizeRatio == 0 {
		return s, nil
	}
	if err := t.readTo(t.past); err != nil {
		return s, err
	}
	s.list, s.before = t.reading.conversation.Condense(s.next)
	return s, nil
}

// summarizing is what is left to do of a summary.
type summarizing struct {
	to     *target.Model     // writes it
	next   history.Options   // of the request that the summary is made for
	list   []history.Message // still to be summarized, the oldest first
	before *history.Summary  // goes into the next summary, nil for none
	user   int64             // the user's message that the requests are recorded with
	turn   int               // and its turn
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
	s.to = to
	reason := t.reason // of the request that the summary is for
	t.reason = ""
	defer func() { t.reason = reason }()
	defer delete(t.approved, store.ForSummary)
	var a asked
	var text string
	rest := s.list
	announced := false
	plan := func(ctx context.Context) (asked, error) {
		planned, err := t.planAllowed(ctx, store.ForSummary, func() (a asked, err error) {
			if changed, err := t.changedSince(ctx, s); changed || err != nil {
				return asked{}, cmp.Or(err, errChanged)
			}
			a, rest, err = t.planSummary(ctx, s)
			return a, err
		})
		if err != nil {
			return asked{}, err
		}
		held := len(planned.held())
		if held == 0 {
			return asked{}, errNoneFits
		}
		if err := t.record(ctx, &planned, sending{s.turn, s.user, store.ForSummary}); err != nil {
			return asked{}, err
		}
		t.sayReason()
		if !announced { // A second request is announced with the reason for it.
			t.emit(Notice{
				fmt.Sprintf("asking %s to summarise %s (about %d tokens%s)", to.Ref(),
					english.Plural(held, "older message", ""), planned.expected(), planned.inputCost()),
			})
			announced = true
		}
		return planned, nil
	}
	ask := func(planned asked) (begun bool, err error) {
		a = planned
		text, err = t.text(ctx, &a, t.emit)
		return false, err
	}
	if err := t.attempt(ctx, plan, ask); err != nil {
		return err
	}
	made, err := t.keepSummary(ctx, s.before, a, text)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.summaries = append(slices.Clip(t.summaries), made)
	t.mu.Unlock()
	s.list, s.before = rest, new(summaryOf(made))
	return nil
}

// changedSince says that the flags or settings by which it was chosen what to summarize do not hold any more.
func (t *turn) changedSince(ctx context.Context, s *summarizing) (bool, error) {
	changed, err := t.refresh(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	return changed || !maps.Equal(t.flags, s.next.Flags), err
}

// keepSummary keeps the summary that a request asked for. It stands for what the request held whole and for what
// the summary before stands for.
func (t *turn) keepSummary(ctx context.Context, before *history.Summary, a asked, text string) (store.Summary, error) {
	held := a.held()
	made := store.Summary{Session: a.record.Session, Endpoint: a.record.Endpoint, Model: a.record.Model, Text: text}
	t.mu.Lock()
	past := t.branch.First(t.past)
	t.mu.Unlock()
	made.Sources = history.IDsOf(past.IDs(), func(id int64) bool {
		if !held[id] && (before == nil || !before.Messages.Holds(id)) {
			return false
		}
		made.Messages++
		return true
	})
	if len(made.Sources) == 0 {
		return made, errNoneFits
	}
	save, cancel := detached(ctx)
	defer cancel()
	return t.deps.Store.AddSummary(save, made)
}

// held is the messages that a summary's request holds whole.
func (a asked) held() map[int64]bool {
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
func (t *turn) planSummary(ctx context.Context, s *summarizing) (a asked, rest []history.Message, err error) {
	limit := t.summaryLength(s)
	text := summaryQuestion
	if s.before != nil {
		text = summaryBefore + s.before.Text + "\n\n" + text
	}
	o := s.next
	if o.Policy, err = history.Preset("full"); err != nil {
		return a, nil, err
	}
	o.Policy.Budget, o.Policy.MaxContextTokens, o.Policy.OutputReserve = s.next.Policy.Budget,
		s.next.Policy.MaxContextTokens, limit
	o.Policy.ToolHistory = history.ToolsText
	o.System, o.Tools, o.Summaries = summaryPrompt, 0, nil
	o.Turn = []history.Message{record.Question(text)}
	request := func(to *target.Model, plan history.Plan) llm.Request {
		r := to.Request(plan)
		r.Tools, r.MaxTokens = nil, limit
		return r
	}
	list, n := s.list, len(s.list)
	for len(list) > 0 {
		some := map[int64]bool{}
		for _, m := range list[:n] {
			some[m.ID] = true
		}
		o.Scope = &history.Scope{For: history.ForSummary, Messages: t.idsOf(some)}
		a, err = t.decide(ctx, question{
			model: func() *target.Model { return s.to },
			options: func() history.Options {
				filled := o
				s.to.Fill(&filled)
				filled.Policy, filled.Tools = o.Policy, o.Tools
				return filled
			},
			request: request,
		})
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

// idsOf is a set of messages of the branch before the turn.
func (t *turn) idsOf(some map[int64]bool) history.IDs {
	t.mu.Lock()
	defer t.mu.Unlock()
	return history.IDsOf(t.branch.First(t.past).IDs(), func(id int64) bool { return some[id] })
}

// summaryLength is how many tokens a summary may have: a part of the request that it will stand in, and no more than
// half of the window of the model that writes it.
func (t *turn) summaryLength(s *summarizing) int {
	capacity := s.next.Policy.MaxContextTokens
	if s.next.Policy.Budget > 0 {
		capacity = s.next.Policy.Budget
	}
	if window := t.Model().Window().Tokens; window > 0 {
		capacity = min(capacity, window)
	}
	length := min(max(summaryMin, capacity/8), summaryMax, max(1, capacity/2))
	if window := s.to.Window().Tokens; window > 0 {
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
		if !t.summaryPays(work.next) {
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

// summaryPays says that a request with these options and the summaries that there are now holds one.
func (t *turn) summaryPays(o history.Options) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	o.Summaries = t.summariesOn(t.past)
	plan, _ := t.build(t.past, o) // A request that is too large says all the same what it holds.
	return plan.Summarized()
}

// older is what a summary of the branch may stand for and none does, recorded with the newest turn.
func (t *turn) older(ctx context.Context) (summarizing, error) {
	s, err := t.readOlder()
	if err != nil {
		return s, err
	}
	s.turn, err = t.deps.Store.Turn(ctx, s.user)
	return s, err
}

func (t *turn) readOlder() (summarizing, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.past = t.branch.Len()
	if err := t.readTo(t.past); err != nil {
		return summarizing{}, err
	}
	policy := t.policy
	policy.SummaryAlways = true // An earlier summary goes into the next.
	s := summarizing{next: t.options(t.asks(), policy, nil)}
	s.list, s.before = t.reading.conversation.Older(s.next)
	if at := t.branch.LastUser(); at >= 0 {
		s.user = t.branch.ID(at)
	}
	if len(s.list) == 0 || s.user == 0 {
		return s, ErrNothingOlder
	}
	return s, nil
}
