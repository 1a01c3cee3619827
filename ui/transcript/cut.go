package transcript

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A message of the user's that is longer than this is folded once it is sent: so long a paste is a chip in the draft
// too.
const (
	foldedLines = 20
	foldedBytes = 2000
	headLines   = 3 // so many lines of it are shown
	unsentLines = 2 // the lines of a marker and of what is cut away behind it
)

// tooLong says that a message of the user's is folded.
func tooLong(text string) bool {
	return len(text) > foldedBytes || strings.Count(text, "\n") > foldedLines
}

// folds says that a message has something to fold.
func folds(m store.Message) bool {
	return m.Role == history.Tool || len(m.ToolCalls) > 0 || m.Role == history.User && tooLong(m.Content)
}

// shortens says that a message that is cut is shown as it is sent. One that is folded is not, and what the newest turn
// says is still being read.
func (c *Model) shortens(i int, e *history.Entry) bool {
	r := c.Messages.Row(i)
	folded := r.Role() == history.Tool || r.Size == 0 ||
		r.Role() == history.User && r.Size > foldedBytes && e.Cuts[0].From > foldedBytes
	return i < c.Messages.Last(history.User) && !folded
}

// markerAt is the text that stands in the place of a cut, "" for none.
func markerAt(e *history.Entry, cut history.Range) string {
	for _, in := range e.Inserted {
		if in.At == cut.From || in.At == cut.To {
			return in.Text
		}
	}
	return ""
}

// renderCut adds the lines of a message that is cut: what is sent of it and, in the place of the rest, the marker, how
// the rest begins, and how much of it there is.
func (c *Model) renderCut(b *block, m store.Message) {
	e, text, at := c.entry(m.ID), []rune(m.Content), 0
	for _, cut := range e.Cuts {
		from, to := min(cut.From, len(text)), min(cut.To, len(text)) // never more than there is, whatever the plan says
		b.lines = append(b.lines, c.text(m, string(text[at:from]))...)
		b.lines = append(b.lines, c.unsent(markerAt(e, cut), string(text[from:to]))...)
		at = to
	}
	b.lines = append(b.lines, c.text(m, string(text[at:]))...)
}

// unsent is a marker, the beginning of what it stands for, and how many characters that has where not all are shown.
func (c *Model) unsent(marker, rest string) []string {
	st, w := &c.Themes.Styles, c.proseWidth()
	oneLine := func(s string) string { return strings.Join(strings.Fields(markdown.Visible(s)), " ") }
	begin := strings.ToValidUTF8(rest[:min(len(rest), 4*unsentLines*w)], "")
	marker = oneLine(marker)
	lines := theme.Wrap(strings.TrimSpace(marker+" "+oneLine(begin)), w)
	whole := len(lines) <= unsentLines && len(begin) == len(rest)
	lines = lines[:min(len(lines), unsentLines)]
	if last := len(lines) - 1; !whole {
		lines[last] = markdown.Truncate(lines[last], w-1, "") + "…"
	}
	if c.paint(lines, len(marker), st.Cut.Bold(true)); whole {
		return lines
	}
	count := " " + theme.PluralOf(utf8.RuneCountInString(rest), "character is", "characters are") + " not sent"
	return append(lines, c.hinted(st.Faint.Render("┄┄┄")+st.Muted.Render(count), keymap.Inspect, "reads them"))
}

// paint gives the first so many bytes of some lines a style, and the rest a quiet one.
func (c *Model) paint(lines []string, first int, style lipgloss.Style) {
	for i, line := range lines {
		n := min(first, len(line))
		first -= n
		lines[i] = style.Render(line[:n]) + c.Themes.Styles.Muted.Render(line[n:])
	}
}

// folded is the beginning of a message that is folded, and how much there is.
func (c *Model) folded(m store.Message, l look) []string {
	st, w := &c.Themes.Styles, c.proseWidth()
	text := strings.Trim(m.Content, "\n")
	head := strings.Join(strings.SplitN(text, "\n", headLines+1)[:min(headLines, strings.Count(text, "\n")+1)], "\n")
	head = strings.ToValidUTF8(head[:min(len(head), 8*headLines*w)], "")
	lines := c.text(m, head)
	if len(lines) > headLines {
		lines = lines[:headLines]
		lines[headLines-1] = markdown.Truncate(lines[headLines-1], w-1, "") + st.Muted.Render("…")
	}
	more := strings.Count(text, "\n") - strings.Count(head, "\n")
	return append(lines, c.hinted(st.Muted.Render(strings.Join(extent(m, l, more), " · ")), keymap.Expand, "opens it"))
}

// extent is how much text there is: its lines beyond those that are shown, its size and its tokens.
func extent(m store.Message, l look, more int) []string {
	var facts []string
	if more > 0 {
		facts = append(facts, theme.PluralOf(more, "more line", "more lines"))
	}
	facts = append(facts, theme.Size(len(m.Content)))
	if l.tokens > 0 {
		facts = append(facts, "~"+theme.Plural(l.tokens, "token"))
	}
	return facts
}
