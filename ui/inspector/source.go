package inspector

import (
	"slices"

	"winnow/history"
	"winnow/ui/theme"
)

// source is what of a request is made of a message: the request's own messages that have its text, alone, joined to
// others or recalled.
type source struct {
	at     []int             // indexes into the plan's messages
	sent   []history.Message // those that have it in its place
	asText bool              // its tool calls are written out in one of these texts
	text   string            // its own text in them
}

// sourceOf finds what is made of a message.
func sourceOf(plan *history.Plan, e history.Entry) (c source) {
	k := slices.IndexFunc(plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	for _, span := range plan.Spans {
		if span.Entry != k || !e.Sent() {
			continue
		}
		c.at = append(c.at, span.Message)
		c.asText = c.asText || span.Calls
		if m := plan.Messages[span.Message]; !span.Recalled {
			c.sent = append(c.sent, m)
			c.text += m.Content[min(span.From, len(m.Content)):min(span.To, len(m.Content))]
		}
	}
	return c
}

// call is the call k of a message as it is sent, nil where it is not sent as a call, and says what became of it.
func (c source) call(calls []history.ToolCall, k int) (sent *history.ToolCall, as string) {
	own := calls[k]
	var list []history.ToolCall
	for _, m := range c.sent {
		list = append(list, m.ToolCalls...)
	}
	i := slices.IndexFunc(list, func(s history.ToolCall) bool { return s.ID == own.ID && s.Arguments == own.Arguments })
	if i < 0 && len(list) == len(calls) {
		i = k
	}
	switch {
	case i < 0 && c.asText:
		return nil, "sent as text"
	case i < 0:
		return nil, "not sent"
	case list[i].Name != own.Name || list[i].Arguments != own.Arguments:
		return &list[i], "repaired"
	case list[i].ID != own.ID:
		return &list[i], "sent with the id " + theme.OneLine(list[i].ID)
	}
	return &list[i], "sent"
}
