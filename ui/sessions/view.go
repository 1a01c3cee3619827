package sessions

import (
	"fmt"
	"os"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// aboutLines is how many lines tell of the session under the cursor, with the rule above them.
const detailLines = 2

// roomyList is the least height of a list that tells of the session under its cursor.
const roomyList = 8

// View draws the list; the cursor stands at column x of the first line.
func (l *Model) View(st theme.Styles) (lines []string, x int) {
	w, h, open := l.W, l.H, l.Here
	head, x := l.head(st, w)
	lines = append(lines, head)
	if l.Texts.On {
		return append(lines, l.Texts.view(st, l.secrets, w, max(0, h-1), l.Filter.Text, l.IndexNote())...), x
	}
	var about []string
	if s, ok := l.Chosen(); (ok || l.held != nil) && h >= roomyList {
		about = []string{st.Rule(w), " " + st.Muted.Render(markdown.OneLine(l.about(s), w-2))}
	}
	first, end := l.onScreen(h)
	for i := first; i < end; i++ {
		lines = append(lines, l.line(st, i, w, open))
	}
	if len(l.Matches) == 0 {
		lines = append(lines, theme.IndentedTo(st.Muted, l.nothing(), labelAt, w)...)
	}
	for len(lines) < h-len(about) {
		lines = append(lines, "")
	}
	return append(lines[:min(len(lines), max(1, h-len(about)))], about...), x
}

// onScreen is the part of the list that is drawn in a height.
func (l *Model) onScreen(h int) (first, end int) {
	if h >= roomyList {
		h -= detailLines
	}
	return theme.Around(l.at, len(l.Matches), max(0, h-1))
}

// head is the line at the top: the filter, what is typed instead of it, or a question.
func (l *Model) head(st theme.Styles, w int) (line string, x int) {
	name, f := " ›  ", &l.Filter
	switch {
	case l.Texts.On:
		name = " text › "
	case l.Purge != nil:
		return st.Cut.Render(theme.Fit(" Purge "+LineOf(l.secrets, *l.Purge).Name()+" for good?", w)), 0
	case l.held != nil:
		return st.Cut.Render(theme.Fit(" "+l.held.question(), w)), 0
	case l.Edit != nil && l.Edit.tags:
		name, f = " tags › ", &l.Edit.Field
	case l.Edit != nil:
		name, f = " title › ", &l.Edit.Field
	}
	text, x := f.View(max(1, w-theme.Width(name)))
	return st.Strong.Render(name) + text, min(theme.Width(name)+x, max(0, w-1))
}

// nothing says why no line is shown.
func (l *Model) nothing() string {
	switch {
	case l.read.IsZero():
		return "reading …"
	case len(l.Lines) > 0:
		return "nothing matches " + l.Filter.Text
	case l.shelf == archiveShelf:
		return "nothing is archived"
	case l.shelf == trashShelf:
		return "the trash is empty"
	}
	return "nothing here yet: a chat is kept from its first message on"
}

// about tells what the line of a session has no room for.
func (l *Model) about(s Line) string {
	if l.Purge != nil {
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
		parts = append(parts, shortened(s.Dir))
	}
	return strings.Join(append(parts, s.ID[:min(len(s.ID), idShown)]), " · ")
}

// shortened is a folder with ~ in the place of the home folder.
func shortened(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return dir
	}
	if below, ok := strings.CutPrefix(dir, home); ok && (below == "" || os.IsPathSeparator(below[0])) {
		return "~" + below
	}
	return dir
}

// idShown is how much of an id is shown: the moment at which the session was made, which no other one has.
const idShown = 13

// titleOf is the title of a session, as far as the list has it.
func (l *Model) titleOf(id string) string {
	for _, s := range l.Lines {
		if s.ID == id {
			return s.Name()
		}
	}
	return "another session"
}

// labelAt is the column of the labels: cursor and pin stand before them.
const labelAt = 4

// line is a session's line: pin, title and tags; where it is open, model, turns and age at the right.
func (l *Model) line(st theme.Styles, i, w int, open string) string {
	s := l.Lines[l.Matches[i].Line]
	margin := []rune("    ")
	if i == l.at {
		margin[1] = '▸'
	}
	if s.Pinned {
		margin[2] = '◆'
	}
	left, right := string(margin)+s.Label, l.right(s, open, w)
	line := theme.Spread(left, right+" ", w)
	spans := []theme.Span{{From: len(string(margin)) + s.tags, To: len(left), Style: st.Muted}}
	if strings.HasSuffix(line, right+" ") {
		spans = append(spans, theme.Span{From: len(line) - len(right) - 1, To: len(line), Style: st.Muted})
	}
	found := st.Match
	base := lipgloss.NewStyle()
	if i == l.at {
		base, spans, found = st.Selected, nil, st.Selected.Bold(true).Underline(true)
	}
	return theme.Paint(line, base, append(spans, theme.HitSpans(s.Label, len(string(margin)), theme.SharedPrefix(line, left), HitsIn(s.Folded, l.Filter.Text), found)...))
}

// The least widths at which a line names the model, has it in a column, and has a long name in it.
const (
	modelFrom   = 36
	columnsFrom = 72
	longFrom    = 90
)

// right is what stands at the end of a session's line: whether it is open, model, turns and age, as far
// as the width allows.
func (l *Model) right(s Line, open string, w int) string {
	age, turns := fmt.Sprintf("%6s", theme.Ago(l.read, s.Updated)), theme.Plural(s.Turns, "turn")
	state := ""
	switch {
	case s.ID == open:
		state = "open"
	case s.Leased:
		state = "other window"
	default:
		state = l.States[s.ID].Word
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
