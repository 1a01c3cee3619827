// Package keymap is the one table of key bindings: which keys, for which action, what it does and where it
// works. Handlers ask it which action a key press is, hints and the help screen name its keys, the
// configuration remaps it, and the documentation prints it. It knows no part of the screen.
package keymap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Binding is one line of the table: an action, with its keys and what it does.
type Binding struct {
	key.Binding
	Action  Action
	Section string // the part of the help screen that lists it
	Where   Scope  // where its keys are heard
	Needs   Need   // what must hold for it
}

func bind(a Action, section string, where Scope, help string, keys ...string) Binding {
	return Binding{key.NewBinding(key.WithKeys(keys...), key.WithHelp("", help)), a, section, where, 0}
}

// needing is the binding of an action that can be done only while something holds.
func (b Binding) needing(n Need) Binding {
	b.Needs = n
	return b
}

// Scope is a set of parts of the screen that keys are for. Actions that are heard in one of them have keys of their
// own.
type Scope uint16

// The scopes.
const (
	InDraft Scope = 1 << iota
	InTranscript
	InPanel
	InInspector
	InRequest // the inspector, on the whole request
	InLists
	InSessions
	InRepairs
	InOtherWindow // the composer of a session that another window has
	InQuestion    // a tool call asks for permission

	panes      = InDraft | InTranscript | InPanel | InOtherWindow | InQuestion
	everyScope = panes | InInspector | InRequest | InLists | InSessions | InRepairs
	moving     = InTranscript | InPanel | InInspector | InRequest | InRepairs
)

// Need is a set of things that must hold for an action to be done.
type Need uint8

// The needs, in the order in which they are asked for.
const (
	NeedLease   Need = 1 << iota // no other window has the session open
	NeedIdle                     // no answer arrives
	NeedLoaded                   // the session is read from its beginning
	NeedMessage                  // a message is under the cursor
	NeedPlan                     // the next request is planned
)

// WhyNot says why an action cannot be done now, "" where it can: what it needs first of all that does not hold.
func (m Map) WhyNot(a Action, holds func(Need) bool) string {
	needs := m.binding(a).Needs
	for n := NeedLease; n <= NeedPlan; n <<= 1 {
		if needs&n != 0 && !holds(n) {
			return m.ExplainNeed(n)
		}
	}
	return ""
}

// Lacks says that something does not hold.
func (m Map) ExplainNeed(n Need) string {
	switch n {
	case NeedLease:
		return "This chat is open in another window; you can read and fork it here."
	case NeedIdle:
		return "An answer is still arriving: " + m.First(Back) + " stops it."
	case NeedLoaded:
		return "The older messages are still loading."
	case NeedMessage:
		return "Select a message first."
	}
	return "There is no plan of the next request yet."
}

// Map is a table of bindings. Its zero value has none.
type Map struct{ bindings []Binding }

// Default is the key map of a fresh installation.
func Default() Map { return Map{table()} }

// Table lists the bindings in the order of the help screen.
func (m Map) Table() []Binding { return m.bindings }

// find is the place of an action in the table, -1 for none.
func (m Map) find(a Action) int {
	return slices.IndexFunc(m.bindings, func(b Binding) bool { return b.Action == a })
}

// binding is that of an action, without keys where there is none.
func (m Map) binding(a Action) Binding {
	if i := m.find(a); i >= 0 {
		return m.bindings[i]
	}
	return Binding{}
}

// Keys are the keys of an action.
func (m Map) Keys(a Action) []string { return m.binding(a).Keys() }

// First is the key of an action, as sentences name it.
func (m Map) First(a Action) string {
	keys, arrows := m.Keys(a), map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}
	if len(keys) == 0 {
		return "(no key)"
	}
	return cmp.Or(arrows[keys[0]], keys[0])
}

// Pressed says whether a key press is for one of some actions.
func (m Map) Pressed(msg tea.KeyPressMsg, actions ...Action) bool {
	return slices.ContainsFunc(actions, func(a Action) bool { return m.binding(a).pressed(msg) })
}

// Action is what a key press is for in a place, "" for nothing.
func (m Map) Action(msg tea.KeyPressMsg, in Scope) Action {
	for _, b := range m.bindings {
		if b.Where&in != 0 && b.pressed(msg) {
			return b.Action
		}
	}
	return ""
}

// pressed says whether a key press is for the binding. Keys that arrive as text of more than one character are
// typing, whatever they spell: an input method may commit the word "end".
func (b Binding) pressed(msg tea.KeyPressMsg) bool {
	return utf8.RuneCountInString(msg.Text) <= 1 && key.Matches(msg, b.Binding)
}

// With is the key map with some actions on other keys: action name to keys. The error names an unknown
// action, or two actions that share a key in one place.
func (m Map) With(keys map[string][]string) (Map, error) {
	changed := Map{slices.Clone(m.bindings)}
	for _, action := range slices.Sorted(maps.Keys(keys)) {
		i := m.find(Action(action))
		if i < 0 {
			var known []string
			for _, b := range m.bindings {
				known = append(known, string(b.Action))
			}
			return m, fmt.Errorf("unknown key action %q; the actions are %s", action, strings.Join(known, ", "))
		}
		changed.bindings[i].SetKeys(keys[action]...)
	}
	return changed, changed.clash()
}

// clash is an error where two actions share a key in one place.
func (m Map) clash() error {
	taken := map[string][]Binding{}
	for _, b := range m.bindings {
		for _, name := range b.Keys() {
			for _, other := range taken[name] {
				if b.Where&other.Where != 0 {
					return fmt.Errorf("the key %s is bound to both %s and %s", name, other.Action, b.Action)
				}
			}
			taken[name] = append(taken[name], b)
		}
	}
	return nil
}
