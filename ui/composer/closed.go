package composer

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// The composer of a session that another window has open is closed: it says why, and its keys fork the session, or
// take over once it is closed there.

// closedView says why nothing can be written.
func (c *Model) closedView() []string {
	lines := theme.WrapStyled(c.styles.Text, "Open in another window; read-only here.", c.width)
	ways := c.Keys.First(keymap.Away) + " forks it · " + c.Keys.First(keymap.Take) +
		" takes over once it is closed there"
	return append(lines, theme.WrapStyled(c.styles.Muted, ways, c.width)...)
}

// closedKey is a key while nothing can be written.
func (c *Model) closedKey(msg tea.KeyPressMsg) tea.Cmd {
	for _, a := range []keymap.Action{keymap.Away, keymap.Take, keymap.Ask, keymap.Quit, keymap.Older, keymap.Newer} {
		if c.Keys.Pressed(msg, a) {
			return c.Emit(Wanted{a})
		}
	}
	return c.SayError(c.Keys.Lacks(keymap.NeedOwn))
}
