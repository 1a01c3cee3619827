package question

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/session/approval"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// parts are the lines of a question, from top to bottom.
type parts struct {
	head    []string
	body    []string // all lines of the arguments
	first   int      // the first visible one
	room    int      // number of visible lines
	more    bool     // a line says how many are not visible
	reach   []string // what the call can access, and what its result costs
	answers []string
}

// minBody is how many lines of the arguments take precedence over the answers that are not under the cursor.
const minBody = 2

// parts divides the height. If it is too low, what the call can access goes first, then the answers that are not under
// the cursor, then the end of the head.
func (m *Model) parts(st theme.Styles, focused bool) parts {
	p := parts{
		head: m.head(st, focused), body: m.body(), reach: m.reach(st), answers: m.answers(st, focused),
	}
	left := func() int { return m.h - len(p.head) - len(p.reach) - len(p.answers) }
	const blanks = 4
	if m.question.Call != nil && left()-len(p.body) >= blanks {
		p.head = slices.Insert(p.head, len(p.head)-1, "")
		p.reach = slices.Concat([]string{""}, p.reach, []string{""})
		p.answers = append(p.answers, "")
	}
	least := min(minBody, len(p.body))
	if left() < least {
		p.reach = nil
	}
	if lack := least - left(); lack > 0 {
		first, end := theme.WindowAround(m.at, len(p.answers), max(1, len(p.answers)-lack))
		p.answers = p.answers[first:end]
	}
	if lack := least - left(); lack > 0 {
		p.head = p.head[:max(1, len(p.head)-lack)]
	}
	p.room = max(0, min(left(), len(p.body)))
	if p.more = p.room < len(p.body); p.more {
		p.room = max(p.room-1, min(1, p.room))
	}
	p.first = max(0, min(m.top, len(p.body)-p.room))
	return p
}

// View draws the question: a rule with what is asked, the arguments or a part of them, what the call can access, and
// the answers.
func (m *Model) View(st theme.Styles, focused bool) []string {
	if !m.HasQuestion() {
		return nil
	}
	p := m.parts(st, focused)
	lines := slices.Clone(p.head)
	for _, text := range p.body[p.first : p.first+p.room] {
		lines = append(lines, m.tinted(st, st.Text.Render(text), ""))
	}
	if p.more && len(lines)+len(p.reach)+len(p.answers) < m.h {
		text := theme.Plural(len(p.body)-p.first-p.room, "more line") + " · " + m.Keys.First(keymap.PageDown) +
			" and " + m.Keys.First(keymap.PageUp) + " scroll"
		lines = append(lines, m.tinted(st, st.Cut.Render(text), ""))
	}
	lines = slices.Concat(lines, p.reach, p.answers)
	return lines[:min(len(lines), max(0, m.h))]
}

// ReasonCursor returns the cell of the cursor in the reason; ok is false if none is typed.
func (m *Model) ReasonCursor(st theme.Styles) (x, y int, ok bool) {
	if m.reason == nil {
		return 0, 0, false
	}
	lead := m.textMargin() + theme.Width(reasonLead)
	_, x = m.reason.View(m.w - lead)
	return lead + x, len(m.View(st, true)) - len(m.parts(st, true).answers), true
}

// gutter is the left margin in cells, and textMargin that of texts.
func (m *Model) gutter() int     { return theme.Gutter(m.w) }
func (m *Model) textMargin() int { return m.gutter() + 2 }

// head draws what is asked, what is unusual about it, and the name of the tool.
func (m *Model) head(st theme.Styles, focused bool) []string {
	call, title, right, server := m.question.Call, "Above a limit", "", ""
	if call != nil {
		right = st.Muted.Render(fmt.Sprintf("call %d of %d", call.Number, call.Of))
		title = markdown.OneLine(cmp.Or(m.question.Recipient.Model, "The model"), 40) + " asks to run " +
			markdown.OneLine(call.Call.Name, 80)
	}
	if !focused {
		right = st.Text.Render(m.Keys.First(keymap.Focus)) +
			st.Muted.Render(" answers · letters are typed into your draft")
	}
	lines := []string{theme.RuleWithText(st.Cut, m.w, m.gutter(), []string{st.Cut.Bold(true).Render(title)}, right)}
	if why := m.why(); why != "" {
		lines = append(lines, m.sentence(st.Cut, why)...)
	}
	if call == nil {
		return lines
	}
	if call.Server != "" {
		server = "MCP server " + markdown.OneLine(call.Server, 40)
	}
	return append(lines, m.tinted(st, st.Muted.Render(markdown.OneLine(call.Call.Name, 80)), st.Muted.Render(server)))
}

// sentence wraps a text at the margin of texts.
func (m *Model) sentence(style lipgloss.Style, text string) []string {
	return theme.WrapIndented(style, text, m.textMargin(), m.w-m.gutter())
}

