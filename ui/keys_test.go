package ui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/composer"
	"winnow/ui/notice"
)

func TestTypedTextIsNeverAKey(t *testing.T) {
	m := fresh(t, 80, 24)
	for _, word := range []string{"end", "enter", "up", "esc", "ctrl+c"} {
		m.composer.SetDraft("")
		m.Update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: word})
		if got := m.composer.Text(); got != word {
			t.Errorf("%q arrived as one text: the draft is %q", word, got)
		}
	}
}

func TestAStopSaysWhetherAnythingWasSent(t *testing.T) {
	for _, stored := range []bool{false, true} {
		m := asking(t, 80, 24)
		want := "Stopped; nothing was sent."
		if stored {
			want = "Stopped; what arrived is kept."
			m.composer.Sending = nil
		} else {
			m.composer.Sending = &composer.SentDraft{}
		}
		m.Update(ctrl('c'))
		tell(m, 0, finishedWell)
		if m.notice.Sentence() != want {
			t.Errorf("a turn whose message is stored: %t, stopped: %q, want %q", stored, m.notice.Sentence(), want)
		}
	}
}

// toTerminal returns the text that a command copies through the terminal, "" if a sentence was shown instead.
func toTerminal(m *Model, copying func() tea.Cmd) string {
	before := m.notice.SentenceNumber()
	cmd := copying()
	if m.notice.SentenceNumber() != before {
		return ""
	}
	list, _ := commandsOf(cmd())
	raw, _ := list[0]().(tea.RawMsg)
	sequence, _ := raw.Msg.(string)
	text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(sequence, "\x1b]52;c;"), "\a"))
	if err != nil {
		return fmt.Sprintf("what cannot be read, %q: %v", sequence, err)
	}
	return string(text)
}

func TestCopyTakesTheStoredText(t *testing.T) {
	m := chatting(t, 120, 40)
	code := "for p.at(Plus) {\n\tleft = Add{left, p.term()}\n}"
	first := m.Chat.MessageAt(0).Content
	for args, want := range map[string]string{"": m.Chat.MessageAt(5).Content, "3": ""} {
		if got := toTerminal(m, func() tea.Cmd { return m.Chat.CopyCommand(args) }); got != want {
			t.Errorf("/copy %s copies %q, want %q", args, got, want)
		}
	}

	m.setFocus(transcriptPane)
	m.Chat.GoTo(2)
	if got := toTerminal(m, func() tea.Cmd { return m.Chat.CopyCommand("code") }); got != code {
		t.Errorf("Y copies %q, want %q", got, code)
	}
	m.Update(char(' '))
	m.Chat.GoTo(1)
	m.Update(char(' '))
	if got, want := toTerminal(m, func() tea.Cmd { return m.Chat.CopyCommand("") }), first+"\n\n"+
		m.Chat.MessageAt(1).Content; got != want {
		t.Errorf("y with two messages selected copies %q, want %q", got, want)
	}
}

func TestCopySaysWhatBecameOfIt(t *testing.T) {
	m := chatting(t, 120, 40)
	for want, err := range map[string]error{
		"copied 3 characters":                           nil,
		"sent 3 characters to the terminal’s clipboard": errors.New("no xclip"),
	} {
		m.Update(notice.CopyResult("3 characters", err))
		if m.notice.Sentence() != want {
			t.Errorf("%v: says %q, want %q", err, m.notice.Sentence(), want)
		}
	}
}

// clicks clicks on the first line of the screen that holds a text, at the text.
func (l *live) clicks(text string) {
	l.t.Helper()
	for y, line := range strings.Split(plain(l.Model), "\n") {
		before, _, ok := strings.Cut(line, text)
		if !ok {
			continue
		}
		x := ansi.StringWidth(before)
		_, cmd := l.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		if l.Chat.Dragging() {
			_, cmd = l.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
		}
		l.run(cmd)
		return
	}
	l.t.Fatalf("no line holds %q:\n%s", text, plain(l.Model))
}

// Dragging copies the text as it is stored, and the draft keeps the focus.
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

func TestAMistypedCommandNamesTheNearest(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"modle": "Did you mean /model?", "docter": "Did you mean /doctor?", "chat": "Did you mean /chats?",
		"xyzzy": "",
	} {
		got := unknownCommand(typed)
		if !strings.HasPrefix(got, "There is no command /"+typed+". ") ||
			strings.Contains(got, "Did you mean") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("/%s: %q, want %q in it", typed, got, want)
		}
	}
}
