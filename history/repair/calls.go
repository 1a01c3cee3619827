package repair

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"winnow/history/cause"
	"winnow/history/jsonrepair"
	"winnow/history/message"
)

// halfCalls sends calls without a name as text: no server takes them. A call with nothing in it is
// left out.
func (m *run) halfCalls() {
	for i, d := range m.list {
		unnamed := func(c message.ToolCall) bool { return message.IsBlank(c.Name) }
		empty := func(c message.ToolCall) bool { return message.IsBlank(c.Name + c.ID + c.Arguments) }
		calls := slices.DeleteFunc(slices.Clone(d.ToolCalls), empty)
		half := slices.ContainsFunc(calls, unnamed) || d.Role != message.Assistant && len(d.ToolCalls) > 0
		switch {
		case half:
			m.loosenResults(d, m.list[i+1:])
			before := d.Content
			d.Content, d.CallsAsText = d.WriteCalls(d.Message), true
			d.ToolCalls, d.Reasoning, d.Replay = nil, "", ""
			m.log(d, "C11", cause.CallUnnamed, before, d.Content)
		case len(calls) < len(d.ToolCalls):
			m.log(d, "C11", cause.CallEmpty, "", "")
			d.ToolCalls = calls
		}
	}
}

// loosenResults marks the results of calls that are sent as text: no call is left for them.
func (m *run) loosenResults(d *Draft, following []*Draft) {
	for _, r := range following {
		if r.Role != message.Tool {
			return
		}
		if slices.ContainsFunc(d.ToolCalls, func(c message.ToolCall) bool { return c.ID == r.ToolCallID }) {
			r.loose, r.owner = callIsText, d
		}
	}
}

// ownCalls are the draft's calls to be changed: the stored message keeps its own.
func (d *Draft) ownCalls() []message.ToolCall {
	d.ToolCalls = slices.Clone(d.ToolCalls)
	return d.ToolCalls
}

// unmade takes the calls out of an answer that broke off before any of them ran. Their arguments may
// be half of what the model meant, and no tool is run for such an answer: what is true of it is its
// text. An answer that arrived whole keeps its calls, with a stand-in where a result is missing, because
// there nobody knows whether the tool ran.
func (m *run) unmade(d *Draft) {
	ran := slices.ContainsFunc(d.results, func(r *Draft) bool { return r != nil })
	if d.Message.BrokeOff() && len(d.ToolCalls) > 0 && !ran {
		m.log(d, "C5", cause.CallsUnrun, message.Message{ToolCalls: d.ToolCalls}.TextWithCalls(), "")
		d.ToolCalls, d.results = nil, nil
	}
}

// toolNames sends calls under names that every server takes: imported calls, and those of models that
// make names up, often have others.
func (m *run) toolNames(d *Draft) {
	for k, c := range d.ToolCalls {
		if name := legalName(c.Name); name != c.Name {
			m.log(d, "C11", cause.CallName, c.Name, name)
			d.ownCalls()[k].Name = name
		}
	}
}

// maxName is the longest name of a function that every server takes.
const maxName = 64

// legalName is a function's name with _ for every character that no name has, and no longer than
// names are.
func legalName(name string) string {
	name = strings.Map(func(r rune) rune {
		if idCharacter(r) {
			return r
		}
		return '_'
	}, name)
	if c := name[:min(1, len(name))]; c == "-" || c >= "0" && c <= "9" {
		name = "_" + name
	}
	return name[:min(len(name), maxName)]
}

// names gives every call of the request an id of its own, and its result the same: servers refuse a
// conversation with a doubled, blank or strange id. The name is made from the message's position, so
// that it stays what it is in later requests.
func (m *run) names(d *Draft) {
	for k, c := range d.ToolCalls {
		id := c.ID
		if !legalID(id) || m.taken(id) {
			fault := cause.CallIDTaken
			if !legalID(id) {
				fault = cause.CallIDBad
			}
			id = m.freeID(id, m.Offset+d.From+1)
			m.log(d, "C7", fault, c.ID, id)
			d.ownCalls()[k].ID = id
		}
		m.IDs[id] = true
		if r := d.results[k]; r != nil && r.ToolCallID != id {
			m.log(r, "C7", cause.ResultID, r.ToolCallID, id)
			r.ToolCallID = id
		}
	}
}

// taken reports whether a call in front of this one has an id.
func (m *run) taken(id string) bool { return m.IDs[id] || m.Used != nil && m.Used(id) }

