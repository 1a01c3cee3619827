package ui

import (
	"fmt"
	"slices"
)

// clash is an error where two actions that work in the same place share a key.
func (k KeyMap) clash() error {
	taken := map[string][]entry{}
	for _, e := range k.entries() {
		for _, name := range e.binding.Keys() {
			for _, other := range taken[name] {
				if meet(e, other) {
					return fmt.Errorf("the key %s is given to both %s and %s", name, other.action, e.action)
				}
			}
			taken[name] = append(taken[name], e)
		}
	}
	return nil
}

// meet says whether two actions can hear the same key press.
func meet(a, b entry) bool {
	for _, places := range together {
		if slices.Contains(places, a.where) && slices.Contains(places, b.where) {
			return true
		}
	}
	return a.where == b.where || a.where == everywhere && a.heardIn(b.where) || b.where == everywhere && b.heardIn(a.where)
}

// together are the places whose actions hear the same key presses: the panel, the inspector and the list
// of repairs are moved in with the transcript's keys, and the lists of sessions and of repairs and the answers
// to a question are lists.
var together = [][]string{
	{inTranscript, inPanel, inInspector},
	{inTranscript, inRepairs},
	{inLists, inSessions},
	{inLists, inRepairs},
	{inLists, inQuestion},
}

// heardIn says whether an action that works everywhere does so in a place. What covers the panes has their
// keys for itself, but for a few of them.
func (e entry) heardIn(where string) bool {
	switch where {
	case inInspector, inLists, inSessions, inRepairs:
		return slices.Contains([]string{"back", "stop", "suspend", "page-up", "page-down"}, e.action) ||
			where == inSessions && slices.Contains([]string{"sessions", "new"}, e.action)
	}
	return true
}
