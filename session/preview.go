package session

import (
	"strings"

	"winnow/history"
	"winnow/llm"
)

// Preview is the plan of the request that would leave if draft were sent now. It reads the
// conversation once and then costs what changed. While the older messages are still being read
// there is no true answer, and the error is ErrLoading. A *history.OverBudgetError comes with a
// plan to show.
func (s *Session) Preview(draft string) (history.Plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var turn []history.Message
	if strings.TrimSpace(draft) != "" {
		turn = []history.Message{{Role: history.User, Content: draft}}
	}
	return s.build(len(s.branch), s.options(turn))
}

// Body is the body of the request that plan makes, byte for byte as it would be sent.
func (s *Session) Body(plan history.Plan) ([]byte, error) {
	s.mu.Lock()
	client, request := s.client, s.request(plan)
	s.mu.Unlock()
	return client.Body(request)
}

// request is what goes to the model: the plan's messages, the tools it may call and what is asked
// of every model. The caller holds the lock.
func (s *Session) request(plan history.Plan) llm.Request {
	return llm.Request{
		Model:       s.row.Model,
		Messages:    plan.Messages,
		Tools:       s.client.Endpoint().Tools.Tools(),
		MaxTokens:   s.deps.Sampling.MaxTokens,
		Temperature: s.deps.Sampling.Temperature,
		TopP:        s.deps.Sampling.TopP,
		Effort:      s.deps.Sampling.Effort,
	}
}

// build plans a request that answers o.Turn after the first past messages of the branch. The caller
// holds the lock.
func (s *Session) build(past int, o history.Options) (history.Plan, error) {
	if !s.whole {
		return history.Plan{}, ErrLoading
	}
	if s.reader == nil || s.read > past {
		s.reader, s.read = history.Read(nil, s.deps.Count), 0
	}
	fresh := make([]history.Message, 0, past-s.read)
	for _, m := range s.branch[s.read:past] {
		fresh = append(fresh, m.Message)
	}
	s.reader.Append(fresh...)
	s.read = past
	return s.reader.Build(o)
}

// options is everything beside the history that decides the next request.
func (s *Session) options(turn []history.Message) history.Options {
	system := s.row.System
	if system == "" {
		system = s.deps.System
	}
	policy := s.policy
	if policy.OutputReserve == 0 {
		policy.OutputReserve = s.deps.Sampling.MaxTokens
	}
	return history.Options{
		Policy:  policy,
		System:  system,
		Turn:    turn,
		Flags:   s.flags,
		Tools:   s.toolTokens(),
		Window:  s.window.Tokens,
		Ratio:   s.learned.Ratio,
		Profile: s.client.Endpoint().Profile,
		Count:   s.deps.Count,
	}
}
