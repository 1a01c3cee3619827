package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// toast is a sentence in the lower line that goes by itself.
type toast struct {
	text       string
	bad        bool
	generation int
}

// say shows a sentence for a while.
func (m *Model) say(text string) tea.Cmd { return m.show(text, false) }

// complain shows why something did not work.
func (m *Model) complain(text string) tea.Cmd { return m.show(text, true) }

func (m *Model) show(text string, bad bool) tea.Cmd {
	m.toast = toast{text, bad, m.toast.generation + 1}
	n := m.toast.generation
	return tea.Tick(6*time.Second, func(time.Time) tea.Msg { return toastOverMsg{n} })
}

func (m *Model) toastOver(msg toastOverMsg) tea.Cmd {
	if msg.generation == m.toast.generation {
		m.toast.text = ""
	}
	return nil
}

// toastLines is the notice that is shown for a while, none where there is none.
func (m *Model) toastLines(w int) []string {
	if m.toast.text == "" {
		return nil
	}
	style, mark := m.styles.Text, " · "
	if m.toast.bad {
		style, mark = m.styles.Warn, " ! "
	}
	room := max(1, w-3)
	text := markdown.OneLine(m.toast.text, 1<<20)
	lines := []string{text}
	if m.layout.framed {
		lines = theme.Wrap(text, room)
	}
	if len(lines) > mostToast {
		lines = lines[:mostToast]
		for _, s := range lines[:mostToast-1] {
			text = strings.TrimLeft(strings.TrimPrefix(text, s), " ")
		}
		lines[mostToast-1] = text // as it was: a path that wraps at a hyphen gets no blank there
	}
	for i, s := range lines {
		lines[i] = theme.Fit(style.Render(mark+markdown.OneLine(s, room)), w)
		mark = "   "
	}
	return lines
}

// noKey says that a key does nothing where it was pressed, and which ones do something.
func (m *Model) noKey(msg tea.KeyPressMsg, others string) tea.Cmd {
	return m.say(msg.String() + " does nothing here; " + others)
}
