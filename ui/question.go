package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// quietTime is how long no key may have come before a question takes the focus by itself.
const quietTime = 500 * time.Millisecond

// question asks whether a tool call may run. It takes letters only while it has the focus, so that text
// which was meant for the draft answers nothing.
type question struct {
	asked   *session.Asked       // nil for none
	pending *session.PendingCall // the call, where no turn is running that waits for the answer
	allow   bool                 // the answer under the cursor; the safe one is there first
}

// waits says that there is a question to answer.
func (q question) waits() bool { return q.asked != nil }

// questionDueMsg says that some time has gone by since a key press.
type questionDueMsg struct{ turn, keyPresses int }

// ask shows a question above the draft.
func (m *Model) ask(e session.Asked) tea.Cmd {
	return m.showQuestion(question{asked: &e})
}

// askPending asks about the call that the session was left with.
func (m *Model) askPending() tea.Cmd {
	call, ok := m.session.NextPending()
	if !ok || m.elsewhere || m.turn.Busy {
		return nil
	}
	return m.showQuestion(question{asked: &session.Asked{Call: call.Call}, pending: &call})
}

// askPendingAnew asks about the call that waits now that another branch is the active one or another model is
// in use. A call that waits no more is not asked about any longer.
func (m *Model) askPendingAnew() tea.Cmd {
	asked := m.question.pending
	if m.turn.Busy {
		return nil
	}
	if call, ok := m.session.NextPending(); ok && asked != nil && *asked == call {
		return nil
	}
	if asked != nil {
		m.endQuestion()
	}
	return m.askPending()
}

func (m *Model) showQuestion(q question) tea.Cmd {
	m.question = q
	m.arrange()
	var said tea.Cmd
	if m.overlays.any() {
		said = m.say("A tool call waits for your answer.")
	}
	return tea.Batch(said, m.awaitQuiet())
}

// awaitQuiet gives the focus to a question when no more key has come for a while.
func (m *Model) awaitQuiet() tea.Cmd {
	if !m.question.waits() || m.focus == questionPane {
		return nil
	}
	due := questionDueMsg{m.turn.Number, m.confirm.Keys()}
	return tea.Tick(quietTime, func(time.Time) tea.Msg { return due })
}

// questionDue gives the focus to the question, unless a key came or there is something that keys are typed
// for: a draft, a list, a search. In the transcript and the panel letters have meanings of their own.
func (m *Model) questionDue(msg questionDueMsg) tea.Cmd {
	quiet := msg == questionDueMsg{m.turn.Number, m.confirm.Keys()}
	if quiet && m.question.waits() && m.focus == draftPane && !m.overlays.any() && !m.chat.Search.Open && m.composer.Empty() {
		m.setFocus(questionPane)
		m.arrange()
	}
	return nil
}

// questionKey is a key while the question has the focus. Any text but an answer is typed into the draft.
func (m *Model) questionKey(msg tea.KeyPressMsg) tea.Cmd {
	k, q := &m.keys, &m.question
	switch {
	case k.Pressed(msg, keymap.Allow):
		return m.decide(true)
	case k.Pressed(msg, keymap.Refuse):
		return m.decide(false)
	case k.Pressed(msg, keymap.Choose):
		return m.decide(q.allow)
	case k.Pressed(msg, keymap.ListUp, keymap.ListDown):
		q.allow = !q.allow
		return nil
	case k.Pressed(msg, keymap.Back) && q.pending != nil:
		m.endQuestion()
		return m.say("The tool call was not answered. You are asked again when the session is opened, or its branch or model changes.")
	case k.Pressed(msg, keymap.Back):
		return m.stopTurn()
	case k.Pressed(msg, keymap.Ask) && m.composer.Empty():
		return m.openHelp()
	}
	if cmd, ok := m.globalKey(msg); ok {
		return cmd
	}
	m.setFocus(draftPane)
	m.arrange()
	return m.draftKey(msg)
}

// decide answers the question.
func (m *Model) decide(yes bool) tea.Cmd {
	allow, pending, s := m.question.asked.Allow, m.question.pending, m.session
	m.endQuestion()
	if pending != nil {
		return m.begin(nil, func(ctx context.Context) <-chan session.Event { return s.AnswerPending(ctx, *pending, yes) })
	}
	return func() tea.Msg {
		allow(yes)
		return nil
	}
}

// endQuestion takes the question away, and gives its focus to the draft.
func (m *Model) endQuestion() {
	m.question = question{}
	if m.focus == questionPane {
		m.setFocus(draftPane)
	}
	m.arrange()
}

// clickQuestion is a click on line y of the question: it gives the focus to it, and where that is there
// already a click on an answer takes it.
func (m *Model) clickQuestion(y int) tea.Cmd {
	if m.focus != questionPane {
		m.setFocus(questionPane)
		return nil
	}
	switch y - len(m.questionLines(max(1, m.layout.DraftWidth()-1), m.layout.Alert.H)) {
	case -2:
		return m.decide(false)
	case -1:
		return m.decide(true)
	}
	return nil
}

// questionLines are the question in at most n lines of w cells: the call, and below it the answers, or how
// to get to them. Where there is little room they share a line.
func (m *Model) questionLines(w, n int) []string {
	st, k, q := m.styles, &m.keys, m.question
	focused := m.focus == questionPane
	answer := func(key, what string, at bool) string {
		if focused && at {
			return st.Chosen.Render("▸ " + key + " " + what)
		}
		return "  " + st.Accent.Render(key) + " " + what
	}
	refuse, allow := answer(k.First(keymap.Refuse), "don't run it", !q.allow), answer(k.First(keymap.Allow), "run it once", q.allow)
	answers := []string{refuse, allow}
	switch {
	case !focused:
		answers = []string{st.Accent.Render(k.First(keymap.Focus)) + " answers · letters go to your draft"}
	case n < 3:
		answers = []string{refuse + allow}
	}
	call := q.asked.Call
	lines := theme.WrapStyled(st.Warn, "? The model wants to run "+markdown.OneLine(call.Name, 60)+" "+markdown.OneLine(call.Arguments, 240), w)
	return append(lines[:min(len(lines), max(0, n-len(answers)))], answers...)
}
