package wire

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// fragment is a piece of a tool call as a server sent it. The index is -1 if there was none.
type fragment struct {
	index     int
	id        string
	name      string
	arguments string
}

// calls assembles the tool calls of an answer. Servers distinguish calls in different ways, which are tried in this
// order: by index; by the id of a known call; by a new id or name, which begins a call; otherwise a piece belongs to
// the last call. Two rules take precedence over the index, because some servers send index 0 for every call: a new id
// together with a name begins a call, and so does a brace after arguments that are already a complete object.
type calls struct {
	all     []*openCall
	byIndex map[int]int // the server's index → the newest call with it
}

// openCall is a call that may still grow.
type openCall struct {
	id, name  string
	arguments strings.Builder
}

// find returns the index of the call that a fragment belongs to, -1 for a new call.
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

// addCall adds a piece of a tool call, which may contain the arguments of several calls. It returns the index of the
// first of them. There is no event for what is not new.
func (a *Answer) addCall(f fragment) int {
	f.id, f.name = strings.TrimSpace(f.id), strings.TrimSpace(f.name)
	index := a.calls.find(f)
	opened := index < 0
	if opened {
		index = a.calls.open(f.index)
	}
	call, e := a.calls.all[index], Event{
		Channel: FirstCallChannel + Channel(index),
	}
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
		a.events = append(a.events, Event{
			Channel: FirstCallChannel + Channel(at), Text: own,
		})
	}
	return index
}

// glued matches where one object may end and the next begin.
var glued = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`}\s*{`) })

// take adds arguments to the call. It returns the part that belongs to it, and the part after its object, which begins
// the next call.
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
