package conversation

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// Inspect opens the inspector on a subject, in a view.
func (c *Model) Inspect(on inspector.Subject, at inspector.View) tea.Cmd {
	if c.Screen.Dialogs.Top() != c.Inspector {
		c.Inspector.Clear()
		c.Screen.Dialogs.Open(c.Inspector)
	}
	return c.Inspector.Inspect(on, at)
}

// InspectRequest opens the inspector on the whole request.
func (c *Model) InspectRequest() tea.Cmd {
	if r := c.Panel.ShownRequest(); !r.Ready {
		return c.Say(r.EmptyText())
	}
	return c.Inspect(inspector.Subject{}, inspector.TextView)
}

// inspectRow opens the inspector on the row under the panel's cursor: on its message, or for text that winnow added, on
// the message of the request that contains it.
func (c *Model) inspectRow() tea.Cmd {
	switch row := c.Panel.SelectedRow(); {
	case row.Entry != nil:
		return c.Inspect(inspector.Subject{Message: row.Entry.ID}, inspector.TextView)
	case row.Added != nil:
		return c.Inspect(inspector.Subject{MessageIndex: row.Added.Before}, inspector.TextView)
	}
	return nil
}

// InspectRepairs opens the inspector on the repairs of the message under the cursor, or of the first repaired one.
func (c *Model) InspectRepairs() tea.Cmd {
	if !c.Panel.Next.Ready {
		return c.Say("There is no plan of the next request yet.")
	}
	list := inspector.RepairedEntries(&c.Panel.ShownRequest().Plan)
	if len(list) == 0 {
		return c.Say("Nothing is damaged: every message is sent as it was stored.")
	}
	chosen := c.targets()
	at := slices.IndexFunc(list, func(e history.Entry) bool { return slices.Contains(chosen, e.ID) })
	return c.Inspect(inspector.Subject{Message: list[max(0, at)].ID}, inspector.RepairView)
}

// announceRepairs says once per conversation that its plan has repairs.
func (c *Model) announceRepairs() tea.Cmd {
	n, said := len(inspector.RepairedEntries(&c.Panel.Next.Plan)), c.RepairsAnnounced
	c.RepairsAnnounced = true
	if said || n == 0 {
		return nil
	}
	return c.Say(theme.Plural(n, "repair") + "; /repair shows them.")
}
