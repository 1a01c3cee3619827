package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/session/target"
)

// Trial is what a preview tries out in place of what the conversation is set to. The zero value tries
// nothing.
type Trial struct {
	Budget        *int              // of requests, in tokens, 0 for auto; nil leaves it
	Preset        string            // by which requests are cut, and with it the overrides go; "" leaves it
	Placement     history.Placement // "" leaves it
	SummaryAlways *bool             // the summary that there is stands even where everything would fit; nil leaves it
	Model         string            // as Consider was given it; "" leaves it
	Window        *int              // of the model, in tokens, 0 finds it out; nil leaves it
	// The message of the user's that the draft would stand in for, as Edit takes it; 0 for none.
	Instead int64
}

// TrialError says that a trial's settings are not ones a conversation could have.
type TrialError struct{ Err error }

func (e *TrialError) Error() string { return e.Err.Error() }
func (e *TrialError) Unwrap() error { return e.Err }

// ErrNotConsidered says that a trial names a model of which nothing is known yet: Consider reads it.
var ErrNotConsidered = errors.New("nothing is known of this model yet")

// Consider reads what is known of another model, so that a Trial can name it. It may wait for the network.
func (s *Session) Consider(ctx context.Context, ref string) error {
	to, _, err := s.modelOf(ref)
	if err != nil {
		return &TrialError{err}
	}
	if err := cmp.Or(to.Find(ctx), ctx.Err()); err != nil { // an end of ctx leaves the window unknown
		return err
	}
	s.set(func(st *state) { st.models[to.Ref()] = to })
	return nil
}

// Preview is the plan of the request that would leave if draft were sent now with these files: see Tried.Preview.
func (s *Session) Preview(draft string, files ...history.Part) (history.Plan, error) {
	return s.Try(Trial{}).Preview(draft, files...)
}

// Tried is a conversation with the settings of a trial, of which nothing is kept. Where they are not possible, Preview,
// Model, Policy and Settings fail with a *TrialError, and what is said of a plan is of the model in use.
type Tried struct {
	s     *Session
	plans *planner // of s, or of a RemedyTrial
	trial Trial
	err   error
	state               // with the trial's settings
	keys  []string      // of the policy, that the trial sets
	to    *target.Model // the state's model with the trial's window
}

// Try tries out other settings.
func (s *Session) Try(t Trial) Tried {
	w := Tried{s: s, plans: &s.plans, trial: t, state: s.now()}
	w.to = w.model
	if err := w.set(); err != nil {
		w.to, w.err = w.model, &TrialError{err}
	}
	return w
}

// set sets what the trial tries.
func (w *Tried) set() (err error) {
	if w.row, w.keys, err = w.trial.on(w.row); err != nil {
		return err
	}
	if len(w.keys) > 0 {
		if w.policy, err = w.s.deps.settings().PolicyOf(overridesOf(w.row), w.keys...); err != nil {
			return err
		}
	}
	if w.trial.Model != "" {
		to, known, err := w.s.modelOf(w.trial.Model)
		if err == nil && !known {
			err = fmt.Errorf("plan for %s: %w", to.Ref(), ErrNotConsidered)
		}
		if err != nil {
			return err
		}
		w.model = to
	}
	w.to = w.model
	w.row.Endpoint, w.row.Model = w.to.Client.Endpoint().Name, w.to.Name
	w.system = w.s.deps.system(w.row)
	if w.trial.Window != nil {
		w.to, err = w.to.WithWindow(*w.trial.Window)
	}
	return err
}

// on is a conversation's row with the trial's settings, the model aside, and the keys of the policy that the trial
// sets.
func (t Trial) on(row store.Session) (store.Session, []string, error) {
	set := map[string]any{}
	if t.Budget != nil {
		if *t.Budget < 0 {
			return row, nil, fmt.Errorf("a budget of %d tokens is not possible; 0 is auto", *t.Budget)
		}
		set["budget"] = *t.Budget
	}
	if t.Placement != "" {
		set["placement"] = string(t.Placement)
	}
	if t.SummaryAlways != nil {
		set["summary_always"] = *t.SummaryAlways
	}
	keys := slices.Collect(maps.Keys(set))
	if t.Preset != "" {
		if _, err := history.Preset(t.Preset); err != nil {
			return row, nil, err
		}
		row.Preset, row.Overrides = t.Preset, ""
		keys = append(keys, "preset")
	}
	if len(keys) == 0 {
		return row, nil, nil
	}
	overrides, err := overridesOf(row).With(set)
	row.Overrides = overrides.Keys
	return row, keys, err
}

// Preview is the plan of the request that would leave if draft were sent now with these files. It reads the
// conversation once and then costs what changed. While the older messages are still loading
// there is no true answer, and the error is ErrLoading. A *history.OverBudgetError comes with a
// plan to show.
func (w Tried) Preview(draft string, files ...history.Part) (history.Plan, error) {
	return w.plan(draft, files, func(*history.Options) {})
}

