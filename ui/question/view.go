package question

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

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

// View draws the question in at most n lines of w cells: a rule that says what is asked, the arguments or a part of
// them, what the call can reach, and the answers. Where there is little room the answers share lines.
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
	lead := q.text() + theme.Width(reasonLead)
	_, x = q.reason.View(q.w - lead)
	lines := q.compose(st, k, q.w, q.h, true)
	for y = len(lines) - 1; y > 0 && lines[y].text == ""; y-- {
	}
	return lead + x, y, true
}

// gutter is how many cells stand in front of what is drawn, and text in front of its texts.
func (q Model) gutter() int { return theme.Gutter(q.w) }
func (q Model) text() int   { return q.gutter() + 2 }

// parts are what a question is drawn of, from the top.
type parts struct {
	head    []line
	body    []string // all lines of the arguments
	first   int      // the first one that is drawn
	room    int      // how many are
	more    bool     // a line says how many are not
	reach   []line   // what the call can reach, and what its result costs
	answers []line
}

func (q Model) parts(st theme.Styles, k keymap.Map, w, n int, focused bool) parts {
	p := parts{
		head: q.head(st, k, w, focused), reach: q.reachLines(st, w), answers: q.answers(st, k, w, focused),
		body: q.body(q.bodyWidth(w)),
	}
	blank := []line{{"", -1}}
	need := func() int { return len(p.head) + min(leastBody+1, len(p.body)) + len(p.reach) + len(p.answers) }
	head := len(p.head)
	switch {
	case n >= head+len(p.body)+len(p.reach)+len(p.answers)+4:
		p.head = append(p.head[:head-1:head-1], append(blank, p.head[head-1])...)
		p.reach = append(append(blank, p.reach...), blank...)
		p.answers = append(p.answers, blank...)
	case n < need():
		p.reach = nil
		if n < need() {
			p.answers = q.compact(st, k, w, focused)
		}
	}
	p.head = p.head[:min(len(p.head), max(min(1, n-len(p.answers)), n-len(p.answers)-2, 0))]
	p.room = max(0, n-len(p.head)-len(p.reach)-len(p.answers))
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
		lines = append(lines, line{q.tinted(st, paint(st, text), "", w), -1})
	}
	if p.more && len(lines)+len(p.reach)+len(p.answers) < n {
		text := "the end of the arguments · " + k.First(keymap.PageUp) + " goes back"
		if left := len(p.body) - p.first - p.room; left > 0 {
			text = theme.Plural(left, "more line") + " · " + k.First(keymap.PageDown) + " shows them"
		}
		lines = append(lines, line{q.tinted(st, st.Cut.Render(text), "", w), -1})
	}
	lines = append(append(lines, p.reach...), p.answers...)
	return lines[:min(len(lines), max(0, n))]
}

// head says what is asked, what is unusual about it, and which tool it is.
func (q Model) head(st theme.Styles, k keymap.Map, w int, focused bool) []line {
	count := st.Muted.Render(fmt.Sprintf("call %d of %d", q.asked.Number, q.asked.Of))
	if !focused {
		count = st.Text.Render(k.First(keymap.Focus)) + st.Muted.Render(" answers · letters are typed into your draft")
	}
	title := markdown.OneLine(orThe(q.to.Model), 40) + " asks to run " + markdown.OneLine(q.asked.Call.Name, 80)
	lines := []line{{theme.Ruled(st.Cut, w, q.gutter(), []string{st.Cut.Bold(true).Render(title)}, count), -1}}
	for _, sentence := range q.why() {
		lines = append(lines, q.sentence(st.Cut, sentence, w)...)
	}
	server := ""
	if q.asked.Server != "" {
		server = "MCP server " + markdown.OneLine(q.asked.Server, 40)
	}
	return append(lines, line{
		q.tinted(st, st.Muted.Render(markdown.OneLine(q.asked.Call.Name, 80)), st.Muted.Render(server), w), -1,
	})
}

// orThe is the name of a model, and a word for one without.
func orThe(model string) string {
	if model == "" {
		return "The model"
	}
	return model
}

// sentence is a text with the margin of the question's texts.
func (q Model) sentence(style lipgloss.Style, text string, w int) []line {
	var lines []line
	margin := strings.Repeat(" ", q.text())
	for _, row := range theme.WrapStyled(style, text, max(1, w-q.text()-q.gutter())) {
		lines = append(lines, line{margin + row, -1})
	}
	return lines
}

// tinted is a line on the ground of code, with a text at its right end. Without tints a bar stands in front of it.
func (q Model) tinted(st theme.Styles, text, right string, w int) string {
	inner := max(0, w-2*q.gutter())
	bar := "  "
	if !st.Tinted {
		bar = st.Faint.Render("│") + " "
	}
	if theme.Width(text)+theme.Width(right)+4 > inner {
		right = ""
	}
	row := theme.Spread(bar+text, right+"  ", inner)
	return strings.Repeat(" ", q.gutter()) + theme.Ground(st.Tint, row)
}

