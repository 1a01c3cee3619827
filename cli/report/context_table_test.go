package report

import (
	"testing"

	"winnow/history"
	"winnow/history/cause"
)

// tableEntries returns rows of every kind.
func tableEntries() []history.Entry {
	return []history.Entry{
		{
			Index: 0, Role: history.User, Disposition: history.Kept, Pinned: true, TokensBefore: 31, TokensAfter: 31,
			Cause: history.Cause{Text: "kept whole: pinned by hand"},
		},
		{
			Index: 8, Role: history.Assistant, Disposition: history.Cut, TokensBefore: 512, TokensAfter: 44,
			Cause: history.Cause{Code: cause.AssistantLimit, Have: 150, Want: 2310, Limit: 150},
		},
		{
			Index: 9, Role: history.Tool, Disposition: history.Kept, TokensBefore: 7, TokensAfter: 7,
			Cause: history.Cause{Code: cause.Fits}, Repairs: []history.Repair{
				{Kind: "C9", Cause: history.Cause{Text: "This result was blank; a note says so."}},
			},
		},
		{
			Index: 10, Role: "a role that nobody\x1b[31m knows", Disposition: history.Unreadable,
			Cause: history.Cause{Text: "not sent"},
		},
	}
}

func pageOf(width int) *Page {
	return &Page{Width: width, Clean: func(text string) string { return text }}
}

func TestTableBreaksItsReasonsAtTheEdge(t *testing.T) {
	for _, test := range []struct {
		width int
		want  string
	}{
		{0, `
 1  user          kept, pinned           31  kept whole: pinned by hand
 9  assistant     cut             44 of 512  cut to 150 of 2,310 characters: older answers are limited to 150
10  tool          kept, repaired          7  kept whole: everything fits
                                             repaired (C9): This result was blank; a note says so.
11  a role that…  quarantined             0  not sent
`}, {80, `
 1  user          kept, pinned           31  kept whole: pinned by hand
 9  assistant     cut             44 of 512  cut to 150 of 2,310 characters:
                                             older answers are limited to 150
10  tool          kept, repaired          7  kept whole: everything fits
                                             repaired (C9): This result was
                                             blank; a note says so.
11  a role that…  quarantined             0  not sent
`},
	} {
		p := pageOf(test.width)
		ContextReport{Entries: tableEntries()}.rows(p)
		if got := "\n" + p.String(); got != test.want {
			t.Errorf("at %d columns the table is\n%s\nwant\n%s", test.width, got, test.want)
		}
	}
}
