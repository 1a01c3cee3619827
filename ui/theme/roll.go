package theme

import (
	"strings"

	"winnow/history"
)

// maxNamed is how many messages are named in one list.
const maxNamed = 3

// Named names messages: "5 you, 6 model and 4 more".
func Named(list []history.Entry) string {
	var r Roll
	for i := range list {
		r.Add(&list[i])
	}
	return r.String()
}

// Roll names the first few of many messages.
type Roll struct {
	names []string
	Of    int // how many messages there are
}

// Add adds a message.
func (r *Roll) Add(e *history.Entry) {
	if r.Of++; r.Of <= maxNamed {
		r.names = append(r.names, Thousands(e.Index+1)+" "+Speaker(e.Role))
	}
}

// String names them: "5 you, 6 model and 4 more".
func (r *Roll) String() string {
	text := strings.Join(r.names, ", ")
	if more := r.Of - len(r.names); more > 0 {
		text += " and " + Thousands(more) + " more"
	}
	return text
}
