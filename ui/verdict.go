package ui

import (
	"winnow/history"
)

// entryOf is the entry of a message by its id. Ids rise along a conversation, but not strictly across
// branches, so the entry is looked for from the end, where the new ones are.
func entryOf(plan history.Plan, id int64) (history.Entry, bool) {
	for i := len(plan.Entries) - 1; i >= 0; i-- {
		if plan.Entries[i].ID == id {
			return plan.Entries[i], true
		}
	}
	return history.Entry{}, false
}
