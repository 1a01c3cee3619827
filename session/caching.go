package session

import (
	"winnow/history"
	"winnow/llm"
	"winnow/session/target"
)

// requestTo is the request of a plan to a model, with what the server's cache may know of it. The caller holds
// the lock.
func (s *Session) requestTo(to *target.Model, plan history.Plan) llm.Request {
	r := to.Request(plan)
	r.Cache = to.Client.Caching(r, llm.CacheHint{
		Conversation: s.row.ID,
		Tokens:       plan.Sum.Tokens(plan.Sum.Total),
		Alike:        s.before.Alike(to.Ref(), plan),
		Stays:        plan.Stays,
		Answer:       s.answerID(to),
	})
	return r
}

// answerID is the id that a model's server gave the newest answer of the branch, "" where that is another model's
// or has none. The caller holds the lock.
func (s *Session) answerID(to *target.Model) string {
	for i := s.branch.Len() - 1; i >= 0; i-- {
		if s.branch.Role(i) == history.Assistant {
			m, err := s.branch.Message(i)
			if err != nil || m.Endpoint != to.Client.Endpoint().Name || m.Model != to.Name {
				return ""
			}
			return llm.AnswerID(m.Extra)
		}
	}
	return ""
}
