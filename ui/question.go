package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/question"
)

// asked announces a new question above the draft.
func (m *Model) asked() tea.Cmd {
	m.notice.ClearSentence() // it would hide the question's hints
	var sentence tea.Cmd
	if m.covered() {
		sentence = m.notice.Say(waitsForYou(m))
	}
	return tea.Batch(sentence, m.Question.AwaitQuiet(m.Turn.Number, m.confirm.keys), m.NotifyQuestion(&m.notice))
}

// waitsForYou returns a sentence that names the kind of the waiting question.
func waitsForYou(m *Model) string {
	if m.Question.Question().Limit != nil {
		return "A request above a limit waits for your answer."
	}
	return "A tool call waits for your answer."
}

// questionDue moves the focus from an empty draft to the question, unless a key was pressed since the question was
// shown or typed keys would go elsewhere.
func (m *Model) questionDue(msg question.QuietMsg) tea.Cmd {
	quiet := msg == question.QuietMsg{
		Turn: m.Turn.Number, Keys: m.confirm.keys,
	}
	if quiet && m.Question.HasQuestion() && m.focus == draftPane && !m.covered() && !m.Chat.Search.Typing &&
		m.composer.Empty() {
		m.setFocus(questionPane)
	}
	return nil
}

// questionKey handles a key while the question has the focus. Text that is no answer goes into the draft.
func (m *Model) questionKey(msg tea.KeyPressMsg) tea.Cmd {
	outcome, answer := m.Question.Update(msg)
	switch outcome {
	case question.StaysOpen:
		return nil
	case question.Answered:
		asked := m.Question.Question()
		m.endQuestion()
		return func() tea.Msg {
			asked.Answer(answer)
			return nil
		}
	case question.ArgumentsUnseen:
		return m.notice.Say("Read all of the arguments first: there are more.")
	case question.StopTurn:
		return m.stopTurn()
	}
	if m.Keys.Pressed(msg, keymap.Help) && m.composer.Empty() {
		return palette{m}.help()
	}
	if cmd, ok := m.globalKey(msg); ok {
		return cmd
	}
	m.setFocus(draftPane)
	return m.composer.Update(msg)
}

// endQuestion removes the question and moves its focus to the draft.
func (m *Model) endQuestion() {
	m.Question.Ask(question.Question{})
	if m.focus == questionPane {
		m.setFocus(draftPane)
	}
}
