package inspector

import (
	"slices"

	"winnow/history"
	"winnow/ui/theme"
)

// source is what of a request is made of a message: the request's own messages that have its text, alone
// or joined to others, and its part of the recalled block.
type source struct {
	at     []int             // indexes into the plan's messages, of those that have its text
	sent   []history.Message // those messages
	block  history.Span      // its part of the recalled block
	found  bool              // there is such a part
	asText bool              // its tool calls are written out in one of these texts
	text   string            // its own text in them
}

// sourceOf finds what is made of a message.
func sourceOf(r *Request, e history.Entry) source {
	var c source
	if !e.Sent() {
		return c
	}
	k := slices.IndexFunc(r.Plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	for _, span := range r.Plan.Spans {
		if span.Entry != k {
			continue
		}
		if c.asText = c.asText || span.Calls; span.Recalled {
			c.block, c.found = span, true
			continue
		}
		m := r.Plan.Messages[span.Message]
		c.at, c.sent = append(c.at, span.Message), append(c.sent, m)
		if span.To <= len(m.Content) {
			c.text += m.Content[span.From:span.To]
		}
	}
	return c
}

// part says what became of a part.
func (c source) part(p history.Part) (string, Kind) {
	for _, m := range c.sent {
		for _, sent := range m.Parts {
			switch {
			case sent.Name != p.Name:
			case sent.Kind == p.Kind:
				return "sent", Sent
			default:
				return "not sent; replaced by a note", Unsent
			}
		}
	}
	if p.Text != "" && c.found {
		return "sent in the recalled block", Sent
	}
	return "not sent", Unsent
}

// reasoning says what became of the model's reasoning.
func (c source) reasoning(own string) (string, Kind) {
	for _, m := range c.sent {
		if m.Reasoning == own {
			return "sent back to the model", Sent
		}
	}
	return "not sent", Unsent
}

// callSent is the call k of a message as it is sent, false where it is not sent as a call.
func (c source) callSent(calls []history.ToolCall, k int) (history.ToolCall, bool) {
	own := calls[k]
	var list []history.ToolCall
	for _, m := range c.sent {
		list = append(list, m.ToolCalls...)
	}
	i := slices.IndexFunc(list, func(s history.ToolCall) bool { return s.ID == own.ID && s.Arguments == own.Arguments })
	if i < 0 && len(list) == len(calls) {
		i = k
	}
	if i < 0 {
		return history.ToolCall{}, false
	}
	return list[i], true
}

// call says what became of the call k of a message, and what is sent for it where that is not the same.
func (c source) call(calls []history.ToolCall, k int) (sent *history.ToolCall, fate string, t Kind) {
	own := calls[k]
	found, ok := c.callSent(calls, k)
	switch {
	case !ok && c.asText:
		return nil, "sent as text", Unsent
	case !ok && slices.ContainsFunc(c.sent, func(m history.Message) bool { return len(m.ToolCalls) > 0 }):
		return nil, "not sent as stored: see its repairs", Unsent
	case !ok:
		return nil, "not sent", Unsent
	case found.Name != own.Name || found.Arguments != own.Arguments:
		return &found, "repaired", Unsent
	case found.ID != own.ID:
		return nil, "sent with the id " + theme.OneLine(found.ID), Sent
	}
	return nil, "sent", Sent
}
