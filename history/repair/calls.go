package repair

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"winnow/history/cause"
	"winnow/history/jsonrepair"
	"winnow/history/message"
)

// namelessCalls sends calls without a name as text, because every server refuses them, and removes empty calls.
func (m *run) namelessCalls() {
	unnamed := func(c message.ToolCall) bool { return message.IsBlank(c.Name) }
	empty := func(c message.ToolCall) bool { return message.IsBlank(c.Name + c.ID + c.Arguments) }
	for i, d := range m.Messages {
		if slices.ContainsFunc(d.ToolCalls, empty) {
			m.note(d, "C11", cause.CallEmpty, "", "")
			d.ToolCalls = slices.DeleteFunc(d.ownCalls(), empty)
		}
		if slices.ContainsFunc(d.ToolCalls, unnamed) || d.Role != message.Assistant && len(d.ToolCalls) > 0 {
			m.loosenResults(d, m.Messages[i+1:])
			before := d.Content
			d.callsToText()
			m.note(d, "C11", cause.CallUnnamed, before, d.Content)
		}
	}
}

// loosenResults marks the results of calls that are sent as text.
func (m *run) loosenResults(d *Candidate, following []*Candidate) {
	for _, r := range following {
		if r.Role != message.Tool {
			return
		}
		if d.callWith(r.ToolCallID) >= 0 {
			r.orphaned, r.owner = &callIsText, d
		}
	}
}

// callWith returns the index of the first call with an id, or -1.
func (d *Candidate) callWith(id string) int {
	return slices.IndexFunc(d.ToolCalls, func(c message.ToolCall) bool { return c.ID == id })
}

// callsToText appends the calls of a message to its text.
func (d *Candidate) callsToText() {
	text := d.TextWithCalls()
	if calls, found := strings.CutPrefix(text, d.Content); found {
		d.wrap("", calls)
	} else {
		d.replace(text)
	}
	d.CallsAsText = true
	d.ToolCalls, d.Reasoning, d.Replay = nil, "", ""
}

// ownCalls copies the calls before they are changed, because the stored message shares them.
func (d *Candidate) ownCalls() []message.ToolCall {
	d.ToolCalls = slices.Clone(d.ToolCalls)
	return d.ToolCalls
}

// unrunCalls removes the calls of an interrupted answer if none of them has a result. Their arguments may be
// incomplete, and no tool is run for such an answer. An answer that arrived completely keeps its calls, with
// placeholders for missing results, because its tools may have run.
func (m *run) unrunCalls(d *Candidate) {
	ran := slices.ContainsFunc(d.results, func(r *Candidate) bool { return r != nil })
	if d.Message.WasInterrupted() && len(d.ToolCalls) > 0 && !ran {
		m.note(d, "C5", cause.CallsUnrun, message.Message{ToolCalls: d.ToolCalls}.TextWithCalls(), "")
		d.ToolCalls, d.results = nil, nil
	}
}

// toolNames replaces characters in tool names that servers refuse. Imported calls often have them, and so do calls of
// models that invent names.
func (m *run) toolNames(d *Candidate) {
	for k, c := range d.ToolCalls {
		if name := legalName(c.Name); name != c.Name {
			m.note(d, "C11", cause.CallName, c.Name, name)
			d.ownCalls()[k].Name = name
		}
	}
}

// The longest name and id that every server accepts, in bytes.
const (
	maxName = 64
	maxID   = 40
)

// cleanID returns a name or an id with other in place of characters that servers refuse; -1 removes them.
func cleanID(text string, other rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return other
	}, text)
}

// legalID reports whether every server accepts an id.
func legalID(id string) bool { return id != "" && len(id) <= maxID && cleanID(id, -1) == id }

// legalName returns a function name that every server accepts. It does not begin with a digit or a dash.
func legalName(name string) string {
	name = cleanID(name, '_')
	if strings.IndexAny(name, "-0123456789") == 0 {
		name = "_" + name
	}
	return name[:min(len(name), maxName)]
}

// callIDs gives every call a unique id, and its result the same one: servers refuse duplicate, empty or malformed ids.
// New ids are made from the position of the message, so they are the same in later requests.
func (m *run) callIDs(d *Candidate) {
	for k, c := range d.ToolCalls {
		id := c.ID
		if !legalID(id) || m.taken(id) {
			id = m.freeID(id, m.Offset+d.From+1)
			m.note(d, "C7", cause.CallID, c.ID, id)
			d.ownCalls()[k].ID = id
		}
		m.IDs[id] = true
		if r := d.results[k]; r != nil && r.ToolCallID != id {
			m.note(r, "C7", cause.ResultID, r.ToolCallID, id)
			r.ToolCallID = id
		}
	}
}

