package session

import (
	"errors"

	"winnow/history"
	"winnow/session/calibration"
	"winnow/session/target"
)

// Preview is the plan of the request that would leave if draft were sent now with these files: see Tried.Preview.
func (s *Session) Preview(draft string, files ...history.Part) (history.Plan, error) {
	return s.Try(Trial{}).Preview(draft, files...)
}

// Body is the body of the request that plan makes, byte for byte as it would be sent.
func (s *Session) Body(plan history.Plan) ([]byte, error) { return s.Try(Trial{}).Body(plan) }

// build plans a request that answers o.Turn after the first past messages of the branch. The caller
// holds the lock.
func (s *Session) build(past int, o history.Options) (history.Plan, error) {
	if err := s.readTo(past); err != nil {
		return history.Plan{}, err
	}
	return s.reader.Build(o)
}

// limitTries is how often a request is planned again, with less, to fit below a limit.
const limitTries = 3

// buildLimited is build, but a limit that leaves no room for what must be sent does not hold, and below a limit
// text of a kind that the server has hardly counted yet gets the room that it may need. The caller holds the
// lock.
func (s *Session) buildLimited(past int, o *history.Options) (history.Plan, error) {
	plan, err := s.build(past, *o)
	for range limitTries {
		if err != nil || o.Limit == 0 {
			break
		}
		over := s.model.OverLimit(calibration.PartsOf(plan.Sum, plan.Entries, s.message))
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
	if over := (*history.OverBudgetError)(nil); o.Limit > 0 && s.model.Shrunk() == 0 && errors.As(err, &over) {
		o.Limit = 0
		return s.build(past, *o)
	}
	return plan, err
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
func (s *Session) options(to *target.Model, policy history.Policy, turn []history.Message) history.Options {
	o := history.Options{
		Policy:   policy,
		System:   s.systemPrompt(),
		Turn:     turn,
		Flags:    s.flags,
		Remedies: s.remedies,
		Count:    s.deps.Count,
	}
	if policy.Summarizes() {
		o.Summaries = s.summariesOf(len(s.branch))
	}
	to.Fill(&o)
	return o
}
