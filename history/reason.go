package history

import "strings"

// causeKept is why view i is sent whole in its place.
func (b *builder) causeKept(i int) Cause {
	if b.why[i] == NoCause {
		return Cause{Code: CauseRecent}
	}
	return Cause{Code: b.why[i]}
}

// causeDropped is why view i is not sent.
func (b *builder) causeDropped(i int) Cause {
	switch b.why[i] {
	case CauseMessageCap:
		return Cause{Code: CauseMessageCap, Limit: b.o.Policy.MaxMessages}
	case CauseExcluded, CauseQuestionExcluded, CauseSummarized, CauseAlone, CauseOtherMessages, CauseTitle, CauseInvalid:
		return Cause{Code: b.why[i]}
	}
	switch {
	case b.stopped.to == 0 && b.stop.Code != NoCause, b.stopped.from <= i && i < b.stopped.to:
		return b.stop
	case b.stopped.recall:
		return Cause{Code: CauseRoomTaken}
	}
	return Cause{Code: CauseOlder}
}

// causeRecalled is why recall brings view i back as f.
func (b *builder) causeRecalled(i int, f form) Cause {
	c := Cause{Front: b.depth[i] != out && !b.ordered()}
	if !f.shortened.whole() {
		c.Have, c.Want = f.chars, b.views[i].chars
	}
	end := i + 1
	for end < len(b.views) && b.views[end].group == b.views[i].group {
		end++
	}
	group := b.t.groupBefore(end)
	switch shared := b.about.Shared(group.from, group.to); {
	case len(shared) > 0:
		c.Code, c.Text = CauseSharedWords, strings.Join(shared, ", ")
	case b.t.index.Standing(i):
		c.Code = CauseInstruction
	case b.ordered() && b.back[i] == short:
		c.Code = CauseAnswerRecalled
	default:
		c.Code = CauseNeighbour
	}
	return c
}

// causeOfCut is why a view is cut to a form, nil where it is not.
func (f form) causeOfCut(v *view, code CauseCode, limit int) *Cause {
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

// limitOf is the limit of the policy for a view, with the code that names it.
func (b *builder) limitOf(v *view) (CauseCode, int) {
	switch v.kind() {
	case User:
		return CauseUserLimit, b.limits.user
	case Tool:
		return CauseToolLimit, b.limits.tool
	}
	return CauseAssistantLimit, b.limits.assistant
}
