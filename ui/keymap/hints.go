package keymap

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// Hint returns a binding for the footer: the first key of each action, and what they do together.
func (m Map) Hint(what string, actions ...Action) key.Binding {
	keys := make([]string, len(actions))
	for i, a := range actions {
		keys[i] = m.First(a)
	}
	return TypedHint(strings.Join(keys, " "), what)
}

// TypedHint returns a binding for the footer for something that is typed, such as a slash command.
func TypedHint(text, what string) key.Binding {
	return key.NewBinding(key.WithKeys(text), key.WithHelp(text, what))
}
