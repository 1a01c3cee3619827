package history

import "winnow/history/cause"

// Scope narrows a request to some messages of the history: no other is in it, in whatever form, and no
// marker says that there were others.
type Scope struct {
	For      Narrowed
	Messages IDs // none for a request without history
}

// Narrowed says why a request is about some messages alone.
type Narrowed string

// The reasons to narrow a request.
const (
	ForAlone   Narrowed = "alone"   // the user sends a message without the conversation before it
	ForSummary Narrowed = "summary" // a model is to summarize these messages
	ForTitle   Narrowed = "title"   // a model is to make a title of them

	forValidity Narrowed = "validity" // with any of the history the request would not be valid
)

// cause says why a narrowed request leaves a message out.
func (n Narrowed) cause() cause.Code {
	switch n {
	case ForAlone:
		return cause.Alone
	case ForSummary:
		return cause.OtherMessages
	case forValidity:
		return cause.Invalid
	}
	return cause.Title
}

// narrow is the groups that a narrowed request may hold: those of which every message is in its scope.
func (b *chooser) narrow() (within map[int]bool) {
	within = map[int]bool{}
	for _, v := range b.candidates {
		held, seen := within[v.group]
		within[v.group] = (held || !seen) && (v.standIn || b.o.Scope.Messages.Holds(v.ID))
	}
	return within
}
