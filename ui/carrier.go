package ui

import (
	"slices"
	"strings"

	"winnow/history"
)

// carrier is what of a request carries a message: the request's own message that has its text, and the
// recalled block.
type carrier struct {
	entry history.Entry
	at    []int            // indexes into the plan's messages, of those that have its text
	alone *history.Message // the one that is this message and no other's as well, nil for none
	block history.Span     // its part of the recalled block
	found bool             // there is such a part
	text  string           // of that part
}

// carrierOf finds what carries a message. A message that the request joined to others out of its place
// is looked for by its text.
func (r *request) carrierOf(e history.Entry, text string) carrier {
	c := carrier{entry: e}
	if !e.Sent() {
		return c
	}
	k := slices.IndexFunc(r.plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	for i, shown := range r.plan.Shown() {
		if slices.Contains(shown, k) {
			c.at = append(c.at, i)
		}
		if r.plan.Messages[i].ID == e.ID && e.ID != 0 {
			c.alone = &r.plan.Messages[i]
		}
	}
	if c.block, c.found = r.plan.RecalledIn(k); c.found {
		c.text = r.plan.Messages[c.block.Message].Content[c.block.From:c.block.To]
	}
	for i := range r.plan.Messages {
		if len(c.at) > 0 || c.found || text == "" {
			break
		}
		if strings.Contains(r.plan.Messages[i].Content, text) {
			c.at = append(c.at, i)
		}
	}
	return c
}

// part says what became of a part.
func (c carrier) part(p history.Part) (string, tone) {
	if c.alone != nil {
		for _, sent := range c.alone.Parts {
			switch {
			case sent.Name != p.Name:
			case sent.Kind == p.Kind:
				return "sent", saidTone
			default:
				return "not sent; a note stands for it", unsentTone
			}
		}
	}
	if p.Text != "" && strings.Contains(c.text, p.Text) {
		return "sent in the recalled block", saidTone
	}
	return "not sent", unsentTone
}

// reasoning says what became of the model's reasoning.
func (c carrier) reasoning() (string, tone) {
	if c.alone != nil && c.alone.Reasoning != "" {
		return "sent back to the model", saidTone
	}
	return "not sent", unsentTone
}

// call says what became of the call k of a message, and what is sent for it where that is not the same.
func (c carrier) call(calls []history.ToolCall, k int) (sent *history.ToolCall, fate string, t tone) {
	own := calls[k]
	if c.alone == nil || len(c.alone.ToolCalls) == 0 {
		if c.entry.Sent() && own.Name != "" && (c.found || c.alone != nil && strings.Contains(c.alone.Content, own.Name)) {
			return nil, "told as text", unsentTone
		}
		return nil, "not sent", unsentTone
	}
	list := c.alone.ToolCalls
	i := slices.IndexFunc(list, func(s history.ToolCall) bool { return s.ID == own.ID && s.Arguments == own.Arguments })
	if i < 0 && len(list) == len(calls) {
		i = k
	}
	switch {
	case i < 0:
		return nil, "not sent as it is: see how it was mended", unsentTone
	case list[i].Name == own.Name && list[i].Arguments == own.Arguments && list[i].ID == own.ID:
		return nil, "sent", saidTone
	case list[i].Name == own.Name && list[i].Arguments == own.Arguments:
		return nil, "sent with the id " + oneLine(list[i].ID), saidTone
	}
	return &list[i], "mended", unsentTone
}
