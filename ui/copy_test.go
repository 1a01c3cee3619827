package ui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"winnow/ui/notice"

	tea "charm.land/bubbletea/v2"
)

// toTerminal is what a copy gives to the terminal, "" where the application complained instead.
func toTerminal(m *Model, copying func() tea.Cmd) string {
	before := m.notice.Number()
	cmd := copying()
	if m.notice.Number() != before {
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
	first := m.Chat.At(0).Content
	for args, want := range map[string]string{"": m.Chat.At(5).Content, "3": ""} {
		if got := toTerminal(m, func() tea.Cmd { return m.Chat.CopyText(args) }); got != want {
			t.Errorf("/copy %s copies %q, want %q", args, got, want)
		}
	}

	m.setFocus(transcriptPane)
	m.Chat.GoTo(2)
	if got := toTerminal(m, func() tea.Cmd { return m.Chat.CopyText("code") }); got != code {
		t.Errorf("Y copies %q, want %q", got, code)
	}
	m.Update(char(' '))
	m.Chat.GoTo(1)
	m.Update(char(' '))
	if got, want := toTerminal(m, func() tea.Cmd { return m.Chat.CopyText("") }), first+"\n\n"+
		m.Chat.At(1).Content; got != want {
		t.Errorf("y with two messages selected copies %q, want %q", got, want)
	}
}

func TestCopySaysWhatBecameOfIt(t *testing.T) {
	m := chatting(t, 120, 40)
	for want, err := range map[string]error{
		"copied 3 characters":                           nil,
		"sent 3 characters to the terminal’s clipboard": errors.New("no xclip"),
	} {
		m.Update(notice.Copied("3 characters", err))
		if m.notice.Sentence() != want {
			t.Errorf("%v: says %q, want %q", err, m.notice.Sentence(), want)
		}
	}
}
