package inspector

import (
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
)

// group is a message with the results of its calls, or the call of a result: what is repaired together.
type group struct {
	plan    *history.Plan
	entries []history.Entry // the message with the calls first
	stored  []store.Message // of each entry
}

// groupOf finds the group of a message.
func groupOf(p *history.Plan, stored func(int64) (store.Message, bool), e history.Entry) group {
	g := group{plan: p}
	take := func(e history.Entry) store.Message {
		m, _ := stored(e.ID)
		g.entries, g.stored = append(g.entries, e), append(g.stored, m)
		return m
	}
	has := func(m store.Message, id string) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c history.ToolCall) bool { return c.ID == id })
	}
	at := slices.IndexFunc(p.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	if at < 0 {
		return g
	}
	if e.Role == history.Tool {
		result, _ := stored(e.ID)
		for i := at - 1; i >= max(0, at-farthest); i-- {
			if p.Entries[i].Role != history.Assistant {
				continue
			}
			if m, _ := stored(p.Entries[i].ID); has(m, result.ToolCallID) {
				at = i
				break
			}
		}
	}
	first := take(p.Entries[at])
	if len(first.ToolCalls) == 0 {
		return g
	}
	for i := at + 1; i < min(len(p.Entries), at+farthest); i++ {
		switch m, _ := stored(p.Entries[i].ID); {
		case p.Entries[i].Role == history.Tool && has(first, m.ToolCallID):
			take(p.Entries[i])
		case slices.ContainsFunc(m.ToolCalls, func(c history.ToolCall) bool { return has(first, c.ID) }):
			return g // from here on the ids are those of other calls
		}
	}
	return g
}

// farthest is how many messages apart a call and its result are looked for.
const farthest = 200

// part is a block of a group, and the call that it is about, by its number; -1 for the text beside the calls.
type part struct {
	block
	call int
}

// blocks are what is stored of a group against what a plan sends of it: of each call its id, name and arguments, of
// each result its id and text. Calls that go as they are stored are left out with their results. Secrets are hidden.
func (g group) blocks(secrets theme.Secrets) []block {
	if len(g.entries) == 0 {
		return nil
	}
	r := Request{Plan: *g.plan}
	var parts []part
	first, c := g.stored[0], sourceOf(&r, g.entries[0])
	role := string(g.entries[0].Role)
	if text, sent := textOf(first, g.entries[0], c); text != sent || len(first.ToolCalls) == 0 {
		b := block{role: role, fields: []field{{"text", text, sent}}}
		if len(c.sent) == 0 {
			b.gone = "not sent"
		}
		parts = append(parts, part{b, -1})
	}
	var ids []string // of the calls as they are sent
	for k, call := range first.ToolCalls {
		b := block{
			role: role, fields: []field{{"id", call.ID, ""}, {"name", call.Name, ""}, {"args", call.Arguments, ""}},
		}
		sent, ok := c.callSent(first.ToolCalls, k)
		switch ids = append(ids, sent.ID); {
		case ok:
			b.fields[0].sent, b.fields[1].sent, b.fields[2].sent = sent.ID, sent.Name, sent.Arguments
		case c.asText:
			b.gone = "sent as text"
		default:
			b.gone = "not sent"
		}
		parts = append(parts, part{b, k})
	}
	for i, m := range g.stored[1:] {
		of := slices.IndexFunc(first.ToolCalls, func(c history.ToolCall) bool { return c.ID == m.ToolCallID })
		parts = append(parts, part{resultBlock(m, g.entries[i+1], sourceOf(&r, g.entries[i+1])), of})
	}
	parts = append(parts, g.standIns(c, ids)...)
	return concealed(changed(parts), secrets)
}

// textOf is the text of a message as it is stored and as it is sent. What is only cut counts as the same, unless it is
// that of a call or a result that is sent as text.
func textOf(m store.Message, e history.Entry, c source) (stored, sent string) {
	if c.asText || e.Role == history.Tool && len(c.sent) > 0 && c.sent[0].Role != history.Tool {
		return m.Content, c.text
	}
	cut := ""
	for _, s := range SegmentsOf(m.Content, e) {
		if s.Kind != Unsent {
			cut += s.Text
		}
	}
	if len(c.sent) > 0 && c.text == cut {
		return m.Content, m.Content
	}
	return m.Content, c.text
}

// resultBlock is a result.
func resultBlock(m store.Message, e history.Entry, c source) block {
	b := block{role: string(history.Tool), fields: []field{{"id", m.ToolCallID, ""}, {"text", m.Content, ""}}}
	if len(c.sent) == 0 {
		b.gone = "not sent"
		return b
	}
	b.fields[0].sent = c.sent[0].ToolCallID
	if b.fields[1].stored, b.fields[1].sent = textOf(m, e, c); c.sent[0].Role != history.Tool {
		b.fields = b.fields[1:] // a text has no id
	}
	return b
}

// standIns are the results that are sent of calls without one; ids are those of the calls as they are sent.
func (g group) standIns(c source, ids []string) []part {
	var list []part
	for _, a := range g.plan.Added {
		if a.Kind != history.AddedStandIn || a.Before < 0 || a.Before >= len(g.plan.Messages) {
			continue
		}
		m := g.plan.Messages[a.Before]
		if of := slices.Index(ids, m.ToolCallID); of >= 0 && len(c.at) > 0 && a.Before > c.at[0] {
			list = append(list, part{
				block{role: string(history.Tool), lacks: "missing", fields: []field{
					{"id", "", m.ToolCallID}, {"text", "", m.Content},
				}}, of,
			})
		}
	}
	return list
}

// changed are the parts of the calls of which something is not sent as it is stored.
func changed(parts []part) []block {
	calls := map[int]bool{}
	for _, p := range parts {
		calls[p.call] = calls[p.call] || p.differs()
	}
	var list []block
	before := ""
	for _, p := range parts {
		if !calls[p.call] {
			continue
		}
		if p.role == before && p.role != string(history.Tool) {
			p.role = "" // a call of the same message
		} else {
			before = p.role
		}
		list = append(list, p.block)
	}
	return list
}

// concealed are blocks without secrets, and with ids and names in quotes: a blank one is seen.
func concealed(list []block, secrets theme.Secrets) []block {
	for i := range list {
		for k := range list[i].fields {
			f := &list[i].fields[k]
			f.stored, _ = secrets.Hide(f.stored)
			f.sent, _ = secrets.Hide(f.sent)
			if f.name == "id" || f.name == "name" {
				f.stored, f.sent = fmt.Sprintf("%q", f.stored), fmt.Sprintf("%q", f.sent)
			}
		}
	}
	return list
}

// blocksOf are what is stored of a repaired message, and of the calls and results that go with it, against what a plan
// sends of it. Where nothing of that differs they are the damaged bytes of its repairs against what is sent of those;
// there are none where a repair moved a message.
func blocksOf(
	p *history.Plan, stored func(int64) (store.Message, bool), e history.Entry, repairs []history.Repair,
	secrets theme.Secrets,
) []block {
	list := groupOf(p, stored, e).blocks(secrets)
	if len(list) > 0 {
		return list
	}
	for _, r := range repairs {
		if r.Before != "" || r.After != "" {
			list = append(list, block{role: string(e.Role), fields: []field{{"", r.Before, r.After}}})
		}
	}
	return list
}
