package wire

import (
	"encoding/json"
	"regexp"
	"slices"
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

// calls are the tool calls of an answer so far. Servers disagree about how they are distinguished, so in this order: an
// index that is given; else the id of a call that is known; else a new id or name begins a call; else a piece belongs
// to the last one. Two rules go before the index, which some servers leave at 0 for every call: a new id together with
// a name begins a call, and so does a brace behind arguments that are already a whole object.
type calls struct {
	all     []*openCall
	byIndex map[int]int // the server's index → the newest call with it
}

// openCall is one call so far.
type openCall struct {
	id, name  string
	arguments strings.Builder
}

// find gives the call that a fragment belongs to, -1 for a new one.
func (c *calls) find(f fragment) int {
	if f.index >= 0 {
		at, known := c.byIndex[f.index]
		if known && (f.name == "" || f.id == "" || c.all[at].id == "" || c.all[at].id == f.id) {
			return at
		}
		return -1
	}
	if f.id != "" {
		return slices.IndexFunc(c.all, func(call *openCall) bool { return call.id == f.id })
	}
	last := len(c.all) - 1
	if last < 0 || f.name == "" {
		return last
	}
	// Some servers repeat the name in every piece.
	if f.name == c.all[last].name && !json.Valid([]byte(c.all[last].arguments.String())) {
		return last
	}
	return -1
}

func (c *calls) open(index int) int {
	c.all = append(c.all, new(openCall))
	at := len(c.all) - 1
	c.byIndex[index] = at
	return at
}

// call adds a piece of a tool call, or the pieces of several calls if it holds the arguments of several. It gives the
// index of the call that it belongs to. What is not new is no event.
func (a *Answer) addCall(f fragment) int {
	f.id, f.name = strings.TrimSpace(f.id), strings.TrimSpace(f.name)
	index := a.calls.find(f)
	opened := index < 0
	if opened {
		index = a.calls.open(f.index)
	}
	call, e := a.calls.all[index], Event{Channel: FirstCallChannel + Channel(index)}
	if call.id == "" {
		call.id, e.ID = f.id, f.id
	}
	if call.name == "" {
		call.name, e.Name = f.name, f.name
	}
	own, next := call.take(f.arguments)
	if e.Text = own; opened || e.ID+e.Name+e.Text != "" {
		a.events = append(a.events, e)
	}
	for next != "" {
		at := a.calls.open(f.index)
		own, next = a.calls.all[at].take(next)
		a.events = append(a.events, Event{Channel: FirstCallChannel + Channel(at), Text: own})
	}
	return index
}

// glued is where one object may end and another begin.
var glued = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`}\s*{`) })

// take adds arguments to the call. It gives those that belong to it, and those behind its object, from the brace on.
func (o *openCall) take(arguments string) (own, next string) {
	before := strings.TrimRight(o.arguments.String(), blanks)
	o.arguments.WriteString(arguments)
	if !glued().MatchString(before[max(0, len(before)-1):] + arguments) {
		return arguments, ""
	}
	all := o.arguments.String()
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
