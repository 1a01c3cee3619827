package history

import "fmt"

// DamagedError says that a history is damaged and that the policy does not mend it. The plan that
// comes with it shows what would be sent, mended.
type DamagedError struct {
	Message int64  // the message's ID
	Index   int    // its position in the conversation, from 0
	Field   string // what of it is damaged
	Kind    string // C1 to C15
	What    string // a sentence: what is wrong
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("message %d is damaged in its %s (%s): %s", e.Index+1, e.Field, e.Kind, e.What)
}

// damage is the first fault of a plan's messages, nil for none.
func damage(p Plan) error {
	for _, e := range p.Entries {
		if e.Disposition == Isolated {
			return &DamagedError{Message: e.ID, Index: e.Index, Field: "role", Kind: "C15", What: sentenceIsolated}
		}
		if len(e.Repairs) > 0 {
			r := e.Repairs[0]
			return &DamagedError{Message: e.ID, Index: e.Index, Field: fieldOf(r.Kind), Kind: r.Kind, What: r.What}
		}
	}
	return nil
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
	case "C12":
		return "role"
	}
	return "content"
}
