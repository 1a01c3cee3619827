package llm

import "strings"

// fragment is a piece of a tool call as a server sent it. Index is -1 where none was given.
type fragment struct {
	index     int
	id        string
	name      string
	arguments string
}

// toolCalls sorts the pieces of an answer's tool calls. Servers disagree about how calls are
// distinguished, so in this order: an index that is given; else the id of a call that is known; else a new
// id or name begins a call; else the piece belongs to the last one. Two rules go before the
// index, which some servers leave at 0 for every call: a new id together with a name begins a
// call, and so does a brace behind arguments that are already whole.
type toolCalls struct {
	calls   []openCall
	byIndex map[int]int // the server's index to the newest call it means
}

// openCall is one call so far.
type openCall struct {
	id    string
	name  string
	scan  objectScan
	blank bool // no arguments but white space yet
}

// add gives the call of a fragment, counted from 0, and its pieces, each with its call: more than one where
// the fragment holds the arguments of several calls, none where it says nothing new.
func (s *toolCalls) add(f fragment) (int, []ToolDelta) {
	f.id, f.name = strings.TrimSpace(f.id), strings.TrimSpace(f.name)
	at := s.find(f)
	opened := at < 0
	if opened {
		at = s.open(f.index)
	}
	first := at
	d := ToolDelta{Index: at}
	call := &s.calls[at]
	if call.id == "" && f.id != "" {
		call.id, d.ID = f.id, f.id
	}
	if call.name == "" && f.name != "" {
		call.name, d.Name = f.name, f.name
	}
	var deltas []ToolDelta
	rest := f.arguments
	for {
		n := s.calls[at].take(rest)
		d.Arguments, rest = rest[:n], rest[n:]
		if opened || d != (ToolDelta{Index: at}) {
			deltas = append(deltas, d)
		}
		if rest == "" {
			return first, deltas
		}
		at, opened = s.open(f.index), true
		d = ToolDelta{Index: at}
	}
}

// find gives the call that a fragment belongs to, -1 for a new one.
func (s *toolCalls) find(f fragment) int {
	if f.index >= 0 {
		at, known := s.byIndex[f.index]
		if !known || s.begins(at, f) {
			return -1
		}
		return at
	}
	last := len(s.calls) - 1
	if f.id != "" {
		for i := last; i >= 0; i-- {
			if s.calls[i].id == f.id {
				return i
			}
		}
		if last >= 0 && s.calls[last].id == "" && s.calls[last].blank && f.name == "" {
			return last // The id comes after the name.
		}
		return -1
	}
	if last < 0 || f.name != "" && s.newName(last, f.name) {
		return -1
	}
	return last
}

// newName says that a name without an id begins a call behind the last one. Servers that repeat
// the name in every piece have not finished the arguments yet.
func (s *toolCalls) newName(last int, name string) bool {
	call := s.calls[last]
	return call.name != "" && (call.name != name || call.scan.whole)
}

// begins says that a fragment opens a call although its index is taken.
func (s *toolCalls) begins(at int, f fragment) bool {
	call := s.calls[at]
	return f.id != "" && call.id != "" && f.id != call.id && f.name != ""
}

func (s *toolCalls) open(index int) int {
	s.calls = append(s.calls, openCall{blank: true})
	at := len(s.calls) - 1
	if index >= 0 {
		if s.byIndex == nil {
			s.byIndex = make(map[int]int)
		}
		s.byIndex[index] = at
	}
	return at
}

// take reads arguments into the call and says how many bytes belong to it: all of them, or those
// before the brace that opens the next call's object.
func (c *openCall) take(arguments string) int {
	for i := 0; i < len(arguments); i++ {
		b := arguments[i]
		if c.scan.whole && b == '{' {
			return i
		}
		if b > ' ' {
			c.blank = false
		}
		c.scan.byte(b)
	}
	return len(arguments)
}

// objectScan follows the bytes of a JSON object to see where it ends.
type objectScan struct {
	depth   int
	quoted  bool
	escaped bool
	odd     bool // it did not begin with a brace, so its end cannot be found
	whole   bool // the object is complete
}

func (o *objectScan) byte(b byte) {
	switch {
	case o.odd, o.whole:
	case o.escaped:
		o.escaped = false
	case o.quoted:
		o.escaped = b == '\\'
		o.quoted = b != '"'
	case b == '"' && o.depth > 0:
		o.quoted = true
	case b == '{', b == '[' && o.depth > 0:
		o.depth++
	case (b == '}' || b == ']') && o.depth > 0:
		o.depth--
		o.whole = o.depth == 0
	case o.depth == 0 && b > ' ':
		o.odd = true
	}
}
