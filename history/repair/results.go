package repair

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

// ResultLead stands in front of a result that is sent as text.
const ResultLead = "[tool result] "

const (
	noResult    = "[no result recorded for this call; do not assume it ran]"
	emptyResult = "(empty result)"
	lostText    = "[the arguments of this call could not be read: "
)

// pair finds the result of each call: in the results that directly follow it first by place and id,
// then by id, then by place where an id is blank or nobody's; at last among the results that came
// later.
func (m *run) pair() {
	type waiting struct {
		head *Draft
		call int
	}
	open := map[string][]waiting{}
	for i, d := range m.list {
		if len(d.ToolCalls) > 0 {
			d.results = make([]*Draft, len(d.ToolCalls))
			m.pairRun(d, m.list[i+1:], func(id string) bool { return len(open[id]) > 0 })
			// The newest message that waits for a result gets it, of its calls the first.
			for k, c := range slices.Backward(d.ToolCalls) {
				if d.results[k] == nil && c.ID != "" {
					open[c.ID] = append(open[c.ID], waiting{d, k})
				}
			}
		}
		// A loose result belongs to the calls in front of it, whatever older ones wait for.
		wait := open[d.ToolCallID]
		if n := len(wait) - 1; n >= 0 && d.Role == message.Tool && d.Head == nil && d.loose == noCall {
			d.Head = wait[n].head
			d.Head.results[wait[n].call] = d
			open[d.ToolCallID] = wait[:n]
		}
	}
	keeping(func(m *run, d *Draft) bool {
		if d.Head != nil {
			m.Heads[d.From] = d.Head.From
		}
		return m.Unsent[d.From] == cause.None
	})(m)
}

// pairRun finds the results of d's calls among the results directly behind it. An older call may still
// wait for a result.
func (m *run) pairRun(d *Draft, following []*Draft, waits func(id string) bool) {
	n := 0
	for n < len(following) && following[n].Role == message.Tool {
		n++
	}
	run := following[:n]
	match := func(same func(k, r int) bool) {
		for k := range d.ToolCalls {
			for r := range run {
				if d.results[k] == nil && run[r].Head == nil && same(k, r) {
					d.results[k], run[r].Head = run[r], d
				}
			}
		}
	}
	id := func(k, r int) bool { return d.ToolCalls[k].ID == run[r].ToolCallID }
	match(func(k, r int) bool { return k == r && id(k, r) })
	match(func(k, r int) bool { return id(k, r) && run[r].ToolCallID != "" })
	match(func(k, r int) bool { return d.ToolCalls[k].ID == "" || run[r].ToolCallID == "" })
	match(func(_, r int) bool {
		own := slices.ContainsFunc(d.ToolCalls, func(c message.ToolCall) bool { return c.ID == run[r].ToolCallID })
		return !own && !waits(run[r].ToolCallID)
	})
	for _, r := range run {
		for k, c := range d.ToolCalls {
			first := d.results[k]
			if r.Head != nil || first == nil || c.ID != r.ToolCallID || m.Unsent[r.From] != cause.None {
				continue
			}
			r.loose, r.owner = anotherResult, d
			if first.Content == r.Content {
				m.log(r, "C7", cause.ResultAgain, r.Content, "")
				m.Unsent[r.From], m.Heads[r.From] = cause.Duplicate, d.From
			}
		}
	}
}

// order puts results directly behind the message that called for them, in the order of its calls.
// What stood in between follows behind.
func (m *run) order() {
	list := make([]*Draft, 0, len(m.list))
	for i, d := range m.list {
		if d.Head != nil {
			continue
		}
		list = append(list, d)
		at, moving := i, false
		for _, r := range d.results {
			if r == nil {
				continue
			}
			// Behind one that was in the wrong place each of them is.
			at++
			if moving = moving || at >= len(m.list) || m.list[at] != r; moving {
				m.log(r, "C10", cause.ResultMoved, "", "")
			}
			list = append(list, r)
		}
	}
	m.list = list
}

// loose is why a result has no call to stand behind.
type loose uint8

const (
	noCall loose = iota
	anotherResult
	callIsText
)

// looseWords are the kind of each, the words in front of its text and what was repaired.
var looseWords = [...]struct {
	kind, lead string
	cause      cause.Code
}{
	{"C6", "[tool result, call missing] ", cause.ResultLoose},
	{"C7", "[another result of the same call] ", cause.ResultSecond},
	{"C11", ResultLead, cause.ResultOfText},
}

// orphan sends a result without a call to stand behind as text.
func (m *run) orphan(d *Draft) {
	if d.Role != message.Tool || d.Head != nil {
		return
	}
	text, words := "", looseWords[d.loose]
	if !message.IsBlank(d.Content) {
		text = d.WriteResult(words.lead, d.Content)
	}
	m.log(d, words.kind, words.cause, d.Content, text)
	d.Message, d.Joins = d.AsText(text), true
}

// missing stands a neutral result in for each call without one, and shows what of the arguments
// could not be sent.
func (m *run) missing() {
	var list []*Draft
	for _, d := range m.list {
		if d.Head == nil {
			list = append(list, d)
		}
		for k, c := range d.ToolCalls {
			r := d.results[k]
			if r == nil {
				m.logCause(d, "C5", cause.Cause{Code: cause.ResultMissing, Text: c.Name}, "", noResult)
				r = &Draft{From: d.From, StandIn: true, Head: d}
				r.Role, r.ToolCallID, r.Content = message.Tool, c.ID, noResult
				d.results[k] = r
			}
			if raw := d.raw[k]; raw != "" {
				lost := lostText + raw + "]\n"
				r.Reword(r.Content, lost, "")
				r.Content, r.Tokens = lost+r.Content, 0
			}
			list = append(list, r)
		}
	}
	m.list = list
}

// blankResult writes out that a tool said nothing.
func (m *run) blankResult(d *Draft) {
	if d.Role == message.Tool && message.IsBlank(d.Content) && !d.HasParts() {
		m.log(d, "C9", cause.ResultEmpty, d.Content, emptyResult)
		d.Content, d.Replaced = emptyResult, true
	}
}
