package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// interrupt handles ctrl+c: it stops the answer, else clears the draft, else quits when pressed twice.
func (m *Model) interrupt() tea.Cmd {
	again, lost := m.Keys.First(keymap.Stop)+" again ", m.whatIsLost(true)
	switch {
	case m.Turn.Busy && !m.Turn.Stopping:
		return m.stopTurn()
	case m.confirm.asked == quitting:
		m.upkeep.Hurried = true
		return m.quitNow()
	case m.editing():
		return m.composer.CancelEdit()
	case !m.composer.Empty():
		m.composer.Clear()
		cleared := "Draft cleared: " + m.Keys.First(keymap.ListUp) + " restores it"
		if lost != "" {
			return m.notice.Say(cleared + ".")
		}
		return tea.Batch(m.notice.Say(cleared+", "+again+"quits."), m.confirm.ask(quitting))
	case lost != "":
		return tea.Batch(m.notice.Error(lost+again+"quits anyway."), m.confirm.ask(quitting))
	}
	return tea.Batch(m.notice.Say("Press "+again+"to quit."), m.confirm.ask(quitting))
}

// whatIsLost says what leaving the chat would lose and, if winnow quits, what that would stop; "" for nothing.
func (m *Model) whatIsLost(quits bool) (what string) {
	if m.Session.Temporary() && !m.Chat.Empty() {
		what = "This chat is not saved. “Save this chat” in the commands saves it. "
	}
	if n := m.background.Len(); quits && n > 0 {
		what += theme.PluralOf(n, "answer is", "answers are") + " still arriving in the background. "
	}
	return what
}

// warnBeforeLeaving says once what would be lost. It returns nil if nothing is, or the warning was shown just before.
func (m *Model) warnBeforeLeaving(quits bool) tea.Cmd {
	lost := m.whatIsLost(quits)
	if lost == "" || m.confirm.asked == leaving {
		return nil
	}
	return tea.Batch(m.notice.Error(lost+"Repeat to leave anyway."), m.confirm.ask(leaving))
}

// quit ends winnow, after a warning if something would be lost.
func (m *Model) quit() tea.Cmd {
	if warning := m.warnBeforeLeaving(true); warning != nil {
		return warning
	}
	return m.quitNow()
}

// quitNow ends winnow. A running answer is stopped and saved first; Run saves the draft.
func (m *Model) quitNow() tea.Cmd {
	if !m.Turn.Busy {
		return tea.Quit
	}
	m.Turn.Quitting = true
	return tea.Batch(m.stopTurn(), tea.Tick(quitTime, func(time.Time) tea.Msg { return tea.QuitMsg{} }))
}

// back handles esc in the panes. It closes the first of these that is open: selection, search, past request, pane,
// completions, edit. Otherwise it stops the answer. It never changes stored messages.
func (m *Model) back() tea.Cmd {
	switch {
	case m.Chat.HasSelection():
		m.Chat.ClearSelection()
		return nil
	case m.Chat.Search.Active:
		m.Chat.EndSearch()
		return nil
	case m.Panel.Past != nil:
		return m.Panel.ShowNext()
	case m.focus != draftPane:
		m.setFocus(draftPane)
		return nil
	case m.composer.CloseCompletions():
		return nil
	case m.editing() && !m.Turn.Busy:
		return m.composer.CancelEdit()
	case m.Turn.Busy && !m.Turn.Stopping:
		return m.stopTurn()
	case m.Turn.Busy:
		return m.notice.Say("Stopping the answer.")
	}
	if !m.notice.CloseAlert() && m.composer.Empty() {
		return m.notice.Say("There is nothing to close or stop.")
	}
	return nil
}
