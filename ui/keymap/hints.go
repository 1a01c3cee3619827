package keymap

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// Hint is the help of a key, or of several that belong together: the first key of each of some actions.
func (m Map) Hint(what string, actions ...Action) key.Binding {
	keys := make([]string, len(actions))
	for i, a := range actions {
		keys[i] = m.First(a)
	}
	return TypedHint(strings.Join(keys, " "), what)
}

// Typed is the help of something that is typed and bound to no action, such as a command.
func TypedHint(text, what string) key.Binding {
	return key.NewBinding(key.WithKeys(text), key.WithHelp(text, what))
}
