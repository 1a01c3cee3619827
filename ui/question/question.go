// Package question asks above the draft whether a tool call may run. It takes letters only while it has the focus, so
// that text which was meant for the draft answers nothing. What the answer does it leaves to its parent.
package question

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/approval"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// quietTime is how long no key may have come before a question takes the focus by itself.
const quietTime = 500 * time.Millisecond

// Model is a question. Its zero value asks nothing.
type Model struct {
	asked   *session.Asked       // nil for no question
	pending *session.PendingCall // the call, where no turn is running that waits for the answer
	yes     bool                 // the answer under the cursor; the safe one is there first
}

// Of is the question of a running turn.
func Of(e session.Asked) Model { return Model{asked: &e} }

// OfPending is the question about a call that a session was left with.
func OfPending(call session.PendingCall) Model {
	return Model{asked: &session.Asked{Question: call.Question}, pending: &call}
}

// Waits says that there is a question to answer.
func (q Model) Waits() bool { return q.asked != nil }

// Pending is the call that a session was left with, nil where the question is a turn's.
func (q Model) Pending() *session.PendingCall { return q.pending }

// Answer gives an answer to the turn that waits for it.
func (q Model) Answer(a approval.Answer) { q.asked.Answer(a) }

// Reset puts the cursor back on the safe answer.
func (q *Model) Reset() { q.yes = false }

// DueMsg says that some time has gone by since a key.
type DueMsg struct{ Turn, Keys int }

// Await waits for a moment without a key, where there is a question. It is given the turn, and the keys that came
// so far.
func (q Model) Await(turn, keys int) tea.Cmd {
	if !q.Waits() {
		return nil
	}
	due := DueMsg{turn, keys}
	return tea.Tick(quietTime, func(time.Time) tea.Msg { return due })
}

// Event is what the parent has to do.
type Event interface{ event() }

// The events.
type (
	Decided struct{ approval.Answer } // the question is answered
	Later   struct{}                  // it is not answered now
	Stopped struct{}                  // the turn is to be stopped
	Other   struct{}                  // the key is not for the question
)

func (Decided) event() {}
func (Later) event()   {}
func (Stopped) event() {}
func (Other) event()   {}

// Update is a key while the question has the focus; the event is nil for one that moves the cursor.
func (q Model) Update(k keymap.Map, msg tea.KeyPressMsg) (Model, Event) {
	switch {
	case k.Pressed(msg, keymap.Allow):
		return q, decided(true)
	case k.Pressed(msg, keymap.Refuse):
		return q, decided(false)
	case k.Pressed(msg, keymap.Choose):
		return q, decided(q.yes)
	case k.Pressed(msg, keymap.ListUp, keymap.ListDown):
		q.yes = !q.yes
		return q, nil
	case k.Pressed(msg, keymap.Back) && q.pending != nil:
		return q, Later{}
	case k.Pressed(msg, keymap.Back):
		return q, Stopped{}
	}
	return q, Other{}
}

func decided(yes bool) Decided {
	if yes {
		return Decided{approval.Answer{Choice: approval.Once}}
	}
	return Decided{approval.Answer{Choice: approval.No}}
}

// Hints are the keys of the question.
func (q Model) Hints(k keymap.Map) []keymap.Hint {
	stop := k.Hint("stop", keymap.Back)
	if q.pending != nil {
		stop = k.Hint("later", keymap.Back)
	}
	return []keymap.Hint{
		k.Hint("don't run it", keymap.Refuse),
		k.Hint("run it once", keymap.Allow),
		k.Hint("move", keymap.ListUp, keymap.ListDown),
		k.Hint("answer", keymap.Choose),
		k.Hint("draft", keymap.FocusBack),
		stop,
	}
}

// View draws the question in at most n lines of w cells: the call, and below it the answers, or how to get to them.
// Where there is little room they share a line.
func (q Model) View(st theme.Styles, k keymap.Map, w, n int, focused bool) []string {
	answer := func(key, what string, at bool) string {
		if focused && at {
			return st.Chosen.Render("▸ " + key + " " + what)
		}
		return "  " + st.Accent.Render(key) + " " + what
	}
	refuse, allow := answer(k.First(keymap.Refuse), "don't run it", !q.yes), answer(k.First(keymap.Allow), "run it once", q.yes)
	answers := []string{refuse, allow}
	switch {
	case !focused:
		answers = []string{st.Accent.Render(k.First(keymap.Focus)) + " answers · letters go to your draft"}
	case n < 3:
		answers = []string{refuse + allow}
	}
	call := q.asked.Call
	lines := theme.WrapStyled(st.Warn, "? The model wants to run "+markdown.OneLine(call.Name, 60)+" "+markdown.OneLine(q.asked.Arguments.Object, 240), w)
	return append(lines[:min(len(lines), max(0, n-len(answers)))], answers...)
}

// Clicked is the answer on line y of a focused question that is drawn in so many lines, nil for none.
func Clicked(y, lines int) Event {
	switch y - lines {
	case -2:
		return decided(false)
	case -1:
		return decided(true)
	}
	return nil
}
