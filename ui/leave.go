package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// interrupt is ctrl+c: it stops the answer, then clears the draft, then quits when pressed twice.
func (m *Model) interrupt() tea.Cmd {
	again, lost := m.Keys.First(keymap.Stop)+" again ", m.lost(true)
	switch {
	case m.Turn.Busy && !m.Turn.Stopping:
		return m.stopTurn()
	case m.confirm.asked == quitting:
		m.upkeep.Hurried = true
		return m.quitNow()
	case m.editing():
		return m.composer.LeaveEdit()
	case !m.composer.Empty():
		m.composer.Clear()
		cleared := "Draft cleared: " + m.Keys.First(keymap.ListUp) + " brings it back"
		if lost != "" {
			return m.notice.Say(cleared + ".")
		}
		return tea.Batch(m.notice.Say(cleared+", "+again+"quits."), m.confirm.ask(quitting))
	case lost != "":
		return tea.Batch(m.notice.Error(lost+again+"quits all the same."), m.confirm.ask(quitting))
	}
	return tea.Batch(m.notice.Say("Press "+again+"to quit."), m.confirm.ask(quitting))
}

// lost says what leaving the session on the screen would lose, and what quitting would stop, "" for nothing.
func (m *Model) lost(quits bool) (what string) {
	if m.Session.Temporary() && !m.Chat.Empty() {
		what = "This chat is not saved. “Save this chat” in the commands saves it. "
	}
	if n := m.background.Len(); quits && n > 0 {
		what += theme.PluralOf(n, "answer is", "answers are") + " still arriving in the background. "
	}
	return what
}

// warns says, once, what would be lost. Whoever means it does the same again soon.
func (m *Model) warns(quits bool) tea.Cmd {
	lost := m.lost(quits)
	if lost == "" || m.confirm.asked == leaving {
		return nil
	}
	return tea.Batch(m.notice.Error(lost+"The same again leaves all the same."), m.confirm.ask(leaving))
}

// quit leaves, unless something would be lost.
func (m *Model) quit() tea.Cmd {
	if warning := m.warns(true); warning != nil {
		return warning
	}
	return m.quitNow()
}

// quitNow leaves; a running answer is stopped and saved first. Run saves the draft, however it ends.
func (m *Model) quitNow() tea.Cmd {
	if !m.Turn.Busy {
		return tea.Quit
	}
	m.Turn.Quitting = true
	return tea.Batch(m.stopTurn(), tea.Tick(quitTime, func(time.Time) tea.Msg { return tea.QuitMsg{} }))
}

// back is esc in the panes: leave the selection, the search, the
// request of the past, the pane, the list of completions; else stop the answer, else nothing. It never changes history.
func (m *Model) back() tea.Cmd {
	switch {
	case m.Chat.Selecting():
		m.Chat.Unselect()
		return nil
	case m.Chat.Search.On:
		m.Chat.EndSearch()
		return nil
	case m.Panel.Past != nil:
		return m.Panel.ToNext()
	case m.focus != draftPane:
		m.setFocus(draftPane)
		return nil
	case m.composer.CloseCompletions():
		return nil
	case m.editing() && !m.Turn.Busy:
		return m.composer.LeaveEdit()
	case m.Turn.Busy && !m.Turn.Stopping:
		return m.stopTurn()
	case m.Turn.Busy:
		return m.notice.Say("Stopping the answer.")
	}
	if !m.notice.Close() && m.composer.Empty() {
		return m.notice.Say("There is nothing to close or to stop.")
	}
	return nil
}
