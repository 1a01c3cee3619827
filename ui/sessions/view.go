package sessions

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// The least heights in lines at which the list has a rule under its filter, a line about the session under its cursor,
// a blank line under the rule, and a preview.
const (
	ruleHeight    = 4
	aboutHeight   = 8
	spaceHeight   = 16
	previewHeight = 24
)

// aboutLines is how many lines tell of the session under the cursor where there is no room for a preview: a rule and
// the facts.
const aboutLines = 2

// layout says where the parts of the list stand.
type layout struct {
	w      int
	margin int // cells that stay free at both sides
	head   int // lines above the rows
	rows   int // lines for rows
	below  int // lines for what is told of the session under the cursor
}

// widest is the most cells of a row: on a wider screen its numbers would stand too far from its title.
const widest = 160

// end is the cell behind the rows and the right margin.
func (o layout) end() int { return min(o.w, widest) }

// text is the column at which titles begin.
func (o layout) text() int { return o.margin + 2 }

// layout divides the size. The list is as high as its rows, and what it leaves is for the preview, which has a third.
func (l *Model) layout() layout {
	o := layout{w: l.W, margin: theme.Gutter(l.W), head: 1}
	switch {
	case l.H >= spaceHeight:
		o.head = 3
	case l.H >= ruleHeight:
		o.head = 2
	}
	body := max(0, l.H-o.head)
	blank := 0
	switch {
	case !l.tells():
	case l.H >= previewHeight:
		o.below, blank = l.H/3, 1
	case l.H >= aboutHeight && !l.Texts.On:
		o.below = aboutLines
	}
	o.rows = max(0, body-o.below-blank)
	if o.below > aboutLines {
		o.rows = min(o.rows, max(1, l.height()))
		o.below = body - blank - o.rows
	}
	return o
}

// tells says that something is told of what is under the cursor.
func (l *Model) tells() bool {
	_, ok := l.Chosen()
	return ok
}

// height is how many lines all rows take.
func (l *Model) height() int {
	if l.Texts.On {
		return len(l.Texts.rows(l.H))
	}
	return len(l.Matches)
}

// View draws the list; the cursor stands at column x of the first line.
func (l *Model) View(st theme.Styles) (lines []string, x int) {
	o := l.layout()
	head, x := l.head(st, o)
	lines = append(lines, head)
	if o.head > 1 {
		lines = append(lines, st.Rule(o.w))
	}
	for len(lines) < o.head {
		lines = append(lines, "")
	}
	var rows []string
	switch empty := l.nothing(); {
	case empty != "":
		rows = theme.IndentedTo(st.Muted, empty, o.text(), max(1, o.w-o.margin))
	case l.Texts.On:
		rows = l.hitRows(st, o)
	default:
		first, end := theme.Around(l.at, len(l.Matches), o.rows)
		for i := first; i < end; i++ {
			rows = append(rows, l.titleRow(st, o, l.Lines[l.Matches[i].Line], i == l.at))
		}
	}
	lines = append(lines, rows[:min(len(rows), max(1, o.rows))]...)
	if o.below == 0 {
		return l.withNote(st, o, lines), x
	}
	for len(lines) < l.H-o.below {
		lines = append(lines, "")
	}
	lines = append(lines, st.Rule(o.w))
	if o.below <= aboutLines {
		return append(lines, o.line(st.Muted.Render(markdown.OneLine(l.facts(), max(1, o.w-2*o.margin))))), x
	}
	return l.withNote(st, o, append(lines, l.previewLines(st, o)...)), x
}

// line is a text behind the margin.
func (o layout) line(text string) string { return strings.Repeat(" ", o.margin) + text }

// withNote puts at the end of the lines what a search does not find yet.
func (l *Model) withNote(st theme.Styles, o layout, lines []string) []string {
	note := l.IndexNote()
	if !l.Texts.On || note == "" || l.H <= ruleHeight {
		return lines
	}
	lines = lines[:min(len(lines), l.H-1)]
	for len(lines) < l.H-1 {
		lines = append(lines, "")
	}
	return append(lines, o.line(st.Cut.Render("! "+markdown.OneLine(note, max(1, o.w-2*o.margin-2)))))
}

// tabsFrom is the least width at which the filter names what it is for at its right end.
const tabsFrom = 60

// head is the line at the top: the filter, what is typed instead of it, or a question.
func (l *Model) head(st theme.Styles, o layout) (line string, x int) {
	name, f, right := "", &l.Filter, ""
	question := func(text string) (string, int) {
		return theme.Fit(o.line(st.Cut.Bold(true).Render(text)), o.w), 0
	}
	switch {
	case l.Purge != nil:
		return question("Delete “" + LineOf(l.secrets, *l.Purge).Name() + "” permanently?")
	case l.Edit != nil && l.Edit.tags:
		name, f = "Tags ", &l.Edit.Field
	case l.Edit != nil:
		name, f = "Title ", &l.Edit.Field
	case o.w >= tabsFrom:
		titles, all := st.Strong.Underline(true), st.Text
		if l.Texts.On {
			titles, all = all, titles
		}
		right = "   " + titles.Render("titles") + "   " + all.Render("all messages")
	}
	lead := o.line(st.Strong.Render(name) + st.Seen.Bold(true).Render("›") + " ")
	width := theme.Width(lead)
	text, x := f.View(max(1, o.w-width-theme.Width(right)-o.margin))
	return theme.Spread(lead+st.Strong.Bold(false).Render(text), right+strings.Repeat(" ", o.margin), o.w),
		min(width+x, max(0, o.w-1))
}

