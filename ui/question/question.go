// Package question asks above the draft whether a tool call may run, or whether a request may be sent that is above a
// spending limit. It takes letters only while it has the focus, so that text which was meant for the draft answers
// nothing, and an answer that runs a call only after all of its arguments were on the screen.
package question

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Question is what is asked: one of Call and Limit. The zero Question asks nothing.
type Question struct {
	Call  *session.ApprovalNeeded // of a running turn
	Limit *session.LimitExceeded  // of a running turn
	To    Recipient               // of the result of a call
}

// Recipient is who gets the result of a call.
type Recipient struct {
	Model  string // its name, "" where that is not known
	Place  string // the host of its server, "" for none to name
	Tokens int    // about what the request with the result takes without it, 0 where that is not known
}

// Answer gives an answer to the turn that waits for it.
func (q Question) Answer(a approval.Answer) {
	switch {
	case q.Call != nil:
		q.Call.Answer(a)
	case q.Limit != nil:
		q.Limit.Answer(map[approval.Choice]limits.Answer{
			approval.Deny: limits.DoNotSend, approval.AllowOnce: limits.SendOnce,
			approval.AllowForSession: limits.RaiseLimit,
		}[a.Choice])
	}
}

// choice is an answer as it is shown.
type choice struct {
	action keymap.Action // of its key, "" where that is always the same
	key    string
	answer approval.Choice
	text   string
}

// reasonKey is the letter that asks for a reason to refuse a call with.
const reasonKey = "r"

// choices are what can be answered, the safe answer first.
func (m *Model) choices() []choice {
	no, once := m.Keys.First(keymap.Refuse), m.Keys.First(keymap.Allow)
	if l := m.question.Limit; l != nil {
		raise := choice{"", "s", approval.AllowForSession, "Send it, and don’t ask again in this chat"}
		if to := l.Over.RaisedTo(); to != "" {
			raise.text = "Send it, and allow " + to
		}
		return []choice{
			{keymap.Refuse, no, approval.Deny, "Don’t send it"},
			{keymap.Allow, once, approval.AllowOnce, "Send it this time"},
			raise,
		}
	}
	return slices.DeleteFunc([]choice{
		{keymap.Refuse, no, approval.Deny, "Don’t run it; " + reasonKey + " adds a reason for the model"},
		{keymap.Allow, once, approval.AllowOnce, "Run it once"},
		{"", "s", approval.AllowForSession, "Allow this tool in this chat"},
		{"", "a", approval.AllowAlways, "Always allow this tool"},
	}, func(c choice) bool {
		return c.answer != approval.Deny && !slices.Contains(m.question.Call.Choices, c.answer)
	})
}

// Model shows a question and takes the keys for it.
type Model struct {
	Keys keymap.Map

	question Question
	at       int          // the choice under the cursor; the safe one is the first
	reason   *theme.Field // why not, while that is typed; nil otherwise

	w, h int // what it is drawn in
	top  int // the first line of the arguments that is drawn
	seen int // how many lines of the arguments were drawn so far, from the first
}

// Ask asks a question in the place of the one before. The zero Question ends that.
func (m *Model) Ask(q Question) { *m = Model{Keys: m.Keys, question: q, w: m.w, h: m.h} }

// Question is what is asked.
func (m *Model) Question() Question { return m.question }

// Waits says that there is a question to answer.
func (m *Model) Waits() bool { return m.question.Call != nil || m.question.Limit != nil }

// Reset puts the cursor back on the safe answer.
func (m *Model) Reset() { m.at = 0 }

// Typing says that the keys go to the reason for a refusal.
func (m *Model) Typing() bool { return m.reason != nil }

// Paste puts a text into the reason that is typed.
func (m *Model) Paste(text string) { m.reason.Insert(text) }

// Resize says in how many lines of how many cells the question is drawn.
func (m *Model) Resize(w, h int) {
	if !m.Waits() {
		return
	}
	if w != m.w {
		m.top, m.seen = 0, 0
	}
	m.w, m.h = w, h
	m.scroll(0)
}

