package history

import "slices"

// fallBack plans a request that is certainly valid: tool calls of the past as text, then nothing but
// the system prompt and the running turn, then its user's message alone.
func (c *Conversation) fallBack(o Options) (Plan, error) {
	o.Policy.ToolHistory = ToolsText
	if plan, err := c.plan(o); sendable(plan, o) {
		return plan, err
	}
	o.Scope = &Scope{For: forValidity}
	if plan, err := c.plan(o); sendable(plan, o) {
		return plan, err
	}
	var said []Message
	for _, m := range o.Turn {
		if m.Role == User {
			said = append(said, m)
		}
	}
	o.Turn = said
	return c.plan(o)
}

// sendable checks what is about to be sent as the strictest server would. A preview without a
// current message is checked as if one followed.
func sendable(p Plan, o Options) bool {
	messages := p.Messages
	if len(o.Turn) == 0 {
		if n := len(messages); n > 0 && messages[n-1].Role == User || o.Profile.NoToolToUser && n > 0 && messages[n-1].Role == Tool {
			return Valid(messages, o.Profile) == nil
		}
		messages = append(slices.Clip(messages), Message{Role: User, Content: "?"})
	}
	return Valid(messages, o.Profile) == nil
}
