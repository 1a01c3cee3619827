package session

import (
	"context"
	"strings"

	"winnow/history"
	"winnow/llm"
)

// Trial is what a preview tries out in place of what the conversation is set to. The zero value tries
// nothing.
type Trial struct {
	Budget    *int              // as SetBudget takes it; nil leaves it
	Preset    string            // as SetPreset takes it, and with it the overrides go; "" leaves it
	Placement history.Placement // "" leaves it
}

// Preview is the plan of the request that would leave if draft were sent now. It reads the
// conversation once and then costs what changed. While the older messages are still being read
// there is no true answer, and the error is ErrLoading. A *history.OverBudgetError comes with a
// plan to show.
func (s *Session) Preview(draft string) (history.Plan, error) { return s.PreviewAs(draft, Trial{}) }

// PreviewAs is Preview with other settings, of which nothing is kept. A *TrialError says what is
// wrong with them.
func (s *Session) PreviewAs(draft string, t Trial) (history.Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	policy, err := s.tried(t)
	if err != nil {
		return history.Plan{}, err
	}
	var turn []history.Message
	if strings.TrimSpace(draft) != "" {
		turn = []history.Message{{Role: history.User, Content: draft}}
	}
	return s.build(len(s.branch), s.options(&s.target, policy, turn))
}

// TrialError says that a trial's settings are not ones a conversation could have.
type TrialError struct{ Err error }

func (e *TrialError) Error() string { return e.Err.Error() }
func (e *TrialError) Unwrap() error { return e.Err }

// tried is the policy of the next request with a trial's settings. The caller holds the lock.
func (s *Session) tried(t Trial) (history.Policy, error) {
	if t == (Trial{}) {
		return s.policy, nil
	}
	row := s.row
	if t.Preset != "" {
		if _, err := history.Preset(t.Preset); err != nil {
			return history.Policy{}, &TrialError{err}
		}
		row.Preset, row.Overrides = t.Preset, ""
	}
	if t.Budget != nil {
		var err error
		if row.Overrides, err = withBudget(row.Overrides, *t.Budget); err != nil {
			return history.Policy{}, &TrialError{err}
		}
	}
	policy, err := policyOf(s.deps.Policy, row)
	if err != nil {
		return policy, err
	}
	if t.Placement != "" {
		policy.Placement = t.Placement
	}
	if err := policy.Check(); err != nil {
		return policy, &TrialError{err}
	}
	return policy, nil
}

// TryModel previews what another model would see, from now on until the Session is closed. The
// conversation keeps its model. It may wait for the network.
func (s *Session) TryModel(ctx context.Context, ref string) error {
	if err := s.useModel(ref); err != nil {
		return err
	}
	return s.findWindow(ctx)
}

// Body is the body of the request that plan makes, byte for byte as it would be sent.
func (s *Session) Body(plan history.Plan) ([]byte, error) {
	s.mu.Lock()
	client, request := s.client, s.deps.request(s.target, plan)
	s.mu.Unlock()
	return client.Body(request)
}

// request is what goes to a model: the plan's messages, the tools it may call and what is asked of
// every model.
func (d Deps) request(to target, plan history.Plan) llm.Request {
	return llm.Request{
		Model:       to.model,
		Messages:    plan.Messages,
		Tools:       to.offered(),
		MaxTokens:   d.maxTokens(to),
		Temperature: d.Sampling.Temperature,
		TopP:        d.Sampling.TopP,
		Effort:      d.Sampling.Effort,
	}
}

// build plans a request that answers o.Turn after the first past messages of the branch. The caller
// holds the lock.
func (s *Session) build(past int, o history.Options) (history.Plan, error) {
	if err := s.readTo(past); err != nil {
		return history.Plan{}, err
	}
	return s.reader.Build(o)
}

// readTo brings the reader to the first past messages of the branch. The caller holds the lock.
func (s *Session) readTo(past int) error {
	if !s.whole {
		return ErrLoading
	}
	if s.reader == nil || s.read > past {
		s.reader, s.read, s.fresh = history.Read(nil, s.deps.Count), 0, map[int]int{}
	}
	s.reader.Recount(s.fresh)
	clear(s.fresh)
	s.reader.Append(s.deps.readable(s.branch[s.read:past])...)
	s.read = past
	return nil
}

// options is everything beside the history that decides a request to a model under a policy. The caller
// holds the lock.
func (s *Session) options(to *target, policy history.Policy, turn []history.Message) history.Options {
	system := s.row.System
	if system == "" {
		system = s.deps.System
	}
	policy.OutputReserve = s.deps.outputReserve(*to, policy)
	var summary *history.Summary
	if policy.SummarizeRatio > 0 {
		summary = s.summary()
	}
	return history.Options{
		Policy:  policy,
		System:  system,
		Turn:    turn,
		Flags:   s.flags,
		Summary: summary,
		Tools:   to.toolTokens(s.deps.Count),
		Window:  to.window.Tokens,
		Ratio:   to.learned.Ratio,
		Profile: to.client.Profile(to.model),
		To:      to.client.Origin(to.model),
		Count:   s.deps.Count,
	}
}
