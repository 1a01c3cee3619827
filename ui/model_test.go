package ui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/uitest"
)

var finishedWell = session.Finished{}

func TestTheDraftLeavesAtEnterAndComesBackUnsaved(t *testing.T) {
	m := fresh(t, 80, 24)
	typing(m, "hello")
	m.Update(enter)
	if got := m.composer.Text(); got != "" {
		t.Fatalf("after enter the draft is %q", got)
	}
	typing(m, "next")
	tell(m, 0, session.Stored{Message: said(1, history.User, "hello")})
	tell(m, 0, finishedWell)
	if got := m.composer.Text(); got != "next" {
		t.Fatalf("what was typed after enter is %q, want next", got)
	}
	m.Update(ctrl('c'))

	typing(m, "again")
	m.Update(enter)
	tell(m, 0, session.Finished{Err: errors.New("the disk is full")})
	if got := m.composer.Text(); got != "again" || !strings.Contains(plain(m), "the disk is full") {
		t.Errorf("after an error the draft is %q, want it kept and the error shown:\n%s", got, plain(m))
	}
}

func TestShortPastesShowTheirControlCharacters(t *testing.T) {
	m := fresh(t, 80, 24)
	m.Update(tea.PasteMsg{Content: "a\x1b[31mb"})
	if got := m.composer.Text(); strings.ContainsRune(got, 0x1b) || !strings.Contains(got, "[31m") ||
		!strings.Contains(got, "␛") {
		t.Errorf("the draft is %q, want the escape shown", got)
	}
}

func TestWhatIsACommand(t *testing.T) {
	m := fresh(t, 80, 24)
	for _, c := range []struct {
		ref, draft string
		want       bool
	}{
		{"guide/guide", "/guide overflow", false},
		{"guide/guide", "/guidebook", true},
		{"openai/gpt-5.2", "/guide overflow", true},
		{"openai/gpt-5.2", " /new", false},
		{"openai/gpt-5.2", "/new", true},
		{"openai/gpt-5.2", "/new\n", true},
		{"openai/gpt-5.2", "/new\nmore", true},
		{"openai/gpt-5.2", "/quit now\nmore", true},
		{"openai/gpt-5.2", " /new\nmore", false},
		{"openai/gpt-5.2", "/etc/hosts:\nmore", false},
		{"openai/gpt-5.2", "// new\nmore", false},
		{"guide/guide", "/guide\noverflow", false},
	} {
		m.Ref = c.ref
		if got := m.composer.IsCommand(c.draft); got != c.want {
			t.Errorf("%q with %s: a command is %v, want %v", c.draft, c.ref, got, c.want)
		}
	}
}

// TestNoKeyPanics presses random keys at random sizes in every state, and asks that the screen
// always fits the terminal.
func TestNoKeyPanics(t *testing.T) {
	keys := []tea.KeyPressMsg{
		enter, esc, tab, char('a'), char('?'), char('/'), char('y'), char('n'), char('世'), char(' '),
	}
	for _, r := range keymap.Default().Table() {
		for _, k := range r.Keys() {
			keys = append(keys, uitest.Key(k))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		state := rapid.SampledFrom(states).Draw(rt, "state")
		m := state.make(t, rapid.IntRange(1, 130).Draw(rt, "w"), rapid.IntRange(1, 45).Draw(rt, "h"))
		for range rapid.IntRange(1, 25).Draw(rt, "n") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				m.Update(tea.WindowSizeMsg{
					Width: rapid.IntRange(1, 220).Draw(rt, "w"), Height: rapid.IntRange(1, 60).Draw(rt, "h"),
				})
			case 1:
				m.Update(tea.PasteMsg{Content: rapid.String().Draw(rt, "paste")})
			case 2:
				m.Update(tea.MouseWheelMsg{X: 3, Y: 3, Button: tea.MouseWheelUp})
			case 3:
				m.frame.Mouse = true
				m.Update(tea.MouseClickMsg{
					X: rapid.IntRange(0, m.layout.Width).Draw(rt, "x"), Y: rapid.IntRange(0, m.layout.Height).Draw(rt,
						"y"), Button: tea.MouseLeft,
				})
			default:
				m.Update(rapid.SampledFrom(keys).Draw(rt, "key"))
			}
			fits(t, m)
		}
	})
}
