package ui

import (
	"fmt"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/ui/markdown"
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

// glyph is the sign of a verdict.
func glyph(e history.Entry) string {
	switch {
	case e.Disposition == history.Excluded:
		return "⊘"
	case e.Disposition == history.Dropped, e.Disposition == history.Isolated, e.Disposition == history.Blank:
		return "○"
	case e.Pinned:
		return "◆"
	case len(e.Repairs) > 0:
		return "⚠"
	case e.Disposition == history.Recalled || e.Recalled:
		return "↺"
	case e.Disposition == history.Cut:
		return "◐"
	}
	return "●"
}

// notRead marks a message that was sent and that the server cannot have read.
const notRead = "not read by the server"

// word is a verdict in one or two words.
func word(e history.Entry) string {
	switch {
	case e.Disposition == history.Cut:
		return fmt.Sprintf("cut to %s of %s", thousands(e.CharsAfter), thousands(e.CharsBefore))
	case e.Disposition != history.Kept:
		return string(e.Disposition)
	case e.Pinned:
		return "pinned"
	case len(e.Repairs) > 0:
		return "repaired"
	}
	return ""
}

func (st styles) ofGlyph(g string) lipgloss.Style {
	switch g {
	case "○", "⊘":
		return st.faint
	case "◆":
		return st.pinned
	case "◐":
		return st.cut
	case "⚠":
		return st.warn
	case "↺", "✚":
		return st.added
	}
	return st.good
}

// speaker names who said a message. A file that was imported may hold any text as a role.
func speaker(r history.Role) string {
	switch r {
	case history.User:
		return "you"
	case history.Assistant:
		return "model"
	case "":
		return "?"
	}
	return markdown.OneLine(string(r), 12)
}
