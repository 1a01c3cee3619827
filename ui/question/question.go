// Package question asks above the draft whether a tool call may run. It takes letters only while it has the focus, so
// that text which was meant for the draft answers nothing, and an answer that runs the call only after all of its
// arguments were on the screen. What the answer does it leaves to its parent.
package question

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/approval"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// quietTime is how long no key may have come before a question takes the focus by itself.
const quietTime = 500 * time.Millisecond

// Model is a question. Its zero value asks nothing.
type Model struct {
	asked   *session.Asked       // nil for no question
	pending *session.PendingCall // the call, where no turn is running that waits for the answer
	to      Recipient
	at      int          // the choice under the cursor; the safe one is the first
	reason  *theme.Field // why not, while that is typed; nil otherwise

	keys keymap.Map
	w, h int // what it is drawn in
	top  int // the first line of the arguments that is drawn
	seen int // how many lines of the arguments were drawn so far, from the first
}

// Recipient is who gets the result of the call.
type Recipient struct {
	Model  string // its name, "" where that is not known
	Place  string // the host of its server, "" for none to name
	Tokens int    // about what the request with the result takes without it, 0 where that is not known
}

// Of is the question of a running turn.
func Of(e session.Asked, to Recipient) Model { return Model{asked: &e, to: to} }

// OfPending is the question about a call that a session was left with.
func OfPending(call session.PendingCall, to Recipient) Model {
	return Model{asked: &session.Asked{Question: call.Question}, pending: &call, to: to}
}

// Waits says that there is a question to answer.
func (q Model) Waits() bool { return q.asked != nil }

// Pending is the call that a session was left with, nil where the question is a turn's.
func (q Model) Pending() *session.PendingCall { return q.pending }

// Asked is the question of a running turn, nil for none.
func (q Model) Asked() *session.Asked {
	if q.pending != nil {
		return nil
	}
	return q.asked
}

// Answer gives an answer to the turn that waits for it.
func (q Model) Answer(a approval.Answer) { q.asked.Answer(a) }

// Reset puts the cursor back on the safe answer.
func (q *Model) Reset() { q.at = 0 }

// Typing says that the keys go to the reason.
func (q Model) Typing() bool { return q.reason != nil }

// Paste puts a text into the reason that is typed.
func (q *Model) Paste(text string) {
	if q.reason != nil {
		field := *q.reason
		field.Insert(text)
		q.reason = &field
	}
}

// Resize says what the question is drawn in.
func (q *Model) Resize(k keymap.Map, w, h int) {
	if !q.Waits() {
		return
	}
	if w != q.w {
		q.top, q.seen = 0, 0
	}
	q.keys, q.w, q.h = k, w, h
	q.scroll(0)
}

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
	// The call was to run, and not all of its arguments were on the screen; more of them are now.
	Unseen  struct{}
	Later   struct{} // it is not answered now
	Stopped struct{} // the turn is to be stopped
	Other   struct{} // the key is not for the question
)

func (Decided) event() {}
func (Unseen) event()  {}
func (Later) event()   {}
func (Stopped) event() {}
func (Other) event()   {}

// choice is an answer as it is shown.
type choice struct {
	action keymap.Action
	answer approval.Choice
	text   string
	about  string // what more it does
	short  string
}

// all are the choices in their order, the safe one first. A key more refuses with a reason.
var all = []choice{
	{keymap.Refuse, approval.No, "Don’t run it", "adds a reason for the model", "no"},
	{keymap.Allow, approval.Once, "Run it once", "", "once"},
	{
		keymap.AllowSession, approval.Session, "Run it, and don’t ask again", "for this tool, in this session",
		"this session",
	},
	{keymap.AllowAlways, approval.Forever, "Always allow this tool", "saved", "always"},
}

// choices are those that the question offers.
func (q Model) choices() []choice {
	return slices.DeleteFunc(slices.Clone(all), func(c choice) bool {
		return c.answer != approval.No && !slices.Contains(q.asked.Choices, c.answer)
	})
}

// Update is a key while the question has the focus; the event is nil for one that is for the question alone.
func (q Model) Update(k keymap.Map, msg tea.KeyPressMsg) (Model, Event) {
	if q.reason != nil {
		return q.typed(k, msg)
	}
	choices := q.choices()
	for _, c := range choices {
		if k.Pressed(msg, c.action) {
			return q.choose(c)
		}
	}
	switch {
	case k.Pressed(msg, keymap.RefuseWhy):
		q.reason = new(theme.NewField(""))
	case k.Pressed(msg, keymap.Choose):
		return q.choose(choices[q.at])
	case k.Pressed(msg, keymap.ListUp):
		q.at = (q.at + len(choices) - 1) % len(choices)
	case k.Pressed(msg, keymap.ListDown):
		q.at = (q.at + 1) % len(choices)
	case k.Pressed(msg, keymap.PageDown) && q.scrolls():
		q.scroll(q.page())
	case k.Pressed(msg, keymap.PageUp) && q.scrolls():
		q.scroll(-q.page())
	case k.Pressed(msg, keymap.Back) && q.pending != nil:
		return q, Later{}
	case k.Pressed(msg, keymap.Back):
		return q, Stopped{}
	default:
		return q, Other{}
	}
	return q, nil
}

// typed is a key for the reason.
func (q Model) typed(k keymap.Map, msg tea.KeyPressMsg) (Model, Event) {
	field := *q.reason
	switch {
	case k.Pressed(msg, keymap.Choose):
		q.reason = nil
		return q, Decided{approval.Answer{Choice: approval.No, Reason: field.Text()}}
	case k.Pressed(msg, keymap.Back):
		q.reason = nil
	case field.Typed(msg):
		q.reason = &field
	default:
		return q, Other{}
	}
	return q, nil
}

// choose gives an answer. One that runs the call needs all of its arguments to have been on the screen.
func (q Model) choose(c choice) (Model, Event) {
	if c.answer != approval.No && q.unseen() > 0 {
		q.scroll(q.page())
		return q, Unseen{}
	}
	return q, Decided{approval.Answer{Choice: c.answer}}
}

// Clicked is a click on line y of the question as it is drawn.
func (q Model) Clicked(st theme.Styles, k keymap.Map, y int) (Model, Event) {
	lines := q.compose(st, k, q.w, q.h, true)
	if y < 0 || y >= len(lines) || lines[y].choice < 0 {
		return q, nil
	}
	q.at = lines[y].choice
	return q.choose(q.choices()[q.at])
}

// Hints are the keys of the question.
func (q Model) Hints(k keymap.Map) []key.Binding {
	if q.reason != nil {
		return []key.Binding{k.Hint("refuse with this reason", keymap.Choose), k.Hint("back", keymap.Back)}
	}
	stop := k.Hint("stop", keymap.Back)
	if q.pending != nil {
		stop = k.Hint("later", keymap.Back)
	}
	hints := []key.Binding{k.Hint("choose", keymap.ListUp, keymap.ListDown), k.Hint("answer", keymap.Choose)}
	if q.scrolls() {
		hints = append(hints, k.Hint("arguments", keymap.PageDown, keymap.PageUp))
	}
	return append(hints, k.Hint("draft", keymap.FocusBack), stop)
}
