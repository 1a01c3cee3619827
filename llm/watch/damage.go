package watch

import (
	"crypto/sha256"
	"fmt"

	"winnow/history/message"
	"winnow/history/repair"
)

// Damage lists what winnow would repair in the tool calls of a request, as sentences. It says nothing of a request
// that continues an earlier answer, whose calls are at the server. IDs are compared in a form that every server
// accepts, because their form is the business of the server that made them.
func Damage(r Request) []string {
	var past []message.Message
	for _, b := range r.Blocks {
		id := fmt.Sprintf("%x", sha256.Sum256([]byte(b.ID)))
		id = id[:min(40, 40*len(b.ID))] // none stays none
		m := message.Message{Label: b.Place, Content: b.Text, ToolCallID: id}
		switch n := len(past); b.Kind {
		case User:
			m.Role = message.User
		case Result:
			m.Role = message.Tool
		case Call:
			m.Role, m.Content = message.Assistant, ""
			if n > 0 && past[n-1].Role == m.Role {
				m, past = past[n-1], past[:n-1]
			}
			if r.Wire == Responses && b.Text != "" && b.Text[0] != '{' {
				b.Text = "{}" // A custom tool takes any text.
			}
			m.ToolCalls = append(m.ToolCalls, message.ToolCall{ID: id, Name: b.Name, Arguments: b.Text})
		default:
			continue
		}
		past = append(past, m)
	}
	if r.After != "" {
		return nil
	}
	return repair.Sentences(past, repair.Options{IDs: map[string]bool{}})
}
