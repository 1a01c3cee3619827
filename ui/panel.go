package ui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/ui/markdown"
)

// panel shows the plan of the next request: where the tokens go, and what becomes of every
// message. It is fed by the plan alone.
type panel struct {
	plan  history.Plan
	ready bool   // a plan has arrived
	note  string // why there is none, or why it cannot be sent
	doubt string // why the limit may be wrong, "" where it is known

	guessed string // that tokens are guessed until the messages are counted, "" where they are
	at      int    // the entry under the cursor
	moved   bool   // the user moved the cursor: until then it stays at the end
}

// set takes a new plan.
func (p *panel) set(plan history.Plan, err error) {
	p.note = ""
	if err != nil {
		p.note = err.Error()
	}
	if err == nil || len(plan.Entries) > 0 {
		p.plan, p.ready = plan, true
	}
	if !p.moved {
		p.at = len(p.plan.Entries) - 1
	}
	p.move(0)
}

// judge says how far the limit is to be trusted: a window that nobody said is shown as assumed.
func (p *panel) judge(w llm.Window) {
	p.doubt = ""
	if w.Assumed {
		p.doubt = "window of " + thousands(w.Tokens) + " tokens assumed: the server does not say"
	}
}

// count says how far the messages are counted, as long as they are not.
func (p *panel) count(c session.Counting) {
	p.guessed = ""
	if !c.Done() {
		p.guessed = "counting " + thousands(c.Counted) + " of " + thousands(c.Of) + "; until then tokens are guessed"
	}
}

func (p *panel) move(by int) {
	p.moved = p.moved || by != 0
	p.at = max(0, min(p.at+by, len(p.plan.Entries)-1))
}

// of is the entry of a message by its id. Ids rise along a conversation, but not strictly across
// branches, so the entry is looked for from the end, where the new ones are.
func entryOf(plan history.Plan, id int64) (history.Entry, bool) {
	for i := len(plan.Entries) - 1; i >= 0; i-- {
		if plan.Entries[i].ID == id {
			return plan.Entries[i], true
		}
	}
	return history.Entry{}, false
}

// glyph is the sign of a verdict.
func glyph(e history.Entry) string {
	switch {
	case e.Disposition == history.Excluded:
		return "⊘"
	case e.Disposition == history.Dropped, e.Disposition == history.Isolated, e.Disposition == history.Blank:
		return "○"
	case e.Pinned:
		return "◆"
	case len(e.Repairs) > 0:
		return "⚠"
	case e.Disposition == history.Recalled || e.Recalled:
		return "↺"
	case e.Disposition == history.Cut:
		return "◐"
	}
	return "●"
}

// word is a verdict in one or two words.
func word(e history.Entry) string {
	switch {
	case e.Disposition == history.Cut:
		return fmt.Sprintf("cut to %s of %s", thousands(e.CharsAfter), thousands(e.CharsBefore))
	case e.Disposition != history.Kept:
		return string(e.Disposition)
	case e.Pinned:
		return "pinned"
	case len(e.Repairs) > 0:
		return "repaired"
	}
	return ""
}

func (st styles) ofGlyph(g string) lipgloss.Style {
	switch g {
	case "○", "⊘":
		return st.faint
	case "◆":
		return st.pinned
	case "◐":
		return st.cut
	case "⚠":
		return st.warn
	case "↺", "✚":
		return st.added
	}
	return st.good
}

// speaker names who said a message. A file that was imported may hold any text as a role.
func speaker(r history.Role) string {
	switch r {
	case history.User:
		return "you"
	case history.Assistant:
		return "model"
	case "":
		return "?"
	}
	return markdown.OneLine(string(r), 12)
}

// counted writes a number of tokens in the server's measure, so that the parts add up to the total.
func (p *panel) counted(n int) string { return thousands(p.plan.Sum.Tokens(n)) }

// view draws the panel's lines for a box of w by h cells: the sums, the entries that fit, and the
// reason for the one under the cursor.
func (p *panel) view(st styles, w, h int, focused bool) []string {
	if !p.ready {
		note := p.note
		if note == "" {
			note = "The plan appears with the first message."
		}
		return indented(st.dim, note, w)
	}
	lines := p.sums(st, w)
	foot := p.foot(st, w)
	if h < len(lines)+len(foot)+1 {
		foot = nil
	}
	room := max(0, h-len(lines)-len(foot))
	at := p.at
	first := max(0, min(at-room/2, len(p.plan.Entries)-room))
	for i := first; i < len(p.plan.Entries) && i < first+room; i++ {
		lines = append(lines, p.row(st, i, w, focused && i == at))
	}
	for len(lines)+len(foot) < h {
		lines = append(lines, "")
	}
	return append(lines, foot...)
}

