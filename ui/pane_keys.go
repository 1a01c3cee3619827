package ui

import (
	tea "charm.land/bubbletea/v2"
)

func (m *Model) transcriptKey(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := m.handKey(msg); ok {
		return cmd
	}
	k := &m.keys
	c := &m.chat
	switch {
	case pressed(msg, k.Down):
		c.scroll(1)
	case pressed(msg, k.Up):
		c.scroll(-1)
	case pressed(msg, k.Next):
		c.step(1)
	case pressed(msg, k.Prev):
		c.step(-1)
	case pressed(msg, k.HalfDown):
		c.half(1)
	case pressed(msg, k.HalfUp):
		c.half(-1)
	case pressed(msg, k.Top):
		c.first()
	case pressed(msg, k.Bottom):
		c.newest()
	case pressed(msg, k.Boundary):
		switch {
		case !m.panel.next.ready:
			return m.say("Nothing is planned yet.")
		case !c.boundary():
			return m.say("Nothing is dropped: the model sees the conversation from its beginning.")
		}
	case pressed(msg, k.Find):
		return m.openFind()
	case pressed(msg, k.NextHit):
		return m.nextHit(1)
	case pressed(msg, k.PrevHit):
		return m.nextHit(-1)
	case pressed(msg, k.Inspect):
		return m.inspectSelected()
	case pressed(msg, k.Expand):
		if !c.expand() {
			return m.say("This message has nothing to expand.")
		}
	case pressed(msg, k.Copy):
		return m.copyMessage()
	case pressed(msg, k.CopyCode):
		return m.copyCode()
	case pressed(msg, k.Again):
		return m.askSelectedAgain()
	case pressed(msg, k.Edit):
		return m.editSelected()
	case pressed(msg, k.VersionBack):
		return m.switchVersion(-1)
	case pressed(msg, k.VersionOn):
		return m.switchVersion(1)
	case pressed(msg, k.Fork):
		return m.forkSelected()
	case pressed(msg, k.Trail):
		return m.followTrail()
	case pressed(msg, k.Seen):
		return m.openPast()
	case pressed(msg, k.WhatIf):
		return m.openWhatif()
	case pressed(msg, k.Repairs):
		return m.openLedger()
	case pressed(msg, k.Request):
		return m.inspectRequest()
	case pressed(msg, k.Ask):
		return m.openHelp()
	default:
		return m.say(msg.String() + " does nothing in the transcript; " + firstKey(k.Back) + " goes to the draft, " + firstKey(k.Ask) + " lists the keys.")
	}
	return nil
}

// panelPress is a key in the panel; the transcript follows the cursor.
func (m *Model) panelPress(msg tea.KeyPressMsg) tea.Cmd {
	at := m.panel.at
	cmd := m.panelKey(msg)
	if m.panel.at != at {
		m.follow()
	}
	return cmd
}

func (m *Model) panelKey(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := m.handKey(msg); ok {
		return cmd
	}
	k := &m.keys
	if by, ok := k.stride(msg, m.panelPage()); ok {
		m.panel.move(by)
		return nil
	}
	switch {
	case pressed(msg, k.Earlier):
		return m.turnPage(-1)
	case pressed(msg, k.Later):
		return m.turnPage(1)
	case pressed(msg, k.Compare):
		return m.compareRequests()
	case pressed(msg, k.Adopt):
		return m.adoptWindow()
	case pressed(msg, k.Request):
		return m.inspectRequest()
	case pressed(msg, k.Inspect):
		return m.inspectLine()
	case pressed(msg, k.WhatIf):
		return m.openWhatif()
	case pressed(msg, k.Repairs):
		return m.openLedger()
	case pressed(msg, k.Ask):
		return m.openHelp()
	}
	return m.say(msg.String() + " does nothing in the panel; " + firstKey(k.Ask) + " lists the keys.")
}

// panelPage is how many lines of the panel's list are on the screen, one at least.
func (m *Model) panelPage() int {
	b := m.layout.panel.Within(true)
	if m.overlay == panelOverlay || m.layout.panel.Empty() {
		b = m.overlayRoom()
	}
	return max(1, m.panel.slice(m.styles, b.W, b.H).room)
}
