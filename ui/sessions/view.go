package sessions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// roomyHeight is the minimum height in lines for a rule and a blank line below the filter, and for a preview.
const roomyHeight = 16

const (
	// maxRow is the maximum width of a row in cells, so that its numbers stay near its title.
	maxRow = 160
	// maxProse is the maximum width of a line of the preview in cells.
	maxProse = 92
)

// layout divides the list's area.
type layout struct {
	margin string // blank cells at both sides
	end    int    // width of a row, margins included
	text   int    // width of a text, which begins two cells after the margin
	head   int    // lines above the rows
	rows   int    // lines for the rows
	below  int    // lines for the preview, without the rule above it
}

// Resize sets the size in cells.
func (l *Model) Resize(w, h int) {
	l.w, l.h = w, h
	if l.List != nil {
		o := l.layout()
		l.List.HeadLines = o.head
		l.List.Resize(w, o.head+o.rows)
	}
}

// layout divides the size: the list is as high as its rows, and the preview gets the rest, at least a third.
func (l *Model) layout() layout {
	gutter, end := theme.Gutter(l.w), min(l.w, maxRow)
	o := layout{strings.Repeat(" ", gutter), end, max(1, end-2*gutter-2), 1, max(0, l.h-1), 0}
	if l.h < roomyHeight {
		return o
	}
	o.head, o.rows = 3, l.h-3
	if _, ok := l.cursor(); ok {
		o.rows = min(o.rows-l.h/3-1, max(1, l.List.LineCount()))
		o.below = l.h - o.head - o.rows - 2
	}
	return o
}

// Title is the title of the shelf.
func (l *Model) Title() string { return shelves[l.shelf].title }

// Position says how many chats and messages the filter finds.
func (l *Model) Position() string {
	if l.listing.ReadAt.IsZero() {
		return ""
	}
	hits := len(l.found.Hits)
	fit := l.List.ShownCount() - (l.List.Len() - len(l.listing.Sessions)) // without the found messages
	chats, messages := theme.Plural(fit, "chat"), theme.Plural(hits, "message")
	if hits == maxHits {
		messages = "the best " + messages
	}
	switch {
	case hits == 0:
		return chats
	case fit == 0:
		return messages
	}
	return chats + " · " + messages
}

// View draws the list. The cursor is at column x of the first line.
func (l *Model) View() (lines []string, x int) {
	st, o := l.Themes.Styles, l.layout()
	head, x := l.head(st, o)
	lines = []string{head, st.Rule(l.w), ""}[:o.head]
	rows := l.List.ViewRows()
	if why := l.nothing(); why != "" {
		rows = theme.WrapIndented(st.Muted, why, len(o.margin)+2, l.w-len(o.margin))
	}
	lines = append(lines, rows[:min(len(rows), max(1, o.rows))]...)
	if o.below > 0 {
		rule := l.h - o.below - 1
		lines = append(append(lines, make([]string, rule)...)[:rule], st.Rule(l.w))
		lines = append(lines, l.previewLines(o)...)
	}
	return lines, x
}

// head draws the first line: the filter or the text field.
func (l *Model) head(st theme.Styles, o layout) (line string, x int) {
	name, f := "", &l.List.Filter
	if l.edit != nil {
		name, f = markdown.OneLine(l.edit.asks, max(1, l.w-len("  yes  ›  ")))+" ", &l.edit.Field
	}
	lead := o.margin + st.Strong.Render(name) + st.Seen.Bold(true).Render("›") + " "
	room := max(1, l.w-theme.Width(lead)-len(o.margin))
	text, x := f.View(room)
	text = st.Strong.Bold(false).Render(text)
	if l.edit == nil && f.Text() == "" { // The cursor is before the placeholder.
		text = "  " + st.Muted.Render(markdown.OneLine("Find a title, a tag, or words of any message", max(1, room-2)))
	}
	return theme.Fit(lead+text, l.w), min(theme.Width(lead)+x, max(0, l.w-1))
}

