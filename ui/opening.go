package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/composer"
)

// opening is the session that was asked for and is not on the screen yet. What is typed meanwhile is for
// that session; what was in the composer before belongs to the one on the screen.
type opening struct {
	number  int // of the newest request
	waits   bool
	writing composer.Writing // what was in the composer
	edit    edit             // and the edit that it was
}

// openNext leaves the draft with its session and opens another session.
func (m *Model) openNext(open func(ctx context.Context, number int) tea.Msg) tea.Cmd {
	o, keep := &m.opening, m.keepDraft()
	o.number++
	if !o.waits {
		o.waits, o.writing, o.edit = true, m.composer.Writing, m.editing
		if m.composer.At != 0 {
			m.composer.Remember(m.composer.Own.Kept())
		}
		m.editing, m.chat.Edited = edit{}, 0
		m.composer.Set("")
	}
	m.bare()
	m.setFocus(draftPane)
	m.arrange()
	number := o.number
	return m.behind(func(ctx context.Context) tea.Msg {
		if keep == nil {
			return open(ctx, number)
		}
		// The draft is on disk before the next session asks for its own: both may be chats without a message.
		kept := keep()
		next := open(ctx, number)
		return tea.BatchMsg{func() tea.Msg { return kept }, func() tea.Msg { return next }}
	})
}

// leftDraft keeps what was in the composer of a session that is left, where the session does not keep it
// itself: a chat that has not begun, or the draft from before an edit.
func (m *Model) leftDraft() {
	o := &m.opening
	if o.waits && m.info.ID == "" {
		m.composer.Remember(o.writing.Kept())
	}
	if o.waits && o.edit.message != 0 {
		m.composer.Remember(o.edit.kept.Kept())
	}
	if m.editing.message != 0 {
		m.composer.Remember(m.editing.kept.Kept())
	}
	m.opening = opening{number: o.number}
	if m.composer.Empty() {
		m.keeping.changes = m.composer.Area.Changes() // the new session's draft is read first
	}
}

// stay gives the composer back what was in it, because no other session came. What was typed meanwhile can
// be recalled.
func (m *Model) stay() tea.Cmd {
	o := m.opening
	if !o.waits {
		return nil
	}
	m.opening = opening{number: o.number}
	typed := m.composer.Kept()
	m.editing, m.chat.Edited = o.edit, o.edit.message
	if o.writing.Shown() == "" && o.edit.message == 0 {
		return nil
	}
	m.composer.Resume(o.writing)
	m.composer.Remember(typed)
	m.arrange()
	return m.draftChanged()
}
