package repair

import (
	"cmp"
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

const (
	noResult    = "[no result recorded for this call; do not assume it ran]"
	emptyResult = "(empty result)"
	lostText    = "[the arguments of this call could not be read: "
	resultLead  = "[tool result] "
)

// call is one call of a draft, by its place among them.
type call struct {
	head *RepairedMessage
	at   int
}

// pair finds the result of each call: in the results that directly follow it first by place and id,
// then by id, then by place where an id is blank or nobody's; at last among the results that came
// later.
func (m *run) pair() {
	open := map[string][]call{} // the calls that wait for a result, by their id
	for i, d := range m.Messages {
		if len(d.ToolCalls) > 0 {
			d.results = make([]*RepairedMessage, len(d.ToolCalls))
			m.pairFollowing(d, m.Messages[i+1:], func(id string) bool { return len(open[id]) > 0 })
			// The newest message that waits for a result gets it, of its calls the first.
			for k, c := range slices.Backward(d.ToolCalls) {
				if d.results[k] == nil && c.ID != "" {
					open[c.ID] = append(open[c.ID], call{d, k})
				}
			}
		}
		// A loose result belongs to the calls in front of it, whatever older ones wait for.
		waiting := open[d.ToolCallID]
		if n := len(waiting) - 1; n >= 0 && d.Role == message.Tool && d.Head == nil && d.orphaned == nil {
			m.answer(waiting[n], d)
			open[d.ToolCallID] = waiting[:n]
		}
	}
	keeping(func(m *run, d *RepairedMessage) bool { return m.Unsent[d.From] == cause.None })(m)
}

// answer makes a draft the result of a call.
func (m *run) answer(c call, r *RepairedMessage) {
	c.head.results[c.at], r.Head = r, c.head
	m.Heads[r.From] = c.head.From
}

// pairFollowing finds the results of d's calls among the results directly behind it. waits reports whether an older
// call still waits for a result with an id: such a result is not given to a call of d by its place.
func (m *run) pairFollowing(d *RepairedMessage, following []*RepairedMessage, waits func(id string) bool) {
	n := slices.IndexFunc(following, func(r *RepairedMessage) bool { return r.Role != message.Tool })
	if n >= 0 {
		following = following[:n]
	}
	id := func(k int) string { return d.ToolCalls[k].ID }
	match := func(fits func(k, n int, result string) bool) {
		for k := range d.ToolCalls {
			for n, r := range following {
				if d.results[k] == nil && r.Head == nil && fits(k, n, r.ToolCallID) {
					m.answer(call{d, k}, r)
				}
			}
		}
	}
	match(func(k, n int, result string) bool { return k == n && result == id(k) })
	match(func(k, _ int, result string) bool { return result != "" && result == id(k) })
	match(func(k, _ int, result string) bool {
		return id(k) == "" || result == "" || d.callWith(result) < 0 && !waits(result)
	})
	for _, r := range following {
		k := d.callWith(r.ToolCallID)
		if r.Head != nil || k < 0 || d.results[k] == nil {
			continue
		}
		r.orphaned, r.owner = &secondResult, d
		if d.results[k].Content == r.Content {
			m.note(r, "C7", cause.ResultAgain, r.Content, "")
			m.Unsent[r.From], m.Heads[r.From] = cause.Duplicate, d.From
		}
	}
}

// order puts results directly behind the message that called for them, in the order of its calls, with a neutral
// stand-in for each that is missing. What stood in between follows behind.
func (m *run) order() {
	list := make([]*RepairedMessage, 0, len(m.Messages))
	for i, d := range m.Messages {
		if d.Head != nil {
			continue
		}
		list = append(list, d)
		rest := m.Messages[i+1:]
		for k, r := range d.results {
			switch {
			case r == nil:
				r = m.placeholder(d, k)
			case len(rest) > 0 && rest[0] == r:
				rest = rest[1:]
			default:
				m.note(r, "C10", cause.ResultMoved, "", "")
				rest = nil // Behind one that was in the wrong place each of them is.
			}
			if d.lost[k] != "" {
				r.wrap(lostText+d.lost[k]+"]\n", "")
			}
			list = append(list, r)
		}
	}
	m.Messages = list
}

// standIn is a neutral result of a call without one.
func (m *run) placeholder(d *RepairedMessage, call int) *RepairedMessage {
	m.note(d, "C5", cause.ResultMissing, "", noResult)
	log := m.Repairs[d.From]
	log[len(log)-1].Cause.Text = d.ToolCalls[call].Name
	r := &RepairedMessage{From: d.From, Placeholder: true, Head: d}
	r.Role, r.ToolCallID, r.Content = message.Tool, d.ToolCalls[call].ID, noResult
	return r
}

// looseResult is why a result has no call to stand behind.
type orphanReason struct {
	kind, lead string // the kind of damage, and the words in front of its text
	cause      cause.Code
}

var (
	noCall       = orphanReason{"C6", "[tool result, call missing] ", cause.ResultLoose}
	secondResult = orphanReason{"C7", "[another result of the same call] ", cause.ResultSecond}
	callIsText   = orphanReason{"C11", resultLead, cause.ResultOfText}
)

// orphan sends a result without a call to stand behind as text.
func (m *run) orphan(d *RepairedMessage) {
	if d.Role != message.Tool || d.Head != nil {
		return
	}
	because, before := cmp.Or(d.orphaned, &noCall), d.Content
	d.resultToText(because.lead)
	m.note(d, because.kind, because.cause, before, d.Content)
}

// resultToText sends a result as a part of the answer in front of it, behind words that say what it is.
func (d *RepairedMessage) resultToText(caption string) {
	if !message.IsBlank(d.Content) {
		d.wrap(caption, "")
		d.Caption = len(caption)
	}
	d.JoinsPrevious, d.Message = true, d.TextOnly(d.Content)
}

// blankResult writes out that a tool said nothing.
func (m *run) blankResult(d *RepairedMessage) {
	if d.Role == message.Tool && d.blank() {
		m.note(d, "C9", cause.ResultEmpty, d.Content, emptyResult)
		d.replace(emptyResult)
	}
}