// nothing says why the list is empty, "" if it is not.
func (l *Model) nothing() string {
	switch filter := l.List.Filter.Text(); {
	case l.List.ShownCount() > 0:
		return ""
	case l.listing.ReadAt.IsZero():
		return "Reading…"
	case l.waiting():
		return "Searching…"
	case filter != "":
		return "No match for “" + markdown.OneLine(filter, max(1, l.w-44)) + "”. " + l.Keys.First(keymap.Back) +
			" clears the filter."
	}
	return shelves[l.shelf].empty
}

// row draws a line of the list. Above the messages found in a chat it draws the chat's title.
func (l *Model) row(item list.Item, hits [][2]int, selected bool) string {
	st := l.Themes.Styles
	s := l.lines[cmp.Or(item.Value, item.Group)]
	if s.ID == "" {
		return ""
	}
	line := l.titleLine(st, s, hits, item.Value == "")
	if s.hit != nil {
		line = l.hitLine(st, *s.hit)
	}
	if !selected {
		return line
	}
	// Every line begins with a blank.
	return theme.WithBackground(st.Selected, st.Seen.Render("▌")+strings.TrimPrefix(line, " "))
}

// titleLine draws a chat: pin, title, status and tags, and on the right its model, turns and age. A long title is cut
// first.
func (l *Model) titleLine(st theme.Styles, s line, hits [][2]int, above bool) string {
	pin, style, o := " ", st.Muted, l.layout()
	if s.Pinned {
		pin = st.Pinned.Render("◆")
	}
	state, busy := l.state(s, above)
	if state != "" {
		state = "   " + state
	}
	if busy {
		style = st.Seen
	}
	right := st.Muted.Render(l.right(s.Session)) + o.margin
	label := markdown.OneLine(s.label, max(1, o.text-theme.Width(right+state)-1+len(o.margin)))
	tags := theme.StyledSpan{From: s.tags, To: len(label), Style: st.Muted}
	spans := append([]theme.StyledSpan{tags}, theme.MarkSpans(hits, 0, st.FilterMatch)...)
	left := o.margin + pin + " " + theme.Paint(label, st.Strong, spans) + style.Render(state)
	return theme.Fit(theme.Spread(left, right, o.end), l.w)
}

// state returns the status of a chat, and whether an answer is arriving in it. Above found messages it names the shelf
// too.
func (l *Model) state(s line, above bool) (word string, busy bool) {
	word, busy = l.Hooks.StatusOf(s.ID)
	switch {
	case s.ID == l.Info.ID:
		return "open", false
	case slices.Contains(l.listing.Leased, s.ID):
		return "open in another window", false
	case word != "" || !above:
	case !s.Deleted.IsZero():
		word = "in the trash"
	case s.Archived:
		word = "archived"
	}
	return word, busy
}

// columnsFrom is the minimum width in cells for the model and the turns of a chat.
const columnsFrom = 80

// right returns the columns on the right of a chat: model, turns and age; on a narrow screen only the age.
func (l *Model) right(s store.Session) string {
	age, model := age(l.listing.ReadAt, s.Updated), 20
	switch {
	case l.w < columnsFrom:
		return fmt.Sprintf("%6s", strings.TrimSuffix(age, " ago"))
	case l.w < theme.NarrowScreen:
		model = 13
	}
	name := theme.Fit(markdown.OneLine(s.Model, model), model)
	return name + fmt.Sprintf("%11s%13s", theme.Plural(s.Turns, "turn"), age)
}

// age says how long before at something happened; before yesterday it is a date.
func age(at, then time.Time) string {
	if at.IsZero() || then.IsZero() {
		return ""
	}
	then = then.In(at.Location())
	day, before := then.Format(time.DateOnly), at.Sub(then)
	switch {
	case before < time.Minute:
		return "now"
	case before < time.Hour:
		return fmt.Sprintf("%d min ago", int(before.Minutes()))
	case day == at.Format(time.DateOnly):
		return fmt.Sprintf("%d h ago", int(before.Hours()))
	case day == at.AddDate(0, 0, -1).Format(time.DateOnly):
		return "yesterday"
	case then.Year() == at.Year():
		return then.Format("2 Jan")
	}
	return then.Format("2 Jan 2006")
}

