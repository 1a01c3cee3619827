package ui

import (
	"strings"
	"testing"

	"winnow/ui/composer"
	"winnow/ui/confirm"

	tea "charm.land/bubbletea/v2"
)

func TestTypedTextIsNeverAKey(t *testing.T) {
	m := fresh(t, 80, 24)
	for _, word := range []string{"end", "enter", "up", "esc", "ctrl+c"} {
		m.composer.Set("")
		m.Update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: word})
		if got := m.composer.Text(); got != word {
			t.Errorf("%q arrived as one text: the draft is %q", word, got)
		}
	}
}

func TestEscOrder(t *testing.T) {
	m := asking(t, 120, 40)
	stopped := 0
	m.Turn.Cancel = func() { stopped++ }
	m.Update(tab)
	m.Update(ctrl('p'))
	m.Update(esc)
	if m.covered() || m.focus != transcriptPane || stopped != 0 {
		t.Fatalf("first esc: overlay %v, focus %v, stopped %d times; want it to close the overlay", m.dialogs.Top(),
			m.focus, stopped)
	}
	m.Update(esc)
	if m.focus != draftPane || stopped != 0 {
		t.Fatalf("second esc: focus %v, stopped %d times; want it to leave the selection", m.focus, stopped)
	}
	m.Update(esc)
	if stopped != 1 {
		t.Fatalf("third esc: stopped %d times, want once", stopped)
	}
	m.Update(esc)
	if stopped != 1 || m.notice.Sentence() == "" {
		t.Errorf("fourth esc: stopped %d times, said %q; want a reason only", stopped, m.notice.Sentence())
	}
}

func TestAStopSaysWhetherAnythingWasSent(t *testing.T) {
	for _, stored := range []bool{false, true} {
		m := asking(t, 80, 24)
		want := "Stopped; nothing was sent."
		if stored {
			want = "Stopped; what arrived is kept."
			m.composer.Hold(nil)
		} else {
			m.composer.Hold(&composer.Sent{})
		}
		m.Update(ctrl('c'))
		tell(m, 0, finishedWell)
		if m.notice.Sentence() != want {
			t.Errorf("a turn whose message is stored: %t, stopped: %q, want %q", stored, m.notice.Sentence(), want)
		}
	}
}

func TestInterruptOrder(t *testing.T) {
	m := asking(t, 80, 24)
	stopped := 0
	m.Turn.Cancel = func() { stopped++ }
	typing(m, "half a thought")
	m.Update(ctrl('c'))
	if stopped != 1 || m.composer.Text() != "half a thought" {
		t.Fatalf("first ctrl+c: stopped %d times, draft %q; want a stop and the draft kept", stopped, m.composer.Text())
	}
	tell(m, 0, finishedWell)
	m.Update(ctrl('c'))
	if !m.composer.Empty() || m.Turn.Quitting {
		t.Fatalf("second ctrl+c: draft %q; want it cleared", m.composer.Text())
	}
	if !strings.Contains(m.notice.Sentence(), "ctrl+c again quits") {
		t.Errorf("second ctrl+c said %q, and not that the third one quits", m.notice.Sentence())
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	if got := m.composer.Text(); got != "half a thought" {
		t.Fatalf("up after clearing: draft %q, want the cleared one", got)
	}
	m.composer.Set("")
	m.confirm.Forget()
	if cmd := m.interrupt(); !m.confirm.Asked(confirm.Quit) || cmd == nil {
		t.Fatal("ctrl+c with nothing to stop or clear must ask for another one and say so")
	}
}

func TestAKeyThatDoesNothingSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Model)
		want string
	}{
		{"enter on an empty draft", func(m *Model) { m.Update(enter) }, "nothing to send"},
		{"esc with nothing to close", func(m *Model) { m.Update(esc) }, "nothing to close"},
		{"ctrl+o without a paste", func(m *Model) { m.Update(ctrl('o')) }, "no long paste"},
		{"a letter in the transcript", func(m *Model) { m.Update(tab); m.Update(char('z')) }, "z does nothing"},
		{"pin without a message", func(m *Model) { m.Update(tab); m.Update(char('p')) }, "Select a message"},
		{"retry without a message", func(m *Model) { m.Update(tab); m.Update(char('r')) }, "no message to answer"},
		{"an unknown command", func(m *Model) { typing(m, "/fly"); m.Update(enter) }, "no command /fly"},
		{"a command without what it needs", func(m *Model) {
			typing(m, "/budget ")
			m.Update(enter)
		}, "/budget TOKENS"},
	} {
		m := fresh(t, 80, 24)
		c.do(m)
		if !strings.Contains(m.notice.Sentence(), c.want) {
			t.Errorf("%s: said %q, want %q in it", c.name, m.notice.Sentence(), c.want)
		}
	}
}
