package question

import (
	"fmt"

	"winnow/session/approval"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// line is a line of the question, with the choice that it stands for, -1 for none.
type line struct {
	text   string
	choice int
}

// leastBody is how many lines of the arguments are drawn before the answers get a line each.
const leastBody = 3

// View draws the question in at most n lines of w cells: what is asked, the arguments or a part of them, and the
// answers, or how to get to them. Where there is little room the answers share lines.
func (q Model) View(st theme.Styles, k keymap.Map, w, n int, focused bool) []string {
	var out []string
	for _, l := range q.compose(st, k, w, n, focused) {
		out = append(out, l.text)
	}
	return out
}

// Caret is where the reason is typed, as it is drawn; ok is false where it is not.
func (q Model) Caret(st theme.Styles, k keymap.Map) (x, y int, ok bool) {
	if q.reason == nil {
		return 0, 0, false
	}
	_, x = q.reason.View(q.w - theme.Width(reasonLead))
	return x + theme.Width(reasonLead), len(q.compose(st, k, q.w, q.h, true)) - 1, true
}

// parts are what a question is drawn of.
type parts struct {
	head, answers []line
	body          []string // all lines of the arguments
	first, room   int      // the first one that is drawn, and how many are
	more          bool     // a line says how many are not
}

func (q Model) parts(st theme.Styles, k keymap.Map, w, n int, focused bool) parts {
	p := parts{head: q.head(st, w), answers: q.answers(st, k, w, focused), body: q.body(w)}
	if n < len(p.head)+min(leastBody+1, len(p.body))+len(p.answers) {
		p.answers = q.compact(st, k, w, focused)
	}
	p.head = p.head[:min(len(p.head), max(min(1, n-len(p.answers)), n-len(p.answers)-2, 0))]
	p.room = max(0, n-len(p.head)-len(p.answers))
	if p.more = len(p.body) > p.room; p.more {
		p.room = max(p.room-1, min(1, p.room))
	}
	p.room = min(p.room, len(p.body))
	p.first = max(0, min(q.top, len(p.body)-p.room))
	return p
}

func (q Model) compose(st theme.Styles, k keymap.Map, w, n int, focused bool) []line {
	p := q.parts(st, k, w, n, focused)
	lines := append([]line{}, p.head...)
	for _, text := range p.body[p.first : p.first+p.room] {
		lines = append(lines, line{paint(st, text), -1})
	}
	if p.more && len(lines)+len(p.answers) < n {
		text := "the end of the arguments · " + k.First(keymap.PageUp) + " goes back"
		if left := len(p.body) - p.first - p.room; left > 0 {
			text = "… " + theme.Plural(left, "more line") + " · " + k.First(keymap.PageDown) + " shows them"
		}
		lines = append(lines, line{st.Cut.Render(theme.Fit(text, w)), -1})
	}
	lines = append(lines, p.answers...)
	return lines[:min(len(lines), max(0, n))]
}

// head says what is asked, and what is unusual about it.
func (q Model) head(st theme.Styles, w int) []line {
	title := "? The model wants to run " + markdown.OneLine(q.asked.Call.Name, 80)
	if q.asked.Server != "" {
		title += " · MCP server " + markdown.OneLine(q.asked.Server, 40)
	}
	if q.asked.Of > 1 {
		title += fmt.Sprintf(" · %d of %d", q.asked.Number, q.asked.Of)
	}
	var lines []line
	for _, text := range theme.WrapStyled(st.Cut, title, w) {
		lines = append(lines, line{text, -1})
	}
	for _, sentence := range q.why() {
		for _, text := range theme.WrapStyled(st.Muted, sentence, w) {
			lines = append(lines, line{text, -1})
		}
	}
	return lines
}

// why are sentences about what is unusual.
func (q Model) why() []string {
	switch q.asked.Reason {
	case approval.Repaired:
		return []string{"Its arguments were repaired, so you are asked about it. What came and what would run:"}
	case approval.Changed:
		return []string{"The server has changed this tool since you allowed it always."}
	case approval.MayHave:
		return []string{"winnow ended before this call had a result. It may have run already, in part."}
	case approval.Unsaid:
		return []string{"The server did not say whether the answer is whole."}
	case approval.EachTime:
		return []string{"You are asked about this tool each time."}
	}
	return nil
}

// answers are the choices, a line each, or how to get to them.
func (q Model) answers(st theme.Styles, k keymap.Map, w int, focused bool) []line {
	if !focused {
		return []line{{theme.Fit(st.Strong.Render(k.First(keymap.Focus))+" answers · letters go to your draft", w), -1}}
	}
	if q.reason != nil {
		return []line{q.reasonLine(st, w)}
	}
	var lines []line
	for i, c := range q.choices() {
		text := "  " + st.Strong.Render(k.First(c.action)) + " " + c.text
		if i == q.at {
			text = st.Selected.Render("▸ " + k.First(c.action) + " " + c.text)
		}
		lines = append(lines, line{theme.Fit(text, w), i})
	}
	return lines
}

// compact are the choices in as few lines as they fit into.
func (q Model) compact(st theme.Styles, k keymap.Map, w int, focused bool) []line {
	if !focused || q.reason != nil {
		return q.answers(st, k, w, focused)
	}
	var lines []line
	row, width := "", 0
	for i, c := range q.choices() {
		plain := "  " + k.First(c.action) + " " + c.short
		text := "  " + st.Strong.Render(k.First(c.action)) + " " + c.short
		if i == q.at {
			plain = "▸ " + k.First(c.action) + " " + c.short
			text = st.Selected.Render(plain)
		}
		if width > 0 && width+1+theme.Width(plain) > w {
			lines = append(lines, line{theme.Fit(row, w), -1})
			row, width = "", 0
		}
		if width > 0 {
			row, width = row+" ", width+1
		}
		row, width = row+text, width+theme.Width(plain)
	}
	return append(lines, line{theme.Fit(row, w), -1})
}

// reasonLead is in front of the reason that is typed.
const reasonLead = "why not: "

func (q Model) reasonLine(st theme.Styles, w int) line {
	shown, _ := q.reason.View(w - theme.Width(reasonLead))
	return line{theme.Fit(st.Strong.Render(reasonLead)+markdown.Visible(shown), w), -1}
}

// scroll moves the arguments by lines, and notes what is drawn of them.
func (q *Model) scroll(by int) {
	p := q.drawn()
	if p.room == 0 {
		return // too low a screen shows nothing of them
	}
	q.top = max(0, min(q.top+by, len(p.body)-p.room))
	q.seen = max(q.seen, min(len(p.body), q.top+p.room))
}

// drawn are the parts as they are on the screen while the question has the focus.
func (q Model) drawn() parts { return q.parts(theme.Styles{}, q.keys, q.w, q.h, true) }

// unseen is how many lines of the arguments were not on the screen yet.
func (q Model) unseen() int { return len(q.body(q.w)) - q.seen }

// scrolls says that not all of the arguments fit.
func (q Model) scrolls() bool { return q.drawn().more }

func (q Model) page() int { return max(1, q.drawn().room) }
