package history

import "fmt"

// DamagedError reports that a history is damaged and the policy refuses to repair it. Nothing should be sent. The plan
// that comes with the error shows what a repaired request would be.
type DamagedError struct {
	Index int    // position of the message in the conversation, from 0
	Kind  string // the kind of damage, C1 to C15
}

// Error names the message, counted from 1, the field and the fault.
func (e *DamagedError) Error() string {
	of := damageKinds[e.Kind]
	return fmt.Sprintf("message %d is damaged in its %s (%s): %s; recovery = \"strict\" refuses that",
		e.Index+1, of.field, e.Kind, of.fault)
}

// damage returns an error for the first damaged message of a plan, or nil.
func damage(p Plan) error {
	for _, e := range p.Entries {
		switch {
		case e.Disposition == Unreadable:
			return &DamagedError{e.Index, "C15"}
		case len(e.Repairs) > 0:
			return &DamagedError{e.Index, e.Repairs[0].Kind}
		}
	}
	return nil
}

// damageKinds says for each kind of damage which field it is in and what is wrong.
var damageKinds = map[string]struct{ field, fault string }{
	"C1":  {"tool_calls.arguments", "the arguments of a tool call are not valid JSON"},
	"C2":  {"tool_calls.arguments", "a tool call has no arguments"},
	"C3":  {"tool_calls.arguments", "the arguments of a tool call are not an object"},
	"C4":  {"tool_calls.arguments", "the arguments of a tool call contain more than one object"},
	"C5":  {"tool_calls", "a tool call has no result"},
	"C6":  {"tool call id", "the tool call of this result is missing"},
	"C7":  {"tool call id", "an id is missing, invalid, or used twice"},
	"C8":  {"content", "the answer is empty"},
	"C9":  {"content", "the tool result is empty"},
	"C10": {"position", "the tool result does not follow its call"},
	"C11": {"tool_calls.name", "a tool call has no valid name"},
	"C12": {"role", "a system message is not at the start"},
	"C13": {"content", "the content is binary data or an unsupported image"},
	"C14": {"content", "the content is not valid UTF-8"},
	"C15": {"role", "the message cannot be read, or its role is unknown"},
}
