package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/calibration"
	"winnow/session/store"
)

// windowPatience is how long a turn waits for a server to say how large its window is.
const windowPatience = 3 * time.Second

// limitTries is how often a request is planned again, with less, to fit below a limit.
const limitTries = 3

// inquire reads what is known of a model and asks its server for its window. It may wait for the network.
func (d Deps) inquire(ctx context.Context, to target) (target, error) {
	learned, err := d.Store.Endpoint(ctx, to.client.Endpoint().BaseURL, to.model)
	if err != nil {
		return to, err
	}
	to.client.Learn(learned.Quirks...)
	to.learned = learned
	to.counts.Ratio, to.counts.Samples, to.counts.Largest = learned.Ratio, learned.Samples, learned.Largest
	stated, err := to.client.StatedWindow(ctx, to.model)
	if err != nil {
		d.Log.Debug("ask for the window", "model", to.model, "err", err)
		to.window = to.facts().Window()
		return to, nil
	}
	if err := d.state(ctx, &to, stated); err != nil {
		d.Log.Warn("keep what the server says of its window", "err", err)
	}
	return to, nil
}

// state takes what the server says of its window now. Its date is when it said that first.
func (d Deps) state(ctx context.Context, to *target, stated llm.Window) error {
	changed := stated.Tokens > 0 && stated.Tokens != to.learned.Stated
	if changed {
		to.learned.Stated, to.learned.StatedAt = stated.Tokens, d.Now()
	}
	if stated.At = to.learned.StatedAt; stated.Tokens == 0 {
		stated.At = time.Time{}
	}
	to.stated = stated
	to.window = to.facts().Window()
	if !changed {
		return nil
	}
	if err := d.Store.Learn(ctx, to.lesson()); err != nil && !errors.Is(err, store.ErrReadOnly) {
		return err
	}
	return nil
}

// lesson is what was learned of the endpoint and model, for the store.
func (to target) lesson() store.Learned {
	l := to.learned
	l.BaseURL, l.Model, l.Quirks = to.client.Endpoint().BaseURL, to.model, to.client.Quirks()
	l.Ratio, l.Samples, l.Largest = to.counts.Ratio, to.counts.Samples, to.counts.Largest
	return l
}

// facts is all that is known of the model's window.
func (to target) facts() llm.WindowFacts {
	return KnownWindows(to.client.Endpoint(), to.model, to.learned, to.stated)
}

// KnownWindows is what is known of a model's window: by the configuration, by what was stored of it, and by
// what its server states now.
func KnownWindows(e llm.Endpoint, model string, l store.Learned, stated llm.Window) llm.WindowFacts {
	f := llm.WindowFacts{Model: model, Configured: e.ConfiguredWindow(model), Stated: stated}
	if l.Chosen > 0 {
		f.Chosen = llm.Window{Tokens: l.Chosen, Source: "set with /window", At: l.ChosenAt}
	}
	if l.Window > 0 {
		f.Refused = llm.Window{Tokens: l.Window, Source: "the server's refusal", At: l.WindowAt}
	}
	return f
}

// ListedWindows are what is known of the windows of models that their endpoints list: by the configuration, by
// what was set and learned, by what the servers state now, and by the models' names. One that would only be
// assumed is left empty. Without a store nothing was set or learned. The error is that of reading the store;
// the windows are what is known without it.
func ListedWindows(ctx context.Context, st *store.Store, endpoints []llm.Endpoint, list []llm.Model, now time.Time) ([]llm.Window, error) {
	named := make(map[string]llm.Endpoint, len(endpoints))
	for _, e := range endpoints {
		named[e.Name] = e
	}
	var failed error
	windows := make([]llm.Window, len(list))
	for i, m := range list {
		e, said := named[m.Endpoint], m.Window
		var known store.Learned
		if st != nil && failed == nil {
			known, failed = st.Endpoint(ctx, e.BaseURL, m.ID)
		}
		if said.At = known.StatedAt; said.Tokens != known.Stated {
			said.At = now
		}
		if found := KnownWindows(e, m.ID, known, said).Window(); !found.Assumed {
			windows[i] = found
		}
	}
	return windows, failed
}

// Windows is what is known of the window of the model in use.
func (s *Session) Windows() llm.WindowFacts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.facts()
}

// Limit is the most tokens that are planned for after the server read only a part of a request; 0 where
// the window alone limits a request.
func (s *Session) Limit() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.Limit()
}

// ReadWindow reads a window as people write one: a number of tokens, with or without separators, or
// "auto", which is 0. It is false for anything else.
func ReadWindow(text string) (tokens int, ok bool) {
	if text == "auto" {
		return 0, true
	}
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(text))
	return n, err == nil && n > 0
}

