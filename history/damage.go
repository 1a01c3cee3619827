package history

import "fmt"

// DamagedError says that a history is damaged and that the policy does not repair it: nothing is to be
// sent. The plan that comes with it shows what would be sent, repaired.
type DamagedError struct {
	Index int    // the message's position in the conversation, from 0
	Kind  string // C1 to C15
}

// Error names the message, counted from 1, the field, and what is wrong with it.
func (e *DamagedError) Error() string {
	of := damageKinds[e.Kind]
	return fmt.Sprintf("message %d is damaged in its %s (%s): %s; recovery = \"strict\" refuses that",
		e.Index+1, of.field, e.Kind, of.fault)
}

// damage is the first fault of a plan's messages, nil for none.
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

// damageKinds are the kinds of damage: the field that each is in, and what is wrong where nothing is repaired.
var damageKinds = map[string]struct{ field, fault string }{
	"C1":  {"tool_calls.arguments", "the arguments of a tool call are not valid JSON"},
	"C2":  {"tool_calls.arguments", "a tool call has no arguments"},
	"C3":  {"tool_calls.arguments", "the arguments of a tool call are not an object"},
	"C4":  {"tool_calls.arguments", "the arguments of a tool call hold more than one object"},
	"C5":  {"tool_calls", "a tool call has no result"},
	"C6":  {"tool call id", "the tool call of this result is missing"},
	"C7":  {"tool call id", "an id is missing, not allowed, or used twice"},
	"C8":  {"content", "the answer is empty"},
	"C9":  {"content", "the tool result is empty"},
	"C10": {"position", "the tool result does not follow its call"},
	"C11": {"tool_calls.name", "a tool call has no name that a server takes"},
	"C12": {"role", "a system message is in the middle"},
	"C13": {"content", "it holds data that cannot be sent"},
	"C14": {"content", "it holds bytes that are not text"},
	"C15": {"role", "it cannot be read, or its role is unknown"},
}
