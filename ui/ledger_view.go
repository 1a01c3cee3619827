package ui

import (
	"fmt"

	"winnow/history"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// leastSides is the height from which the ledger shows what stands under its cursor.
const leastSides = 10

// view draws the list of repairs, and below it both sides of the one under the cursor.
func (l *ledger) view(st theme.Styles, w, h int) []string {
	on, ok := l.chosen()
	if !ok {
		return theme.Indented(st.Dim, "Nothing is damaged: every message of this history goes as it was said.", w)
	}
	var lines []string
	if h < leastSides {
		return l.list(st, w, h)
	}
	lines = append(lines, theme.Indented(st.Dim, "Mended in the request only: what is stored stays as it came.", w)...)
	lines = append(lines, l.list(st, w, min(len(l.lines), h/2))...)
	detail := l.detail(st, on, w)
	return append(lines, detail[:max(0, min(len(detail), h-len(lines)))]...)
}

// place is how far down the list the cursor is, "" where there is no list.
func (l *ledger) place() string {
	if len(l.lines) == 0 {
		return ""
	}
	return theme.Thousands(l.at+1) + "/" + theme.Thousands(len(l.lines))
}

// list draws the lines around the cursor.
func (l *ledger) list(st theme.Styles, w, h int) []string {
	var lines []string
	first, end := theme.Around(l.at, len(l.lines), h)
	for i := first; i < end; i++ {
		lines = append(lines, l.line(st, i, w))
	}
	return lines
}

// line is one repair: its message, what was wrong, and what is done about it.
func (l *ledger) line(st theme.Styles, i, w int) string {
	on := l.lines[i]
	digits := len(theme.Thousands(l.lines[len(l.lines)-1].entry.Index + 1))
	left := fmt.Sprintf(" %*s  %s %-3s ", digits, theme.Thousands(on.entry.Index+1), theme.Fit(theme.Speaker(on.entry.Role), 6), markdown.OneLine(on.repair.Kind, 3))
	right := remedyWord(on.repair.Remedy)
	if !on.entry.Sent() && on.repair.Remedy != history.LeaveOut {
		right = "not sent"
	}
	what := markdown.OneLine(l.secrets.Line(on.repair.What), max(1, w-theme.Width(left)-theme.Width(right)-4))
	return st.VerdictLine(theme.Glyph(on.entry), left, what, right+" ", w, i == l.at)
}

// detail is the repair under the cursor in full.
func (l *ledger) detail(st theme.Styles, on mended, w int) []string {
	lines := []string{st.Rule(w)}
	what, _ := l.secrets.Hide(on.repair.What)
	lines = append(lines, theme.Indented(st.Text, on.repair.Kind+": "+markdown.Visible(what), w)...)
	if !on.entry.Sent() {
		lines = append(lines, theme.Indented(st.Dim, theme.Glyph(on.entry)+" "+theme.Thousands(on.entry.Index+1)+" "+markdown.Visible(on.entry.Cause.Sentence()), w)...)
	}
	return append(lines, l.sides(st, on.repair, w)...)
}

// sides are both sides of a repair, as they were drawn last where they are the same.
func (l *ledger) sides(st theme.Styles, r history.Repair, w int) []string {
	if l.drawn == nil || l.drawnOf != r || l.drawnWidth != w {
		shown, _ := withoutSecrets(l.secrets, r)
		l.drawn, l.drawnOf, l.drawnWidth = inspector.DiffOf(shown).View(st, w), r, w
	}
	return l.drawn
}