// SetWindow sets the window of the model in use, at its endpoint, from now on and in every session. 0 takes
// back what was set, and forgets what refusals taught.
func (s *Session) SetWindow(ctx context.Context, tokens int) error {
	if tokens < 0 {
		return fmt.Errorf("a window of %d tokens is not possible; auto finds it out", tokens)
	}
	s.mu.Lock()
	to := s.target
	s.mu.Unlock()
	if err := s.deps.Store.ChooseWindow(ctx, to.client.Endpoint().BaseURL, to.model, tokens); err != nil && !errors.Is(err, store.ErrReadOnly) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.target.same(to) {
		return nil
	}
	s.learned.Chosen, s.learned.ChosenAt = tokens, s.deps.Now()
	s.learned.Window, s.learned.WindowAt = 0, time.Time{}
	s.counts.Lift()
	s.shrunkTo = 0
	s.window = s.facts().Window()
	return nil
}

// TrueWindow is the window that the server really has, as far as it contradicts the one that the user set:
// what it states, or the limit after a request of which it read only a part. It is false where nothing
// contradicts.
func (s *Session) TrueWindow() (tokens int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set, over := s.facts().Contradicted()
	switch {
	case over:
		return s.window.Tokens, true
	case set.Tokens > 0 && s.counts.Limit() > 0 && s.counts.Limit() < set.Tokens:
		return s.counts.Limit(), true
	}
	return 0, false
}

// findWindow learns what is known of the model in use, where nobody did yet. It may wait for the
// network.
func (s *Session) findWindow(ctx context.Context) error {
	s.mu.Lock()
	to := s.target
	s.mu.Unlock()
	if to.window.Tokens > 0 {
		return nil
	}
	to, err := s.deps.inquire(ctx, to)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.target.same(to) {
		s.window, s.stated, s.learned, s.counts = to.window, to.stated, to.learned, to.counts
	}
	return nil
}

// modelRan says that the model answered: a server that could not say its window before the model ran can say
// it now.
func (t *turn) modelRan(a asked) {
	still := t.still(a)
	t.mu.Lock()
	defer t.mu.Unlock()
	if still && t.window.Again {
		t.ran = true
	}
}

// AskWindowAgain asks the server for a window that it could not say before the model ran, once after each
// answer, and says whether it states another one than before. It may wait for the network. A turn that begins
// meanwhile does not wait with it.
func (s *Session) AskWindowAgain(ctx context.Context) (other bool) {
	s.mu.Lock()
	due := s.ran
	s.ran = false
	s.mu.Unlock()
	return due && s.askForWindow(ctx)
}

// askForWindow asks the server for its window once more, and says whether it states another one than before.
func (s *Session) askForWindow(ctx context.Context) (other bool) {
	ctx, cancel := context.WithTimeout(ctx, windowPatience)
	defer cancel()
	s.mu.Lock()
	to := s.target
	s.mu.Unlock()
	before := to.learned.Stated
	stated, err := to.client.StatedWindow(ctx, to.model)
	if err != nil || stated.Tokens == 0 {
		return false
	}
	if err := s.deps.state(ctx, &to, stated); err != nil {
		s.deps.Log.Warn("keep what the server says of its window", "err", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.target.same(to) {
		return false
	}
	s.window, s.stated = to.window, to.stated
	s.learned.Stated, s.learned.StatedAt = to.learned.Stated, to.learned.StatedAt
	return stated.Tokens != before
}

// Window is what is known of the model's context window; Tokens is 0 before it was found.
func (s *Session) Window() llm.Window {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window
}

// limitOf is the most tokens of the next request beside the window: less after a cut, and after a refusal
// without a number.
// The caller holds the lock.
func (s *Session) limitOf(to *target) int {
	if to != &s.target {
		return 0
	}
	budget := s.counts.Budget()
	if budget == 0 || s.shrunkTo == 0 {
		return max(budget, s.shrunkTo)
	}
	return min(budget, s.shrunkTo)
}

// buildLimited is build, but a limit that leaves no room for what must be sent does not hold, and below a limit
// text of a kind that the server has hardly counted yet gets the room that it may need. The caller holds the
// lock.
func (s *Session) buildLimited(past int, o *history.Options) (history.Plan, error) {
	plan, err := s.build(past, *o)
	for range limitTries {
		if err != nil || o.Limit == 0 {
			break
		}
		over := s.counts.OverLimit(calibration.PartsOf(plan.Sum, plan.Entries, s.message))
		if over <= 1 {
			return plan, nil
		}
		tighter := *o
		tighter.Limit = int(float64(o.Limit) / over)
		smaller, err := s.build(past, tighter)
		if err != nil {
			break
		}
		plan, *o = smaller, tighter
	}
	if over := (*history.OverBudgetError)(nil); o.Limit > 0 && s.shrunkTo == 0 && errors.As(err, &over) {
		o.Limit = 0
		return s.build(past, *o)
	}
	return plan, err
}
