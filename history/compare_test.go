package history

import (
	"slices"
	"testing"

	"winnow/history/cause"
)

// TestChangeKinds names each kind by an example.
func TestChangeKinds(t *testing.T) {
	kept := Entry{ID: 1, Disposition: Kept, CharsAfter: 9, CharsBefore: 9, TokensAfter: 3}
	cut := Entry{
		ID: 1, Disposition: Cut, CharsAfter: 4, CharsBefore: 9, TokensAfter: 2, Cuts: []CharRange{{4, 9}},
		Inserted: []Insertion{{4, "…"}},
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
		{"recalled both times", block, block, nil},
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
			for _, c := range CompareEntries(list(test.before), list(test.after)) {
				got = append(got, c.Kind)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
