package history

import "strings"

// causeKept is why candidate i is sent whole in its place.
func (r *renderer) causeKept(i int) Cause {
	if r.cause[i] == NoCause {
		return Cause{Code: CauseRecent}
	}
	return Cause{Code: r.cause[i]}
}

// causeDropped is why candidate i is not sent.
func (r *renderer) causeDropped(i int) Cause {
	switch r.cause[i] {
	case CauseMessageCap:
		return Cause{Code: CauseMessageCap, Limit: r.o.Policy.MaxMessages}
	case CauseExcluded, CauseQuestionExcluded, CauseSummarized, CauseAlone, CauseOtherMessages, CauseTitle, CauseInvalid:
		return Cause{Code: r.cause[i]}
	}
	switch {
	case r.stopped.to == 0 && r.stop.Code != NoCause, r.stopped.from <= i && i < r.stopped.to:
		return r.stop
	case r.stopped.recall:
		return Cause{Code: CauseRoomTaken}
	}
	return Cause{Code: CauseOlder}
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
		c.Code, c.Text = CauseSharedWords, strings.Join(shared, ", ")
	case r.t.index.Standing(i):
		c.Code = CauseInstruction
	case r.ordered() && r.recallDetail[i] == short:
		c.Code = CauseAnswerRecalled
	default:
		c.Code = CauseNeighbour
	}
	return c
}

// causeOfCut is why a candidate is cut to a rendering, nil where it is not.
func (f rendering) causeOfCut(v *candidate, code CauseCode, limit int) *Cause {
	if f.shortened.whole() {
		return nil
	}
	c := &Cause{Code: code, Limit: limit, Have: f.chars, Want: v.chars}
	if !v.replaced {
		e := Entry{CharsBefore: v.chars - v.lead - v.tail}
		f.locate(v, &e)
		c.Have, c.Want = e.CharsAfter, e.CharsBefore
	}
	return c
}

// limitOf is the limit of the policy for a candidate, with the code that names it.
func (b *chooser) limitOf(v *candidate) (CauseCode, int) {
	switch v.kind() {
	case User:
		return CauseUserLimit, b.limits.user
	case Tool:
		return CauseToolLimit, b.limits.tool
	}
	return CauseAssistantLimit, b.limits.assistant
}
