package history

import (
	"fmt"
	"slices"
)

// DamagedError says that a history is damaged and that the policy does not repair it: nothing is to be
// sent. The plan that comes with it shows what would be sent, repaired.
type DamagedError struct {
	Message int64  // the message's ID
	Index   int    // its position in the conversation, from 0
	Field   string // what of it is damaged
	Kind    string // C1 to C15
	Fault   string // what is wrong with it
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("message %d is damaged in its %s (%s): %s; recovery = \"strict\" refuses that", e.Index+1, e.Field, e.Kind, e.Fault)
}

// damage is the first fault of a plan's messages, nil for none.
func damage(p Plan) error {
	for _, e := range p.Entries {
		kind := ""
		switch {
		case e.Disposition == Isolated:
			kind = "C15"
		case len(e.Repairs) > 0:
			kind = e.Repairs[0].Kind
		default:
			continue
		}
		return &DamagedError{Message: e.ID, Index: e.Index, Field: fieldOf(kind), Kind: kind, Fault: damageFaults[kind]}
	}
	return nil
}

// damageFaults say what is wrong where nothing is repaired.
var damageFaults = map[string]string{
	"C1":  "the arguments of a tool call are not valid JSON",
	"C2":  "a tool call has no arguments",
	"C3":  "the arguments of a tool call are not an object",
	"C4":  "the arguments of a tool call hold more than one object",
	"C5":  "a tool call has no result",
	"C6":  "the tool call of this result is missing",
	"C7":  "an id is missing, not allowed, or used twice",
	"C8":  "the answer is empty",
	"C9":  "the tool result is empty",
	"C10": "the tool result does not follow its call",
	"C11": "a tool call has no name that a server takes",
	"C12": "a system message stands in the middle",
	"C13": "it holds data that cannot be sent",
	"C14": "it holds bytes that are not text",
	"C15": "it cannot be read, or its role is unknown",
}

// fieldOf is the field that a kind of damage sits in.
func fieldOf(kind string) string {
	switch kind {
	case "C1", "C2", "C3", "C4":
		return "tool_calls.arguments"
	case "C5":
		return "tool_calls"
	case "C6", "C7":
		return "tool call id"
	case "C10":
		return "position"
	case "C11":
		return "tool_calls.name"
	case "C12", "C15":
		return "role"
	}
	return "content"
}

// forgivePending takes the stand-ins for the results of pending calls off the repairs of their answer. They
// are in the plan all the same: they are what a new message would be sent with.
func (p *Plan) forgivePending(answer int64) {
	if answer == 0 {
		return
	}
	for i := range p.Entries {
		if e := &p.Entries[i]; e.ID == answer {
			e.Repairs = slices.DeleteFunc(slices.Clone(e.Repairs), func(r Repair) bool { return r.Kind == "C5" })
		}
	}
}
