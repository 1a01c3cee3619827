package sessions

import (
	"time"
)

// ListedMsg is the list of the sessions, or its first page.
type ListedMsg struct {
	Asked  int // the reading that it answers
	Lines  []Line
	Leased []string // the ids of the sessions that another window has open, on every shelf
	At     time.Time
	Whole  bool
	err    error
}

// ActedMsg is the end of an action of the list of sessions.
type ActedMsg struct {
	err    error
	copies string // says which files still hold the session that it purged, "" for none
}
