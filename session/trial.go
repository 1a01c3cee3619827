package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// Trial is what a preview tries out in place of what the conversation is set to. The zero value tries
// nothing.
type Trial struct {
	Budget    *int              // as SetBudget takes it; nil leaves it
	Preset    string            // as SetPreset takes it, and with it the overrides go; "" leaves it
	Placement history.Placement // "" leaves it
	Model     string            // as SetModel takes it, and as Consider was told; "" leaves it
	Window    *int              // of the model, as SetWindow takes it; nil leaves it
	Instead   int64             // the message of the user's that the draft would stand in for, as Edit takes it; 0 for none
}

// cuts says that the trial changes how a request is cut, and not only who it goes to.
func (t Trial) cuts() bool { return t.Budget != nil || t.Preset != "" || t.Placement != "" }

// keys are the keys of the policy that the trial sets.
func (t Trial) keys() []string {
	var keys []string
	if t.Budget != nil {
		keys = append(keys, "budget")
	}
	if t.Preset != "" {
		keys = append(keys, "preset")
	}
	if t.Placement != "" {
		keys = append(keys, "placement")
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
	if to, err = s.deps.inquire(ctx, to); err != nil {
		return err
	}
	s.deps.findPrices(ctx, to)
	if ctx.Err() != nil {
		return ctx.Err() // The window was not found out.
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.considered[to.ref()] = &to
	return nil
}

// PreviewAs is Preview with other settings, of which nothing is kept. A *TrialError says what is
// wrong with them.
func (s *Session) PreviewAs(draft string, t Trial, files ...history.Part) (history.Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, policy, err := s.tried(t)
	if err != nil {
		return history.Plan{}, err
	}
	to, err := s.triedModel(t)
	if err != nil {
		return history.Plan{}, err
	}
	if t.Instead != 0 {
		return s.previewEdit(t.Instead, draft, files, func(turn []history.Message) history.Options {
			return s.options(to, policy, turn)
		})
	}
	o := s.previewOptions(to, policy, asTurn(draft, files))
	return s.buildLimited(len(s.branch), &o)
}

// asTurn is what the user would say with a draft, nothing where that is empty.
func asTurn(draft string, files []history.Part) []history.Message {
	if strings.TrimSpace(draft) == "" && len(files) == 0 {
		return nil
	}
	return []history.Message{{Role: history.User, Content: draft, Parts: files}}
}

// BodyAs is the body of the request that a plan of PreviewAs makes, byte for byte as it would be sent
// with the trial's settings.
func (s *Session) BodyAs(plan history.Plan, t Trial) ([]byte, error) {
	s.mu.Lock()
	to, err := s.triedModel(t)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	client, request := to.client, s.deps.request(*to, plan)
	s.mu.Unlock()
	return client.Body(request)
}

// PolicyAs is what would cut the next request with a trial's settings.
func (s *Session) PolicyAs(t Trial) (history.Policy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, policy, err := s.tried(t)
	return policy, err
}

// WindowAs is the window of the model that a trial asks, which is nothing where that was not considered.
func (s *Session) WindowAs(t Trial) llm.Window {
	s.mu.Lock()
	defer s.mu.Unlock()
	to, err := s.triedModel(t)
	if err != nil {
		return llm.Window{}
	}
	return to.window
}

// tried is the conversation's row and the policy of its next request with a trial's settings, the model
// aside. The caller holds the lock.
func (s *Session) tried(t Trial) (store.Session, history.Policy, error) {
	if !t.cuts() {
		return s.row, s.policy, nil
	}
	row, err := t.on(s.row)
	if err != nil {
		return s.row, s.policy, &TrialError{err}
	}
	policy, err := s.deps.policyOf(row, t.keys()...)
	if err != nil {
		return s.row, s.policy, &TrialError{err}
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
	var err error
	if t.Budget != nil {
		if row.Overrides, err = withBudget(row.Overrides, *t.Budget); err != nil {
			return row, err
		}
	}
	if t.Placement != "" {
		row.Overrides, err = withKey(row.Overrides, "placement", string(t.Placement))
	}
	return row, err
}

// triedModel is the model that a trial asks. Its tools are counted once, so it is not a copy. The
// caller holds the lock.
func (s *Session) triedModel(t Trial) (*target, error) {
	to, err := s.namedModel(t)
	if err != nil || t.Window == nil {
		return to, err
	}
	if *t.Window < 0 {
		return nil, &TrialError{fmt.Errorf("a window of %d tokens is not possible; 0 finds it out", *t.Window)}
	}
	tried := *to
	tried.learned.Chosen, tried.learned.ChosenAt = *t.Window, s.deps.Now()
	tried.learned.Window = 0
	tried.window = tried.facts().Window()
	return &tried, nil
}

// namedModel is the model that a trial names. The caller holds the lock.
func (s *Session) namedModel(t Trial) (*target, error) {
	if t.Model == "" {
		return &s.target, nil
	}
	to, err := s.deps.target(t.Model)
	if err != nil {
		return nil, &TrialError{err}
	}
	if s.target.same(to) {
		return &s.target, nil
	}
	known, ok := s.considered[to.ref()]
	if !ok {
		return nil, &TrialError{fmt.Errorf("plan for %s: %w", to.ref(), ErrNotConsidered)}
	}
	return known, nil
}

// Apply sets the conversation to what a trial tries: all of it in one transaction, or nothing where the
// error is not nil. A model that was not considered is considered first.
func (s *Session) Apply(ctx context.Context, t Trial) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	if _, _, _, err := s.settled(t); errors.Is(err, ErrNotConsidered) {
		if err := s.Consider(ctx, t.Model); err != nil {
			return err
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	to, row, policy, err := s.settled(t)
	if err != nil {
		return err
	}
	if err := s.configure(ctx, to, row, policy); err != nil {
		return err
	}
	if t.Window != nil {
		return s.SetWindow(ctx, *t.Window)
	}
	return nil
}

// settled is everything that a trial would set.
func (s *Session) settled(t Trial) (to target, row store.Session, policy history.Policy, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	model, err := s.triedModel(t)
	if err != nil {
		return to, row, policy, err
	}
	row, policy, err = s.tried(t)
	row.Endpoint, row.Model = model.client.Endpoint().Name, model.model
	return *model, row, policy, err
}
