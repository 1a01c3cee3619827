package ui

import (
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// The line says how many messages above it the model sees too: the opening, and what is pinned or recalled.
func TestTheBoundaryTellsOfTheMessagesAboveIt(t *testing.T) {
	for above, want := range map[int]string{0: "─ none of 4 above", 1: "─ and 1 of 4 above", 3: "─ and 3 of 4 above"} {
		m := fresh(t, 120, 40)
		var plan history.Plan
		var messages []store.Message
		for i := range 6 {
			e := history.Entry{ID: int64(i + 1), Index: i, Role: history.User, Disposition: history.Kept}
			if i >= above && i < 4 {
				e.Disposition, e.Cause = history.Dropped, history.Cause{Code: history.CauseOlder}
			}
			plan.Entries = append(plan.Entries, e)
			messages = append(messages, store.Message{Message: history.Message{
				ID: e.ID, Role: history.User, Content: fmt.Sprint("message ", e.ID), Status: history.Complete,
			}})
		}
		m.Chat.Reset(branch.Branch{}.With(messages...))
		m.Chat.Judge(plan, 0)
		if screen := plain(m); !strings.Contains(screen, want) {
			t.Errorf("with %d messages above the line the screen is\n%s", above, screen)
		}
	}
}