// sums are the bar and the parts.
func (p *panel) sums(st styles, w int) []string {
	s := p.plan.Sum
	part := func(n int) int {
		if s.Limit <= 0 {
			return 0
		}
		return s.Tokens(n) * max(0, w-8) / s.Limit
	}
	fix, body, now := part(s.System+s.Tools), part(s.Pinned+s.Body+s.Recalled+s.Added+s.Frame), part(s.Draft)
	bar := max(0, w-8)
	fix = min(fix, bar)
	body = min(body, bar-fix)
	now = min(now, bar-fix-body)
	percent := "  –"
	if s.Limit > 0 {
		percent = fmt.Sprintf("%3d %%", s.Tokens(s.Total)*100/s.Limit)
	}
	head := " " + st.barFix.Render(strings.Repeat("█", fix)) + st.barUsed.Render(strings.Repeat("▇", body)) +
		st.barNow.Render(strings.Repeat("▅", now)) + st.barFree.Render(strings.Repeat("░", bar-fix-body-now))
	limit := "no limit known"
	if s.Limit > 0 {
		// The margin is not free: nothing more enters a request when only it is left.
		limit = thousands(s.Free()) + " free of " + thousands(s.Limit) +
			" · reply " + thousands(s.Reserve)
	}
	lines := []string{
		spread(head, percent+" ", w),
		fit(" "+st.barFix.Render("█")+st.dim.Render(fmt.Sprintf(" system %s · tools %s  ", p.counted(s.System), p.counted(s.Tools)))+
			st.barNow.Render("▅")+st.dim.Render(" draft ~"+p.counted(s.Draft)), w),
		fit(" "+st.barUsed.Render("▇")+st.dim.Render(fmt.Sprintf(" history %s · %d of %d sent", p.counted(s.Pinned+s.Body+s.Recalled), s.Sent, s.Stored)), w),
		fit(st.dim.Render(" "+limit), w),
	}
	if p.doubt != "" {
		lines = append(lines, indented(st.warn, p.doubt, w)...)
	}
	if p.guessed != "" {
		lines = append(lines, indented(st.dim, p.guessed, w)...)
	}
	if p.note != "" {
		lines = append(lines, indented(st.bad, p.note, w)...)
	}
	return append(lines, st.frame.Render(strings.Repeat("─", max(0, w))))
}

// row is one entry: glyph, number, speaker, what became of it, and its sum.
func (p *panel) row(st styles, i, w int, chosen bool) string {
	e := p.plan.Entries[i]
	digits := len(thousands(len(p.plan.Entries)))
	sum := p.counted(e.TokensAfter)
	if diff := e.TokensAfter - e.TokensBefore; diff != 0 {
		sum = p.counted(diff)
		if diff > 0 {
			sum = "+" + sum
		}
	}
	g := glyph(e)
	left := fmt.Sprintf(" %*s  %-6s", digits, thousands(e.Index+1), speaker(e.Role))
	text := word(e)
	if chosen {
		return st.chosen.Render(spread(" "+g+left+text, sum+" ", w))
	}
	style := st.dim
	if e.Disposition == history.Dropped || e.Disposition == history.Excluded {
		style = st.faint
	}
	return spread(" "+st.ofGlyph(g).Render(g)+left+style.Render(text), style.Render(sum)+" ", w)
}

// foot is the reason for the entry under the cursor and what falls out next.
func (p *panel) foot(st styles, w int) []string {
	var lines []string
	if p.at >= 0 && p.at < len(p.plan.Entries) {
		e := p.plan.Entries[p.at]
		lines = append(lines, st.frame.Render(strings.Repeat("─", max(0, w))))
		why := indented(st.text, fmt.Sprintf("%s %d: %s", glyph(e), e.Index+1, e.Reason), w)
		lines = append(lines, why[:min(3, len(why))]...)
	}
	if len(p.plan.Next) > 0 && p.plan.Next[0] < len(p.plan.Entries) {
		e := p.plan.Entries[p.plan.Next[0]]
		lines = append(lines, fit(st.dim.Render(fmt.Sprintf(" next to fall out: %d %s (%s)", e.Index+1, speaker(e.Role), p.counted(e.TokensAfter))), w))
	}
	return lines
}

// wrapStyled wraps a text and styles each line by itself.
func wrapStyled(style lipgloss.Style, text string, w int) []string {
	lines := wrap(text, max(1, w))
	for i, s := range lines {
		lines[i] = style.Render(s)
	}
	return lines
}

// indented wraps a text one cell away from both sides.
func indented(style lipgloss.Style, text string, w int) []string {
	lines := wrapStyled(style, text, w-2)
	for i, s := range lines {
		lines[i] = " " + s
	}
	return lines
}
