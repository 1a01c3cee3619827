// Package limit asks whether a request may be sent that would exceed a limit on tokens or money. No answer is
// chosen until the user moves to one, so that a key that was meant for the draft answers nothing. What the answer
// does it leaves to its parent.
package limit

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/limits"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Model is a question about a limit.
type Model struct {
	asked session.OverLimit
	at    int // the answer under the cursor; -1 before the user moved to one
}

// Of is the question of a running turn.
func Of(e session.OverLimit) Model { return Model{e, -1} }

// Asked is the question.
func (m Model) Asked() *session.OverLimit { return &m.asked }

// Give gives an answer to the turn that waits for it.
func (m Model) Give(a limits.Answer) { m.asked.Answer(a) }

// choice is an answer with what it says. The safe one is the first.
type choice struct {
	answer limits.Answer
	text   string
}

func (m Model) choices() []choice {
	raise := "Send it, and don’t ask again in this session"
	if to := m.asked.Over.RaisedTo(); to != "" {
		raise = "Send it, and allow " + to + " in this session"
	}
	return []choice{{limits.No, "Don’t send it"}, {limits.Once, "Send it this time"}, {limits.Raise, raise}}
}

// Event is what the parent has to do; nil is nothing.
type Event interface{ event() }

// The events.
type (
	Decided  struct{ Answer limits.Answer } // the question is answered
	Unchosen struct{}                       // an answer was to be given, and none is chosen
	Other    struct{}                       // the key is not for the question
)

func (Decided) event()  {}
func (Unchosen) event() {}
func (Other) event()    {}

// Update is a key.
func (m Model) Update(k keymap.Map, msg tea.KeyPressMsg) (Model, Event) {
	n := len(m.choices())
	switch {
	case k.Pressed(msg, keymap.ListDown):
		m.at = min(m.at+1, n-1)
	case k.Pressed(msg, keymap.ListUp):
		m.at = max(m.at-1, 0)
	case k.Pressed(msg, keymap.Choose) && m.at < 0:
		return m, Unchosen{}
	case k.Pressed(msg, keymap.Choose):
		return m, Decided{m.choices()[m.at].answer}
	case k.Pressed(msg, keymap.Back):
		return m, Decided{limits.No}
	default:
		return m, Other{}
	}
	return m, nil
}

// Clicked moves to the answer on line y of a view in so many lines, and gives it where it is chosen already.
func (m Model) Clicked(y, lines int) (Model, Event) {
	at := y - (lines - len(m.choices()))
	switch {
	case at < 0 || at >= len(m.choices()):
		return m, nil
	case at == m.at:
		return m, Decided{m.choices()[at].answer}
	}
	m.at = at
	return m, nil
}

// Hints are the keys of the question.
func (m Model) Hints(k keymap.Map) []key.Binding {
	return []key.Binding{
		k.Hint("chooses an answer", keymap.ListUp, keymap.ListDown),
		k.Hint("answers", keymap.Choose),
		k.Hint("does not send it", keymap.Back),
	}
}

// Height is how many lines the question takes at a width of w cells.
func (m Model) Height(w int) int { return len(m.sentence(w)) + len(m.choices()) }

func (m Model) sentence(w int) []string {
	text := m.asked.Over.Sentence()
	if m.asked.For == store.ForSummary {
		text = "A summary of the older messages: " + m.asked.Over.Clause() + "."
	}
	return theme.Wrap(text, max(1, w-2))
}

// View draws the question in at most n lines of w cells: the sentence, and below it the answers.
func (m Model) View(st theme.Styles, w, n int) []string {
	var answers []string
	for i, c := range m.choices() {
		if i == m.at {
			answers = append(answers, st.CursorRow("  "+c.text, w))
			continue
		}
		answers = append(answers, theme.Fit("   "+c.text, w))
	}
	var lines []string
	for _, line := range m.sentence(w) {
		lines = append(lines, theme.Fit(" "+st.Cut.Render(line), w))
	}
	return append(lines[:min(len(lines), max(0, n-len(answers)))], answers...)
}
