package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// openRepairs shows what was repaired: of the message under the cursor, or of the first one that was.
func (m *Model) openRepairs() tea.Cmd {
	if !m.Panel.Next.Ready {
		return m.notice.Say("There is no plan of the next request yet.")
	}
	list := inspector.Repaired(&m.Panel.Shown().Plan)
	if len(list) == 0 {
		return m.notice.Say("Nothing is damaged: every message is sent as it was stored.")
	}
	message, _ := m.Chat.Selected()
	on := list[0].ID
	for _, e := range list {
		chosen := m.Panel.Chosen().Entry
		if e.ID == message.ID || m.focus == panelPane && chosen != nil && e.ID == chosen.ID {
			on = e.ID
		}
	}
	return m.inspect(inspector.Subject{Message: on}, inspector.RepairView)
}

// announceRepairs says once, when a session was opened, that there are repairs.
func (m *Model) announceRepairs() tea.Cmd {
	n := len(inspector.Repaired(&m.Panel.Next.Plan))
	if m.repairsSaid || n == 0 {
		m.repairsSaid = true
		return nil
	}
	m.repairsSaid = true
	return m.notice.Say(theme.Plural(n, "repair") + "; /repair shows them.")
}
