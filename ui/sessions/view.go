package sessions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/list"
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

// Resize gives the list its size in cells.
func (l *Model) Resize(w, h int) {
	l.w, l.h = w, h
	if l.List != nil {
		l.List.Resize(w, l.layout().rows)
	}
}

// layout divides the size. The list is as high as its rows, and what it leaves is for the preview, which has a third.
func (l *Model) layout() layout {
	o := layout{w: l.w, margin: theme.Gutter(l.w), head: 1}
	switch {
	case l.h >= spaceHeight:
		o.head = 3
	case l.h >= ruleHeight:
		o.head = 2
	}
	body := max(0, l.h-o.head)
	o.rows = body
	if _, ok := l.cursor(); !ok {
		return o
	}
	switch {
	case l.h >= previewHeight:
		o.rows = min(body-l.h/3-1, max(1, l.List.Lines()))
		o.below = body - 1 - o.rows
	case l.h >= aboutHeight:
		o.below = aboutLines
		o.rows = max(0, body-o.below)
	}
	return o
}

// Title of the list.
func (l *Model) Title() string {
	return [...]string{"Chats", "Chats › archive", "Chats › trash"}[l.shelf]
}

// Position says how many sessions the list has, how many the filter leaves of them, and how many messages hold it.
func (l *Model) Position() string {
	if l.read.IsZero() {
		return ""
	}
	hits := len(l.search.hits)
	messages, titles := theme.Plural(hits, "message"), theme.Plural(len(l.titles), "chat")
	if hits == mostHits {
		messages = "the best " + messages
	}
	fit := l.List.Shown() - (l.List.Len() - len(l.titles))
	if fit < len(l.titles) {
		titles = theme.Thousands(fit) + " of " + titles
	}
	switch {
	case hits == 0:
		return titles
	case fit == 0:
		return messages
	}
	return titles + " · " + messages
}

// View draws the list; the cursor stands at column x of the first line.
func (l *Model) View() (lines []string, x int) {
	st, o := l.Themes.Styles, l.layout()
	head, x := l.head(st, o)
	lines = append(lines, head)
	if o.head > 1 {
		lines = append(lines, st.Rule(o.w))
	}
	for len(lines) < o.head {
		lines = append(lines, "")
	}
	rows := l.List.Rows(st)
	if why := l.nothing(); why != "" {
		rows = theme.IndentedTo(st.Muted, why, o.text(), max(1, o.w-o.margin))
	}
	lines = append(lines, rows[:min(len(rows), max(1, o.rows))]...)
	if o.below > 0 {
		for len(lines) < l.h-o.below {
			lines = append(lines, "")
		}
		lines = append(lines, st.Rule(o.w))
	}
	switch {
	case o.below > aboutLines:
		lines = append(lines, l.previewLines(st, o)...)
	case o.below > 0:
		lines = append(lines, o.line(st.Muted.Render(markdown.OneLine(l.facts(), max(1, o.w-2*o.margin)))))
	}
	if note := l.indexNote(); note != "" && l.h > ruleHeight {
		for lines = lines[:min(len(lines), l.h-1)]; len(lines) < l.h-1; {
			lines = append(lines, "")
		}
		lines = append(lines, o.line(st.Cut.Render("! "+markdown.OneLine(note, max(1, o.w-2*o.margin-2)))))
	}
	return lines, x
}

// indexNote says what a search does not find yet, "" where it finds everything or nothing is looked for.
func (l *Model) indexNote() string {
	switch n := l.Screen.Unindexed(); {
	case n == 0 || l.List.Filter.Text() == "":
		return ""
	case n == 1:
		return "one message is not in the search index yet"
	default:
		return theme.Thousands(int(n)) + " messages are not in the search index yet"
	}
}

// line is a text behind the margin.
func (o layout) line(text string) string { return strings.Repeat(" ", o.margin) + text }

