package inspector

import (
	"strings"
	"testing"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// What requests in turn made of a message for the same reason is one row, with a glyph for each of them.
func TestTheHistoryOfAMessageIsARowForEachVerdict(t *testing.T) {
	whole := history.Entry{Disposition: history.Kept, Whole: true, CharsBefore: 2310, CharsAfter: 2310}
	cut := history.Entry{Disposition: history.Cut, Cause: history.Cause{
		Code: cause.AssistantLimit, Have: 150, Want: 2310, Limit: 150,
	}, CharsBefore: 2310, CharsAfter: 150}
	shared := &app.Shared{Themes: &theme.Set{Styles: theme.New(theme.None, theme.Palette{}, 0)}}
	in := Model{w: 100, Context: &app.Context{Shared: shared}}
	for turn := 14; turn > 0; turn-- {
		e := whole
		if turn > 12 {
			e = cut
		}
		in.verdicts = append(in.verdicts, store.PastVerdict{Turn: turn, Request: int64(turn), Entry: e})
	}
	want := `
  History
  whole     ● ● ● ● ● ● ● ●  turns 1 to 12
  cut       ◐ ◐              turns 13 to 14: older answers are limited to 150`
	if got := uitest.Plain(in.history()); !strings.Contains(got, want) {
		t.Errorf("the history is not\n%s\nbut\n%s", want, got)
	}
}
