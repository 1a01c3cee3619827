package ui

import (
	"slices"
	"strings"

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
	text  string            // of that part
}

// carrierOf finds what carries a message. A message that the request joined to others out of its place
// is looked for by its text.
func carrierOf(r *panel.Request, e history.Entry, text string) carrier {
	var c carrier
	if !e.Sent() {
		return c
	}
	k := slices.IndexFunc(r.Plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	for i, shown := range r.Plan.Shown() {
		if slices.Contains(shown, k) {
			c.at = append(c.at, i)
		}
	}
	if c.block, c.found = r.Plan.RecalledIn(k); c.found {
		c.text = r.Plan.Messages[c.block.Message].Content[c.block.From:c.block.To]
	}
	for i := range r.Plan.Messages {
		if len(c.at) > 0 || c.found || text == "" {
			break
		}
		if strings.Contains(r.Plan.Messages[i].Content, text) {
			c.at = append(c.at, i)
		}
	}
	for _, i := range c.at {
		c.sent = append(c.sent, r.Plan.Messages[i])
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
	if p.Text != "" && strings.Contains(c.text, p.Text) {
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
	case i < 0 && c.tells(own):
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

// tells says that a text of the request names a call, as calls are told.
func (c carrier) tells(call history.ToolCall) bool {
	told := "called " + call.Name
	for _, m := range c.sent {
		if strings.Contains(m.Content, told) {
			return true
		}
	}
	return strings.Contains(c.text, told)
}
