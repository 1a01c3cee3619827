// Package keymap is the table of key bindings: for each action its keys, its help and where it works. Components ask it
// which action a key press is, hints and help take their keys from it, the configuration remaps it, and the
// documentation is generated from it. It knows no component.
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

// Binding is a row of the table: an action with its keys and its help.
type Binding struct {
	key.Binding
	Action  Action
	Section string // the section of the help that lists it
	Where   Scope  // where its keys work
	Needs   Need   // conditions of the action
}

func bind(a Action, section string, where Scope, help string, keys ...string) Binding {
	return Binding{key.NewBinding(key.WithKeys(keys...), key.WithHelp("", help)), a, section, where, 0}
}

// needing returns the binding with conditions.
func (b Binding) needing(n Need) Binding {
	b.Needs = n
	return b
}

// Scope is a set of parts of the screen that can get the keys. Two actions that work in the same part cannot share a
// key.
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
	InOtherWindow // the draft of a session whose lease another window has
	InQuestion    // a question of a tool call or a spending limit

	panes      = InDraft | InTranscript | InPanel | InOtherWindow | InQuestion
	everyScope = panes | InInspector | InRequest | InLists | InSessions | InRepairs
	moving     = InTranscript | InPanel | InInspector | InRequest | InRepairs
)

// Need is a set of conditions of an action.
type Need uint8

// The needs, in the order in which they are checked.
const (
	NeedLease   Need = 1 << iota // no other window has the lease of the session
	NeedIdle                     // no turn is running
	NeedLoaded                   // all messages of the session are loaded
	NeedMessage                  // a message is under the cursor
	NeedPlan                     // the next request is planned
)

// WhyNot returns a sentence that says which need of an action is not met, the first one if there are several. It
// returns "" if all are. Met reports whether a need is met.
func (m Map) WhyNot(a Action, met func(Need) bool) string {
	needs := m.binding(a).Needs
	for n := NeedLease; n <= NeedPlan; n <<= 1 {
		if needs&n != 0 && !met(n) {
			return m.ExplainNeed(n)
		}
	}
	return ""
}

// ExplainNeed returns a sentence that says that a need is not met.
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

// Map is a table of bindings. Its zero value is empty.
type Map struct{ bindings []Binding }

// Default returns the built-in key map.
func Default() Map { return Map{table()} }

// Table returns the bindings in the order of the help.
func (m Map) Table() []Binding { return m.bindings }

// find returns the index of an action in the table, -1 for none.
func (m Map) find(a Action) int {
	return slices.IndexFunc(m.bindings, func(b Binding) bool { return b.Action == a })
}

// binding returns the binding of an action, an empty one if there is none.
func (m Map) binding(a Action) Binding {
	if i := m.find(a); i >= 0 {
		return m.bindings[i]
	}
	return Binding{}
}

// Keys returns the keys of an action.
func (m Map) Keys(a Action) []string { return m.binding(a).Keys() }

// First returns the first key of an action as sentences show it, such as "ctrl+x" or "↑".
func (m Map) First(a Action) string {
	keys, arrows := m.Keys(a), map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}
	if len(keys) == 0 {
		return "(no key)"
	}
	return cmp.Or(arrows[keys[0]], keys[0])
}

// Pressed reports whether a key press is for one of the actions, in whatever scope.
func (m Map) Pressed(msg tea.KeyPressMsg, actions ...Action) bool {
	return slices.ContainsFunc(actions, func(a Action) bool { return m.binding(a).pressed(msg) })
}

// Action returns the action of a key press in a scope, "" for none.
func (m Map) Action(msg tea.KeyPressMsg, in Scope) Action {
	for _, b := range m.bindings {
		if b.Where&in != 0 && b.pressed(msg) {
			return b.Action
		}
	}
	return ""
}

// pressed reports whether a key press is for the binding. A press with more than one character of text is typing, even
// if it spells a key: an input method may commit the word "end".
func (b Binding) pressed(msg tea.KeyPressMsg) bool {
	return utf8.RuneCountInString(msg.Text) <= 1 && key.Matches(msg, b.Binding)
}

// SuspendKey suspends winnow, as in any program of a shell. No action can have it.
const SuspendKey = "ctrl+z"

// With returns the key map with other keys for some actions, by action name. It fails for an unknown action, for
// SuspendKey, and for a key that two actions of the same scope share.
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

// clash returns an error if an action has SuspendKey, or two actions of the same scope share a key.
func (m Map) clash() error {
	taken := map[string][]Binding{}
	for _, b := range m.bindings {
		for _, name := range b.Keys() {
			if name == SuspendKey {
				return fmt.Errorf("the key %s suspends winnow, and cannot be bound to %s", name, b.Action)
			}
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