// quietTime is how long no key may have come before a question takes the focus by itself.
const quietTime = 500 * time.Millisecond

// DueMsg says that some time has gone by since a key.
type DueMsg struct{ Turn, Keys int }

// Await waits for a moment without a key, where there is a question. It is given the turn, and the keys that came
// so far.
func (m *Model) Await(turn, keys int) tea.Cmd {
	if !m.Waits() {
		return nil
	}
	return tea.Tick(quietTime, func(time.Time) tea.Msg { return DueMsg{turn, keys} })
}

// Outcome is what a key came to.
type Outcome int

// The outcomes.
const (
	Open     Outcome = iota // the question stays
	Answered                // by the answer that is returned with it
	Unread                  // the call was to run, and more of its arguments had to be shown first
	Stopped                 // the turn is to be stopped
	Other                   // the key is not for the question
)

// Update takes a key while the question has the focus.
func (m *Model) Update(msg tea.KeyPressMsg) (Outcome, approval.Answer) {
	if m.reason != nil {
		return m.typed(msg)
	}
	none, choices := approval.Answer{}, m.choices()
	for _, c := range choices {
		if m.Keys.Pressed(msg, c.action) || c.action == "" && msg.Text == c.key {
			return m.choose(c)
		}
	}
	switch calls := m.question.Call != nil; {
	case msg.Text == reasonKey && calls:
		m.reason = new(theme.NewField(""))
	case m.Keys.Pressed(msg, keymap.Choose):
		return m.choose(choices[m.at])
	case m.Keys.Pressed(msg, keymap.ListUp):
		m.at = (m.at + len(choices) - 1) % len(choices)
	case m.Keys.Pressed(msg, keymap.ListDown):
		m.at = (m.at + 1) % len(choices)
	case m.Keys.Pressed(msg, keymap.PageDown) && m.scrolls():
		m.scroll(m.page())
	case m.Keys.Pressed(msg, keymap.PageUp) && m.scrolls():
		m.scroll(-m.page())
	case !m.Keys.Pressed(msg, keymap.Back):
		return Other, none
	case calls:
		return Stopped, none
	default:
		return m.choose(choices[0])
	}
	return Open, none
}

// typed takes a key for the reason.
func (m *Model) typed(msg tea.KeyPressMsg) (Outcome, approval.Answer) {
	switch {
	case m.Keys.Pressed(msg, keymap.Choose):
		return Answered, approval.Answer{Choice: approval.Deny, Reason: m.reason.Text()}
	case m.Keys.Pressed(msg, keymap.Back):
		m.reason = nil
	case !m.reason.Typed(msg):
		return Other, approval.Answer{}
	}
	return Open, approval.Answer{}
}

// choose gives an answer. One that runs a call needs all of its arguments to have been on the screen.
func (m *Model) choose(c choice) (Outcome, approval.Answer) {
	if c.answer != approval.Deny && len(m.body()) > m.seen {
		m.scroll(m.page())
		return Unread, approval.Answer{}
	}
	return Answered, approval.Answer{Choice: c.answer}
}

// Hints are the keys of the question.
func (m *Model) Hints() []key.Binding {
	k := &m.Keys
	if m.reason != nil {
		return []key.Binding{k.Hint("refuse with this reason", keymap.Choose), k.Hint("back", keymap.Back)}
	}
	hints := []key.Binding{k.Hint("choose", keymap.ListUp, keymap.ListDown), k.Hint("answer", keymap.Choose)}
	if m.scrolls() {
		hints = append(hints, k.Hint("arguments", keymap.PageDown, keymap.PageUp))
	}
	back := "stop"
	if m.question.Limit != nil {
		back = "don’t send"
	}
	return append(hints, k.Hint("draft", keymap.FocusBack), k.Hint(back, keymap.Back))
}
