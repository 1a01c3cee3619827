package inspector

import (
	"strings"
	"testing"

	"winnow/history"
)

func TestSegmentsHoldTheTextAndWhatWasInserted(t *testing.T) {
	text := "ä\r\n日本語 and so on"
	n := len([]rune(text))
	for _, c := range []struct {
		name string
		e    history.Entry
		want string
	}{
		{"whole", history.Entry{Disposition: history.Kept, CharsBefore: n}, "ä\r\n日本語 and so on"},
		{"cut at the end", history.Entry{
			Disposition: history.Cut, CharsBefore: n, Cuts: []history.Range{{From: 6, To: n}},
			Inserted: []history.Insert{{At: 6, Text: "…"}},
		}, "ä\r\n日本語+…+- and so on-"},
		{"cut in the middle", history.Entry{
			Disposition: history.Cut, CharsBefore: n, Cuts: []history.Range{{From: 1, To: 6}},
			Inserted: []history.Insert{{At: 1, Text: "…"}},
		}, "ä+…+-\r\n日本語- and so on"},
		{"in front and behind", history.Entry{
			Disposition: history.Kept, CharsBefore: n, Inserted: []history.Insert{
				{At: 0, Text: "a"}, {At: n, Text: "b"},
			},
		}, "+a+ä\r\n日本語 and so on+b+"},
		{"replaced", history.Entry{
			Disposition: history.Kept, CharsBefore: n, Cuts: []history.Range{{From: 0, To: n}},
			Inserted: []history.Insert{{At: 0, Text: "[note]"}},
		}, "+[note]+-ä\r\n日本語 and so on-"},
		{"dropped", history.Entry{Disposition: history.Dropped, CharsBefore: n}, "-ä\r\n日本語 and so on-"},
	} {
		var got strings.Builder
		for _, p := range SegmentsOf(text, c.e) {
			sign := map[Kind]string{Unsent: "-", Added: "+"}[p.Kind]
			got.WriteString(sign + p.Text + sign)
		}
		if got.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got.String(), c.want)
		}
	}
}
