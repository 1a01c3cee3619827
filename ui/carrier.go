package ui

import (
	"slices"

	"winnow/history"
	"winnow/ui/inspector"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// carrier is what of a request carries a message: the request's own messages that have its text, alone
// or joined to others, and the recalled block.
type carrier struct {
	at    []int             // indexes into the plan's messages, of those that have its text
	sent  []history.Message // those messages
	block history.Span      // its part of the recalled block
	found bool              // there is such a part
	told  bool              // its tool calls are written out in one of these texts
}

// carrierOf finds what carries a message.
func carrierOf(r *panel.Request, e history.Entry) carrier {
	var c carrier
	if !e.Sent() {
		return c
	}
	k := slices.IndexFunc(r.Plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	for _, span := range r.Plan.SpansOf(k) {
		if c.told = c.told || span.Calls; span.Recalled {
			c.block, c.found = span, true
			continue
		}
		c.at, c.sent = append(c.at, span.Message), append(c.sent, r.Plan.Messages[span.Message])
	}
	return c
}

// part says what became of a part.
func (c carrier) part(p history.Part) (string, inspector.Kind) {
	for _, m := range c.sent {
		for _, sent := range m.Parts {
			switch {
			case sent.Name != p.Name:
			case sent.Kind == p.Kind:
				return "sent", inspector.Said
			default:
				return "not sent; a note stands for it", inspector.Unsent
			}
		}
	}
	if p.Text != "" && c.found {
		return "sent in the recalled block", inspector.Said
	}
	return "not sent", inspector.Unsent
}

// reasoning says what became of the model's reasoning.
func (c carrier) reasoning(own string) (string, inspector.Kind) {
	for _, m := range c.sent {
		if m.Reasoning == own {
			return "sent back to the model", inspector.Said
		}
	}
	return "not sent", inspector.Unsent
}

// call says what became of the call k of a message, and what is sent for it where that is not the same.
func (c carrier) call(calls []history.ToolCall, k int) (sent *history.ToolCall, fate string, t inspector.Kind) {
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
	case i < 0 && c.told:
		return nil, "told as text", inspector.Unsent
	case i < 0 && len(list) > 0:
		return nil, "not sent as it is: see how it was mended", inspector.Unsent
	case i < 0:
		return nil, "not sent", inspector.Unsent
	case list[i].Name != own.Name || list[i].Arguments != own.Arguments:
		return &list[i], "mended", inspector.Unsent
	case list[i].ID != own.ID:
		return nil, "sent with the id " + theme.OneLine(list[i].ID), inspector.Said
	}
	return nil, "sent", inspector.Said
}
