package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/conversation"
)

// begunTwice is the application with two stored sessions, and the id of the one that is not on the screen.
func begunTwice(t *testing.T) (l *live, other string) {
	t.Helper()
	l = onStage(t, 100, 30)
	l.say("the first chat")
	other = l.Session.Info().ID
	before := l.Session
	l.press("ctrl+n")
	l.until("a new chat", func() bool { return l.Session != before })
	l.say("the second chat")
	return l, other
}

func TestTextTypedForASessionThatDoesNotOpenCanBeRecalled(t *testing.T) {
	l, _ := begunTwice(t)
	l.types("The original is not changed")
	l.run(l.openStored("ffffffff", conversation.Arrival{}))
	l.types("typed ahead")
	l.until("the draft from before", func() bool { return !l.composer.Leaving() && !l.composer.Empty() })
	if got := l.composer.Text(); got != "The original is not changed" {
		t.Errorf("the draft is %q, want the one from before", got)
	}
	l.press("up")
	if got := l.composer.Text(); got != "typed ahead" {
		t.Errorf("↑ recalls %q, want what was typed meanwhile", got)
	}
}

func TestTypingDisarmsCtrlC(t *testing.T) {
	m := fresh(t, 80, 24)
	typing(m, "aaa")
	m.Update(ctrl('c'))
	typing(m, "precious")
	_, cmd := m.Update(ctrl('c'))
	if quits(cmd) || !m.composer.Empty() {
		t.Fatal("ctrl+c after typing quit and did not clear the draft")
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	if got := m.composer.Text(); got != "precious" {
		t.Errorf("↑ recalls %q", got)
	}
	m.Update(ctrl('c'))
	if _, cmd = m.Update(ctrl('c')); !quits(cmd) {
		t.Error("ctrl+c twice in a row does not quit")
	}
	m.confirm.asked = nothing
	m.composer.Set("")
	m.Update(ctrl('c'))
	m.Update(tea.PasteMsg{Content: "pasted"})
	if _, cmd = m.Update(ctrl('c')); quits(cmd) {
		t.Error("ctrl+c after a paste quit")
	}
}

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, quit := cmd().(tea.QuitMsg)
	return quit
}

// Clearing a draft is no answer to the warning that a chat would be gone.
func TestClearingADraftDoesNotDiscardATemporaryChat(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.Unrecorded = 1
	l.picks("temporary")
	l.shows("temporary, not saved")
	l.say("hello")
	l.types("a draft")
	l.press("ctrl+c")
	if got := l.notice.Sentence(); !strings.Contains(got, "brings it back") || strings.Contains(got, "quits") {
		t.Errorf("clearing said %q", got)
	}
	if cmd := l.interrupt(); quits(cmd) {
		t.Fatal("the second ctrl+c discarded the chat without a warning")
	}
	if !strings.Contains(l.notice.Sentence(), "This chat is not saved.") || !strings.Contains(l.notice.Sentence(),
		"ctrl+c again quits all the same") {
		t.Errorf("the warning is %q", l.notice.Sentence())
	}
	l.types("x")
	l.press("ctrl+c")
	if cmd := l.interrupt(); quits(cmd) {
		t.Fatal("the warning was answered by a ctrl+c that came after typing")
	}
	if cmd := l.interrupt(); !quits(cmd) {
		t.Error("ctrl+c after the warning does not quit")
	}
	l.confirm.asked = nothing
	l.press("ctrl+c") // asked for by ctrl+c, which is no answer to another way of leaving
	temporary := l.Session
	l.press("ctrl+n")
	if l.Session != temporary || l.composer.Leaving() {
		t.Error("ctrl+n took the warning of ctrl+c for its own")
	}
}

func TestOfTwoChatsThatWereAskedForTheNewerOneIsShown(t *testing.T) {
	l, other := begunTwice(t)
	first, second := l.enter(l.Stored(other, conversation.Arrival{})), l.enter(l.Begun())
	l.handle(second())
	l.handle(first())
	if l.Info.ID != "" {
		t.Errorf("the chat %q is shown, which was asked for before a new one", l.Info.Title)
	}
}