// freeID is an id for the call of message seq that nothing has yet.
func (m *run) freeID(id string, seq int) string {
	clean := strings.Map(func(r rune) rune {
		if idCharacter(r) {
			return r
		}
		return -1
	}, id)
	if clean == "" {
		clean = "call"
	}
	// What is put behind it has a place below the longest id.
	stem := clean[:min(len(clean), maxID-16)] + "_s" + strconv.Itoa(seq)
	free := stem
	for n := 2; m.taken(free); n++ {
		free = stem + "_" + strconv.Itoa(n)
	}
	return free
}

// maxID is the longest id that every server takes.
const maxID = 40

// legalID reports whether every server takes an id.
func legalID(id string) bool {
	return id != "" && len(id) <= maxID && strings.IndexFunc(id, func(r rune) bool { return !idCharacter(r) }) < 0
}

func idCharacter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}

// Arguments is what is sent in place of the arguments of one call.
type Arguments struct {
	Object  string           // one JSON object: the bytes as received, where those are one
	Lost    bool             // nothing of what was received could be read, and Object is {}
	Repairs []message.Repair // what was repaired; none for a call that got its object from one in front of it
}

// ArgumentsOf makes the arguments of each call one JSON object. Objects that were glued together go to
// the calls behind that came without arguments, where the numbers agree.
func ArgumentsOf(calls []message.ToolCall) []Arguments {
	all := make([]Arguments, len(calls))
	for k, c := range calls {
		all[k].Object = c.Arguments
	}
	unglue(calls, all)
	for k := range all {
		a := &all[k]
		raw := a.Object
		object, how := jsonrepair.Repair(raw)
		if how.Class == jsonrepair.Sound {
			continue
		}
		r := message.Repair{Kind: how.Kind, Cause: argumentsCause(raw, how), Before: raw, After: object}
		if len(jsonrepair.Split(raw)) > 1 {
			r.Kind, r.Cause = "C4", cause.Cause{Code: cause.ArgumentsFirst}
		}
		a.Object, a.Lost = object, how.Lost()
		a.Repairs = append(a.Repairs, r)
	}
	return all
}

// arguments sends one JSON object as the arguments of each call.
func (m *run) arguments(d *Draft) {
	if len(d.ToolCalls) == 0 {
		return
	}
	d.raw = make([]string, len(d.ToolCalls))
	for k, a := range ArgumentsOf(d.ToolCalls) {
		m.Repairs[d.From] = append(m.Repairs[d.From], a.Repairs...)
		if a.Lost {
			d.raw[k] = message.Clean(message.Prefix(a.Repairs[len(a.Repairs)-1].Before, maxRaw))
		}
		if a.Object != d.ToolCalls[k].Arguments {
			d.ownCalls()[k].Arguments = a.Object
		}
	}
}

// argumentsCause is what was done to the arguments of a call. Its numbers are characters, counted from 1.
func argumentsCause(raw string, how jsonrepair.Report) cause.Cause {
	c := cause.Cause{Code: cause.ArgumentsRepaired}
	switch {
	case how.Kind == "C2":
		return cause.Cause{Code: cause.ArgumentsAbsent}
	case how.Lost():
		return cause.Cause{Code: cause.ArgumentsLost}
	case how.Class == jsonrepair.Emptied:
		return cause.Cause{Code: cause.ArgumentsAbsent}
	case how.Class == jsonrepair.Unwrapped:
		c.Code = cause.ArgumentsUnwrapped
	case how.Kind == "C3":
		c.Code = cause.ArgumentsValue
	case how.Class == jsonrepair.Fixed:
		c.Want = utf8.RuneCountInString(raw[:how.Offset]) + 1
	}
	if how.Cut {
		c.Have = utf8.RuneCountInString(raw)
	}
	return c
}

// maxRaw is how many characters of unreadable arguments a result shows.
const maxRaw = 2000

// unglue gives the objects that stand glued together in the arguments of one call to the calls behind it.
func unglue(calls []message.ToolCall, all []Arguments) {
	for k := range all {
		objects := jsonrepair.Split(all[k].Object)
		if len(objects) < 2 {
			continue
		}
		var bare []int
		for n := k + 1; n < len(all); n++ {
			if strings.TrimSpace(all[n].Object) == "" && strings.TrimSpace(calls[n].Name) != "" {
				bare = append(bare, n)
			}
		}
		if len(bare) != len(objects)-1 {
			continue
		}
		all[k].Repairs = append(all[k].Repairs, message.Repair{
			Kind: "C4", Cause: cause.Cause{Code: cause.ArgumentsSplit}, Before: all[k].Object, After: objects[0],
		})
		all[k].Object = objects[0]
		for n, at := range bare {
			all[at].Object = objects[n+1]
		}
	}
}
