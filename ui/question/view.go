package question

import (
	"cmp"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/session/approval"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// line is a line of the question, with the choice that it stands for, -1 for none.
type line struct {
	text   string
	choice int
}

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

// leastBody is how many lines of the arguments are drawn before the answers get a line each.
const leastBody = 3

// View draws the question: a rule that says what is asked, the arguments or a part of them, what the call can reach,
// and the answers. Where there is little room the answers share lines.
func (m *Model) View(st theme.Styles, focused bool) []string {
	if !m.Waits() {
		return nil
	}
	var out []string
	for _, l := range m.compose(st, focused) {
		out = append(out, l.text)
	}
	return out
}

// Caret is where the reason is typed, as it is drawn; ok is false where it is not.
func (m *Model) Caret(st theme.Styles) (x, y int, ok bool) {
	if m.reason == nil {
		return 0, 0, false
	}
	lead := m.text() + theme.Width(reasonLead)
	_, x = m.reason.View(m.w - lead)
	lines := m.compose(st, true)
	for y = len(lines) - 1; y > 0 && lines[y].text == ""; y-- {
	}
	return lead + x, y, true
}

// gutter is how many cells stand in front of what is drawn, and text in front of its texts.
func (m *Model) gutter() int { return theme.Gutter(m.w) }
func (m *Model) text() int   { return m.gutter() + 2 }

// bodyWidth is how many cells of a line the arguments have.
func (m *Model) bodyWidth() int { return max(8, m.w-2*m.gutter()-5) }

// parts divide the lines: blank ones go first, then what the call can reach, then the answers share lines, and the
// arguments take what is left.
func (m *Model) parts(st theme.Styles, focused bool) parts {
	p := parts{head: m.head(st, focused), body: m.body(), reach: m.reach(st), answers: m.answers(st, focused)}
	blank, head := line{"", -1}, len(p.head)
	need := func() int { return len(p.head) + min(leastBody+1, len(p.body)) + len(p.reach) + len(p.answers) }
	switch all := len(p.head) + len(p.body) + len(p.reach) + len(p.answers); {
	case m.h >= all+4 && m.question.call() != nil:
		p.head = append(p.head[:head-1:head-1], blank, p.head[head-1])
		p.reach = append(append([]line{blank}, p.reach...), blank)
		p.answers = append(p.answers, blank)
	case m.h < need():
		p.reach = nil
		if m.h < need() {
			p.answers = m.compact(st, focused)
		}
	}
	left := m.h - len(p.answers)
	p.head = p.head[:min(len(p.head), max(min(1, left), left-min(2, len(p.body)), 0))]
	p.room = max(0, m.h-len(p.head)-len(p.reach)-len(p.answers))
	if p.more = len(p.body) > p.room; p.more {
		p.room = max(p.room-1, min(1, p.room))
	}
	p.room = min(p.room, len(p.body))
	p.first = max(0, min(m.top, len(p.body)-p.room))
	return p
}

func (m *Model) compose(st theme.Styles, focused bool) []line {
	p := m.parts(st, focused)
	lines := append([]line{}, p.head...)
	for _, text := range p.body[p.first : p.first+p.room] {
		lines = append(lines, m.tinted(st, paint(st, text), ""))
	}
	if p.more && len(lines)+len(p.reach)+len(p.answers) < m.h {
		text := "the end of the arguments · " + m.Keys.First(keymap.PageUp) + " goes back"
		if left := len(p.body) - p.first - p.room; left > 0 {
			text = theme.Plural(left, "more line") + " · " + m.Keys.First(keymap.PageDown) + " shows them"
		}
		lines = append(lines, m.tinted(st, st.Cut.Render(text), ""))
	}
	lines = append(append(lines, p.reach...), p.answers...)
	return lines[:min(len(lines), max(0, m.h))]
}

// head says what is asked, what is unusual about it, and which tool it is.
func (m *Model) head(st theme.Styles, focused bool) []line {
	call, title, right := m.question.call(), "Above a limit", ""
	if call != nil {
		right = st.Muted.Render(fmt.Sprintf("call %d of %d", call.Number, call.Of))
		title = markdown.OneLine(cmp.Or(m.question.To.Model, "The model"), 40) + " asks to run " +
			markdown.OneLine(call.Call.Name, 80)
	}
	if !focused {
		right = st.Text.Render(m.Keys.First(keymap.Focus)) +
			st.Muted.Render(" answers · letters are typed into your draft")
	}
	rule := theme.Ruled(st.Cut, m.w, m.gutter(), []string{st.Cut.Bold(true).Render(title)}, right)
	lines := append([]line{{rule, -1}}, m.sentence(st.Cut, m.why())...)
	if call == nil {
		return lines
	}
	server := ""
	if call.Server != "" {
		server = "MCP server " + markdown.OneLine(call.Server, 40)
	}
	name := st.Muted.Render(markdown.OneLine(call.Call.Name, 80))
	return append(lines, m.tinted(st, name, st.Muted.Render(server)))
}

// sentence is a text with the margin of the question's texts, "" for no line.
func (m *Model) sentence(style lipgloss.Style, text string) (lines []line) {
	if text == "" {
		return nil
	}
	for _, row := range theme.IndentedTo(style, text, m.text(), m.w-m.gutter()) {
		lines = append(lines, line{row, -1})
	}
	return lines
}

// tinted is a line on the ground of code, with a text at its right end. Without tints a bar stands in front of it.
func (m *Model) tinted(st theme.Styles, text, right string) line {
	inner := max(0, m.w-2*m.gutter())
	bar := "  "
	if !st.Tinted {
		bar = st.Faint.Render("│") + " "
	}
	if theme.Width(text)+theme.Width(right)+4 > inner {
		right = ""
	}
	row := theme.Spread(bar+text, right+"  ", inner)
	return line{strings.Repeat(" ", m.gutter()) + theme.Ground(st.Tint, row), -1}
}

// why is a sentence about what is unusual, "" for nothing.
func (m *Model) why() string {
	if l := m.question.Limit; l != nil {
		if l.For == store.ForSummary {
			return "A summary of the older messages: " + l.Over.Clause() + "."
		}
		return l.Over.Sentence()
	}
	return map[approval.Reason]string{
		approval.Repaired: "Its arguments were repaired. Compare what was received with what would run.",
		approval.Changed:  "The server has changed this tool since you always allowed it.",
		approval.Unsaid:   "The server did not state whether the answer is complete.",
		approval.EachTime: "winnow asks before every call of this tool.",
	}[m.question.call().Reason]
}

// reach says what a call can reach, where its result goes, and what that costs.
func (m *Model) reach(st theme.Styles) []line {
	call, to := m.question.call(), m.question.To
	if call == nil {
		return nil
	}
	reach, cost := call.Reach, ""
	if to.Place != "" {
		reach = strings.TrimSpace(fmt.Sprintf("%s The result goes to %s at %s.", reach,
			cmp.Or(to.Model, "the model"), to.Place))
	}
	if to.Tokens > 0 {
		cost = fmt.Sprintf("Sending it is another request, ~%s tokens in.", theme.Thousands(to.Tokens))
	}
	return append(m.sentence(st.Text, reach), m.sentence(st.Muted, cost)...)
}

// The columns of an answer, counted from its key.
const (
	textColumn  = 4
	aboutColumn = 36
)

// answers are the choices, a line each, or the reason where it is typed.
func (m *Model) answers(st theme.Styles, focused bool) []line {
	if m.reason != nil && focused {
		shown, _ := m.reason.View(m.w - m.text() - theme.Width(reasonLead))
		row := strings.Repeat(" ", m.text()) + st.Strong.Render(reasonLead) + markdown.Visible(shown)
		return []line{{theme.Fit(row, m.w), -1}}
	}
	var lines []line
	for i, c := range m.question.choices() {
		key := m.keyOf(c)
		row := strings.Repeat(" ", m.text()-1) + st.Strong.Render(key) +
			strings.Repeat(" ", max(1, textColumn-theme.Width(key)))
		if c.answer == approval.No && m.question.call() != nil {
			c.about = reasonKey + " adds a reason for the model"
		}
		bar, ground, name := " ", lipgloss.NewStyle(), st.Text
		if i == m.at {
			bar, ground, name = st.Faint.Render("▌"), st.Selected, st.Strong
			if focused {
				bar = st.Seen.Render("▌")
			}
		}
		row += name.Render(c.text)
		if gap := m.text() - 1 + aboutColumn - theme.Width(row); gap > 0 &&
			theme.Width(row)+gap+theme.Width(c.about)+2 <= m.w {
			row += strings.Repeat(" ", gap) + st.Muted.Render(c.about)
		}
		lines = append(lines, line{theme.Ground(ground, bar+theme.Fit(row, max(0, m.w-1))), i})
	}
	return lines
}

// compact are the choices on one line.
func (m *Model) compact(st theme.Styles, focused bool) []line {
	if m.reason != nil && focused {
		return m.answers(st, focused)
	}
	row := strings.Repeat(" ", m.gutter())
	for i, c := range m.question.choices() {
		key := m.keyOf(c)
		if i == m.at {
			row += theme.Ground(st.Selected, "▌"+key+" "+c.short) + " "
		} else {
			row += " " + st.Strong.Render(key) + " " + c.short + " "
		}
	}
	return []line{{theme.Fit(row, m.w), -1}}
}

// reasonLead is in front of the reason that is typed.
const reasonLead = "Why not: "

// scroll moves the arguments by lines, and notes what is drawn of them.
func (m *Model) scroll(by int) {
	p := m.parts(theme.Styles{}, true)
	if p.room == 0 {
		return // too low a screen shows nothing of them
	}
	m.top = max(0, min(m.top+by, len(p.body)-p.room))
	m.seen = max(m.seen, min(len(p.body), m.top+p.room))
}

// scrolls says that not all of the arguments fit.
func (m *Model) scrolls() bool { return m.parts(theme.Styles{}, true).more }

func (m *Model) page() int { return max(1, m.parts(theme.Styles{}, true).room) }

// keyOf is the key of a choice.
func (m *Model) keyOf(c choice) string {
	if c.letter != "" {
		return c.letter
	}
	return m.Keys.First(c.action)
}
