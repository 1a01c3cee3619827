package ui

import (
	"winnow/history"
	"winnow/session"
	"winnow/session/store"
)

// previewDueMsg says that the draft has rested long enough to be planned.
type previewDueMsg struct{ generation int }

// planMsg is the plan of the next request. One of an older generation is dropped.
type planMsg struct {
	generation int
	plan       history.Plan
	err        error
	exact      bool // it goes by the server's own count of the plan before it
}

// inexactMsg says that the server could not count a request.
type inexactMsg struct{ err error }

// openedMsg is another session to show, or why it could not be opened.
type openedMsg struct {
	number  int              // of the request, 0 where openNext did not make it
	instead *session.Session // the one that it takes the place of; nil for any
	session *session.Session
	at      arrival
	said    string // what is said of it, "" for nothing
	err     error
}

// loadedMsg says that the rest of a session is in memory, with the receipts of its answers.
type loadedMsg struct {
	session  *session.Session
	messages []store.Message
	receipts map[int64]session.Receipt
	err      error
}

// countedMsg says how far the messages of a session are counted.
type countedMsg struct {
	session  *session.Session
	counting session.Counting
	err      error
}

// quitDueMsg says that quitting has waited long enough for an answer to be saved.
type quitDueMsg struct{}
