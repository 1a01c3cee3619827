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

// mark returns the sign in front of the sentence, "" for none, with its style and that of the words.
func (m *Model) mark(st theme.Styles) (mark string, style, words lipgloss.Style) {
	switch {
	case m.sentence.Error:
		return "! ", st.Cut, st.Cut
	case m.sentence.Done:
		return "✓ ", st.Seen, st.Text
	}
	return "", st.Text, st.Text
}

// Toast returns the sentence on one line, for the right end of the hints, "" for none.
func (m *Model) Toast(st theme.Styles) string {
	if m.sentence.Text == "" {
		return ""
	}
	mark, style, words := m.mark(st)
	return style.Render(mark) + words.Render(m.words())
}

// FitsBesideHints reports whether the sentence fits at the right end of the hints on a line of w cells.
func (m *Model) FitsBesideHints(w int) bool { return ansi.StringWidth(m.sentence.Text)+2 <= w-w*2/5 }

// SentenceLines returns how many lines of w cells the sentence takes, 0 for none.
func (m *Model) SentenceLines(w int) int {
	if m.sentence.Text == "" || m.FitsBesideHints(w) {
		return min(1, len(m.sentence.Text))
	}
	return min(mostLines, len(theme.Wrap(m.words(), room(w))))
}

func (m *Model) words() string { return markdown.OneLine(m.sentence.Text, 1<<20) }

// room returns how many of the w cells of a line are left for the words of a sentence.
func room(w int) int { return max(1, w-2*theme.Gutter(w)-2) }

// View draws the sentence in at most most lines of w cells.
func (m *Model) View(st theme.Styles, w, most int) (lines []string) {
	mark, style, words := m.mark(st)
	text, margin := m.words(), strings.Repeat(" ", theme.Gutter(w))
	parts := theme.WrapTrimmed(text, room(w))
	most = min(most, mostLines, len(parts))
	for i, part := range parts[:max(0, most)] {
		if i == most-1 {
			part.Text = text[part.Offset:] // unwrapped: wrapping would put a blank into a path with a hyphen
		}
		said := words.Render(markdown.OneLine(part.Text, room(w)))
		lines = append(lines, theme.Fit(margin+style.Render(mark)+said, w))
		mark = strings.Repeat(" ", theme.Width(mark))
	}
	return lines
}

// AlertView draws the alert, in at most most lines of w cells, else the news.
func (m *Model) AlertView(st theme.Styles, w, most int) []string {
	switch {
	case m.alert.Text != "":
		return m.alert.view(st, w, most)
	case m.news != "":
		return theme.WrapStyled(st.Cut, "! "+markdown.Visible(m.news), w)
	}
	return nil
}

// mostBytes is how many bytes of an alert are used, which is more than its lines have room for.
const mostBytes = 8 << 10

// view draws the alert in at most n lines of w cells: the text, cut if necessary, and then the whole way out. If there
// is no room for both, it draws the text alone.
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