// head is the line at the top: the filter, what is typed instead of it, or a question.
func (l *Model) head(st theme.Styles, o layout) (line string, x int) {
	name, f := "", &l.List.Filter
	switch {
	case l.purge != nil:
		question := "Delete “" + l.purge.Name() + "” permanently?"
		return theme.Fit(o.line(st.Cut.Bold(true).Render(question)), o.w), 0
	case l.edit != nil && l.edit.tags:
		name, f = "Tags ", &l.edit.Field
	case l.edit != nil:
		name, f = "Title ", &l.edit.Field
	}
	lead := o.line(st.Strong.Render(name) + st.Seen.Bold(true).Render("›") + " ")
	room := max(1, o.w-theme.Width(lead)-o.margin)
	text, x := f.View(room)
	text = st.Strong.Bold(false).Render(text)
	if l.edit == nil && f.Text() == "" { // The cursor stands in front of the words.
		text = "  " + st.Muted.Render(markdown.OneLine("Find a title, a tag, or words of any message", max(1, room-2)))
	}
	return theme.Fit(lead+text, o.w), min(theme.Width(lead)+x, max(0, o.w-1))
}

// nothing says why no line is shown, "" where one is.
func (l *Model) nothing() string {
	switch filter := l.List.Filter.Text(); {
	case l.List.Shown() > 0:
		return ""
	case l.read.IsZero():
		return "Reading…"
	case l.search.waiting:
		return "Searching…"
	case filter != "":
		return "No match for “" + markdown.OneLine(filter, max(1, l.w-44)) + "”. " + l.Keys.First(keymap.Back) +
			" clears the filter."
	case l.shelf == archiveShelf:
		return "Nothing is archived."
	case l.shelf == trashShelf:
		return "The trash is empty."
	}
	return "No chats yet. A chat is saved from its first message on."
}

// row draws an entry of the list.
func (l *Model) row(st theme.Styles, item list.Item, hits []int, selected bool) string {
	o, e := l.layout(), l.entries[item.Value]
	var line string
	switch {
	case e.hit != nil:
		line = l.hit(st, o, *e.hit)
	case e.rest > 0:
		line = strings.Repeat(" ", o.columns(l.search.hits).text) +
			st.Muted.Render(theme.Thousands(e.rest)+" more in this chat")
	default:
		line = l.titleLine(st, o, e.Line, hits, false)
	}
	line = theme.Fit(line, o.w)
	if !selected {
		return line
	}
	// Every line begins with a blank.
	return theme.Ground(st.Selected, st.Seen.Render("▌")+strings.TrimPrefix(line, " "))
}

