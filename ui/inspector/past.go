package inspector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostVerdicts is how many verdicts of the past are read, the newest.
const mostVerdicts = 500

// readVerdicts reads what became of the message in past requests.
func (in *Model) readVerdicts() tea.Cmd {
	db, message := in.Session.Store(), in.On.Message
	return in.later(func(ctx context.Context) (func(), error) {
		list, err := db.VerdictHistory(ctx, message, mostVerdicts)
		return func() { in.ShowVerdicts(list) }, err
	})
}

// ShowVerdicts shows what became of the message in past requests, the newest first: as a list, or below its text.
func (in *Model) ShowVerdicts(list []store.PastVerdict) {
	in.verdicts = list
	switch {
	case in.At == PastView:
		in.put(in.pastList())
	case in.shown != nil:
		in.shown.fit()
	}
}

// pastList lists the verdicts of the past.
func (in *Model) pastList() *view {
	v := &view{list: true, none: "No past request contained this message."}
	for _, past := range in.verdicts {
		turn := "turn " + theme.Thousands(past.Turn)
		if past.Of > 1 {
			turn += fmt.Sprintf(", %d of %d", past.Nth, past.Of)
		}
		v.items = append(v.items, item{reason: past.Entry.Cause.Sentence(), row: Page{
			{Glyph, theme.Glyph(past.Entry)},
			{Plain, fmt.Sprintf("%-16s %s  ", turn, past.At.Local().Format(time.DateTime))},
			{Verdict, cmp.Or(theme.Word(past.Entry), "whole")},
			{Aside, markdown.OneLine(past.Model, max(1, in.w/4)) +
				fmt.Sprintf(" %7s", theme.Thousands(past.Sum.Tokens(past.Entry.TokensAfter)))},
		}})
	}
	return v
}

// The sizes of the history below a message.
const (
	mostRuns   = 5 // rows
	mostGlyphs = 8 // in a row
)

// run is what a number of requests in turn made of a message, for the same reason.
type run struct {
	store.PastVerdict // of the newest
	n, from           int
}

// runs are the newest of them, the oldest first, and then the next request.
func (in *Model) runs() []run {
	var list []run
	for _, v := range in.verdicts {
		if n := len(list); n > 0 {
			a, b := list[n-1].Entry, v.Entry
			if theme.Glyph(a) == theme.Glyph(b) && a.Cause.Code == b.Cause.Code && a.CharsAfter == b.CharsAfter {
				list[n-1].n, list[n-1].from = list[n-1].n+1, v.Turn
				continue
			}
		}
		if len(list) == mostRuns-1 {
			break
		}
		list = append(list, run{v, 1, v.Turn})
	}
	slices.Reverse(list)
	if e, ok := in.Plan.EntryOf(in.On.Message); ok && in.Past == nil && len(list) > 0 {
		list = append(list, run{PastVerdict: store.PastVerdict{Entry: e}, n: 1})
	}
	return list
}

// history is what past requests made of the message, and what the next one does, below a rule: a row for several
// requests in turn, with a glyph for each of them.
func (in *Model) history(st theme.Styles, w int) []string {
	runs := in.runs()
	if len(runs) == 0 {
		return nil
	}
	labels, glyphs := 0, 1
	for i := range runs {
		labels, glyphs = max(labels, theme.Width(runs[i].label())), max(glyphs, min(runs[i].n, mostGlyphs))
	}
	edge := strings.Repeat(" ", theme.Gutter(w))
	lines := []string{"", ruleIn(st, w), "", edge + st.Strong.Render("History")}
	for _, r := range runs {
		g := theme.Glyph(r.Entry)
		row := theme.Fit(strings.TrimSpace(strings.Repeat(g+" ", min(r.n, mostGlyphs))), 2*glyphs-1)
		lines = append(lines, theme.Fit(edge+st.Muted.Render(theme.Fit(r.label(), labels))+"  "+
			st.OfGlyph(g).Render(row)+"  "+st.Text.Render(in.requestsOf(r)), w))
	}
	return lines
}

// label is the verdict of a run in a word.
func (r run) label() string {
	if r.Request == 0 {
		return "next"
	}
	word, _, _ := strings.Cut(theme.Verdict(r.Entry), " ")
	return cmp.Or(strings.TrimSuffix(word, ":"), "whole")
}

// requestsOf says which requests a run is of, and why they made that of the message.
func (in *Model) requestsOf(r run) string {
	requests := "turn " + theme.Thousands(r.Turn)
	if r.from != r.Turn {
		requests = "turns " + theme.Thousands(r.from) + " to " + theme.Thousands(r.Turn)
	}
	if r.Request == 0 {
		requests = "the next request"
		if saved := in.Plan.Sum.Tokens(r.Entry.TokensBefore) - in.Plan.Sum.Tokens(r.Entry.TokensAfter); saved > 0 {
			return requests + "; sent whole it would take " + about(saved) + " more tokens"
		}
	}
	return strings.TrimSuffix(requests+": "+why(r.Entry), ": ")
}
