package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/markdown"
)

// said stores a message after the last one of the session.
func (l *live) said(role history.Role, text string) {
	l.t.Helper()
	_, err := l.Deps.Store.AppendMessage(l.t.Context(), store.Message{
		Session: l.Info.ID, Parent: l.stored(l.Info.ID).Leaf, Message: history.Message{
			Role: role, Content: text, Status: history.Complete,
		},
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// Of a message of 10 MB the beginning is shown; enter opens all of it, and y copies all of it.
func TestMessageOfTenMegabytes(t *testing.T) {
	t.Parallel()
	for _, role := range []history.Role{history.User, history.Assistant} {
		text := strings.Repeat("Word after word, and no end of them. ", 10_000_000/37) + "The very end."
		l := onStage(t, 120, 40)
		l.say("Hello")
		l.said(role, text)
		l.reopen()
		l.press("tab", "G", "ctrl+o", "esc")
		l.shows("10 MB more   enter reads it   y copies all")
		if n := len(l.View().Content); n > 64<<10 {
			t.Errorf("a frame has %d bytes", n)
		}
		l.press("tab", "G")
		if got := toTerminal(l.Model, func() tea.Cmd { return l.Chat.CopyCommand("") }); got != text {
			t.Errorf("y copies %d bytes, want all %d", len(got), len(text))
		}
		l.press("enter")
		l.until("the text", func() bool { return !strings.Contains(plain(l.Model), "Reading …") })
		l.press("G")
		l.shows("The very end.")
	}
}

// A message of any bytes is stored unchanged, and none of its bytes controls the terminal.
func TestAnyBytesReachTheScreenAsText(t *testing.T) {
	m := fresh(t, 100, 30)
	db := m.Deps.Store
	rapid.Check(t, func(rt *rapid.T) {
		piece := string(rapid.SliceOfN(rapid.OneOf(rapid.Byte(),
			rapid.SampledFrom([]byte("\x1b[]\x00\x07\x9b\xc2\xe2\x80\xae\n\r\t`#|-> "))), 1, 60).Draw(rt, "piece"))
		text := strings.Repeat(piece, rapid.SampledFrom([]int{1, 3, 200}).Draw(rt, "times"))
		role := rapid.SampledFrom([]history.Role{
			history.User, history.Assistant, history.Tool, "odd\x1b]0;x\a",
		}).Draw(rt, "role")
		message := history.Message{Role: role, Name: piece, Content: text, Reasoning: text, Status: history.Complete}
		if role == history.Tool {
			message.ToolCallID = piece
		}
		s, _, err := db.BeginSession(t.Context(), store.Session{Title: piece}, store.Message{Message: message})
		if err != nil {
			rt.Fatal(err)
		}
		kept, err := db.Messages(t.Context(), s.ID)
		if err != nil || len(kept) != 1 || kept[0].Content != text {
			rt.Fatalf("%q is read back as %d messages, error %v", text, len(kept), err)
		}
		m.Chat.Reset(branch.Branch{}.Append(kept...))
		m.Chat.SelectLast()
		for range 3 { // collapsed, expanded, with reasoning
			screen := ansi.Strip(m.View().Content)
			if safe := markdown.Visible(screen); safe != screen {
				rt.Fatalf("a control character is on the screen:\n%q", screen)
			}
			for line := range strings.Lines(screen) {
				if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > 100 {
					rt.Fatalf("a line has %d cells: %q", w, line)
				}
			}
			m.Chat.ToggleExpanded()
			m.Chat.ShowReasoning(!m.Chat.ShowsReasoning)
		}
	})
}
