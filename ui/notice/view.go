package notice

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostLines is the most lines of a sentence.
const mostLines = 2

// mark is the sign in front of the sentence, "" for none, with its style and that of the words.
func (m *Model) mark(st theme.Styles) (mark string, style, words lipgloss.Style) {
	switch {
	case m.sentence.Error:
		return "! ", st.Cut, st.Cut
	case m.sentence.Done:
		return "✓ ", st.Seen, st.Text
	}
	return "", st.Text, st.Text
}

// Toast is the sentence on one line, for the right end of the hints, "" for none.
func (m *Model) Toast(st theme.Styles) string {
	if m.sentence.Text == "" {
		return ""
	}
	mark, style, words := m.mark(st)
	return style.Render(mark) + words.Render(m.words())
}

// Fits says that the sentence has room at the right end of hints of w cells.
func (m *Model) FitsBesideHints(w int) bool { return ansi.StringWidth(m.sentence.Text)+2 <= w-w*2/5 }

// Lines is how many lines of w cells the sentence takes, 0 for none.
func (m *Model) SentenceLines(w int) int {
	if m.sentence.Text == "" || m.FitsBesideHints(w) {
		return min(1, len(m.sentence.Text))
	}
	return min(mostLines, len(theme.Wrap(m.words(), room(w))))
}

func (m *Model) words() string { return markdown.OneLine(m.sentence.Text, 1<<20) }

// room is how many cells a line of w cells has for the words of a sentence.
func room(w int) int { return max(1, w-2*theme.Gutter(w)-2) }

// View draws the sentence in at most so many lines of w cells, without lines where there is none.
func (m *Model) View(st theme.Styles, w, most int) (lines []string) {
	mark, style, words := m.mark(st)
	text, margin := m.words(), strings.Repeat(" ", theme.Gutter(w))
	parts := theme.Parts(text, room(w))
	most = min(most, mostLines, len(parts))
	for i, part := range parts[:max(0, most)] {
		if i == most-1 {
			part.Text = text[part.From:] // as it was: a path that wraps at a hyphen gets no blank there
		}
		said := words.Render(markdown.OneLine(part.Text, room(w)))
		lines = append(lines, theme.Fit(margin+style.Render(mark)+said, w))
		mark = strings.Repeat(" ", theme.Width(mark))
	}
	return lines
}

// AlertView draws the alert, else the news, in lines of w cells; an alert takes at most so many.
func (m *Model) AlertView(st theme.Styles, w, most int) []string {
	switch {
	case m.alert.Text != "":
		return m.alert.view(st, w, most)
	case m.news != "":
		return theme.WrapStyled(st.Cut, "! "+markdown.Visible(m.news), w)
	}
	return nil
}

// mostBytes is the most of an alert that is looked at: more than its lines have room for.
const mostBytes = 8 << 10

// view draws an alert in at most n lines of w cells, and its ways out as the last of them. These stand whole, so a
// server that says a lot is cut. A screen with no room for both shows the text.
func (a Alert) view(st theme.Styles, w, n int) []string {
	text := theme.WrapStyled(st.Error, "✗ "+markdown.Visible(a.Text[:min(len(a.Text), mostBytes)]), w)
	ways := theme.WrapStyled(st.Muted, a.WayOut, w)
	if a.WayOut == "" || n <= len(ways) {
		return text[:min(len(text), n)]
	}
	if room := n - len(ways); len(text) > room {
		text = text[:room]
		text[room-1] = markdown.Truncate(text[room-1], max(0, w-2), "") + st.Error.Render(" …")
	}
	return append(text, ways...)
}