// taken reports whether an earlier call has an id.
func (m *run) taken(id string) bool { return m.IDs[id] || m.Used != nil && m.Used(id) }

// freeID returns an unused id for a call of message seq.
func (m *run) freeID(id string, seq int) string {
	id = cleanID(id, -1)
	// The suffixes need space within maxID.
	stem := cmp.Or(id[:min(len(id), maxID-16)], "call") + "_s" + strconv.Itoa(seq)
	free := stem
	for n := 2; m.taken(free); n++ {
		free = stem + "_" + strconv.Itoa(n)
	}
	return free
}

// RepairedArguments is what is sent in place of the arguments of one call.
type RepairedArguments struct {
	Object  string           // a JSON object: the bytes as received if they are one
	Lost    bool             // nothing of the received text could be read, and Object is {}
	Repairs []message.Repair // what was repaired; none for a call that got its object from an earlier one
}

// RepairArguments turns the arguments of each call into one JSON object. If the arguments of one call are several
// objects, and as many later calls as needed have none, the objects are distributed among them.
func RepairArguments(calls []message.ToolCall) []RepairedArguments {
	all := make([]RepairedArguments, len(calls))
	for k, c := range calls {
		all[k].Object = c.Arguments
	}
	for k := range all {
		unglue(all[k:])
	}
	for k := range all {
		all[k].repair()
	}
	return all
}

// unglue distributes the objects in the first arguments among the later calls that have none.
func unglue(all []RepairedArguments) {
	objects := jsonrepair.SplitObjects(all[0].Object)
	var bare []*RepairedArguments
	for k := range all {
		if strings.TrimSpace(all[k].Object) == "" {
			bare = append(bare, &all[k])
		}
	}
	if len(objects) < 2 || len(bare) != len(objects)-1 {
		return
	}
	all[0].repaired("C4", cause.Cause{Code: cause.ArgumentsSplit}, objects[0])
	for n, a := range bare {
		a.Object = objects[n+1]
	}
}

// repaired records a repair of the arguments.
func (a *RepairedArguments) repaired(kind string, c cause.Cause, object string) {
	a.Repairs = append(a.Repairs, message.Repair{Kind: kind, Cause: c, Before: a.Object, After: object})
	a.Object = object
}

// repair turns the arguments into one JSON object. The numbers of the cause are characters, counted from 1.
func (a *RepairedArguments) repair() {
	object, how := jsonrepair.Repair(a.Object)
	kind, c := how.Kind, cause.Cause{Code: cause.ArgumentsRepaired}
	if how.Cut {
		c.Have = utf8.RuneCountInString(a.Object)
	}
	switch a.Lost = how.Lost(); {
	case how.Outcome == jsonrepair.Unchanged:
		return
	case len(jsonrepair.SplitObjects(a.Object)) > 1:
		kind, c = "C4", cause.Cause{Code: cause.ArgumentsFirst}
	case a.Lost:
		c = cause.Cause{Code: cause.ArgumentsLost}
	case how.Outcome == jsonrepair.Emptied:
		c = cause.Cause{Code: cause.ArgumentsAbsent}
	case how.Outcome == jsonrepair.Unwrapped:
		c.Code = cause.ArgumentsUnwrapped
	case how.Kind == "C3":
		c.Code = cause.ArgumentsValue
	case how.Outcome == jsonrepair.Fixed:
		c.Want = utf8.RuneCountInString(a.Object[:how.Offset]) + 1
	}
	a.repaired(kind, c, object)
}

// maxLost is how many characters of unreadable arguments are shown in the result.
const maxLost = 2000

// arguments sends one JSON object as the arguments of each call.
func (m *run) arguments(d *Candidate) {
	d.lost = make([]string, len(d.ToolCalls))
	for k, a := range RepairArguments(d.ToolCalls) {
		m.Repairs[d.From] = append(m.Repairs[d.From], a.Repairs...)
		raw := d.ToolCalls[k].Arguments
		if a.Lost {
			d.lost[k] = message.ToValidUTF8(message.GraphemePrefix(raw, maxLost))
		}
		if a.Object != raw {
			d.ownCalls()[k].Arguments = a.Object
		}
	}
}
