package sessions

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A hit has two lines: whose message it is, and what was found in it.
const hitLines = 2

// view draws the hits into a box, with a note below them while the index is behind.
func (x *Search) view(st theme.Styles, hidden theme.Secrets, w, h int, typed, unindexed string) []string {
	var lines, note []string
	room := x.height(h, unindexed)
	if room < h {
		note = []string{st.Cut.Render(" ! " + markdown.OneLine(unindexed, max(1, w-3)))}
	}
	first, end := x.onScreen(room)
	for i := first; i < end; i++ {
		lines = append(lines, x.Hit(st, hidden, i, w)...)
	}
	if len(x.Hits) == 0 {
		lines = theme.IndentedTo(st.Muted, x.nothing(typed), labelAt, w)
	}
	lines = lines[:min(len(lines), room)]
	for len(lines) < room {
		lines = append(lines, "")
	}
	return append(lines, note...)
}

// height is the height for the hits: a note that the index is behind takes a line of it, where there is one
// to spare.
func (x *Search) height(h int, unindexed string) int {
	if unindexed != "" && h > hitLines {
		h--
	}
	return max(0, h)
}

// onScreen is the part of the hits that is drawn in a height.
func (x *Search) onScreen(h int) (first, end int) {
	return theme.Around(x.At, len(x.Hits), max(1, h/hitLines))
}

// nothing says why there is no hit.
func (x *Search) nothing(typed string) string {
	switch {
	case strings.TrimSpace(typed) == "":
		return "type what was said: words, or \"words side by side\""
	case x.Waiting:
		return "searching …"
	}
	return "no message has " + typed
}

// Hit draws one hit: the title of its session and its age, and below it who says what.
func (x *Search) Hit(st theme.Styles, hidden theme.Secrets, i, w int) []string {
	h, _ := x.Hits[i].Without(hidden.In, theme.Redacted)
	base, dim, found, cursor := st.Text, st.Muted, st.Match, "  "
	if i == x.At {
		base, dim, found, cursor = st.Selected, st.Selected, st.Selected.Bold(true).Underline(true), " ▸"
	}
	title := cursor + "  " + LineOf(hidden, h.Session).Name()
	right := theme.Ago(x.Read, h.At) + " "
	if !h.Session.Deleted.IsZero() {
		right = "in the trash  " + right
	}
	head := theme.Spread(title, right, w)
	var spans []theme.Span
	if strings.HasSuffix(head, right) {
		spans = append(spans, theme.Span{From: len(head) - len(right), To: len(head), Style: dim})
	}
	return []string{
		theme.Paint(head, base.Bold(true), spans),
		x.snippet(h, w, base, dim, found),
	}
}

// snippet draws who says what was found.
func (x *Search) snippet(h store.Hit, w int, base, dim, found lipgloss.Style) string {
	who := "    " + theme.Fit(theme.Speaker(h.Role), speakerWidth) + " "
	text, gone := fromHit(h, w-theme.Width(who))
	left := who + text
	line := theme.Fit(left, w)
	spans := []theme.Span{{From: 0, To: len(who), Style: dim}}
	for _, m := range h.Marks {
		if to := len(who) + m[1] - gone; to <= theme.SharedPrefix(line, left) {
			spans = append(spans, theme.Span{From: len(who) + m[0] - gone, To: to, Style: found})
		}
	}
	return theme.Paint(line, base, spans)
}

// leadIn is the most that stands before what was found where the line is too short for all of it.
const leadIn = 6

// fromHit is a hit's snippet without so much of its beginning that what was found first is within w cells,
// and how many bytes shorter it is.
func fromHit(h store.Hit, w int) (text string, gone int) {
	if len(h.Marks) == 0 || theme.Width(h.Snippet[:h.Marks[0][1]]) <= w {
		return h.Snippet, 0
	}
	from := 0
	for from < h.Marks[0][0] && theme.Width(h.Snippet[from:h.Marks[0][0]]) > leadIn {
		from += theme.ClusterLen(h.Snippet[from:])
	}
	from = min(from, h.Marks[0][0])
	return "…" + h.Snippet[from:], from - len("…")
}

// speakerWidth is the room for who speaks.
const speakerWidth = 6
