package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

func (m *Model) transcriptKey(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := m.handKey(msg); ok {
		return cmd
	}
	k := &m.keys
	c := &m.chat
	switch {
	case k.Pressed(msg, keymap.Down):
		c.Scroll(1)
	case k.Pressed(msg, keymap.Up):
		c.Scroll(-1)
	case k.Pressed(msg, keymap.Next):
		c.Step(1)
	case k.Pressed(msg, keymap.Prev):
		c.Step(-1)
	case k.Pressed(msg, keymap.HalfDown):
		c.Half(1)
	case k.Pressed(msg, keymap.HalfUp):
		c.Half(-1)
	case k.Pressed(msg, keymap.Top):
		c.First()
	case k.Pressed(msg, keymap.Bottom):
		c.Newest()
	case k.Pressed(msg, keymap.Boundary):
		switch {
		case !m.panel.Next.Ready:
			return m.say("Nothing is planned yet.")
		case !c.Boundary():
			return m.say("Nothing is dropped: the model sees the conversation from its beginning.")
		}
	case k.Pressed(msg, keymap.Find):
		return m.openFind()
	case k.Pressed(msg, keymap.NextHit):
		return m.nextHit(1)
	case k.Pressed(msg, keymap.PrevHit):
		return m.nextHit(-1)
	case k.Pressed(msg, keymap.Inspect):
		return m.inspectSelected()
	case k.Pressed(msg, keymap.Expand):
		if !c.Expand() {
			return m.say("This message has nothing to expand.")
		}
	case k.Pressed(msg, keymap.Copy):
		return m.copyMessage()
	case k.Pressed(msg, keymap.CopyCode):
		return m.copyCode()
	case k.Pressed(msg, keymap.Again):
		return m.askSelectedAgain()
	case k.Pressed(msg, keymap.Edit):
		return m.editSelected()
	case k.Pressed(msg, keymap.VersionBack):
		return m.switchVersion(-1)
	case k.Pressed(msg, keymap.VersionOn):
		return m.switchVersion(1)
	case k.Pressed(msg, keymap.Fork):
		return m.forkSelected()
	case k.Pressed(msg, keymap.Trail):
		return m.followTrail()
	case k.Pressed(msg, keymap.Seen):
		return m.openPast()
	case k.Pressed(msg, keymap.WhatIf):
		return m.openWhatif()
	case k.Pressed(msg, keymap.Repairs):
		return m.openLedger()
	case k.Pressed(msg, keymap.Request):
		return m.inspectRequest()
	case k.Pressed(msg, keymap.Ask):
		return m.openHelp()
	default:
		return m.say(msg.String() + " does nothing in the transcript; " + k.First(keymap.Back) + " goes to the draft, " + k.First(keymap.Ask) + " lists the keys.")
	}
	return nil
}

// panelPress is a key in the panel; the transcript follows the cursor.
func (m *Model) panelPress(msg tea.KeyPressMsg) tea.Cmd {
	at := m.panel.At
	cmd := m.panelKey(msg)
	if m.panel.At != at {
		m.follow()
	}
	return cmd
}

func (m *Model) panelKey(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := m.handKey(msg); ok {
		return cmd
	}
	k := &m.keys
	if by, ok := k.Stride(msg, m.panelPage()); ok {
		m.panel.Move(by)
		return nil
	}
	switch {
	case k.Pressed(msg, keymap.Earlier):
		return m.turnPage(-1)
	case k.Pressed(msg, keymap.Later):
		return m.turnPage(1)
	case k.Pressed(msg, keymap.Compare):
		return m.compareRequests()
	case k.Pressed(msg, keymap.Adopt):
		return m.adoptWindow()
	case k.Pressed(msg, keymap.Request):
		return m.inspectRequest()
	case k.Pressed(msg, keymap.Inspect):
		return m.inspectLine()
	case k.Pressed(msg, keymap.WhatIf):
		return m.openWhatif()
	case k.Pressed(msg, keymap.Repairs):
		return m.openLedger()
	case k.Pressed(msg, keymap.Ask):
		return m.openHelp()
	}
	return m.say(msg.String() + " does nothing in the panel; " + k.First(keymap.Ask) + " lists the keys.")
}

// panelPage is how many lines of the panel's list are on the screen, one at least.
func (m *Model) panelPage() int {
	b := m.layout.panel.Within(true)
	if m.onTop(panelOverlay{}) || m.layout.panel.Empty() {
		b = m.overlayRoom()
	}
	return max(1, m.panel.Slice(m.styles, b.W, b.H).Room)
}
