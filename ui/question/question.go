// Package question asks above the draft whether a tool call may run, or whether a request may be sent that exceeds a
// spending limit. Letters answer only while the question has the focus, so text meant for the draft answers nothing;
// and a call is allowed only after all of its arguments have been on the screen.
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

// Question is what is asked. One of Call and Limit is set; the zero Question asks nothing.
type Question struct {
	Call      *session.ApprovalNeeded // a tool call of a running turn
	Limit     *session.LimitExceeded  // a request of a running turn that exceeds a spending limit
	Recipient Recipient               // who gets the result of the call
}

// Recipient is the model that gets the result of a call.
type Recipient struct {
	Model         string // its name, "" if unknown
	Host          string // the host of its server, "" for none
	RequestTokens int    // estimated tokens of the next request without the result, 0 if unknown
}

// Answer passes an answer to the turn that waits for it.
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

// choice is a possible answer.
type choice struct {
	action keymap.Action // whose key gives the answer, "" if key is fixed
	key    string
	answer approval.Choice
	text   string
}

// reasonKey is the letter for refusing a call with a reason.
const reasonKey = "r"

// choices returns the possible answers, the safe one first.
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

// Model shows a question and handles its keys.
type Model struct {
	Keys keymap.Map

	question Question
	at       int          // index of the choice under the cursor
	reason   *theme.Field // the reason for a refusal while it is typed, else nil

	w, h int // size in cells
	top  int // the first visible line of the arguments
	seen int // how many lines of the arguments have been visible, from the first
}

// Ask asks a question in place of the previous one. The zero Question ends asking.
func (m *Model) Ask(q Question) { *m = Model{Keys: m.Keys, question: q, w: m.w, h: m.h} }

// Question returns what is asked.
func (m *Model) Question() Question { return m.question }

// HasQuestion reports whether a question is waiting for an answer.
func (m *Model) HasQuestion() bool { return m.question.Call != nil || m.question.Limit != nil }

// ResetCursor moves the cursor to the safe answer.
func (m *Model) ResetCursor() { m.at = 0 }

// TypingReason reports whether keys go to the reason for a refusal.
func (m *Model) TypingReason() bool { return m.reason != nil }

// Paste inserts a text into the reason.
func (m *Model) Paste(text string) { m.reason.Insert(text) }

// Resize sets the size in cells. Another width counts the visible arguments anew.
func (m *Model) Resize(w, h int) {
	if !m.HasQuestion() {
		return
	}
	if w != m.w {
		m.top, m.seen = 0, 0
	}
	m.w, m.h = w, h
	m.scroll(0)
}

// quietTime is how long no key must have been pressed before a question takes the focus.
const quietTime = 500 * time.Millisecond

// QuietMsg is sent after quietTime. If Keys is still the number of keys pressed, there was none meanwhile.
type QuietMsg struct{ Turn, Keys int }

// AwaitQuiet waits for quietTime if there is a question. It is given the turn and the number of keys pressed so far.
func (m *Model) AwaitQuiet(turn, keys int) tea.Cmd {
	if !m.HasQuestion() {
		return nil
	}
	return tea.Tick(quietTime, func(time.Time) tea.Msg { return QuietMsg{turn, keys} })
}

// Outcome is the effect of a key.
type Outcome int

// The outcomes.
const (
	StaysOpen       Outcome = iota // the question is still open
	Answered                       // with the answer that is returned beside it
	ArgumentsUnseen                // the call was allowed too early: more of its arguments are shown now
	StopTurn                       // the turn shall be stopped
	NotHandled                     // the key has no meaning for the question
)

// Update handles a key while the question has the focus.
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
		return NotHandled, none
	case calls:
		return StopTurn, none
	default:
		return m.choose(choices[0])
	}
	return StaysOpen, none
}

// typed handles a key for the reason.
func (m *Model) typed(msg tea.KeyPressMsg) (Outcome, approval.Answer) {
	switch {
	case m.Keys.Pressed(msg, keymap.Choose):
		return Answered, approval.Answer{Choice: approval.Deny, Reason: m.reason.Text()}
	case m.Keys.Pressed(msg, keymap.Back):
		m.reason = nil
	case !m.reason.HandleKey(msg):
		return NotHandled, approval.Answer{}
	}
	return StaysOpen, approval.Answer{}
}

// choose gives an answer. A call can be allowed only after all of its arguments have been visible.
func (m *Model) choose(c choice) (Outcome, approval.Answer) {
	if c.answer != approval.Deny && len(m.body()) > m.seen {
		m.scroll(m.page())
		return ArgumentsUnseen, approval.Answer{}
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
