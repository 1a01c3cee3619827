package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/markdown"
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
	if m.overlay != noOverlay || m.turn.busy {
		return nil
	}
	var choices []choice
	for i := len(m.chat.messages) - 1; i >= 0; i-- {
		message := m.chat.messages[i]
		if message.Role != history.User || message.Damaged {
			continue
		}
		choices = append(choices, choice{
			label: markdown.OneLine(message.Content, 400),
			right: "message " + theme.Thousands(i+1) + " · " + theme.Ago(msg.at, time.UnixMilli(message.CreatedMS)),
			value: strconv.FormatInt(message.ID, 10),
		})
	}
	if len(choices) == 0 {
		return m.say("There is no message of yours to edit yet.")
	}
	m.picker = picker{title: "edit an earlier message", hint: "type to filter · enter edits · esc closes"}
	m.picker.fill(choices)
	m.cover(editsOverlay)
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
