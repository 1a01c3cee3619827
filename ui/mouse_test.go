package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// clicks clicks on the n-th line of the screen that holds a text, at the text, and says whether there is
// one.
func (l *live) clicks(text string, n int) {
	l.t.Helper()
	l.run(clickOnLine(l.t, l.Model, text, n))
}

// clickOn clicks on the first line of the screen that holds a text, at the text.
func clickOn(t *testing.T, m *Model, text string) tea.Cmd {
	t.Helper()
	m.frame.Mouse = true
	return clickOnLine(t, m, text, 1)
}

func clickOnLine(t *testing.T, m *Model, text string, n int) tea.Cmd {
	t.Helper()
	lines := 0
	for y, line := range strings.Split(plain(m), "\n") {
		before, _, ok := strings.Cut(line, text)
		if !ok {
			continue
		}
		if lines++; lines == n {
			x := ansi.StringWidth(before)
			_, cmd := m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			if m.Chat.Held() {
				_, cmd = m.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
			}
			return cmd
		}
	}
	t.Fatalf("%d lines hold %q, wanted %d:\n%s", lines, text, n, plain(m))
	return nil
}

func TestThePanelAndTheTranscriptHaveOneCursor(t *testing.T) {
	l := walked(t, 140, 30, "The first question.", "The second question.", "The third question.",
		"The fourth question.")
	if got := l.Panel.Chosen(); got.Entry == nil || got.Entry.Index != 0 {
		t.Fatalf("on the first message of the transcript the panel is on %+v", got)
	}
	l.press("tab", "j", "j")
	if m, ok := l.Chat.Selected(); !ok || m.ID != l.Chat.Messages.ID(2) {
		t.Fatalf("on the panel's third line the transcript is on %+v", m)
	}
	l.press("G")
	if strings.Contains(strings.Join(l.Chat.View(), "\n"), "The first question.") {
		t.Error("the last message is not brought into the transcript's view")
	}
}

// Text that is dragged over is copied as it is stored, and the draft keeps the keys.
func TestDraggingCopies(t *testing.T) {
	m := chatting(t, 120, 40)
	m.frame.Mouse = true
	for y, line := range strings.Split(plain(m), "\n") {
		before, _, ok := strings.Cut(line, "▌ Never touch")
		if !ok {
			continue
		}
		x := ansi.StringWidth(before) + 2
		m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		m.Update(tea.MouseMotionMsg{X: x + 10, Y: y, Button: tea.MouseLeft})
		got := toTerminal(m, func() tea.Cmd {
			_, cmd := m.Update(tea.MouseReleaseMsg{X: x + 10, Y: y, Button: tea.MouseLeft})
			return cmd
		})
		if got != "Never touch" || m.focus != draftPane {
			t.Errorf("%q is copied, and the keys go to %v; want the text, and the draft", got, m.focus)
		}
		return
	}
	t.Fatal("the message is not on the screen")
}
