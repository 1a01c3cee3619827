package history

import (
	"slices"
	"strings"
)

// PlanChange is one difference between two plans in what happens to a message. A message that was repaired as well has
// two.
type PlanChange struct {
	Kind   ChangeKind
	Before Entry // its verdict in the first plan; no Disposition if that plan lacks the message
	After  Entry // its verdict in the second plan; no Disposition if that plan lacks the message
}

// ChangeKind says what changed for a message.
type ChangeKind string

// The kinds of a PlanChange.
const (
	ChangeEntered   ChangeKind = "entered"   // is sent now
	ChangeLeft      ChangeKind = "left"      // is no longer sent
	ChangeShortened ChangeKind = "shortened" // less of its text is sent
	ChangeRestored  ChangeKind = "restored"  // more of its text is sent
	ChangeRecalled  ChangeKind = "recalled"  // is sent now because the current message is related to it
	ChangeReturned  ChangeKind = "returned"  // is sent in its own place again instead of being recalled
	ChangeRepaired  ChangeKind = "repaired"  // is sent with a new repair
	ChangeAltered   ChangeKind = "altered"   // anything else, such as pinned by hand, or not sent for another cause
)

// CompareEntries returns what changed between the entries of two plans, in the order of the conversation. Messages are
// matched by ID, so the plans may be of two branches. Another cause for the same text is not a change, nor is another
// level that sends the same text.
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

// Entry returns the verdict of the second plan, or that of the first if the second lacks the message.
func (c PlanChange) Entry() Entry {
	if c.After.Disposition == "" {
		return c.Before
	}
	return c.After
}

// Reason returns a sentence that says why the verdict changed, or what was repaired.
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

// newRepairs returns the repairs of the second verdict that the first does not have.
func newRepairs(before, after Entry) []Repair {
	return slices.DeleteFunc(slices.Clone(after.Repairs), func(r Repair) bool {
		return slices.ContainsFunc(before.Repairs, r.SameEffect)
	})
}

// appendChanges appends the changes of one message to list.
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

// changeKind returns how a message's place in the request or the length of its text changed, "" if neither did.
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

// wasRecalled reports whether recall put the message into the request.
func (e Entry) wasRecalled() bool { return e.Recalled || e.Disposition == Recalled }

// sameVerdict reports whether two verdicts send the same text in the same place with the same flag and repairs.
func sameVerdict(a, b Entry) bool {
	return a.Disposition == b.Disposition && a.Recalled == b.Recalled && a.Pinned == b.Pinned &&
		a.CharsAfter == b.CharsAfter && a.TokensAfter == b.TokensAfter &&
		slices.Equal(a.Cuts, b.Cuts) && slices.Equal(a.Inserted, b.Inserted) &&
		slices.EqualFunc(a.Repairs, b.Repairs, Repair.SameEffect)
}