// hitLine draws a found message: its number, its speaker, the glyph of its last verdict, and the snippet.
func (l *Model) hitLine(st theme.Styles, h store.SearchHit) string {
	place, who, o := l.found.Places[h.Message], st.Text, l.layout()
	name := theme.Fit(theme.ShortSpeaker(h.Role, h.Model), theme.SpeakerCells)
	if h.Role == history.User {
		who = st.You
	}
	line := " " + st.Muted.Render(fmt.Sprintf("%6s  ", strings.TrimPrefix(fmt.Sprint(place.Number), "0")))
	line += who.Render(name) + " " + sign(st, place.LastVerdict) + " "
	room := max(1, o.end-len(o.margin)-theme.Width(line))
	text, gone := hitText(h, room)
	spans := theme.MarkSpans(h.Marks, gone, st.SearchMatch)
	return theme.Fit(line+theme.Paint(markdown.OneLine(text, room), st.Text, spans), l.w)
}

// sign draws the glyph of the last verdict on a message, a space if there is none.
func sign(st theme.Styles, e *history.Entry) string {
	if e == nil {
		return " "
	}
	g := theme.Glyph(*e)
	return st.GlyphStyle(g).Render(g)
}

// hitText cuts the beginning of a snippet so that its first match is within w cells, with about a third of the line
// before it. Gone is the number of bytes cut.
func hitText(h store.SearchHit, w int) (text string, gone int) {
	if len(h.Marks) == 0 || theme.Width(h.Snippet[:h.Marks[0][1]]) <= w {
		return h.Snippet, 0
	}
	first := h.Marks[0][0]
	from := max(0, first-w/3)
	from += strings.IndexByte(h.Snippet[from:first]+" ", ' ')
	return "…" + h.Snippet[from:], from - len("…")
}

// previewLines draws the preview.
func (l *Model) previewLines(o layout) []string {
	lines := []string{""}
	for i, m := range l.preview.messages {
		most := max(0, o.below-len(lines)-1)
		if i < len(l.preview.messages)-1 {
			most /= 3
		}
		lines = append(lines, l.previewHead(o, m))
		lines = append(lines, l.previewBody(o, m, most)...)
		lines = append(lines, "")
	}
	return lines[:min(len(lines), o.below)]
}

// previewHead draws the heading of a previewed message: glyph, speaker, last verdict, number and time.
func (l *Model) previewHead(o layout, m PreviewMessage) string {
	st := l.Themes.Styles
	name, style, facts := theme.Speaker(m.Role), st.Muted, ""
	if m.Role == history.User {
		style = st.You
	} else if m.Role == history.Assistant && m.Model != "" {
		name = markdown.OneLine(m.Model, 40)
	}
	if e := m.Place.LastVerdict; e != nil && theme.VerdictWord(*e) != "" {
		verdict := st.GlyphStyle(theme.Glyph(*e)).Render(theme.VerdictWord(*e) + " in the last request")
		facts = verdict + st.Muted.Render(" · ")
	}
	at := time.UnixMilli(m.CreatedMS).In(l.listing.ReadAt.Location()).Format("2 Jan 2006 15:04")
	if m.Place.Of > 0 {
		at = theme.Thousands(m.Place.Number) + " of " + theme.Thousands(m.Place.Of) + " · " + at
	}
	left := o.margin + sign(st, m.Place.LastVerdict) + " " + style.Render(name)
	return theme.Spread(left, facts+st.Muted.Render(at)+o.margin, o.end)
}

// previewBody draws at most so many lines of a previewed message.
func (l *Model) previewBody(o layout, m PreviewMessage, most int) (lines []string) {
	st, bar := l.Themes.Styles, "  "
	style := st.Text
	if m.Role == history.User {
		bar, style = st.You.Render("▌")+" ", st.Strong.Bold(false)
	}
	text := strings.TrimSpace(markdown.Visible(m.Content))
	marks := store.SearchQuery{Text: l.preview.of.query}.Marks(text)
	parts := theme.WrapTrimmed(text, min(maxProse, o.text))
	for _, p := range parts[:min(len(parts), most)] {
		lines = append(lines, o.margin+bar+theme.Paint(p.Text, style, theme.MarkSpans(marks, p.Offset, st.SearchMatch)))
	}
	return lines
}
