package keymap

import "strings"

// Hint is a key, or several that belong together, and what they do.
type Hint struct{ Key, What string }

// Hint names the first key of each of some actions.
func (m Map) Hint(what string, actions ...Action) Hint {
	keys := make([]string, len(actions))
	for i, a := range actions {
		keys[i] = m.First(a)
	}
	return Hint{strings.Join(keys, " "), what}
}
