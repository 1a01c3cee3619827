package history

import (
	"iter"
	"slices"

	"winnow/history/cause"
)

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

// narrowedCauses say why a narrowed request leaves a message out.
var narrowedCauses = map[Narrowed]cause.Code{
	ForAlone: cause.Alone, ForSummary: cause.OtherMessages, ForTitle: cause.Title, forValidity: cause.Invalid,
}

// IDs is a set of messages of one branch, as rising runs of ids from the first to the last. A message that
// stands between the ends of a run on its branch belongs to the set.
type IDs [][2]int64

// Holds reports whether the set has a message.
func (s IDs) Holds(id int64) bool {
	at, found := slices.BinarySearchFunc(s, id, func(run [2]int64, id int64) int {
		switch {
		case run[1] < id:
			return -1
		case run[0] > id:
			return 1
		}
		return 0
	})
	return found && at < len(s)
}

// IDsOf is the set of those messages of a branch, which are its ids in order, for which in holds.
func IDsOf(branch iter.Seq[int64], in func(id int64) bool) IDs {
	var s IDs
	running := false
	for id := range branch {
		held := in(id)
		switch {
		case held && running:
			s[len(s)-1][1] = id
		case held:
			s = append(s, [2]int64{id, id})
		}
		running = held
	}
	return s
}