// bodyWidth is how many cells of a line the arguments have.
func (q Model) bodyWidth(w int) int { return max(8, w-2*q.gutter()-5) }

// why are sentences about what is unusual.
func (q Model) why() []string {
	switch q.asked.Reason {
	case approval.Repaired:
		return []string{"Its arguments were repaired. Compare what was received with what would run."}
	case approval.Changed:
		return []string{"The server has changed this tool since you always allowed it."}
	case approval.MayHave:
		return []string{"winnow ended before this call had a result. It may already have run, in part."}
	case approval.Unsaid:
		return []string{"The server did not state whether the answer is complete."}
	case approval.EachTime:
		return []string{"winnow asks before every call of this tool."}
	}
	return nil
}

// reachLines say what the call can reach, where its result goes, and what that costs.
func (q Model) reachLines(st theme.Styles, w int) []line {
	reach := q.asked.Reach
	if q.to.Place != "" {
		reach = strings.TrimSpace(fmt.Sprintf("%s The result goes to %s at %s.", reach, orThe(q.to.Model), q.to.Place))
	}
	var lines []line
	if reach != "" {
		lines = q.sentence(st.Text, reach, w)
	}
	if q.to.Tokens > 0 {
		lines = append(lines, q.sentence(st.Muted, fmt.Sprintf("Sending it is another request, ~%s tokens in.",
			theme.Thousands(q.to.Tokens)), w)...)
	}
	return lines
}

// The columns of an answer, counted from its key.
const (
	textColumn  = 4
	aboutColumn = 36
)

// answers are the choices, a line each, and the reason where it is typed.
func (q Model) answers(st theme.Styles, k keymap.Map, w int, focused bool) []line {
	if q.reason != nil && focused {
		return []line{q.reasonLine(st, w)}
	}
	var lines []line
	for i, c := range q.choices() {
		key := k.First(c.action)
		row := strings.Repeat(" ", q.text()-1) + st.Strong.Render(key) +
			strings.Repeat(" ", max(1, textColumn-theme.Width(key)))
		about := c.about
		if c.answer == approval.No {
			about = k.First(keymap.RefuseWhy) + " " + about
		}
		bar, ground, name := " ", lipgloss.NewStyle(), st.Text
		if i == q.at {
			bar, ground, name = st.Faint.Render("▌"), st.Selected, st.Strong
			if focused {
				bar = st.Seen.Render("▌")
			}
		}
		row += name.Render(c.text)
		if gap := q.text() - 1 + aboutColumn - theme.Width(row); gap > 0 &&
			theme.Width(row)+gap+theme.Width(about)+2 <= w {
			row += strings.Repeat(" ", gap) + st.Muted.Render(about)
		}
		lines = append(lines, line{theme.Ground(ground, bar+theme.Fit(row, max(0, w-1))), i})
	}
	return lines
}

// compact are the choices in as few lines as they fit into.
func (q Model) compact(st theme.Styles, k keymap.Map, w int, focused bool) []line {
	if q.reason != nil && focused {
		return q.answers(st, k, w, focused)
	}
	var lines []line
	margin := strings.Repeat(" ", q.gutter())
	row, width := "", 0
	for i, c := range q.choices() {
		plain := "  " + k.First(c.action) + " " + c.short
		text := "  " + st.Strong.Render(k.First(c.action)) + " " + c.short
		if i == q.at {
			plain = "▌ " + k.First(c.action) + " " + c.short
			text = theme.Ground(st.Selected, plain)
		}
		if width > 0 && width+1+theme.Width(plain) > w-q.gutter() {
			lines = append(lines, line{theme.Fit(margin+row, w), -1})
			row, width = "", 0
		}
		if width > 0 {
			row, width = row+" ", width+1
		}
		row, width = row+text, width+theme.Width(plain)
	}
	return append(lines, line{theme.Fit(margin+row, w), -1})
}

// reasonLead is in front of the reason that is typed.
const reasonLead = "Why not: "

func (q Model) reasonLine(st theme.Styles, w int) line {
	shown, _ := q.reason.View(w - q.text() - theme.Width(reasonLead))
	return line{theme.Fit(strings.Repeat(" ", q.text())+st.Strong.Render(reasonLead)+markdown.Visible(shown), w), -1}
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
func (q Model) unseen() int { return len(q.body(q.bodyWidth(q.w))) - q.seen }

// scrolls says that not all of the arguments fit.
func (q Model) scrolls() bool { return q.drawn().more }

func (q Model) page() int { return max(1, q.drawn().room) }
