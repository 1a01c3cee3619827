package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/cells"
	"winnow/ui/input"
)

// A burst of keys is seen at its first key and at the end of a frame, and nothing is built when nothing
// has happened.
func TestTheViewIsBuiltOncePerFrame(t *testing.T) {
	m := fresh(t, 80, 24)
	f := &frames{Model: m, view: m.View()}
	blank := f.View().Content
	f.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
	if f.View().Content != m.View().Content || f.View().Content == blank {
		t.Fatalf("the first key is not seen:\n%s", f.View().Content)
	}
	first := f.View().Content
	for i := range 1000 {
		f.Update(tea.KeyPressMsg{Code: 'b', Text: "b"})
		if f.View().Content != first {
			t.Fatalf("the view is built for key %d of a frame", i+2)
		}
	}
	if _, cmd := f.Update(frameMsg{}); cmd == nil {
		t.Error("the frame in which the keys are seen has no end")
	}
	if got, want := f.View().Content, m.View().Content; got != want {
		t.Errorf("after the frame the view is\n%s\nwant\n%s", got, want)
	}
	if _, cmd := f.Update(frameMsg{}); cmd != nil {
		t.Error("a frame follows in which nothing happened")
	}
	f.Update(tea.FocusMsg{})
	before := f.View().Content
	if f.Update(tea.KeyPressMsg{Code: 'c', Text: "c"}); f.View().Content == before {
		t.Error("a key waits for the frame that another message began")
	}
	f.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	if lines := strings.Count(f.View().Content, "\n") + 1; lines != 20 {
		t.Errorf("the view has %d lines right after the new size, want 20", lines)
	}
}

// Bubble Tea counts as the terminal does: it is told once the terminal has answered, and again when it
// has the terminal back from another program, because it leaves the mode then.
func TestFramesTellHowTheTerminalCounts(t *testing.T) {
	f := &frames{}
	told := func(msg tea.Msg) bool {
		cmd := f.counts(msg)
		if cmd == nil {
			return false
		}
		report, ok := cmd().(tea.ModeReportMsg)
		return ok && report.Mode == ansi.ModeUnicodeCore && report.Value == ansi.ModeSet
	}
	if told(tea.ResumeMsg{}) {
		t.Error("it is told before the terminal has answered")
	}
	characters, parts := cells.Answered([]int{1, 3, 3, 3, 3, 3, 2, 3}), cells.Answered([]int{1, 7, 3, 5, 2, 2, 3, 3})
	if told(input.MeasuredMsg{Terminal: parts}) {
		t.Error("it is told of a terminal that counts parts")
	}
	if !told(input.MeasuredMsg{Terminal: characters}) || !told(tea.ResumeMsg{}) {
		t.Error("it is not told of a terminal that counts characters")
	}
	f = &frames{}
	told(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	if told(input.MeasuredMsg{Terminal: parts}); !f.cells.Clusters {
		t.Error("the terminal has the mode, which Bubble Tea turned on; it counts characters then")
	}
}
