package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	Instead       int64             // the message of the user's that the draft would stand in for, as Edit takes it; 0 for none
}

// keys are the keys of the policy that the trial sets: how a request is cut, and not only who it goes to.
func (t Trial) keys() []string {
	var keys []string
	for key, set := range map[string]bool{
		"budget": t.Budget != nil, "preset": t.Preset != "", "placement": t.Placement != "", "summary_always": t.SummaryAlways != nil,
	} {
		if set {
			keys = append(keys, key)
		}
	}
	return keys
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
	to.FindPrices(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // The window was not found out.
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.considered[to.Ref()] = to
	return nil
}

// Tried is a conversation with the settings of a trial, of which nothing is kept. A *TrialError says what is wrong
// with them.
type Tried struct {
	s     *Session
	trial Trial
}

// Try tries out other settings.
func (s *Session) Try(t Trial) Tried { return Tried{s, t} }

// Preview is the plan of the request that would leave if draft were sent now with these files. It reads the
// conversation once and then costs what changed. While the older messages are still being read
// there is no true answer, and the error is ErrLoading. A *history.OverBudgetError comes with a
// plan to show.
func (w Tried) Preview(draft string, files ...history.Part) (history.Plan, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	_, policy, err := w.settings()
	if err != nil {
		return history.Plan{}, err
	}
	to, err := w.askedModel()
	if err != nil {
		return history.Plan{}, err
	}
	if w.trial.Instead != 0 {
		return w.s.previewEdit(w.trial.Instead, draft, files, func(turn []history.Message) history.Options {
			return w.s.options(to, policy, turn)
		})
	}
	o := w.s.previewOptions(to, policy, asTurn(draft, files))
	return w.s.buildLimited(len(w.s.branch), &o)
}

// Body is the body of the request that a plan of Preview makes, byte for byte as it would be sent.
func (w Tried) Body(plan history.Plan) ([]byte, error) {
	to, err := w.Model()
	if err != nil {
		return nil, err
	}
	return to.Client.Body(to.Request(plan))
}

// InputCost is what a plan's request would cost before a word of its answer, if the server had nothing of
// it in its cache. It is an estimate, unless the model is known to be free.
func (w Tried) InputCost(plan history.Plan) pricing.Cost {
	to, err := w.Model()
	if err != nil {
		return pricing.Cost{}
	}
	return to.InputCost(plan.Sum)
}

// Window is the window of the model that is asked, which is nothing where that was not considered.
func (w Tried) Window() llm.Window {
	to, err := w.Model()
	if err != nil {
		return llm.Window{}
	}
	return to.Window()
}

// asTurn is what the user would say with a draft, nothing where that is empty.
func asTurn(draft string, files []history.Part) []history.Message {
	if strings.TrimSpace(draft) == "" && len(files) == 0 {
		return nil
	}
	return []history.Message{{Role: history.User, Content: draft, Parts: files}}
}

// Policy is what would cut the next request.
func (w Tried) Policy() (history.Policy, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	_, policy, err := w.settings()
	return policy, err
}

// settings is the conversation's row and the policy of its next request with the trial's settings, the model
// aside. The caller holds the lock.
func (w Tried) settings() (store.Session, history.Policy, error) {
	keys := w.trial.keys()
	if len(keys) == 0 {
		return w.s.row, w.s.policy, nil
	}
	row, err := w.trial.on(w.s.row)
	if err != nil {
		return w.s.row, w.s.policy, &TrialError{err}
	}
	policy, err := w.s.deps.settings().PolicyOf(overridesOf(row), keys...)
	if err != nil {
		return w.s.row, w.s.policy, &TrialError{err}
	}
	return row, policy, nil
}

// on is a conversation's row with the trial's settings, the model aside.
func (t Trial) on(row store.Session) (store.Session, error) {
	if t.Preset != "" {
		if _, err := history.Preset(t.Preset); err != nil {
			return row, err
		}
		row.Preset, row.Overrides = t.Preset, ""
	}
	set := map[string]any{}
	if t.Budget != nil {
		if *t.Budget < 0 {
			return row, fmt.Errorf("a budget of %d tokens is not possible; 0 is auto", *t.Budget)
		}
		set["budget"] = *t.Budget
	}
	if t.Placement != "" {
		set["placement"] = string(t.Placement)
	}
	if t.SummaryAlways != nil {
		set["summary_always"] = *t.SummaryAlways
	}
	overrides, err := overridesOf(row).With(set)
	row.Overrides = overrides.Keys
	return row, err
}

// Model is the model that is asked.
func (w Tried) Model() (*target.Model, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.askedModel()
}

// askedModel is Model. The caller holds the lock.
func (w Tried) askedModel() (*target.Model, error) {
	to, err := w.namedModel()
	if err != nil || w.trial.Window == nil {
		return to, err
	}
	if to, err = to.WithWindow(*w.trial.Window); err != nil {
		return nil, &TrialError{err}
	}
	return to, nil
}

// namedModel is the model that the trial names, with its own window. The caller holds the lock.
func (w Tried) namedModel() (*target.Model, error) {
	if w.trial.Model == "" {
		return w.s.model, nil
	}
	to, err := w.s.deps.target(w.trial.Model)
	if err != nil {
		return nil, &TrialError{err}
	}
	if w.s.model.Same(to) {
		return w.s.model, nil
	}
	considered, ok := w.s.considered[to.Ref()]
	if !ok {
		return nil, &TrialError{fmt.Errorf("plan for %s: %w", to.Ref(), ErrNotConsidered)}
	}
	return considered, nil
}

// Apply sets the conversation to what a trial tries: all of it in one transaction, or nothing where the
// error is not nil. A model that was not considered is considered first. A history that cannot be written does not
// keep the choice of a model, which holds for this window all the same.
func (s *Session) Apply(ctx context.Context, t Trial) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	w := s.Try(t)
	if _, err := w.Model(); errors.Is(err, ErrNotConsidered) {
		if err := s.Consider(ctx, t.Model); err != nil {
			return err
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	was := s.Info()
	row, to, err := w.applied()
	if err != nil {
		return err
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
	s.row.Preset, s.row.Overrides, s.policy = row.Preset, row.Overrides, policy
	if s.model != to {
		s.use(to)
	}
	s.mu.Unlock()
	if t.Window == nil {
		return nil
	}
	return to.SetWindow(ctx, *t.Window)
}

// applied is everything that the trial sets, the model's window aside.
func (w Tried) applied() (store.Session, *target.Model, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	row, _, err := w.settings()
	if err != nil {
		return row, nil, err
	}
	if _, err := w.askedModel(); err != nil {
		return row, nil, err
	}
	to, err := w.namedModel()
	if err == nil {
		row.Endpoint, row.Model = to.Client.Endpoint().Name, to.Name
	}
	return row, to, err
}

// Settings are what decides the next request, each with where it comes from: the model and the system
// prompt, which are the session's from its first request on, and the keys of [context] in their order.
// What the trial sets comes from the trial.
func (w Tried) Settings() ([]settings.Setting, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	row, policy, err := w.settings()
	if err != nil {
		return nil, err
	}
	to, err := w.askedModel()
	if err != nil {
		return nil, err
	}
	keys, err := w.s.deps.settings().Settings(overridesOf(row), policy, w.trial.keys())
	if err != nil {
		return nil, err
	}
	model, system := "configuration", "configuration"
	if row.ID != "" {
		model = "session"
	}
	if w.trial.Model != "" {
		model = "trial"
	}
	if row.SystemFixed || row.System != "" {
		system = "session"
	}
	return append([]settings.Setting{
		{Key: "model", Value: to.Ref(), From: model},
		{Key: "system", Value: lengthOf(w.s.deps.system(row)), From: system},
	}, keys...), nil
}

// lengthOf stands for a text that is too long to show.
func lengthOf(text string) string {
	if text == "" {
		return "none"
	}
	return fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
}