// tinted draws a line on the background of code, with a text at its right end. Terminals without backgrounds get a bar
// on the left.
func (m *Model) tinted(st theme.Styles, text, right string) string {
	bar := "  "
	if !st.HasBackgrounds {
		bar = st.Faint.Render("│") + " "
	}
	row := theme.Spread(bar+text, right+"  ", max(0, m.w-2*m.gutter()))
	return strings.Repeat(" ", m.gutter()) + theme.WithBackground(st.Tint, row)
}

// why is a sentence about what is unusual, "" for nothing.
func (m *Model) why() string {
	if l := m.question.Limit; l != nil {
		if l.For == store.PurposeSummary {
			return "A summary of the older messages: " + l.Over.Clause() + "."
		}
		return l.Over.Sentence()
	}
	return map[approval.Reason]string{
		approval.ReasonRepaired:      "Its arguments were repaired. Compare what was received with what would run.",
		approval.ReasonToolChanged:   "The server has changed this tool since you allowed it permanently.",
		approval.ReasonFinishUnknown: "The server did not state whether the answer is complete.",
		approval.ReasonEachTime:      "winnow asks before every call of this tool.",
	}[m.question.Call.Reason]
}

// reach says what a call can access, who gets its result, and what that costs.
func (m *Model) reach(st theme.Styles) []string {
	call, to := m.question.Call, m.question.Recipient
	if call == nil {
		return nil
	}
	reach := call.Reach
	if to.Host != "" {
		reach += " The result goes to " + cmp.Or(to.Model, "the model") + " at " + to.Host + "."
	}
	lines := m.sentence(st.Text, strings.TrimSpace(reach))
	if to.RequestTokens > 0 {
		cost := "Sending it is another request, ~" + theme.Thousands(to.RequestTokens) + " tokens in."
		lines = append(lines, m.sentence(st.Muted, cost)...)
	}
	return lines
}

// textColumn is the distance in cells between the key of an answer and its text.
const textColumn = 4

// reasonLead is the label of the reason.
const reasonLead = "Why not: "

// answers draws the choices, one on each line, or the reason while it is typed.
func (m *Model) answers(st theme.Styles, focused bool) (lines []string) {
	if m.reason != nil {
		shown, _ := m.reason.View(m.w - m.textMargin() - theme.Width(reasonLead))
		row := strings.Repeat(" ", m.textMargin()) + st.Strong.Render(reasonLead) + markdown.Visible(shown)
		return []string{theme.Fit(row, m.w)}
	}
	for i, c := range m.choices() {
		bar, ground, name := " ", lipgloss.NewStyle(), st.Text
		if i == m.at {
			bar, ground, name = st.Faint.Render("▌"), st.Selected, st.Strong
			if focused {
				bar = st.Seen.Render("▌")
			}
		}
		row := strings.Repeat(" ", m.textMargin()-1) + st.Strong.Render(theme.Fit(c.key, textColumn))
		row += name.Render(c.text)
		lines = append(lines, theme.WithBackground(ground, bar+theme.Fit(row, max(0, m.w-1))))
	}
	return lines
}

// scroll scrolls the arguments by lines, and notes how many have been visible.
func (m *Model) scroll(by int) {
	p := m.parts(theme.Styles{}, true)
	if p.room == 0 {
		return // the screen is too low to show any
	}
	m.top = max(0, min(m.top+by, len(p.body)-p.room))
	m.seen = max(m.seen, min(len(p.body), m.top+p.room))
}

// scrolls reports whether the arguments do not fit.
func (m *Model) scrolls() bool { return m.parts(theme.Styles{}, true).more }

func (m *Model) page() int { return max(1, m.parts(theme.Styles{}, true).room) }

// body returns all lines of a call's arguments as they would run; if they were repaired, before them the arguments as
// received. Control characters are visible.
func (m *Model) body() (lines []string) {
	call, w := m.question.Call, max(8, m.w-2*m.gutter()-5)
	if call == nil {
		return nil
	}
	if call.Reason == approval.ReasonRepaired || len(call.Arguments.Repairs) > 0 {
		lines = append(lines, "As received:")
		lines = append(lines, wrapped(cmp.Or(call.Call.Arguments, "(nothing)"), w)...)
		for _, r := range call.Arguments.Repairs {
			lines = append(lines, theme.Wrap(r.Sentence(), w)...)
		}
		lines = append(lines, "As it would run:")
	}
	return append(lines, wrapped(pretty(call.Arguments.Object), w)...)
}

// lineEnd matches an escaped line end in a JSON string, \n after an even number of backslashes.
var lineEnd = regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*\\n)`)

// pretty indents a JSON object and wraps strings after their line ends.
func pretty(object string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(object), "", "  ") != nil {
		return object
	}
	return lineEnd.ReplaceAllString(out.String(), "$1\n      ")
}

// wrapped wraps a text into lines of w cells without dropping any of it.
func wrapped(text string, w int) []string {
	return strings.Split(ansi.Hardwrap(markdown.Visible(text), w, true), "\n")
}
