package wire

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// fragment is a piece of a tool call as a server sent it. The index is -1 if none was given.
type fragment struct {
	index     int
	id        string
	name      string
	arguments string
}

// slots sorts the pieces of an answer's tool calls. Servers disagree about how calls are distinguished, so in this
// order: an index that is given; else the id of a call that is known; else a new id or name begins a call; else the
// piece belongs to the last one. Two rules go before the index, which some servers leave at 0 for every call: a new
// id together with a name begins a call, and so does a brace behind arguments that are already a whole object.
type slots struct {
	calls   []*openCall
	byIndex map[int]int // the server's index → the newest call with it
}

// openCall is one call so far.
type openCall struct {
	id, name  string
	arguments strings.Builder
}

// add gives the index of the call that a fragment belongs to and what the fragment says: nothing if that is not new,
// the pieces of several calls if it holds the arguments of several.
func (s *slots) add(f fragment) (index int, events []Event) {
	f.id, f.name = strings.TrimSpace(f.id), strings.TrimSpace(f.name)
	index = s.find(f)
	opened := index < 0
	if opened {
		index = s.open(f.index)
	}
	call, e := s.calls[index], Event{Channel: Calls + Channel(index)}
	if call.id == "" {
		call.id, e.ID = f.id, f.id
	}
	if call.name == "" {
		call.name, e.Name = f.name, f.name
	}
	own, next := call.take(f.arguments)
	if e.Text = own; opened || e.ID+e.Name+e.Text != "" {
		events = append(events, e)
	}
	for next != "" {
		at := s.open(f.index)
		own, next = s.calls[at].take(next)
		events = append(events, Event{Channel: Calls + Channel(at), Text: own})
	}
	return index, events
}

// find gives the call that a fragment belongs to, -1 for a new one.
func (s *slots) find(f fragment) int {
	last := len(s.calls) - 1
	if f.index >= 0 {
		at, known := s.byIndex[f.index]
		if known && (f.name == "" || f.id == "" || s.calls[at].id == "" || s.calls[at].id == f.id) {
			return at
		}
		return -1
	}
	for at, call := range s.calls {
		if f.id != "" && f.id == call.id {
			return at
		}
	}
	if last < 0 || f.id != "" {
		return -1
	}
	call := s.calls[last]
	// Some servers repeat the name in every piece.
	if f.name == "" || f.name == call.name && !json.Valid([]byte(call.arguments.String())) {
		return last
	}
	return -1
}

func (s *slots) open(index int) int {
	s.calls = append(s.calls, new(openCall))
	at := len(s.calls) - 1
	s.byIndex[index] = at
	return at
}

// glued is where one object may end and another begin.
var glued = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`}\s*{`) })

// take adds arguments to the call. It gives those that belong to it, and those behind its object, from the brace on.
func (c *openCall) take(arguments string) (own, next string) {
	before := strings.TrimRight(c.arguments.String(), blanks)
	c.arguments.WriteString(arguments)
	if !glued().MatchString(before[max(0, len(before)-1):] + arguments) {
		return arguments, ""
	}
	all := c.arguments.String()
	object := json.NewDecoder(strings.NewReader(all))
	if object.Decode(new(fields)) != nil {
		return arguments, ""
	}
	next = strings.TrimLeft(all[object.InputOffset():], blanks)
	if !strings.HasPrefix(next, "{") {
		return arguments, ""
	}
	return strings.TrimSuffix(arguments, next), next
}
