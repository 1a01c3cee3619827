package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// edit is the earlier message whose text is in the composer.
type edit struct {
	message int64            // 0 for none
	said    composer.Drafted // as it was said
	kept    composer.Writing // the draft that was there before
}

// editSelected takes the message under the cursor into the composer.
func (m *Model) editSelected() tea.Cmd {
	message, ok := m.chat.Selected()
	if !ok {
		return m.complain("Select a message of yours first.")
	}
	return m.startEdit(message.ID)
}

// startEdit takes a message of the user's into the composer. What it becomes there is another version of
// it: the message itself stays, with all that was said since.
func (m *Model) startEdit(id int64) tea.Cmd {
	i, ok := m.chat.Place[id]
	switch {
	case m.elsewhere:
		return m.onlyRead()
	case m.turn.busy:
		return m.stillArriving()
	case !m.session.Loaded():
		return m.complain(theme.Sentence(session.ErrLoading))
	case !ok:
		return m.complain("This message is on another branch by now.")
	}
	message := m.chat.Messages[i]
	switch {
	case message.Role != history.User:
		return m.complain(theme.UpperFirst(m.numbersOf([]int64{id})) + " is not yours, so it cannot be edited; " +
			m.keys.First(keymap.Again) + " has the turn answered again.")
	case message.Damaged:
		return m.complain("This message cannot be read, so it cannot be edited.")
	}
	e := edit{message: id, kept: m.composer.Writing}
	if m.editing.message != 0 {
		e.kept = m.editing.kept
	}
	if m.panel.Past != nil {
		m.toNext()
	}
	m.editing, m.chat.Edited = e, id
	m.composer.SetWith(message.Content, message.Parts)
	m.editing.said = m.composer.Drafted() // as the composer has it
	m.chat.GoTo(id)
	m.setFocus(draftPane)
	m.arrange()
	return m.draftChanged()
}

// endEdit gives the draft back that was there before the edit.
func (m *Model) endEdit() {
	m.composer.Resume(m.editing.kept)
	m.editing, m.chat.Edited = edit{}, 0
	m.arrange()
}

// leaveEdit ends an edit that was not sent. The text can be recalled.
func (m *Model) leaveEdit() tea.Cmd {
	said := theme.UpperFirst(m.numbersOf([]int64{m.editing.message})) + " is as it was."
	if !m.composer.Drafted().Same(m.editing.said) && !m.composer.Empty() {
		m.composer.Remember(m.composer.Kept())
		said += " " + m.keys.First(keymap.Older) + " recalls the edit."
	}
	m.endEdit()
	return tea.Batch(m.say(said), m.draftChanged())
}

// unsent is the draft to keep while the session is left: the edit where it was changed, and then the draft
// from before it can be recalled; else that one.
func (m *Model) unsent() store.Draft {
	switch {
	case m.editing.message == 0:
		return m.composer.Kept()
	case m.composer.Drafted().Same(m.editing.said):
		return m.editing.kept.Kept()
	}
	m.composer.Remember(m.editing.kept.Kept())
	return m.composer.Kept()
}

// editTitle says above the composer which message is being edited, "" for none.
func (m *Model) editTitle() string {
	if m.editing.message == 0 {
		return ""
	}
	return "editing " + m.numbersOf([]int64{m.editing.message})
}
