package inspector

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// settings says which settings decide the next request, and where each was set; "" of another request.
func (in *Model) settings() string {
	list, err := in.Session.Try(in.Program(), session.Settings{}).Settings()
	if err != nil || in.Past != nil || in.Tried {
		return ""
	}
	return settings.Text(list)
}

// readBody shows the body of the request, byte for byte but for its layout and its secrets.
func (in *Model) readBody() tea.Cmd {
	s, r := in.Session, in.Request
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		var raw []byte
		var err error
		if r.Past != nil {
			raw = r.Past.Body
		} else {
			raw, err = s.Try(ctx, session.Settings{}).Body(r.Plan)
		}
		return func() tea.Cmd { return in.ShowBody(raw) }, err
	})
}

// ShowBody shows a body, laid out for reading, with what the proof says of it.
func (in *Model) ShowBody(raw []byte) tea.Cmd {
	var p Page
	switch body := theme.Plural(len(raw), "byte"); {
	case in.Past == nil && in.Note != "":
		p.line(Warning, "! This request would not be sent: %s", theme.OneSentence(in.Note))
	case in.Past == nil:
		p.line(Quiet, "%s: %s, formatted for reading.", theme.UpperFirst(in.Name), body)
	case in.Past.Proven:
		p.line(Quiet, "✓ proven by hash: these %s were sent. They are formatted for reading.", body)
	default:
		p.line(Warning, "! not proven to be what was sent: %s", theme.OneSentence(in.Past.Doubt))
	}
	var laidOut bytes.Buffer
	if json.Indent(&laidOut, raw, "", "  ") != nil {
		laidOut.Write(raw)
	}
	p.add(Quiet, "\n")
	p.block(Plain, laidOut.String())
	return in.hide(p, nil)
}

// readChanges compares the request on show with the one before it.
func (in *Model) readChanges() tea.Cmd {
	read := in.Before()
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		before, err := read(ctx)
		return func() tea.Cmd { return in.ShowChanges(before) }, err
	})
}

// ShowChanges lists what is otherwise than in the request before; nil is that there is none.
func (in *Model) ShowChanges(from *Request) tea.Cmd {
	v := &view{pager: pager{wide: true}}
	if from == nil {
		v.page.line(Quiet, "Nothing was sent before this request: there is nothing to compare it with.")
		return in.put(v)
	}
	before, after := &from.Plan, &in.Plan
	list := history.Compare(before.Entries, after.Entries)
	v.page.line(Title, "from %s to %s", from.Name, in.Name)
	v.page.line(Quiet, "%s to %s tokens · %s\n", about(before.Sum.Used()), about(after.Sum.Used()),
		theme.Plural(len(list), "change"))
	for _, c := range list {
		e := c.Entry()
		row := Page{{Plain, fmt.Sprintf("%-9s  %3s %s", c.Kind, theme.Thousands(e.Index+1),
			theme.Fit(theme.Speaker(e.Role), 6))}}
		if c.After.Disposition != "" {
			row.add(Glyph, theme.Glyph(c.After))
			row.add(Verdict, "  "+theme.Word(c.After))
		}
		row.add(Aside, theme.Thousands(before.Sum.Tokens(c.Before.TokensAfter))+" → "+
			theme.Thousands(after.Sum.Tokens(c.After.TokensAfter)))
		v.list(item{c.Reason(), e.ID}, row)
	}
	if len(list) == 0 {
		v.page.line(Quiet, "Nothing changed: every message is sent as before.")
	}
	return in.put(v)
}

// openItem opens the item under the cursor of a list: the request of the past, or the message that changed.
func (in *Model) openItem() tea.Cmd {
	if v := in.shown; in.At != PastView {
		in.On.Message, in.changes, in.verdicts = v.items[v.at].message, v, nil
		return in.show(TextView)
	}
	past := in.verdicts[in.shown.at]
	return tea.Batch(in.show(TextView), in.Open(past.Turn, past.Request))
}

// readVerdicts reads what became of the message in past requests.
func (in *Model) readVerdicts() tea.Cmd {
	const most = 500 // the newest
	db, message := in.Session.Store(), in.On.Message
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		list, err := db.VerdictHistory(ctx, message, most)
		return func() tea.Cmd { return in.ShowVerdicts(list) }, err
	})
}

