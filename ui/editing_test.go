package ui

import (
	"strings"
	"testing"

	"winnow/session/sessiontest"
)

// texts are what the messages on the screen say, in short.
func (l *live) texts() string {
	var list []string
	for _, m := range sessiontest.Messages(l.Chat.Messages) {
		text, _, _ := strings.Cut(m.Content, ".")
		list = append(list, text)
	}
	return strings.Join(list, " | ")
}

// wantTexts fails where other messages are on the screen, or where the session has others.
func (l *live) wantTexts(want string) {
	l.t.Helper()
	if got := l.texts(); got != want {
		l.t.Errorf("the screen has %q, want %q", got, want)
	}
	var stored []string
	for _, m := range sessiontest.Messages(l.Session.Branch()) {
		text, _, _ := strings.Cut(m.Content, ".")
		stored = append(stored, text)
	}
	if got := strings.Join(stored, " | "); got != want {
		l.t.Errorf("the session has %q, want %q", got, want)
	}
}

// body is what the newest request held.
func (l *live) body() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bodies[len(l.bodies)-1]
}

// While an answer arrives nothing can become another version, and the screen says why.
func TestNoVersionsWhileAnAnswerArrives(t *testing.T) {
	m := asking(t, 120, 40)
	for _, key := range []rune{'e', 'r', '[', ']'} {
		m.setFocus(transcriptPane)
		m.Chat.GoTo(1)
		m.notice.Hush()
		m.Update(char(key))
		if !strings.Contains(plain(m), "An answer is still arriving: esc stops it.") {
			t.Errorf("%c while an answer arrives: %q", key, m.notice.Sentence())
		}
		if m.editing() || m.Chat.Messages.Len() != 7 {
			t.Errorf("%c while an answer arrives does something", key)
		}
	}
}
