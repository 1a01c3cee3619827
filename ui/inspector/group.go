package inspector

import (
	"slices"
	"strconv"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
)

// group is a message with the results of its calls, or a message alone: what is repaired together.
type group struct {
	plan    *history.Plan
	stored  func(id int64) (store.Message, bool) // a message as it is stored
	secrets theme.Secrets
}

// blocks are what is stored of a repaired message, and of the calls and results that go with it, against what a plan
// sends of it: of each call its id, name and arguments, of each result its id and text. Calls that go as they are
// stored are left out with their results. Where nothing of that differs they are the damaged bytes of the message's
// repairs; there are none where a repair moved a message.
func (g group) blocks(e history.Entry) []block {
	at := slices.IndexFunc(g.plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	if at < 0 {
		return nil
	}
	places := g.plan.Group(at)
	head := g.plan.Entries[places[0]]
	first, _ := g.stored(head.ID)
	if len(first.ToolCalls) == 0 { // a result without its call, or any other message
		head, places = e, []int{at}
		first, _ = g.stored(e.ID)
	}
	c := sourceOf(g.plan, head)
	var list []block
	if b := g.text(first, head, c); len(first.ToolCalls) == 0 || b.gone == "" {
		list = changed(b)
	}
	for k, call := range first.ToolCalls {
		sent, as := c.call(first.ToolCalls, k)
		b := block{role: string(head.Role), fields: []field{
			{"id", call.ID, ""}, {"name", call.Name, ""}, {"args", call.Arguments, ""},
		}}
		of := []block{b}
		if sent == nil {
			of[0].gone = as
		} else {
			b.fields[0].sent, b.fields[1].sent, b.fields[2].sent = sent.ID, sent.Name, sent.Arguments
			of = append(of, g.standIns(sent.ID, c)...)
		}
		for _, i := range places[1:] {
			if m, _ := g.stored(g.plan.Entries[i].ID); m.ToolCallID == call.ID {
				of = append(of, g.text(m, g.plan.Entries[i], sourceOf(g.plan, g.plan.Entries[i])))
			}
		}
		list = append(list, changed(of...)...)
	}
	for _, r := range e.Repairs {
		if len(list) == 0 && r.Before+r.After != "" {
			list = append(list, block{role: string(e.Role), fields: []field{{"", r.Before, r.After}}})
		}
	}
	return g.shown(list)
}

// changed are blocks where one of them is not sent as it is stored, else none.
func changed(list ...block) []block {
	if slices.ContainsFunc(list, block.differs) {
		return list
	}
	return nil
}

// text is the text of a message, and of a result its id. A text that is only cut counts as the same.
func (g group) text(m store.Message, e history.Entry, c source) block {
	b := block{role: string(e.Role), fields: []field{{"text", m.Content, c.text}}}
	asText := c.asText || e.Role == history.Tool && len(c.sent) > 0 && c.sent[0].Role != history.Tool
	cut := ""
	for _, s := range SegmentsOf(m.Content, e) {
		if s.Kind != Unsent {
			cut += s.Text
		}
	}
	switch {
	case len(c.sent) == 0:
		b.gone, b.fields[0].sent = "not sent", ""
	case !asText && c.text == cut:
		b.fields[0].sent = m.Content
	}
	if e.Role == history.Tool && (b.gone != "" || !asText) { // a text has no id
		id := field{"id", m.ToolCallID, ""}
		if b.gone == "" {
			id.sent = c.sent[0].ToolCallID
		}
		b.fields = slices.Insert(b.fields, 0, id)
	}
	return b
}

// standIns are the results that are sent of a call without one; id is that of the call as it is sent.
func (g group) standIns(id string, c source) (list []block) {
	for _, a := range g.plan.Added {
		if a.Kind != history.AddedStandIn || a.Before <= c.at[0] || a.Before >= len(g.plan.Messages) {
			continue
		}
		if m := g.plan.Messages[a.Before]; m.ToolCallID == id {
			list = append(list, block{role: string(history.Tool), lacks: "missing", fields: []field{
				{"id", "", m.ToolCallID}, {"text", "", m.Content},
			}})
		}
	}
	return list
}

// shown are blocks without secrets, and with ids and names in quotes: a blank one is seen.
func (g group) shown(list []block) []block {
	for _, b := range list {
		for k := range b.fields {
			f := &b.fields[k]
			f.stored, _ = g.secrets.Hide(f.stored)
			f.sent, _ = g.secrets.Hide(f.sent)
			if f.name == "id" || f.name == "name" {
				f.stored, f.sent = strconv.Quote(f.stored), strconv.Quote(f.sent)
			}
		}
	}
	return list
}
