package panel

import (
	"strings"

	"winnow/history"
	"winnow/ui/theme"
)

// mostNamed is how many messages are named in one list.
const mostNamed = 3

// Named names messages: "5 you, 6 model and 4 more".
func Named(list []history.Entry) string {
	var r roll
	for i := range list {
		r.add(&list[i])
	}
	return r.String()
}

// roll names the first few of many messages.
type roll struct {
	names []string
	Of    int
}

func (r *roll) add(e *history.Entry) {
	if r.Of++; r.Of <= mostNamed {
		r.names = append(r.names, theme.Thousands(e.Index+1)+" "+theme.Speaker(e.Role))
	}
}

// String names them: "5 you, 6 model and 4 more".
func (r *roll) String() string {
	text := strings.Join(r.names, ", ")
	if more := r.Of - len(r.names); more > 0 {
		text += " and " + theme.Thousands(more) + " more"
	}
	return text
}
