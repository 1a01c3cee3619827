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

// call identifies a call by its message and its index there.
type call struct {
	head *Candidate
	at   int
}

// pair finds the result of each call. It looks among the results directly after the call: first by index and id, then
// by id, then by index if an id is empty or unknown. Then it looks by id among the results that came later.
func (m *run) pair() {
	open := map[string][]call{} // the calls that wait for a result, by their id
	for i, d := range m.Messages {
		if len(d.ToolCalls) > 0 {
			d.results = make([]*Candidate, len(d.ToolCalls))
			m.pairFollowing(d, m.Messages[i+1:], func(id string) bool { return len(open[id]) > 0 })
			// A result goes to the newest message that waits for it, and there to the first call.
			for k, c := range slices.Backward(d.ToolCalls) {
				if d.results[k] == nil && c.ID != "" {
					open[c.ID] = append(open[c.ID], call{d, k})
				}
			}
		}
		// An orphaned result belongs to the calls before it, even if older calls wait for its id.
		waiting := open[d.ToolCallID]
		if n := len(waiting) - 1; n >= 0 && d.Role == message.Tool && d.Head == nil && d.orphaned == nil {
			m.answer(waiting[n], d)
			open[d.ToolCallID] = waiting[:n]
		}
	}
	keeping(func(m *run, d *Candidate) bool { return m.Unsent[d.From] == cause.None })(m)
}

// answer makes r the result of a call.
func (m *run) answer(c call, r *Candidate) {
	c.head.results[c.at], r.Head = r, c.head
	m.Heads[r.From] = c.head.From
}

// pairFollowing finds the results of d's calls among the results directly after it. waits reports whether an older call
// waits for a result with an id; such a result is not matched by index.
func (m *run) pairFollowing(d *Candidate, following []*Candidate, waits func(id string) bool) {
	n := slices.IndexFunc(following, func(r *Candidate) bool { return r.Role != message.Tool })
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

// order moves results directly after the message with their calls, in the order of the calls, and inserts a placeholder
// for each missing one. Messages in between follow after them.
func (m *run) order() {
	list := make([]*Candidate, 0, len(m.Messages))
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
				rest = nil // After one that is in the wrong place, all are.
			}
			if d.lost[k] != "" {
				r.wrap(lostText+d.lost[k]+"]\n", "")
			}
			list = append(list, r)
		}
	}
	m.Messages = list
}

// placeholder returns a neutral result for a call without one.
func (m *run) placeholder(d *Candidate, call int) *Candidate {
	m.note(d, "C5", cause.ResultMissing, "", noResult)
	log := m.Repairs[d.From]
	log[len(log)-1].Cause.Text = d.ToolCalls[call].Name
	r := &Candidate{From: d.From, Placeholder: true, Head: d}
	r.Role, r.ToolCallID, r.Content = message.Tool, d.ToolCalls[call].ID, noResult
	return r
}

// orphanReason is why a result is not sent after a call.
type orphanReason struct {
	kind, lead string // the kind of damage, and the words before its text
	cause      cause.Code
}

var (
	noCall       = orphanReason{"C6", "[tool result, call missing] ", cause.ResultLoose}
	secondResult = orphanReason{"C7", "[another result of the same call] ", cause.ResultSecond}
	callIsText   = orphanReason{"C11", resultLead, cause.ResultOfText}
)

// orphan sends a result without a call as text.
func (m *run) orphan(d *Candidate) {
	if d.Role != message.Tool || d.Head != nil {
		return
	}
	because, before := cmp.Or(d.orphaned, &noCall), d.Content
	d.resultToText(because.lead)
	m.note(d, because.kind, because.cause, before, d.Content)
}

// resultToText sends a result as part of the answer before it, after a caption.
func (d *Candidate) resultToText(caption string) {
	if !message.IsBlank(d.Content) {
		d.wrap(caption, "")
		d.Caption = len(caption)
	}
	d.JoinsPrevious, d.Message = true, d.TextOnly(d.Content)
}

// blankResult replaces an empty result with a note.
func (m *run) blankResult(d *Candidate) {
	if d.Role == message.Tool && d.blank() {
		m.note(d, "C9", cause.ResultEmpty, d.Content, emptyResult)
		d.replace(emptyResult)
	}
}
