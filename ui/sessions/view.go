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

// roomy is the least height in lines at which the list has a rule and a blank line under its filter, and a preview.
const roomy = 16

// layout says where the parts of the list stand.
type layout struct {
	w      int
	margin int // cells that stay free at both sides
	head   int // lines above the rows
	rows   int // lines for rows
	below  int // lines for the preview, below a rule
}

// widest is the most cells of a row: on a wider screen its numbers would stand too far from its title.
const widest = 160

// end is the cell behind the rows and the right margin.
func (o layout) end() int { return min(o.w, widest) }

// text is the column at which titles begin.
func (o layout) text() int { return o.margin + 2 }

// textWidth is how many cells a text has from there.
func (o layout) textWidth() int { return max(1, o.end()-o.text()-o.margin) }

// indent is the margin, and so many cells more.
func (o layout) indent(more int) string { return strings.Repeat(" ", o.margin+more) }

// Resize gives the list its size in cells.
func (l *Model) Resize(w, h int) {
	l.w, l.h = w, h
	if l.List != nil {
		l.List.Resize(w, l.layout().rows)
	}
}

// layout divides the size. The list is as high as its rows, and what it leaves is for the preview, which has a third.
func (l *Model) layout() layout {
	o := layout{w: l.w, margin: theme.Gutter(l.w), head: 1, rows: max(0, l.h-1)}
	if l.h < roomy {
		return o
	}
	o.head, o.rows = 3, l.h-3
	if _, ok := l.cursor(); ok {
		o.rows = min(o.rows-l.h/3-1, max(1, l.List.Lines()))
		o.below = l.h - o.head - o.rows - 2
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
	hits := len(l.found.Hits)
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
		lines = append(lines, st.Rule(o.w), "")
	}
	rows := l.List.Rows(st)
	if why := l.nothing(); why != "" {
		rows = theme.IndentedTo(st.Muted, why, o.text(), max(1, o.w-o.margin))
	}
	lines = append(lines, rows[:min(len(rows), max(1, o.rows))]...)
	if o.below > 0 {
		lines = append(cutTo(lines, l.h-o.below-1), st.Rule(o.w))
		lines = append(lines, l.previewLines(st, o, o.below)...)
	}
	if note := l.indexNote(); note != "" && l.h > 1 {
		note = st.Cut.Render("! " + markdown.OneLine(note, o.textWidth()))
		lines = append(cutTo(lines, l.h-1), o.indent(0)+note)
	}
	return lines, x
}

// cutTo is so many lines, of which those that are missing are blank.
func cutTo(lines []string, n int) []string { return append(lines, make([]string, n)...)[:n] }

// indexNote says what a search does not find yet, "" where it finds everything or nothing is looked for.
func (l *Model) indexNote() string {
	n := l.Screen.Unindexed()
	if n == 0 || l.List.Filter.Text() == "" {
		return ""
	}
	return theme.PluralOf(int(n), "message is", "messages are") + " not in the search index yet"
}

