package history

import (
	"encoding/json"
	"slices"
)

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

// String is the set as JSON.
func (s IDs) String() string {
	if len(s) == 0 {
		return "[]"
	}
	text, err := json.Marshal([][2]int64(s))
	if err != nil {
		panic(err) // numbers always marshal
	}
	return string(text)
}

// IDsOf is the set of those messages of a branch for which in holds.
func IDsOf(branch []Message, in func(Message) bool) IDs {
	var s IDs
	running := false
	for _, m := range branch {
		held := in(m)
		switch {
		case held && running:
			s[len(s)-1][1] = m.ID
		case held:
			s = append(s, [2]int64{m.ID, m.ID})
		}
		running = held
	}
	return s
}
