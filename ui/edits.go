package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/markdown"
	"winnow/ui/picker"
	"winnow/ui/theme"
)

// editsMsg says when the list of the user's messages is shown.
type editsMsg struct{ at time.Time }

// openEdits lists the user's messages, to edit one of them.
func (m *Model) openEdits() tea.Cmd {
	if m.turn.busy {
		return m.stillArriving()
	}
	return func() tea.Msg { return editsMsg{time.Now()} }
}

// editsListed shows the user's messages of the active branch, the newest first.
func (m *Model) editsListed(msg editsMsg) tea.Cmd {
	if m.covered() || m.turn.busy {
		return nil
	}
	var choices []picker.Choice
	for i := len(m.chat.Messages) - 1; i >= 0; i-- {
		message := m.chat.Messages[i]
		if message.Role != history.User || message.Damaged {
			continue
		}
		choices = append(choices, picker.Choice{
			Label: markdown.OneLine(message.Content, 400),
			Right: "message " + theme.Thousands(i+1) + " · " + theme.Ago(msg.at, time.UnixMilli(message.CreatedMS)),
			Value: strconv.FormatInt(message.ID, 10),
		})
	}
	if len(choices) == 0 {
		return m.say("There is no message of yours to edit yet.")
	}
	m.openList(picker.Options{Title: "edit an earlier message", Hints: m.listHints("edits")}, otherList, choices, m.editChosen)
	m.toast.text = "" // it told how to come here
	return nil
}

// editChosen edits the message of a choice.
func (m *Model) editChosen(value string) tea.Cmd {
	id, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return m.complain(theme.Sentence(err))
	}
	return m.startEdit(id)
}
