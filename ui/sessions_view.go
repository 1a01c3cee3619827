package ui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// aboutLines is how many lines tell of the session under the cursor, with the rule above them.
const aboutLines = 2

// roomyList is the least height of a list that tells of the session under its cursor.
const roomyList = 8

// view draws the list for a box of the given size; the cursor stands at column x of the first line. open
// is the session that the window shows.
func (l *sessionList) view(st theme.Styles, w, h int, open string, behind indexing) (lines []string, x int) {
	head, x := l.head(st, w)
	lines = append(lines, head)
	if l.texts.on {
		return append(lines, l.texts.view(st, l.secrets, w, max(0, h-1), l.filter.Text, behind.text())...), x
	}
	var about []string
	if s, ok := l.chosen(); (ok || l.held != nil) && h >= roomyList {
		about = []string{st.Rule(w), " " + st.Dim.Render(markdown.OneLine(l.about(s), w-2))}
	}
	first, end := l.onScreen(h)
	for i := first; i < end; i++ {
		lines = append(lines, l.line(st, i, w, open))
	}
	if len(l.shown) == 0 {
		lines = append(lines, theme.IndentedTo(st.Dim, l.nothing(), labelAt, w)...)
	}
	for len(lines) < h-len(about) {
		lines = append(lines, "")
	}
	return append(lines[:min(len(lines), max(1, h-len(about)))], about...), x
}

// onScreen is the part of the list that is drawn in a height.
func (l *sessionList) onScreen(h int) (first, end int) {
	if h >= roomyList {
		h -= aboutLines
	}
	return theme.Around(l.at, len(l.shown), max(0, h-1))
}

// head is the line at the top: the filter, what is typed instead of it, or a question.
func (l *sessionList) head(st theme.Styles, w int) (line string, x int) {
	name, f := " ›  ", &l.filter
	switch {
	case l.texts.on:
		name = " text › "
	case l.purge != nil:
		return st.Warn.Render(theme.Fit(" Purge "+lineOfSession(l.secrets, *l.purge).name()+" for good?", w)), 0
	case l.held != nil:
		return st.Warn.Render(theme.Fit(" "+l.held.question(), w)), 0
	case l.edit != nil && l.edit.tags:
		name, f = " tags › ", &l.edit.Field
	case l.edit != nil:
		name, f = " title › ", &l.edit.Field
	}
	text, x := f.View(max(1, w-theme.Width(name)))
	return st.Accent.Render(name) + text, min(theme.Width(name)+x, max(0, w-1))
}

// nothing says why no line is shown.
func (l *sessionList) nothing() string {
	switch {
	case l.read.IsZero():
		return "reading …"
	case len(l.lines) > 0:
		return "nothing matches " + l.filter.Text
	case l.shelf == archiveShelf:
		return "nothing is archived"
	case l.shelf == trashShelf:
		return "the trash is empty"
	}
	return "nothing here yet: a chat is kept from its first message on"
}

// about tells what the line of a session has no room for.
func (l *sessionList) about(s sessionLine) string {
	if l.purge != nil {
		return fmt.Sprintf("%s and all that was sent for them go, and nothing brings them back", theme.Plural(s.Messages, "message"))
	}
	if l.held != nil {
		return l.held.names()
	}
	parts := []string{"begun " + theme.Since(l.read, s.Created), theme.Plural(s.Messages, "message")}
	if !s.Deleted.IsZero() {
		parts = append(parts, "deleted "+theme.Since(l.read, s.Deleted))
	}
	if s.Parent != "" {
		parts = append(parts, "forked from "+l.titleOf(s.Parent))
	}
	if s.Dir != "" {
		parts = append(parts, s.Dir)
	}
	return strings.Join(append(parts, s.ID[:min(len(s.ID), idShown)]), " · ")
}

// idShown is how much of an id is shown: the moment at which the session was made, which no other one has.
const idShown = 13

// titleOf is the title of a session, as far as the list has it.
func (l *sessionList) titleOf(id string) string {
	for _, s := range l.lines {
		if s.ID == id {
			return s.name()
		}
	}
	return "another session"
}

// labelAt is the column of the labels: cursor and pin stand before them.
const labelAt = 4

// line is a session's line: pin, title and tags; where it is open, model, turns and age at the right.
func (l *sessionList) line(st theme.Styles, i, w int, open string) string {
	s := l.lines[l.shown[i].line]
	margin := []rune("    ")
	if i == l.at {
		margin[1] = '▸'
	}
	if s.Pinned {
		margin[2] = '◆'
	}
	left, right := string(margin)+s.label, l.right(s, open, w)
	line := theme.Spread(left, right+" ", w)
	strokes := []theme.Span{{From: len(string(margin)) + s.tags, To: len(left), Style: st.Dim}}
	if strings.HasSuffix(line, right+" ") {
		strokes = append(strokes, theme.Span{From: len(line) - len(right) - 1, To: len(line), Style: st.Dim})
	}
	found := st.Match
	base := lipgloss.NewStyle()
	if i == l.at {
		base, strokes, found = st.Chosen, nil, st.Chosen.Bold(true).Underline(true)
	}
	return theme.Paint(line, base, append(strokes, theme.HitSpans(s.label, len(string(margin)), theme.SharedPrefix(line, left), hitsIn(s.folded, l.filter.Text), found)...))
}

// The least widths at which a line names the model, has it in a column, and has a long name in it.
const (
	modelFrom   = 36
	columnsFrom = 72
	longFrom    = 90
)

// right is what stands at the end of a session's line: whether it is open, model, turns and age, as far
// as the width allows.
func (l *sessionList) right(s sessionLine, open string, w int) string {
	age, turns := fmt.Sprintf("%6s", theme.Ago(l.read, s.Updated)), theme.Plural(s.Turns, "turn")
	state := ""
	switch {
	case s.ID == open:
		state = "open"
	case s.elsewhere:
		state = "elsewhere"
	}
	if s.Turns == 1 {
		turns += " " // so that the numbers stand in a column
	}
	switch {
	case w >= columnsFrom:
		room := 12
		if w >= longFrom {
			room = 20
		}
		model := markdown.OneLine(s.Model, room)
		model += strings.Repeat(" ", room-theme.Width(model))
		return strings.TrimLeft(fmt.Sprintf("%s  %s %11s %s", state, model, turns, age), " ")
	case w >= modelFrom:
		age = markdown.OneLine(s.Model, 12) + " · " + turns + " · " + age
	case state != "":
		return state
	}
	if state != "" {
		return state + " · " + age
	}
	return age
}
