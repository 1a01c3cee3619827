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
	return a.where == b.where || a.covers() && a.heardIn(b.where) || b.covers() && b.heardIn(a.where)
}

// together are the places whose actions hear the same key presses: the panel, the inspector and the list
// of repairs are moved in with the transcript's keys, and the lists of sessions and of repairs and the answers
// to a question are lists.
var together = [][]string{
	{inTranscript, inPanel, inInspector},
	{inPanel, inInspector, inRequest},
	{inTranscript, inRepairs},
	{inLists, inSessions},
	{inLists, inRepairs},
	{inLists, inQuestion},
}

// covers says whether an action works in other places as well: one of those that work everywhere, or one of
// the transcript's, most of which the whole request has too.
func (e entry) covers() bool { return e.where == everywhere || e.where == inTranscript }

// heardIn says whether an action works in another place. What covers the panes has most keys for itself.
func (e entry) heardIn(where string) bool {
	if e.where == inTranscript { // enter, space and ctrl+o collapse messages there
		return where == inRequest && !slices.Contains([]string{"inspect", "select-one", "expand"}, e.action)
	}
	switch where {
	case inInspector, inRequest, inLists, inSessions, inRepairs:
		return slices.Contains([]string{"back", "stop", "suspend", "page-up", "page-down", "help", "ask"}, e.action) ||
			where == inSessions && slices.Contains([]string{"sessions", "new"}, e.action)
	}
	return true
}
