package transcript

import (
	"strings"
	"unicode/utf8"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A message is rendered as a whole, so of a very long one only the beginning is shown, in bytes: more than
// anybody scrolls through, and little enough for a frame. An answer that streams is rendered piece by
// piece and may be longer.
const (
	maxShown    = 32 << 10
	maxStreamed = 256 << 10
)

// beginning is the rendered beginning of a very long text, which stays while the text grows.
type beginning struct {
	md    *markdown.Renderer
	lines []string
}

// shown returns as much of a text as a message shows of it.
func shown(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return text[:shownEnd(text)]
}

// shownEnd is where a text that is too long is cut: after a line, else a word, else a character.
func shownEnd(text string) int {
	const near = maxShown * 3 / 4
	for _, sign := range []string{"\n", " "} {
		if at := strings.LastIndex(text[near:maxShown], sign); at >= 0 {
			return near + at + 1
		}
	}
	end := maxShown
	for end > maxShown-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// streams says that e is shown as it streamed, however long it is.
func (m *itemList) streams(e *entry) bool {
	return e.stream != nil && e.stream.Renderer() == m.md && !e.Plain && !e.Fold
}

// begin returns the lines of the beginning of an answer that is too long to be shown.
func (m *itemList) begin(e *entry, text string) []string {
	if e.beginning.md != m.md {
		e.beginning = beginning{m.md, m.md.Render(text)}
	}
	return e.beginning.lines
}

// rest is the line below a text of which so many bytes are not shown.
func (m *itemList) rest(left int) string {
	text := m.styles.Faint.Render("┄┄┄") + m.styles.Muted.Render(" "+theme.Size(left)+" more")
	return m.hinted(m.hinted(text, keymap.Inspect, "reads it"), keymap.Copy, "copies all")
}

// grow adds to a text that is too long for a stream.
func (e *entry) grow(text string) {
	if e.grown == nil {
		e.grown = &strings.Builder{}
		e.grown.WriteString(e.Text)
	}
	e.grown.WriteString(text)
	e.Text, e.stream = e.grown.String(), nil
}
