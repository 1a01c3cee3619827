package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// cannotLeave says why the conversation on the screen cannot be left while its answer arrives. It returns nil if it
// can.
func (m *Model) cannotLeave() tea.Cmd {
	back := m.Keys.First(keymap.Back)
	switch {
	case !m.Turn.Busy:
		return nil
	case m.Session.Temporary():
		return m.notice.Error("This chat is not saved, so its answer cannot continue in the background: " +
			back + " stops it.")
	case m.composer.Sending != nil || m.Session.Info().ID == "":
		return m.notice.Error("Your message is not saved yet; try again in a moment, or " + back + " stops it.")
	case m.background.Len() >= conversation.MaxBackground:
		return m.notice.Error(theme.Plural(conversation.MaxBackground, "answer") + " are already running in the " +
			"background, which is the limit. " + back + " stops this one.")
	}
	return nil
}
