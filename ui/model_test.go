package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/turn"
	"winnow/ui/uitest"
)

var finishedWell = session.Finished{}

func TestAnOldPlanIsDropped(t *testing.T) {
	m := chatting(t, 120, 40)
	before := m.panel.Next.Plan.Sum.Total
	typing(m, "x")
	m.Update(current.PlannedMsg{Generation: m.current.Generation - 1, Planned: current.Planned{Plan: history.Plan{Sum: history.Sum{Total: 1}}}})
	if got := m.panel.Next.Plan.Sum.Total; got != before {
		t.Errorf("a plan for an older draft: total %d, want %d", got, before)
	}
}

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

func TestLongPastesAreChipsAndSentInFull(t *testing.T) {
	long := strings.Repeat("a line with a tab\tand more\n", 300)
	m := fresh(t, 80, 24)
	typing(m, "see ")
	m.Update(tea.PasteMsg{Content: long})
	typing(m, " ok")
	if got := m.composer.Shown(); !strings.Contains(got, "[paste 1: 301 lines, 8.1 kB, ~2,025 tokens]") {
		t.Errorf("the draft shows %q", got)
	}
	if got, want := m.composer.Text(), "see \n"+long+" ok"; got != want {
		t.Errorf("%d bytes would be sent, want %d", len(got), len(want))
	}
	m.Update(ctrl('o'))
	if _, open := m.overlays.top().(*readerOverlay); !open || !strings.Contains(plain(m), "a line with a tab") {
		t.Errorf("ctrl+o does not open the paste:\n%s", plain(m))
	}
	m.Update(esc)
	for range 4 {
		m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	if got := m.composer.Text(); got != "see " {
		t.Errorf("backspace behind the chip leaves %q, want it gone as a whole", got)
	}
}

func TestShortPastesShowTheirControlCharacters(t *testing.T) {
	m := fresh(t, 80, 24)
	m.Update(tea.PasteMsg{Content: "a\x1b[31mb"})
	if got := m.composer.Text(); strings.ContainsRune(got, 0x1b) || !strings.Contains(got, "[31m") || !strings.Contains(got, "␛") {
		t.Errorf("the draft is %q, want the escape shown", got)
	}
}

func TestWhatOthersWroteIsNeverExecuted(t *testing.T) {
	m := chatting(t, 120, 40)
	evil := "\x1b]0;owned\x07\x1b[2J"
	m.current.Info.Title = evil
	m.chat.Add(said(50, history.Assistant, evil), record.Receipt{})
	m.turn = turn.Model{Number: 3, Busy: true, Cancel: func() {}}
	tell(m, 0, session.Asked{
		Question: session.Question{Call: history.ToolCall{Name: evil, Arguments: evil}, Server: evil, Arguments: history.Arguments{Object: evil}},
		Answer:   func(approval.Answer) {},
	})
	tell(m, 0, session.Notice{Text: evil})
	for _, bad := range []string{"\x1b]0;", "\x1b[2J", "\x07"} {
		if v := m.View(); strings.Contains(v.Content, bad) || strings.Contains(v.WindowTitle, bad) {
			t.Errorf("the screen holds %q", bad)
		}
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
		{"openai/gpt-5.2", "/clear now\nmore", true},
		{"openai/gpt-5.2", " /new\nmore", false},
		{"openai/gpt-5.2", "/etc/hosts:\nmore", false},
		{"openai/gpt-5.2", "// new\nmore", false},
		{"guide/guide", "/guide\noverflow", false},
	} {
		m.current.Ref = c.ref
		m.surround()
		if got := m.composer.IsCommand(c.draft); got != c.want {
			t.Errorf("%q with %s: a command is %v, want %v", c.draft, c.ref, got, c.want)
		}
	}
}

// TestNoKeyPanics presses random keys at random sizes in every state, and asks that the screen
// always fits the terminal.
func TestNoKeyPanics(t *testing.T) {
	keys := []tea.KeyPressMsg{enter, esc, tab, char('a'), char('?'), char('/'), char('y'), char('n'), char('世'), char(' ')}
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
				m.Update(tea.WindowSizeMsg{Width: rapid.IntRange(1, 220).Draw(rt, "w"), Height: rapid.IntRange(1, 60).Draw(rt, "h")})
			case 1:
				m.Update(tea.PasteMsg{Content: rapid.String().Draw(rt, "paste")})
			case 2:
				m.Update(tea.MouseWheelMsg{X: 3, Y: 3, Button: tea.MouseWheelUp})
			case 3:
				m.frame.Mouse = true
				m.Update(tea.MouseClickMsg{X: rapid.IntRange(0, m.layout.Width).Draw(rt, "x"), Y: rapid.IntRange(0, m.layout.Height).Draw(rt, "y"), Button: tea.MouseLeft})
			default:
				m.Update(rapid.SampledFrom(keys).Draw(rt, "key"))
			}
			fits(t, m)
		}
	})
}

func BenchmarkKeyPressWith10000Messages(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := fresh(b, 120, 40)
			var messages []store.Message
			var plan history.Plan
			for i := range n {
				messages = append(messages, said(int64(i+1), history.User, strings.Repeat("some words of a message ", 20)))
				plan.Entries = history.EntriesOf(append(plan.Entries.List(), history.Entry{ID: int64(i + 1), Index: i, Role: history.User, Disposition: history.Kept})...)
			}
			m.chat.Reset(branch.Of(messages...))
			m.Update(current.PlannedMsg{Generation: m.current.Generation, Planned: current.Planned{Plan: plan}})
			m.View()
			for b.Loop() {
				m.Update(char('a'))
				_ = m.View()
				m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
			}
		})
	}
}
