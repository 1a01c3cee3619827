package history

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// two are the plans of a conversation at two moments of its life, with other settings each.
func two(t *rapid.T, s scene) (before, after []Entry) {
	then := s
	then.past = s.past[:rapid.IntRange(0, len(s.past)).Draw(t, "then")]
	then.o = options(t, s.past)
	then.o.Turn = []Message{{ID: 999, Role: User, Content: "an earlier question", Status: Complete}}
	first, _ := Build(then.past, then.o)
	second, _ := Build(s.past, s.o)
	return first.Entries, second.Entries
}

// TestChangesLeadFromOnePlanToTheOther applies the changes to the first plan's verdicts, which gives
// the second one's.
func TestChangesLeadFromOnePlanToTheOther(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		before, after := two(t, s)
		verdicts := map[int64]Entry{}
		for _, e := range before {
			verdicts[e.ID] = e
		}
		sent := countSent(before)
		for _, c := range Compare(before, after) {
			id := c.Entry().ID
			if was := verdicts[id]; c.Kind != ChangeRepaired && !sameVerdict(was, c.Before) {
				t.Fatalf("%s of message %d begins at\n%+v, but it is\n%+v", c.Kind, id, c.Before, was)
			}
			if !c.After.Sent() && c.Before.Sent() {
				sent--
			}
			if c.After.Sent() && !c.Before.Sent() && c.Kind != ChangeRepaired {
				sent++
			}
			if verdicts[id] = c.After; c.After.Disposition == "" {
				delete(verdicts, id)
			}
		}
		if len(verdicts) != len(after) {
			t.Errorf("with the changes there are %d messages, want %d", len(verdicts), len(after))
		}
		for _, want := range after {
			if got, there := verdicts[want.ID]; !there || !sameVerdict(got, want) {
				t.Fatalf("with the changes message %d is\n%+v, want\n%+v", want.ID, got, want)
			}
		}
		if want := countSent(after); sent != want {
			t.Errorf("by the changes %d messages are sent, want %d", sent, want)
		}
	})
}

func countSent(entries []Entry) int {
	n := 0
	for _, e := range entries {
		if e.Sent() {
			n++
		}
	}
	return n
}

// TestChangeKinds names each kind by an example.
func TestChangeKinds(t *testing.T) {
	kept := Entry{ID: 1, Disposition: Kept, CharsAfter: 9, CharsBefore: 9, TokensAfter: 3}
	cut := Entry{
		ID: 1, Disposition: Cut, CharsAfter: 4, CharsBefore: 9, TokensAfter: 2, Cuts: []Range{{4, 9}},
		Inserted: []Insert{{4, "…"}},
	}
	dropped := Entry{ID: 1, Disposition: Dropped, CharsBefore: 9, Cause: Cause{Code: cause.Older}}
	otherWords := Entry{ID: 1, Disposition: Dropped, CharsBefore: 9, Cause: Cause{Code: cause.BudgetTaken}}
	excluded := Entry{ID: 1, Disposition: Excluded, CharsBefore: 9}
	block := Entry{ID: 1, Disposition: Recalled, Recalled: true, CharsAfter: 9, CharsBefore: 9, TokensAfter: 3}
	inBody := Entry{ID: 1, Disposition: Recalled, CharsAfter: 9, CharsBefore: 9, TokensAfter: 3}
	repaired := kept
	repaired.Repairs = []Repair{{Kind: "C1", Cause: Cause{Text: "one"}}}
	repairedOtherwise := kept
	repairedOtherwise.Repairs = []Repair{{Kind: "C2", Cause: Cause{Text: "two"}}}
	pinned := kept
	pinned.Pinned = true
	var none Entry
	for _, test := range []struct {
		name          string
		before, after Entry
		want          []ChangeKind
	}{
		{"the same", kept, kept, nil},
		{"another reason", dropped, otherWords, nil},
		{"dropped, then kept", dropped, kept, []ChangeKind{ChangeEntered}},
		{"a new message", none, kept, []ChangeKind{ChangeEntered}},
		{"a new message that needs mending", none, repaired, []ChangeKind{ChangeEntered, ChangeRepaired}},
		{"kept, then dropped", kept, dropped, []ChangeKind{ChangeLeft}},
		{"on another branch", kept, none, []ChangeKind{ChangeLeft}},
		{"cut", kept, cut, []ChangeKind{ChangeShortened}},
		{"whole again", cut, kept, []ChangeKind{ChangeRestored}},
		{"recalled from nothing", dropped, block, []ChangeKind{ChangeRecalled}},
		{"recalled beside its short form", cut, block, []ChangeKind{ChangeRecalled}},
		{"recalled in its place", cut, inBody, []ChangeKind{ChangeRecalled}},
		{"in its place again", block, kept, []ChangeKind{ChangeReturned}},
		{"recalled no more", block, dropped, []ChangeKind{ChangeLeft}},
		{"mended", kept, repaired, []ChangeKind{ChangeRepaired}},
		{"mended otherwise", repaired, repairedOtherwise, []ChangeKind{ChangeRepaired}},
		{"mended no more", repaired, kept, []ChangeKind{ChangeAltered}},
		{"pinned", kept, pinned, []ChangeKind{ChangeAltered}},
		{"left out by hand now", dropped, excluded, []ChangeKind{ChangeAltered}},
		{"a new message that is not sent", none, dropped, []ChangeKind{ChangeAltered}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := func(e Entry) []Entry {
				if e.Disposition == "" {
					return nil
				}
				return []Entry{e}
			}
			var got []ChangeKind
			for _, c := range Compare(list(test.before), list(test.after)) {
				got = append(got, c.Kind)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