// ShowVerdicts shows what became of the message in past requests, the newest first: as a list, or below its text.
func (in *Model) ShowVerdicts(list []store.PastVerdict) tea.Cmd {
	in.verdicts = list
	if in.At == PastView {
		return in.put(in.pastList())
	}
	if in.shown != nil {
		in.shown.fit()
	}
	return nil
}

// pastList lists the verdicts of the past.
func (in *Model) pastList() *view {
	v := &view{}
	for _, past := range in.verdicts {
		turn := "turn " + theme.Thousands(past.Turn)
		if past.Of > 1 {
			turn += fmt.Sprintf(", %d of %d", past.Nth, past.Of)
		}
		v.list(item{reason: past.Entry.Cause.Sentence()}, Page{
			{Glyph, theme.Glyph(past.Entry)},
			{Plain, fmt.Sprintf("%-16s %s  ", turn, past.At.Local().Format(time.DateTime))},
			{Verdict, cmp.Or(theme.Word(past.Entry), "whole")},
			{Aside, markdown.OneLine(past.Model, max(1, in.w/4)) +
				fmt.Sprintf(" %7s", theme.Thousands(past.Sum.Tokens(past.Entry.TokensAfter)))},
		})
	}
	if len(in.verdicts) == 0 {
		v.page.line(Quiet, "No past request contained this message.")
	}
	return v
}

// The sizes of the history below a message.
const (
	mostRuns   = 5 // rows
	mostGlyphs = 8 // in a row
	labelCells = 8 // of a verdict in a word, such as recalled
)

// run is what a number of requests in turn made of a message, for the same reason.
type run struct {
	history.Entry
	n, from, to int // how many they are, of which turns: 0 for the next request
}

// runs are the newest of them, the oldest first, and then the next request.
func (in *Model) runs() (list []run) {
	if e, ok := in.Plan.EntryOf(in.On.Message); ok && in.Past == nil && len(in.verdicts) > 0 {
		list = []run{{Entry: e, n: 1}}
	}
	for _, v := range in.verdicts {
		if last := len(list) - 1; last >= 0 && list[last].to > 0 &&
			theme.Verdict(list[last].Entry) == theme.Verdict(v.Entry) {
			list[last].n++
			list[last].from = v.Turn
		} else if len(list) < mostRuns {
			list = append(list, run{v.Entry, 1, v.Turn, v.Turn})
		} else {
			break
		}
	}
	slices.Reverse(list)
	return list
}

// history is what past requests made of the message, and what the next one does, below a rule: a row for several
// requests in turn, with a glyph for each of them.
func (in *Model) history(st theme.Styles, w int) []string {
	runs := in.runs()
	if len(runs) == 0 {
		return nil
	}
	most := 0
	for _, r := range runs {
		most = max(most, min(r.n, mostGlyphs))
	}
	edge := strings.Repeat(" ", theme.Gutter(w))
	lines := []string{"", ruleIn(st, w), "", edge + st.Strong.Render("History")}
	for _, r := range runs {
		label, _, _ := strings.Cut(cmp.Or(theme.Verdict(r.Entry), "whole"), " ")
		if r.to == 0 {
			label = "next"
		}
		glyph := theme.Glyph(r.Entry)
		glyphs := theme.Fit(strings.Repeat(glyph+" ", min(r.n, mostGlyphs)), 2*most)
		lines = append(lines, theme.Fit(edge+st.Muted.Render(theme.Fit(strings.TrimSuffix(label, ":"), labelCells))+"  "+
			st.OfGlyph(glyph).Render(glyphs)+" "+st.Text.Render(in.requestsOf(r)), w))
	}
	return lines
}

// requestsOf says which requests a run is of, and why they made that of the message.
func (in *Model) requestsOf(r run) string {
	requests := "turn " + theme.Thousands(r.to)
	saved := in.Plan.Sum.Tokens(r.TokensBefore) - in.Plan.Sum.Tokens(r.TokensAfter)
	switch {
	case r.to == 0 && saved > 0:
		return "the next request; sent whole it would take " + about(saved) + " more tokens"
	case r.to == 0:
		requests = "the next request"
	case r.from != r.to:
		requests = "turns " + theme.Thousands(r.from) + " to " + theme.Thousands(r.to)
	}
	return strings.TrimSuffix(requests+": "+why(r.Entry), ": ")
}
