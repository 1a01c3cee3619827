package history

import "strings"

// causeKept is why candidate i is sent whole in its place.
func (b *builder) causeKept(i int) Cause {
	if b.cause[i] == NoCause {
		return Cause{Code: CauseRecent}
	}
	return Cause{Code: b.cause[i]}
}

// causeDropped is why candidate i is not sent.
func (b *builder) causeDropped(i int) Cause {
	switch b.cause[i] {
	case CauseMessageCap:
		return Cause{Code: CauseMessageCap, Limit: b.o.Policy.MaxMessages}
	case CauseExcluded, CauseQuestionExcluded, CauseSummarized, CauseAlone, CauseOtherMessages, CauseTitle, CauseInvalid:
		return Cause{Code: b.cause[i]}
	}
	switch {
	case b.stopped.to == 0 && b.stop.Code != NoCause, b.stopped.from <= i && i < b.stopped.to:
		return b.stop
	case b.stopped.recall:
		return Cause{Code: CauseRoomTaken}
	}
	return Cause{Code: CauseOlder}
}

// causeRecalled is why candidate i is recalled as f.
func (b *builder) causeRecalled(i int, f rendering) Cause {
	c := Cause{Front: b.placeDetail[i] != out && !b.ordered()}
	if !f.shortened.whole() {
		c.Have, c.Want = f.chars, b.candidates[i].chars
	}
	end := i + 1
	for end < len(b.candidates) && b.candidates[end].group == b.candidates[i].group {
		end++
	}
	group := b.t.groupBefore(end)
	switch shared := b.ranking.Shared(group.from, group.to); {
	case len(shared) > 0:
		c.Code, c.Text = CauseSharedWords, strings.Join(shared, ", ")
	case b.t.index.Standing(i):
		c.Code = CauseInstruction
	case b.ordered() && b.recallDetail[i] == short:
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
func (b *builder) limitOf(v *candidate) (CauseCode, int) {
	switch v.kind() {
	case User:
		return CauseUserLimit, b.limits.user
	case Tool:
		return CauseToolLimit, b.limits.tool
	}
	return CauseAssistantLimit, b.limits.assistant
}
