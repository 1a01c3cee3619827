package ui

import "winnow/history"

// previewDueMsg says that the draft has rested long enough to be planned.
type previewDueMsg struct{ generation int }

// planMsg is the plan of the next request. One of an older generation is dropped.
type planMsg struct {
	generation int
	plan       history.Plan
	err        error
	exact      bool // it goes by the server's own count of the plan before it
}

// quitDueMsg says that quitting has waited long enough for an answer to be saved.
type quitDueMsg struct{}
