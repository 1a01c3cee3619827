package history

import (
	"slices"
	"strings"
)

// Change is one difference for a message between a first plan and a second one. A message that was repaired on the way
// has one more.
type PlanChange struct {
	Kind   ChangeKind
	Before Entry // its verdict in the first plan; without a Disposition where that has no such message
	After  Entry // its verdict in the second plan; the same
}

// ChangeKind says what is otherwise.
type ChangeKind string

// The kinds of a Change.
const (
	ChangeEntered   ChangeKind = "entered"   // is sent, and was not
	ChangeLeft      ChangeKind = "left"      // is not sent, and was
	ChangeShortened ChangeKind = "shortened" // less of its text is sent
	ChangeRestored  ChangeKind = "restored"  // more of its text is sent
	ChangeRecalled  ChangeKind = "recalled"  // is sent because the current message is about it, and was not for that
	ChangeReturned  ChangeKind = "returned"  // stands in its own place, and was recalled
	ChangeRepaired  ChangeKind = "repaired"  // is sent repaired in a way that it was not
	ChangeAltered   ChangeKind = "altered"   // anything else, such as pinned by hand, or not sent for another cause
)

// Compare says what changed from the entries of one plan to those of another, in the order of the conversation.
// Messages are known by their ID, so the plans may be of two branches. A reason that is worded otherwise is no change,
// nor is a level that sends the same text.
func CompareEntries(before, after []Entry) []PlanChange {
	was := make(map[int64]Entry, len(before))
	for _, e := range before {
		was[e.ID] = e
	}
	var list []PlanChange
	for _, e := range after {
		list = appendChanges(list, was[e.ID], e)
		delete(was, e.ID)
	}
	for _, e := range before {
		if _, gone := was[e.ID]; gone {
			list = appendChanges(list, e, Entry{})
		}
	}
	slices.SortStableFunc(list, func(a, b PlanChange) int { return a.Entry().Index - b.Entry().Index })
	return list
}

// Entry is the message's verdict in the second plan, or in the first where that is the only one.
func (c PlanChange) Entry() Entry {
	if c.After.Disposition == "" {
		return c.Before
	}
	return c.After
}

// Reason is a sentence that says why it is otherwise: the reason of the second verdict, or what was
// repaired.
func (c PlanChange) Reason() string {
	switch {
	case c.After.Disposition == "":
		return "it is not on this branch"
	case c.Kind != ChangeRepaired:
		return c.After.Cause.Sentence()
	}
	var list []string
	for _, r := range newRepairs(c.Before, c.After) {
		list = append(list, r.Sentence()+" ("+r.Kind+")")
	}
	return strings.Join(list, " ")
}

// newRepairs are the repairs of the second verdict that the first has not.
func newRepairs(before, after Entry) []Repair {
	return slices.DeleteFunc(slices.Clone(after.Repairs), func(r Repair) bool {
		return slices.ContainsFunc(before.Repairs, r.SameEffect)
	})
}

// appendChanges finds what is otherwise for one message.
func appendChanges(list []PlanChange, before, after Entry) []PlanChange {
	kind, repaired := changeKind(before, after), after.Sent() && len(newRepairs(before, after)) > 0
	if kind == "" && !repaired && !sameVerdict(before, after) {
		kind = ChangeAltered
	}
	if kind != "" {
		list = append(list, PlanChange{kind, before, after})
	}
	if repaired {
		list = append(list, PlanChange{ChangeRepaired, before, after})
	}
	return list
}

// changeKind is how a message's place in the request, or the amount of its text, is otherwise; "" for
// not at all.
func changeKind(before, after Entry) ChangeKind {
	was, is := before.wasRecalled(), after.wasRecalled()
	switch {
	case !before.Sent() && !after.Sent():
		return ""
	case !after.Sent():
		return ChangeLeft
	case is && !was:
		return ChangeRecalled
	case !before.Sent():
		return ChangeEntered
	case was && !is:
		return ChangeReturned
	case after.CharsAfter < before.CharsAfter:
		return ChangeShortened
	case after.CharsAfter > before.CharsAfter:
		return ChangeRestored
	}
	return ""
}

// wasRecalled says that recall put the message into the request.
func (e Entry) wasRecalled() bool { return e.Recalled || e.Disposition == Recalled }

// sameVerdict says that two verdicts send the same text in the same place, and treat the message alike.
func sameVerdict(a, b Entry) bool {
	return a.Disposition == b.Disposition && a.Recalled == b.Recalled && a.Pinned == b.Pinned &&
		a.CharsAfter == b.CharsAfter && a.TokensAfter == b.TokensAfter &&
		slices.Equal(a.Cuts, b.Cuts) && slices.Equal(a.Inserted, b.Inserted) &&
		slices.EqualFunc(a.Repairs, b.Repairs, Repair.SameEffect)
}
