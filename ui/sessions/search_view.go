package sessions

import (
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// hitRow is one line of what a search found.
type hitRow struct {
	at    int // the stop that it is, -1 for a session's title or a blank line
	stop  stop
	title bool
}

// rows are all lines of what was found, in a list of a height: a blank line stands between sessions where there is
// room.
func (x *Search) rows(h int) []hitRow {
	var rows []hitRow
	last := -1
	for i, s := range x.stops(x.groups()) {
		if s.group != last {
			if last >= 0 && h >= spaceHeight {
				rows = append(rows, hitRow{at: -1})
			}
			last = s.group
			rows = append(rows, hitRow{at: -1, stop: s, title: true})
		}
		rows = append(rows, hitRow{at: i, stop: s})
	}
	return rows
}

// onScreen are all lines of what was found, and which of them are drawn: the cursor's, with the title of its session
// where there is room.
func (x *Search) onScreen(o layout, h int) (rows []hitRow, first, end int) {
	rows = x.rows(h)
	cursor, title := 0, 0
	for i, r := range rows {
		if r.title {
			title = i
		}
		if r.at == x.At {
			cursor = i
			break
		}
	}
	first, end = theme.Around(cursor, len(rows), o.rows)
	if first > title && cursor-title < o.rows {
		first, end = title, min(len(rows), title+o.rows)
	}
	return rows, first, end
}

// hitRows draws what was found.
func (l *Model) hitRows(st theme.Styles, o layout) []string {
	x := &l.Texts
	rows, first, end := x.onScreen(o, l.H)
	groups := x.groups()
	c := l.columns(o)
	var lines []string
	for _, r := range rows[first:end] {
		switch {
		case r.title:
			lines = append(lines, l.titleRow(st, o, l.lineOf(groups[r.stop.group].session), false))
		case r.at < 0:
			lines = append(lines, "")
		case r.stop.hit < 0:
			more := strings.Repeat(" ", c.text) + st.Muted.Render(theme.Thousands(r.stop.rest)+" more in this session")
			lines = append(lines, l.row(st, o, more, r.at == x.At))
		default:
			lines = append(lines, l.row(st, o, l.hit(st, o, c, x.Hits[r.stop.hit]), r.at == x.At))
		}
	}
	return lines
}

// hitColumns are the columns of a hit's line: its number ends before number, who said it begins at who, which is less
// than 0 for no column, its sign stands at glyph and its text begins at text.
type hitColumns struct{ number, who, glyph, text int }

// whoFrom is the least width at which a hit's line says who said it.
const whoFrom = 40

// columns are the columns of the hits.
func (l *Model) columns(o layout) hitColumns {
	c := hitColumns{number: o.text() + 4}
	if o.w < longFrom {
		c.number = o.margin + 4
	}
	if o.w < whoFrom {
		c.who, c.glyph = -1, c.number+1
		c.text = c.glyph + 2
		return c
	}
	wide := 3
	for _, h := range l.Texts.Hits {
		wide = max(wide, theme.Width(speaker(h)))
	}
	c.who = c.number + 2
	c.glyph = c.who + wide + 2
	c.text = c.glyph + 2
	return c
}

// hit draws one hit: the number of the message, who said it, the sign of what became of it, and what was found.
func (l *Model) hit(st theme.Styles, o layout, c hitColumns, found store.Hit) string {
	h, _ := found.Without(l.secrets.In, theme.Redacted)
	place := l.Texts.places[h.Message]
	number := ""
	if place.Number > 0 {
		number = fmt.Sprint(place.Number)
	}
	line := strings.Repeat(" ", max(1, c.number-len(number))) + st.Muted.Render(number)
	to := func(column int) { line += strings.Repeat(" ", max(0, column-theme.Width(line))) }
	if c.who >= 0 {
		to(c.who)
		who := st.Text
		if h.Role == history.User {
			who = st.You
		}
		line += who.Render(speaker(h))
	}
	to(c.glyph)
	line += sign(st, place.Last)
	to(c.text)
	room := max(1, o.end()-o.margin-c.text)
	text, gone := fromHit(h, room)
	short := markdown.OneLine(text, room)
	marks := make([][2]int, len(h.Marks))
	for i, m := range h.Marks {
		marks[i] = [2]int{m[0] - gone, m[1] - gone}
	}
	return line + theme.Paint(short, st.Text, marked(marks, 0, theme.SharedPrefix(short, text), st.Found))
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

// fromHit is a hit's snippet without so much of its beginning that what was found first is within w cells,
// and how many bytes shorter it is. A third of the line is left for what stands before that, from a word on.
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

// speaker is who said a message, in the few cells of a column.
func speaker(h store.Hit) string {
	if h.Model == "" {
		return theme.Speaker(h.Role)
	}
	return theme.ShortSpeaker(h.Role, h.Model)
}
