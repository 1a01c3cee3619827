package session

import (
	"winnow/history"
	"winnow/llm"
)

// Preview is the plan of the request that would leave if draft were sent now with these files. It reads the
// conversation once and then costs what changed. While the older messages are still being read
// there is no true answer, and the error is ErrLoading. A *history.OverBudgetError comes with a
// plan to show.
func (s *Session) Preview(draft string, files ...history.Part) (history.Plan, error) {
	return s.PreviewAs(draft, Trial{}, files...)
}

// Body is the body of the request that plan makes, byte for byte as it would be sent.
func (s *Session) Body(plan history.Plan) ([]byte, error) { return s.BodyAs(plan, Trial{}) }

// request is what goes to a model: the plan's messages, the tools it may call and what is asked of
// every model.
func (d Deps) request(to target, plan history.Plan) llm.Request {
	ask := d.sampling(to)
	return llm.Request{
		Model:       to.model,
		Messages:    plan.Messages,
		Tools:       to.offered(),
		MaxTokens:   d.maxTokens(to),
		Temperature: ask.Temperature,
		TopP:        ask.TopP,
		Effort:      ask.Effort,
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
	policy.OutputReserve = s.deps.outputReserve(*to, policy)
	var summaries []history.Summary
	if policy.Summarizes() {
		summaries = s.summariesOf(len(s.branch))
	}
	return history.Options{
		Policy:    policy,
		System:    s.systemPrompt(),
		Turn:      turn,
		Flags:     s.flags,
		Remedies:  s.remedies,
		Summaries: summaries,
		Tools:     to.toolTokens(s.deps.Count),
		Window:    to.window.Tokens,
		Limit:     s.limitOf(to),
		Ratio:     to.counts.Ratio,
		Profile:   to.profile(),
		To:        to.client.Origin(to.model),
		Count:     s.deps.Count,
	}
}