// head is the line at the top: the filter, what is typed instead of it, or a question.
func (l *Model) head(st theme.Styles, o layout) (line string, x int) {
	name, f := "", &l.List.Filter
	switch {
	case l.purge != nil:
		question := "Delete “" + l.purge.Name() + "” permanently?"
		return theme.Fit(o.indent(0)+st.Cut.Bold(true).Render(question), o.w), 0
	case l.edit != nil:
		name, f = theme.UpperFirst(l.edit.what)+" ", &l.edit.Field
	}
	lead := o.indent(0) + st.Strong.Render(name) + st.Seen.Bold(true).Render("›") + " "
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
	case l.waiting:
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

// row draws a line of the list.
func (l *Model) row(st theme.Styles, item list.Item, hits []int, selected bool) string {
	o, s := l.layout(), l.lines[item.Value]
	line := l.titleLine(st, o, s, hits)
	if s.hit != nil {
		line = l.hit(st, o, *s.hit)
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
	for _, s := range l.lines {
		if s.hit != nil && s.ID == id {
			o := l.layout()
			return theme.Fit(l.titleLine(st, o, s, nil), o.w)
		}
	}
	return ""
}

// titleLine is a session's line: pin, title, state and tags; model, turns and age at the right. The title is the first
// to give way. Above messages that were found in it, it says on which shelf it is.
func (l *Model) titleLine(st theme.Styles, o layout, s Line, hits []int) string {
	pin := " "
	if s.Pinned {
		pin = st.Pinned.Render("◆")
	}
	right, word, style := st.Muted.Render(l.right(o, s)), l.shelfOf(s), st.Muted
	if state, busy := l.state(s); state != "" {
		word = "   " + state
		if busy {
			style = st.Seen
		}
	}
	label := markdown.OneLine(s.Label, max(1, o.textWidth()-theme.Width(right)-theme.Width(word)-1))
	shared := len(strings.TrimSuffix(label, "…"))
	spans := theme.HitSpans(hits, shared, st.Match)
	if s.tags < shared {
		spans = append([]theme.Span{{From: s.tags, To: len(label), Style: st.Muted}}, spans...)
	}
	line := o.indent(0) + pin + " " + theme.Paint(label, st.Strong, spans) + style.Render(word)
	return theme.Spread(line, right+o.indent(0), o.end())
}

// state is what a session's line says of it, and whether an answer arrives in it.
func (l *Model) state(s Line) (word string, busy bool) {
	switch {
	case s.ID == l.Info.ID:
		return "open", false
	case slices.Contains(l.leased, s.ID):
		return "open in another window", false
	}
	return l.Screen.State(s.ID)
}

// shelfOf says which shelf a session is on, where a message of another one than the shown was found.
func (l *Model) shelfOf(s Line) string {
	switch {
	case s.hit != nil && !s.Deleted.IsZero():
		return "   in the trash"
	case s.hit != nil && s.Archived:
		return "   archived"
	}
	return ""
}

// columnsFrom is the least width at which a session's line has its model and its turns.
const columnsFrom = 80

// right is what stands at the end of a session's line: model, turns and age. A narrow line has the age alone.
func (l *Model) right(o layout, s Line) string {
	if o.w < columnsFrom {
		return fmt.Sprintf("%6s", theme.Ago(l.read, s.Updated))
	}
	model := 20
	if o.w < theme.NarrowScreen {
		model = 13
	}
	name := theme.Fit(markdown.OneLine(s.Model, model), model)
	return name + fmt.Sprintf("%11s%13s", theme.Plural(s.Turns, "turn"), when(l.read, s.Updated))
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

// hit draws one hit: the number of the message, who said it, the sign of what became of it, and what was found.
func (l *Model) hit(st theme.Styles, o layout, found store.Hit) string {
	h, _ := found.Without(l.Secrets.In, theme.Redacted)
	place, who, name := l.found.Places[h.Message], st.Text, theme.Speaker(h.Role)
	if h.Role == history.User {
		who = st.You
	}
	if h.Model != "" {
		name = theme.ShortSpeaker(h.Role, h.Model)
	}
	line := " " + st.Muted.Render(fmt.Sprintf("%6s  ", strings.TrimPrefix(fmt.Sprint(place.Number), "0")))
	line += who.Render(theme.Fit(name, theme.MostName)) + " " + sign(st, place.Last) + " "
	room := max(1, o.end()-o.margin-theme.Width(line))
	text, gone := fromHit(h, room)
	short := markdown.OneLine(text, room)
	return line + theme.Paint(short, st.Text, marked(h.Marks, gone, gone+len(strings.TrimSuffix(short, "…")), st.Found))
}

// sign is the sign of what the last request did with a message, a blank where there was none.
func sign(st theme.Styles, e *history.Entry) string {
	if e == nil {
		return " "
	}
	g := theme.Glyph(*e)
	return st.OfGlyph(g).Render(g)
}

// fromHit is a hit's snippet without so much of its beginning that what was found first is within w cells, and how many
// bytes shorter it is. About a third of the line is left for the words before that.
func fromHit(h store.Hit, w int) (text string, gone int) {
	if len(h.Marks) == 0 || theme.Width(h.Snippet[:h.Marks[0][1]]) <= w {
		return h.Snippet, 0
	}
	first := h.Marks[0][0]
	from := first
	for space := first; space >= 0 && theme.Width(h.Snippet[space:first]) <= w/3; {
		from = space
		space = strings.LastIndexByte(h.Snippet[:space], ' ')
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
