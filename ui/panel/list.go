package panel

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Line draws one line of the list.
func (p *Model) Line(st theme.Styles, i, w int, chosen bool) string {
	r := p.Shown()
	at := r.Rows.Row(i)
	if a := at.Added; a != nil {
		sum := ""
		if a.Tokens > 0 {
			sum = "+" + r.Counted(a.Tokens)
		}
		return r.listLine(st, inList{glyph: "✚", verdict: string(a.Kind), text: p.Secrets.Line(a.Text), sum: sum, style: st.Muted}, w, chosen)
	}
	return r.EntryLine(st, *at.Entry, p.gist(at.Entry.ID, r.texts(at.Entry.ID)), w, chosen, p.Selected != nil && p.Selected(at.Entry.ID))
}

// gistOf is a message at the length that it had when its gist was made: one that arrives grows.
type gistOf struct {
	id    int64
	bytes int
}

// maxGists bounds how many beginnings are kept: more than the list shows at once.
const maxGists = 1000

// gist is how a message begins, without its secrets. A line is drawn often, and secrets are searched for once.
func (p *Model) gist(id int64, text string) string {
	of := gistOf{id, len(text)}
	gist, known := p.gists[of]
	if !known {
		if p.gists == nil || len(p.gists) >= maxGists {
			p.gists = map[gistOf]string{}
		}
		gist = p.Secrets.Line(text)
		p.gists[of] = gist
	}
	return gist
}

// EntryLine is one message: glyph, number, speaker, what became of it, how it begins, and its sum.
func (r *Request) EntryLine(st theme.Styles, e history.Entry, text string, w int, chosen, selected bool) string {
	sum := r.Counted(e.TokensAfter)
	if diff := e.TokensAfter - e.TokensBefore; diff != 0 {
		sum = r.Counted(diff)
		if diff > 0 {
			sum = "+" + sum
		}
	}
	style := st.Muted
	if !e.Sent() {
		style = st.Faint
	}
	sign := r.signs[e.ID]
	if selected {
		sign = selectedSign
	}
	glyph, verdict := theme.Glyph(e), theme.Word(e)
	if record.NotRead(e, r.FirstRead) {
		glyph, verdict = "⚠", "not read"
	}
	return r.listLine(st, inList{
		sign: sign, glyph: glyph, number: theme.Thousands(e.Index + 1), speaker: theme.Speaker(e.Role), verdict: verdict,
		text: text, sum: sum, style: style,
	}, w, chosen)
}

// inList is what a line of the list says.
type inList struct {
	sign, glyph, number, speaker, verdict, text, sum string // a blank sign takes a cell too
	style                                            lipgloss.Style
}

func (r *Request) listLine(st theme.Styles, l inList, w int, chosen bool) string {
	digits := len(theme.Thousands(len(r.Plan.Entries)))
	left := fmt.Sprintf(" %*s ", digits, l.number)
	if l.speaker != "" {
		left += fmt.Sprintf(" %-5s ", l.speaker)
	}
	verdict := ""
	if l.verdict != "" {
		verdict = l.verdict + "  "
	}
	space := w - 2 - theme.Width(left+verdict) - 1 - theme.Width(l.sum) - 1
	text := ""
	if space >= leastGist {
		text = markdown.OneLine(strings.TrimSpace(l.text), space)
	}
	sign := l.sign
	if sign == "" {
		sign = " "
	}
	if chosen {
		return st.Selected.Render(theme.Spread(sign+l.glyph+left+verdict+text, l.sum+" ", w))
	}
	return theme.Spread(st.Seen.Render(sign)+st.OfGlyph(l.glyph).Render(l.glyph)+left+l.style.Render(verdict)+st.Faint.Render(text), l.style.Render(l.sum)+" ", w)
}

// selectedSign is drawn to the left of a selected message, in the panel and in the transcript.
const selectedSign = "▌"

// leastGist is how many cells the beginning of a message needs to say anything.
const leastGist = 6
