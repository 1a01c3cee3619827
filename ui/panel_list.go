package ui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/markdown"
)

// line draws one line of the list.
func (p *panel) line(st styles, i, w int, chosen bool) string {
	r := p.shown()
	at := r.rows.row(i)
	if at.added != nil {
		return r.addedLine(st, *at.added, p.secrets.line(at.added.Text), w, chosen)
	}
	return r.entryLine(st, *at.entry, p.gist(at.entry.ID, r.texts(at.entry.ID)), w, chosen, p.holds != nil && p.holds(at.entry.ID))
}

// gistOf is a message as it was when its beginning was looked at: one that arrives grows.
type gistOf struct {
	id    int64
	bytes int
}

// mostGists bounds how many beginnings are kept: more than the list shows at once.
const mostGists = 1000

// gist is how a message begins, without its secrets. A line is drawn often, and they are looked for once.
func (p *panel) gist(id int64, text string) string {
	of := gistOf{id, len(text)}
	gist, known := p.gists[of]
	if !known {
		if p.gists == nil || len(p.gists) >= mostGists {
			p.gists = map[gistOf]string{}
		}
		gist = p.secrets.line(text)
		p.gists[of] = gist
	}
	return gist
}

// entryLine is one message: glyph, number, speaker, what became of it, how it begins, and its sum.
func (r *request) entryLine(st styles, e history.Entry, text string, w int, chosen, selected bool) string {
	sum := r.counted(e.TokensAfter)
	if diff := e.TokensAfter - e.TokensBefore; diff != 0 {
		sum = r.counted(diff)
		if diff > 0 {
			sum = "+" + sum
		}
	}
	style := st.dim
	if !e.Sent() {
		style = st.faint
	}
	margin := r.signs[e.ID]
	if selected {
		margin = selectedSign
	}
	sign, verdict := glyph(e), word(e)
	if session.NotRead(e, r.firstRead) {
		sign, verdict = "⚠", "not read"
	}
	return r.listLine(st, inList{
		margin: margin, glyph: sign, number: thousands(e.Index + 1), speaker: speaker(e.Role), verdict: verdict,
		text: text, sum: sum, style: style,
	}, w, chosen)
}

// addedLine is one text that nobody said.
func (r *request) addedLine(st styles, a history.Added, text string, w int, chosen bool) string {
	sum := ""
	if a.Tokens > 0 {
		sum = "+" + r.counted(a.Tokens)
	}
	return r.listLine(st, inList{glyph: "✚", verdict: a.Kind, text: text, sum: sum, style: st.dim}, w, chosen)
}

// inList is what a line of the list says.
type inList struct {
	margin, glyph, number, speaker, verdict, text, sum string // a blank margin is a cell all the same
	style                                              lipgloss.Style
}

func (r *request) listLine(st styles, l inList, w int, chosen bool) string {
	digits := len(thousands(len(r.plan.Entries)))
	left := fmt.Sprintf(" %*s ", digits, l.number)
	if l.speaker != "" {
		left += fmt.Sprintf(" %-5s ", l.speaker)
	}
	verdict := ""
	if l.verdict != "" {
		verdict = l.verdict + "  "
	}
	room := w - 2 - fitWidth(left+verdict) - 1 - fitWidth(l.sum) - 1
	text := ""
	if room >= leastGist {
		text = markdown.OneLine(strings.TrimSpace(l.text), room)
	}
	margin := l.margin
	if margin == "" {
		margin = " "
	}
	if chosen {
		return st.chosen.Render(spread(margin+l.glyph+left+verdict+text, l.sum+" ", w))
	}
	return spread(st.focus.Render(margin)+st.ofGlyph(l.glyph).Render(l.glyph)+left+l.style.Render(verdict)+st.faint.Render(text), l.style.Render(l.sum)+" ", w)
}

// selectedSign stands in the margin of a selected message, in the panel and in the transcript.
const selectedSign = "▌"

// leastGist is how many cells the beginning of a message needs to say anything.
const leastGist = 6