// plan is Preview of a message that is sent in a way of its own, which change sets.
func (w Tried) plan(text string, files []history.Part, change func(*history.Options)) (history.Plan, error) {
	if w.err != nil {
		return history.Plan{}, w.err
	}
	st, plans, earlier := w.state, w.plans, store.Message{}
	if w.trial.Instead != 0 {
		var err error
		if st, earlier, err = st.before(w.trial.Instead); err != nil {
			return history.Plan{}, err
		}
		if plans = &w.s.edits; files == nil {
			files = earlier.Parts
		}
	}
	turn := userTurn(text, files)
	o := st.options(w.to, w.policy, turn...)
	if earlier.Alone {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	// A message that is sent leaves the pending calls without a result, which a strict recovery refuses.
	if calls := st.pending(); len(calls) > 0 && (len(turn) == 0 || w.policy.Recovery != history.RecoverStrict) {
		o.Pending = calls[0].message
	}
	change(&o)
	return plans.build(st, st.branch.Len(), w.to, o)
}

// Body is the body of the request that a plan of Preview makes, byte for byte as it would be sent.
func (w Tried) Body(plan history.Plan) ([]byte, error) {
	return w.to.Client.Body(w.s.request(w.state, w.to, plan))
}

// InputCost is what a plan's request would cost before a word of its answer, if the server had nothing of
// it in its cache. It is an estimate, unless the model is known to be free.
func (w Tried) InputCost(plan history.Plan) pricing.Cost { return w.to.InputCost(plan.Sum) }

// Window is the window of the model that is asked.
func (w Tried) Window() llm.Window { return w.to.Window() }

// Model is the model that is asked.
func (w Tried) Model() (*target.Model, error) { return w.to, w.err }

// Policy is what would cut the next request.
func (w Tried) Policy() (history.Policy, error) { return w.policy, w.err }

// RemedyTrial plans as requests would be after SetRemedy, and keeps nothing. It reads the conversation by itself: to
// read an old message otherwise is to read all behind it again, and nobody who asks the session for something else
// waits for that.
type RemedyTrial struct {
	s     *Session
	plans planner
}

// TryRemedies begins to try remedies.
func (s *Session) TryRemedies() *RemedyTrial { return &RemedyTrial{s: s} }

// Try tries a remedy for some messages out, with the settings of a trial, in the conversation as it is now.
func (r *RemedyTrial) Try(ctx context.Context, by Trial, to history.Remedy, messages ...int64) (Tried, error) {
	groups, err := r.s.ToolGroups(ctx, messages...)
	if err != nil {
		return Tried{}, err
	}
	w := r.s.Try(by)
	w.plans, w.remedies = &r.plans, remediesWith(w.remedies, to, groups)
	return w, nil
}

// Apply sets the conversation to what a trial tries: all of it in one transaction, or nothing where the
// error is not nil. A model that was not considered is considered first. A history that cannot be written does not
// keep the choice of a model, which holds for this window all the same.
func (s *Session) Apply(ctx context.Context, t Trial) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	if errors.Is(s.Try(t).err, ErrNotConsidered) {
		if err := s.Consider(ctx, t.Model); err != nil {
			return err
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	was, w := s.Info(), s.Try(t)
	if w.err != nil {
		return w.err
	}
	row := w.row
	if t.Model != "" {
		row.Address = w.model.Address()
	}
	if err := s.deps.settings().CheckFree(overridesOf(was), overridesOf(row)); err != nil {
		return err
	}
	policy, err := s.deps.settings().PolicyOf(overridesOf(row))
	if err != nil {
		return err
	}
	if row.ID != "" {
		err := s.deps.Store.Update(ctx, row.ID, func(stored *store.Session) {
			stored.Endpoint, stored.Address, stored.Model = row.Endpoint, row.Address, row.Model
			stored.Preset, stored.Overrides = row.Preset, row.Overrides
		})
		otherModel := row.Preset == was.Preset && row.Overrides == was.Overrides
		if err != nil && !(otherModel && errors.Is(err, store.ErrReadOnly)) {
			return err
		}
	}
	s.set(func(st *state) {
		st.row.Preset, st.row.Overrides, st.row.Address, st.policy = row.Preset, row.Overrides, row.Address, policy
		if st.model != w.model {
			s.use(w.model)
		}
	})
	if t.Window == nil {
		return nil
	}
	return w.model.SetWindow(ctx, *t.Window)
}

// Settings are what decides the next request, each with where it comes from: the model and the system
// prompt, which are the session's from its first request on, what is asked of the model beside the messages, and
// the keys of [context] in their order. What the trial sets comes from the trial.
func (w Tried) Settings() ([]settings.Setting, error) {
	if w.err != nil {
		return nil, w.err
	}
	keys, err := w.s.deps.settings().Settings(overridesOf(w.row), w.policy, w.keys)
	if err != nil {
		return nil, err
	}
	model, system := "configuration", "configuration"
	if w.row.ID != "" {
		model = "session"
	}
	if w.trial.Model != "" {
		model = "trial"
	}
	if w.row.SystemFixed || w.row.System != "" {
		system = "session"
	}
	of := w.s.deps.of(w.row.Endpoint, w.row.Model)
	list := []settings.Setting{
		{Key: "model", Value: w.to.Ref(), From: model},
		{Key: "system", Value: lengthOf(w.system), From: system},
	}
	if system == "configuration" {
		list[1].Table = of.Tables["system"]
	}
	asked := of.Sampling
	for _, p := range []struct {
		key   string
		set   bool
		value any
	}{
		{"max_tokens", asked.MaxTokens > 0, asked.MaxTokens},
		{"temperature", asked.Temperature != nil, pointed(asked.Temperature)},
		{"top_p", asked.TopP != nil, pointed(asked.TopP)},
		{"effort", asked.Effort != "", asked.Effort},
	} {
		if p.set {
			list = append(list, settings.Setting{
				Key: p.key, Value: p.value, From: "configuration", Table: of.Tables[p.key],
			})
		}
	}
	return append(list, keys...), nil
}

// pointed is the number that a pointer points to, 0 for none.
func pointed(number *float64) float64 {
	if number == nil {
		return 0
	}
	return *number
}

// lengthOf stands for a text that is too long to show.
func lengthOf(text string) string {
	if text == "" {
		return "none"
	}
	return fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
}