// heading is the title of the session in whose messages something was found.
func (l *Model) heading(st theme.Styles, id string) string {
	for _, h := range l.search.hits {
		if h.Session.ID == id {
			o := l.layout()
			return theme.Fit(l.titleLine(st, o, LineOf(l.Secrets, h.Session), nil, true), o.w)
		}
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

// titleLine is a session's line: pin, title, state and tags; model, turns and age at the right. The title is the first
// to give way. Above messages that were found in it, it says on which shelf it is.
func (l *Model) titleLine(st theme.Styles, o layout, s Line, hits []int, above bool) string {
	pin := " "
	if s.Pinned {
		pin = st.Pinned.Render("◆")
	}
	right := l.right(st, o, s)
	room := max(1, o.end()-o.text()-theme.Width(right)-o.margin-1)
	word, busy := l.state(s, above)
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
	title := theme.Paint(label, st.Strong, append(spans, theme.HitSpans(s.Label, 0, shared, hits, st.Match)...))
	line := strings.Repeat(" ", o.margin) + pin + " " + title + word
	return theme.Spread(line, right+strings.Repeat(" ", o.margin), o.end())
}

// leastTitle is how many cells of a title stay in front of a state.
const leastTitle = 8

// state is what a session's line says of it, and whether an answer arrives in it.
func (l *Model) state(s Line, above bool) (word string, busy bool) {
	word, busy = l.Screen.State(s.ID)
	switch {
	case s.ID == l.Info.ID:
		return "open", false
	case slices.Contains(l.leased, s.ID):
		return "open in another window", false
	case word != "":
		return word, busy
	case above && !s.Deleted.IsZero():
		return "in the trash", false
	case above && s.Archived:
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

// hitColumns are the columns of a hit's line: its number ends before number, who said it begins at who, its sign stands
// at sign and its text begins at text.
type hitColumns struct{ number, who, sign, text int }

// whoFrom is the least width at which a hit's line says who said it.
const whoFrom = 40

// columns are the columns of the hits.
func (o layout) columns(hits []store.Hit) hitColumns {
	c := hitColumns{number: o.text() + 4}
	if o.w < longFrom {
		c.number = o.margin + 4
	}
	c.who, c.sign = c.number+2, c.number+1
	if o.w >= whoFrom {
		for _, h := range hits {
			c.sign = max(c.sign, c.who+theme.Width(speaker(h))+2)
		}
	}
	c.text = c.sign + 2
	return c
}

// hit draws one hit: the number of the message, who said it, the sign of what became of it, and what was found.
func (l *Model) hit(st theme.Styles, o layout, found store.Hit) string {
	h, _ := found.Without(l.Secrets.In, theme.Redacted)
	c, place, number := o.columns(l.search.hits), l.search.places[h.Message], ""
	if place.Number > 0 {
		number = fmt.Sprint(place.Number)
	}
	line := strings.Repeat(" ", max(1, c.number-len(number))) + st.Muted.Render(number)
	to := func(column int) { line += strings.Repeat(" ", max(0, column-theme.Width(line))) }
	if c.sign > c.who {
		to(c.who)
		who := st.Text
		if h.Role == history.User {
			who = st.You
		}
		line += who.Render(speaker(h))
	}
	to(c.sign)
	line += sign(st, place.Last)
	to(c.text)
	room := max(1, o.end()-o.margin-c.text)
	text, gone := fromHit(h, room)
	short := markdown.OneLine(text, room)
	return line + theme.Paint(short, st.Text, marked(h.Marks, gone, gone+theme.SharedPrefix(short, text), st.Found))
}

// speaker is who said a message, in the few cells of a column.
func speaker(h store.Hit) string {
	if h.Model == "" {
		return theme.Speaker(h.Role)
	}
	return theme.ShortSpeaker(h.Role, h.Model)
}

// sign is the sign of what the last request did with a message, a blank where there was none.
func sign(st theme.Styles, e *history.Entry) string {
	if e == nil {
		return " "
	}
	g := theme.Glyph(*e)
	return st.OfGlyph(g).Render(g)
}

// leadIn is how many cells may always stand before what was found where the line is too short for all of it.
const leadIn = 6

// fromHit is a hit's snippet without so much of its beginning that what was found first is within w cells, and how many
// bytes shorter it is. A third of the line is left for what stands before that, from a word on.
func fromHit(h store.Hit, w int) (text string, gone int) {
	if len(h.Marks) == 0 || theme.Width(h.Snippet[:h.Marks[0][1]]) <= w {
		return h.Snippet, 0
	}
	first, from := h.Marks[0][0], 0
	for from < first && theme.Width(h.Snippet[from:first]) > max(leadIn, w/3) {
		from += theme.ClusterLen(h.Snippet[from:])
	}
	from = min(from, first)
	if space := strings.IndexByte(h.Snippet[from:first], ' '); space >= 0 {
		from += space
	}
	return "…" + h.Snippet[from:], from - len("…")
}

// marked are the spans of what a search found between two bytes of a text, counted from the first of them.
func marked(marks [][2]int, from, to int, style lipgloss.Style) []theme.Span {
	var spans []theme.Span
	for _, m := range marks {
		if a, b := max(from, m[0]), min(to, m[1]); a < b {
			spans = append(spans, theme.Span{From: a - from, To: b - from, Style: style})
		}
	}
	return spans
}
