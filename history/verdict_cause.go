package history

import (
	"strings"

	"winnow/history/cause"
)

// causeKept is why candidate i is sent whole in its place.
func (r *renderer) causeKept(i int) Cause {
	if r.cause[i] == cause.None {
		return Cause{Code: cause.Recent}
	}
	return Cause{Code: r.cause[i]}
}

// causeDropped is why candidate i is not sent.
func (r *renderer) causeDropped(i int) Cause {
	switch r.cause[i] {
	case cause.MessageCap:
		return Cause{Code: cause.MessageCap, Limit: r.o.Policy.MaxMessages}
	case cause.Excluded, cause.QuestionExcluded, cause.Summarized, cause.Alone, cause.OtherMessages, cause.Title, cause.Invalid:
		return Cause{Code: r.cause[i]}
	}
	switch {
	case r.stopped.to == 0 && r.stop.Code != cause.None, r.stopped.from <= i && i < r.stopped.to:
		return r.stop
	case r.stopped.recall:
		return Cause{Code: cause.BudgetTaken}
	}
	return Cause{Code: cause.Older}
}

// causeRecalled is why candidate i is recalled as f.
func (r *renderer) causeRecalled(i int, f rendering) Cause {
	c := Cause{Front: r.placeDetail[i] != out && !r.ordered()}
	if !f.shortened.whole() {
		c.Have, c.Want = f.chars, r.candidates[i].chars
	}
	end := i + 1
	for end < len(r.candidates) && r.candidates[end].group == r.candidates[i].group {
		end++
	}
	group := r.t.groupBefore(end)
	switch shared := r.ranking.Shared(group.from, group.to); {
	case len(shared) > 0:
		c.Code, c.Text = cause.SharedWords, strings.Join(shared, ", ")
	case r.t.index.Standing(i):
		c.Code = cause.Instruction
	case r.ordered() && r.recallDetail[i] == short:
		c.Code = cause.AnswerRecalled
	default:
		c.Code = cause.Neighbour
	}
	return c
}

// causeOfCut is why a candidate is cut to a rendering, nil where it is not.
func (f rendering) causeOfCut(v *candidate, code cause.Code, limit int) *Cause {
	if f.shortened.whole() {
		return nil
	}
	c := &Cause{Code: code, Limit: limit, Have: f.chars, Want: v.chars}
	if !v.Replaced {
		e := Entry{CharsBefore: v.chars - v.Lead - v.Tail}
		f.locate(v, &e)
		c.Have, c.Want = e.CharsAfter, e.CharsBefore
	}
	return c
}

// limitOf is the limit of the policy for a candidate, with the code that names it.
func (b *chooser) limitOf(v *candidate) (cause.Code, int) {
	switch v.kind() {
	case User:
		return cause.UserLimit, b.limits.user
	case Tool:
		return cause.ToolLimit, b.limits.tool
	}
	return cause.AssistantLimit, b.limits.assistant
}
