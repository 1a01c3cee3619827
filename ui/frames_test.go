package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/session"
	"winnow/ui/cells"
	"winnow/ui/input"
	"winnow/ui/turn"
)

// stopped is an application whose clock is moved by hand.
func stopped(app tea.Model) (f *frames, over func()) {
	f = newFrames(app, nil)
	now := begun
	f.now = func() time.Time { return now }
	return f, func() {
		now = now.Add(frameTime)
		if !f.awaited.IsZero() && !now.Before(f.awaited) {
			f.Update(frameMsg{})
		}
	}
}

// A burst of keys is seen at its first key and at the end of a frame, and nothing is built when nothing
// has happened.
func TestTheViewIsBuiltOncePerFrame(t *testing.T) {
	m := fresh(t, 80, 24)
	f, over := stopped(m)
	blank := f.View().Content
	f.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
	if f.View().Content != m.View().Content || f.View().Content == blank {
		t.Fatalf("the first key is not seen:\n%s", f.View().Content)
	}
	if !f.awaited.IsZero() {
		t.Error("a frame is awaited in which nothing is to be seen")
	}
	first := f.View().Content
	for i := range 1000 {
		if _, cmd := f.Update(tea.KeyPressMsg{Code: 'b', Text: "b"}); i == 0 && cmd == nil {
			t.Error("the frame in which the keys are seen has no end")
		}
		if f.View().Content != first {
			t.Fatalf("the view is built for key %d of a frame", i+2)
		}
	}
	over()
	if got, want := f.View().Content, m.View().Content; got != want {
		t.Errorf("after the frame the view is\n%s\nwant\n%s", got, want)
	}
	if over(); !f.awaited.IsZero() {
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

// counted counts how often its view is built.
type counted struct{ views, keys int }

func (c *counted) Init() tea.Cmd { return nil }

func (c *counted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); ok {
		c.keys++
	}
	return c, nil
}

func (c *counted) View() tea.View { c.views++; return tea.NewView("") }

// However fast keys come, a frame has one view, and another one only for a key that something else was drawn before.
func TestABurstOfKeysBuildsOneViewPerFrame(t *testing.T) {
	app := &counted{}
	f, over := stopped(app)
	const keys, perFrame = 20_000, 20
	for i := range keys {
		if i%perFrame == 0 {
			over()
		}
		f.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
	}
	if most := keys/perFrame + 1; app.keys != keys || app.views > most {
		t.Errorf("%d keys built %d views, want at most %d for %d frames", app.keys, app.views, most, keys/perFrame)
	}
}

// later is a message that changes nothing on the screen yet.
type later struct{}

func (later) Unseen() bool { return true }

// The next piece of an answer is seen with the next letter, or calmTime after what was drawn last. The first piece, and
// whatever is no piece, wait for the end of a frame at most; what is unseen is not drawn.
func TestAnAnswerGoesOnWithTheNextLetter(t *testing.T) {
	app := &counted{}
	f, over := stopped(app)
	piece := session.Delta{Text: "a piece"}
	pieces := make(chan session.Event, 1)
	pieces <- piece
	_, first := (turn.Model{}).Start(1, func() {}, func() <-chan session.Event { return pieces })
	next := turn.EventsMsg{Turn: 1, Events: []session.Event{piece}}
	views := func(want int, what string) {
		t.Helper()
		if app.views != want {
			t.Fatalf("%s: %d views, want %d", what, app.views, want)
		}
	}
	views(1, "at the start")
	f.Update(later{})
	over()
	views(1, "what is unseen")
	f.Update(char('a'))
	views(2, "a key")
	f.Update(first().(tea.BatchMsg)[0]())
	over()
	views(3, "the first piece, at the end of the frame")

	f.Update(next)
	over()
	views(3, "the next piece, after a frame")
	f.Update(char('b'))
	views(4, "the next letter, with the piece")
	for range 6 { // to the time that the piece waited for
		over()
	}
	views(4, "after it")

	f.Update(char('c'))
	views(5, "a letter")
	f.Update(next)
	f.Update(tea.FocusMsg{})
	over()
	views(6, "another message in the time of a piece that waits")
	f.Update(next)
	for range calmTime/frameTime + 1 {
		views(6, "a piece that waits")
		over()
	}
	views(7, "a piece that no letter came for")
}

// Cells are counted as the terminal counts them once it has answered, by measures or by mode 2027.
func TestFramesCountAsTheTerminalDoes(t *testing.T) {
	characters, parts := cells.Answered([]int{1, 3, 3, 3, 3, 3, 2, 3}), cells.Answered([]int{1, 7, 3, 5, 2, 2, 3, 3})
	mode := func(value ansi.ModeSetting) tea.Msg {
		return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: value}
	}
	for _, c := range []struct {
		name string
		msgs []tea.Msg
		want bool
	}{
		{"no answer", []tea.Msg{tea.ResumeMsg{}}, false},
		{"one that counts parts", []tea.Msg{input.MeasuredMsg{Terminal: parts}}, false},
		{"one that does not know the mode", []tea.Msg{mode(ansi.ModeNotRecognized)}, false},
		{"one that counts characters", []tea.Msg{input.MeasuredMsg{Terminal: characters}}, true},
		{"one that was measured before the mode was set", []tea.Msg{mode(ansi.ModeReset), input.MeasuredMsg{Terminal: parts}}, true},
	} {
		f := &frames{}
		for _, msg := range c.msgs {
			f.counts(msg)
		}
		if f.cells.Clusters != c.want {
			t.Errorf("%s: it counts characters: %v, want %v", c.name, f.cells.Clusters, c.want)
		}
	}
}
