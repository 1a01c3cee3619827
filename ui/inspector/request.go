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
	"winnow/session/store"
	"winnow/ui/theme"
)

// readBody shows the body of the request, byte for byte but for its layout and its secrets.
func (in *Model) readBody() tea.Cmd {
	s, r := in.Session, in.Request
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		if r.Past != nil {
			return func() tea.Cmd { return in.ShowBody(r.Past.Body) }, nil
		}
		raw, err := s.Try(ctx, session.Settings{}).Body(r.Plan)
		return func() tea.Cmd { return in.ShowBody(raw) }, err
	})
}

// ShowBody shows a body, laid out for reading, with what the proof says of it.
func (in *Model) ShowBody(raw []byte) tea.Cmd {
	r, v := in.Request, in.newPager()
	v.wide = true
	return in.write(v, len(raw), func(p *Page) {
		switch body := theme.Plural(len(raw), "byte"); {
		case r.Past == nil && r.Note != "":
			p.line(Warning, "! This request would not be sent: %s", theme.OneSentence(r.Note))
		case r.Past == nil:
			p.line(Quiet, "%s: %s, formatted for reading.", theme.UpperFirst(r.Name), body)
		case r.Past.Proven:
			p.line(Quiet, "✓ proven by hash: these %s were sent. They are formatted for reading.", body)
		default:
			p.line(Warning, "! not proven to be what was sent: %s", theme.OneSentence(r.Past.Doubt))
		}
		var laidOut bytes.Buffer
		if json.Indent(&laidOut, raw, "", "  ") != nil {
			laidOut.Write(raw)
		}
		p.line(Quiet, "")
		p.block(Plain, laidOut.String())
	})
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
		return in.write(in.newPager(), 0, in.pastVerdicts)
	}
	if in.shown != nil {
		in.shown.fit()
	}
	return nil
}

// pastVerdicts writes the verdicts of the past, each with its reason.
func (in *Model) pastVerdicts(p *Page) {
	if len(in.verdicts) == 0 {
		p.line(Quiet, "No past request contained this message.")
	}
	for _, past := range in.verdicts {
		turn := "turn " + theme.Thousands(past.Turn)
		if past.Of > 1 {
			turn += fmt.Sprintf(", %d of %d", past.Nth, past.Of)
		}
		p.add(Paragraph{
			Kind: Verdict, Mark: theme.Glyph(past.Entry), Title: turn,
			Text:  "  " + cmp.Or(theme.Verdict(past.Entry), "whole"),
			Aside: theme.Plural(past.Sum.Tokens(past.Entry.TokensAfter), "token"),
		})
		about := past.At.Local().Format(time.DateTime) + " · " + theme.OneLine(past.Model)
		p.line(Quiet, "%s", strings.TrimSuffix(about+" · "+why(past.Entry), " · "))
	}
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
	n, from, to int // how many they are, and of which turns
}

// runs are the newest of them, the oldest first.
func (in *Model) runs() (list []run) {
	for _, v := range in.verdicts {
		last := len(list) - 1
		switch {
		case last >= 0 && theme.Verdict(list[last].Entry) == theme.Verdict(v.Entry):
			list[last].n++
			list[last].from = v.Turn
		case len(list) < mostRuns:
			list = append(list, run{v.Entry, 1, v.Turn, v.Turn})
		}
	}
	slices.Reverse(list)
	return list
}

// history is what past requests made of the message, below a rule: a row for several requests in turn, with a glyph for
// each of them.
func (in *Model) history() []string {
	runs, st, w, most := in.runs(), &in.Themes.Styles, in.w, 0
	if len(runs) == 0 {
		return nil
	}
	for _, r := range runs {
		most = max(most, min(r.n, mostGlyphs))
	}
	edge := strings.Repeat(" ", theme.Gutter(w))
	lines := []string{"", edge + st.Rule(w-2*len(edge)), "", edge + st.Strong.Render("History")}
	for _, r := range runs {
		label, _, _ := strings.Cut(cmp.Or(theme.Word(r.Entry), "whole"), " ")
		glyph := theme.Glyph(r.Entry)
		turns := "turn " + theme.Thousands(r.to)
		if r.from != r.to {
			turns = "turns " + theme.Thousands(r.from) + " to " + theme.Thousands(r.to)
		}
		lines = append(lines, theme.Fit(edge+st.Muted.Render(theme.Fit(label, labelCells+2))+
			st.OfGlyph(glyph).Render(theme.Fit(strings.Repeat(glyph+" ", min(r.n, mostGlyphs)), 2*most))+
			" "+st.Text.Render(strings.TrimSuffix(turns+": "+why(r.Entry), ": ")), w))
	}
	return lines
}
