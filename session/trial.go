package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/record"
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

// Consider reads what is known of another model, so that a Trial can name it. It may wait for the
// network. What is learned of the model later, by asking it, is known after the next Consider.
func (s *Session) Consider(ctx context.Context, ref string) error {
	to, err := s.deps.target(ref)
	if err != nil {
		return &TrialError{err}
	}
	if err := to.Find(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // The window was not found out.
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.considered[to.Ref()] = to
	return nil
}

// Preview is the plan of the request that would leave if draft were sent now with these files: see Tried.Preview.
func (s *Session) Preview(draft string, files ...history.Part) (history.Plan, error) {
	return s.Try(Trial{}).Preview(draft, files...)
}

// Tried is a conversation with the settings of a trial, of which nothing is kept. Where they are not possible its
// methods fail with a *TrialError.
type Tried struct {
	s      *Session
	p      *planner // of s, or of a RemedyTrial
	trial  Trial
	err    error
	row    store.Session // with the trial's settings
	keys   []string      // of the policy, that the trial sets
	policy history.Policy
	named  *target.Model // the model with its own window
	to     *target.Model // with the trial's window
}

// Try tries out other settings.
func (s *Session) Try(t Trial) Tried {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := Tried{s: s, p: &s.planner, trial: t, policy: s.policy, named: s.model}
	if w.row, w.keys, w.err = t.on(s.row); w.err == nil && len(w.keys) > 0 {
		w.policy, w.err = s.deps.settings().PolicyOf(overridesOf(w.row), w.keys...)
	}
	if w.err == nil && t.Model != "" {
		w.named, w.err = s.knownModel(t.Model)
	}
	if w.to = w.named; w.err == nil {
		w.row.Endpoint, w.row.Model = w.to.Client.Endpoint().Name, w.to.Name
		if t.Window != nil {
			w.to, w.err = w.to.WithWindow(*t.Window)
		}
	}
	if w.err != nil {
		w.err = &TrialError{w.err}
	}
	return w
}

// knownModel is the model in use or one that was considered. The caller holds the lock.
func (s *Session) knownModel(ref string) (*target.Model, error) {
	to, err := s.deps.target(ref)
	if err != nil {
		return nil, err
	}
	if s.model.Same(to) {
		return s.model, nil
	}
	if considered, ok := s.considered[to.Ref()]; ok {
		return considered, nil
	}
	return nil, fmt.Errorf("plan for %s: %w", to.Ref(), ErrNotConsidered)
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
	if w.err != nil {
		return history.Plan{}, w.err
	}
	options := func(p *planner, turn []history.Message) history.Options {
		o := p.options(w.to, w.policy, turn)
		o.System = w.s.deps.system(w.row)
		return o
	}
	if w.trial.Instead != 0 {
		return w.s.planEdit(w.p, w.trial.Instead, draft, files, options)
	}
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	turn := asTurn(draft, files)
	o := options(w.p, turn)
	// A message that is sent leaves the pending calls without a result, which a strict recovery refuses.
	if calls := w.p.pending(); len(calls) > 0 && (len(turn) == 0 || w.policy.Recovery != history.RecoverStrict) {
		o.Pending = calls[0].message
	}
	return w.p.buildLimited(w.to, w.p.branch.Len(), &o)
}

// Body is the body of the request that a plan of Preview makes, byte for byte as it would be sent.
func (w Tried) Body(plan history.Plan) ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	w.s.mu.Lock()
	request := w.s.requestTo(w.to, plan)
	w.s.mu.Unlock()
	return w.to.Client.Body(request)
}

// InputCost is what a plan's request would cost before a word of its answer, if the server had nothing of
// it in its cache. It is an estimate, unless the model is known to be free.
func (w Tried) InputCost(plan history.Plan) pricing.Cost {
	if w.err != nil {
		return pricing.Cost{}
	}
	return w.to.InputCost(plan.Sum)
}

// Window is the window of the model that is asked, which is nothing where that was not considered.
func (w Tried) Window() llm.Window {
	if w.err != nil {
		return llm.Window{}
	}
	return w.to.Window()
}

// Model is the model that is asked.
func (w Tried) Model() (*target.Model, error) { return w.to, w.err }

// Policy is what would cut the next request.
func (w Tried) Policy() (history.Policy, error) { return w.policy, w.err }

// asTurn is what the user would say with a draft, nothing where that is empty.
func asTurn(draft string, files []history.Part) []history.Message {
	if strings.TrimSpace(draft) == "" && len(files) == 0 {
		return nil
	}
	return []history.Message{{Role: history.User, Content: draft, Parts: files}}
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
	row, to := w.row, w.named
	if t.Model != "" {
		row.Address = to.Address()
	}
	if err := s.deps.settings().CheckFree(overridesOf(was), overridesOf(row)); err != nil {
		return err
	}
	policy, err := s.deps.settings().PolicyOf(overridesOf(row))
	if err != nil {
		return err
	}
	if row.ID != "" {
		err := s.deps.Store.Configure(ctx, row)
		otherModel := row.Preset == was.Preset && row.Overrides == was.Overrides
		if err != nil && !(otherModel && errors.Is(err, store.ErrReadOnly)) {
			return err
		}
	}
	s.mu.Lock()
	s.row.Preset, s.row.Overrides, s.row.Address, s.policy = row.Preset, row.Overrides, row.Address, policy
	if s.model != to {
		s.use(to)
	}
	s.mu.Unlock()
	if t.Window == nil {
		return nil
	}
	return to.SetWindow(ctx, *t.Window)
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
		{Key: "system", Value: lengthOf(w.s.deps.system(w.row)), From: system},
	}
	if system == "configuration" {
		list[1].Table = of.Tables["system"]
	}
	for _, s := range samplingSettings(of.Sampling) {
		s.Table = of.Tables[s.Key]
		list = append(list, s)
	}
	return append(list, keys...), nil
}

// samplingSettings are the parameters that are set, under their names in the configuration.
func samplingSettings(s record.Sampling) []settings.Setting {
	var list []settings.Setting
	add := func(key string, value any) {
		list = append(list, settings.Setting{Key: key, Value: value, From: "configuration"})
	}
	if s.MaxTokens > 0 {
		add("max_tokens", s.MaxTokens)
	}
	if s.Temperature != nil {
		add("temperature", *s.Temperature)
	}
	if s.TopP != nil {
		add("top_p", *s.TopP)
	}
	if s.Effort != "" {
		add("effort", s.Effort)
	}
	return list
}

// lengthOf stands for a text that is too long to show.
func lengthOf(text string) string {
	if text == "" {
		return "none"
	}
	return fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
}