// nothing says why no line is shown, "" where one is.
func (l *Model) nothing() string {
	esc := l.Keys.First(keymap.Back)
	none := "No match for “" + markdown.OneLine(l.Filter.Text(), max(1, l.W-44)) + "”. " + esc + " clears the filter."
	switch {
	case l.Texts.On && len(l.Texts.Hits) > 0:
	case l.Texts.On && strings.TrimSpace(l.Filter.Text()) == "":
		return "Type words from any message. \"Quoted words\" must be adjacent."
	case l.Texts.On && l.Texts.Waiting:
		return "Searching…"
	case l.Texts.On:
		return none
	case len(l.Matches) > 0:
	case l.read.IsZero():
		return "Reading…"
	case len(l.Lines) > 0:
		return none
	case l.shelf == archiveShelf:
		return "Nothing is archived."
	case l.shelf == trashShelf:
		return "The trash is empty."
	default:
		return "No sessions yet. A chat is saved from its first message on."
	}
	return ""
}

// The least widths at which a title's line has its age, the number of turns, the model in a column, and long columns.
const (
	ageFrom   = 30
	turnsFrom = 48
	modelFrom = 72
	longFrom  = 90
)

// titleRow is a session's line: pin, title, state and tags; model, turns and age at the right. The title is the first
// to give way.
func (l *Model) titleRow(st theme.Styles, o layout, s Line, selected bool) string {
	pin := " "
	if s.Pinned {
		pin = st.Pinned.Render("◆")
	}
	right := l.right(st, o, s)
	room := max(1, o.end()-o.text()-theme.Width(right)-o.margin-1)
	word, busy := l.state(s)
	if word != "" {
		state := st.Muted
		if busy {
			state = st.Seen
		}
		word = "   " + state.Render(word)
		if theme.Width(word)+leastTitle > room {
			word = ""
		}
	}
	label := markdown.OneLine(s.Label, max(1, room-theme.Width(word)))
	shared := theme.SharedPrefix(label, s.Label)
	spans := []theme.Span{{From: min(s.tags, shared), To: len(label), Style: st.Muted}}
	if s.tags >= shared {
		spans = nil
	}
	var hits []int
	if !l.Texts.On { // every line that is listed matches the filter
		hits = HitsIn(s.Folded, l.Filter.Text())
	}
	title := theme.Paint(label, st.Strong, append(spans, theme.HitSpans(s.Label, 0, shared, hits, st.Match)...))
	line := strings.Repeat(" ", o.margin) + pin + " " + title + word
	return l.row(st, o, theme.Spread(line, right+strings.Repeat(" ", o.margin), o.end()), selected)
}

// leastTitle is how many cells of a title stay in front of a state.
const leastTitle = 8

// row is a whole line of the list, marked where the cursor is on it.
func (l *Model) row(st theme.Styles, o layout, line string, selected bool) string {
	line = theme.Fit(line, o.w)
	if !selected {
		return line
	}
	rest := strings.TrimPrefix(line, " ") // every line begins with a blank
	return theme.Ground(st.Selected, st.Seen.Render("▌")+rest)
}

// state is what a session's line says of it, and whether an answer arrives in it.
func (l *Model) state(s Line) (word string, busy bool) {
	switch {
	case s.ID == l.Here:
		return "open", false
	case s.Leased:
		return "open in another window", false
	case l.States[s.ID].Word != "":
		return l.States[s.ID].Word, l.States[s.ID].Busy
	case l.Texts.On && !s.Deleted.IsZero():
		return "in the trash", false
	case l.Texts.On && s.Archived:
		return "archived", false
	}
	return "", false
}

// right is what stands at the end of a session's line, as far as the width allows: model, turns and age.
func (l *Model) right(st theme.Styles, o layout, s Line) string {
	at, turns := l.read, theme.Plural(s.Turns, "turn")
	if s.Turns == 1 {
		turns += " " // so that the numbers stand in a column
	}
	// columns are the model, in most cells, and the turns, which end at a cell.
	columns := func(most, end int) string {
		model := markdown.OneLine(s.Model, min(most, end-theme.Width(turns)-1))
		return model + strings.Repeat(" ", max(1, end-theme.Width(model)-theme.Width(turns))) + turns
	}
	var text string
	switch {
	case o.w >= longFrom:
		text = columns(20, 31) + fmt.Sprintf("%15s", when(at, s.Updated))
	case o.w >= modelFrom:
		text = columns(13, 24) + fmt.Sprintf("%11s", when(at, s.Updated))
	case o.w >= turnsFrom:
		text = fmt.Sprintf("%11s%8s", turns, theme.Ago(at, s.Updated))
	case o.w >= ageFrom:
		text = fmt.Sprintf("%6s", theme.Ago(at, s.Updated))
	}
	if text == "" {
		return ""
	}
	return st.Muted.Render(text)
}

// when is how long before a moment something was, in a few words; what was before yesterday has its date.
func when(at, then time.Time) string {
	if at.IsZero() || then.IsZero() {
		return ""
	}
	then = then.In(at.Location())
	days := func(t time.Time) int { return t.Year()*366 + t.YearDay() }
	switch d := at.Sub(then); {
	case d < time.Minute:
		return "now"
	case d < time.Hour, days(then) == days(at):
		return theme.Ago(at, then) + " ago"
	case days(then) == days(at.AddDate(0, 0, -1)):
		return "yesterday"
	case then.Year() == at.Year():
		return then.Format("2 Jan")
	}
	return then.Format("2 Jan 2006")
}

// marked are the parts of a text that a search found, as spans; the text stands at byte at of its line, of which the
// first shown bytes are drawn.
func marked(marks [][2]int, at, shown int, style lipgloss.Style) []theme.Span {
	var spans []theme.Span
	for _, m := range marks {
		if at+m[1] <= shown {
			spans = append(spans, theme.Span{From: at + m[0], To: at + m[1], Style: style})
		}
	}
	return spans
}
