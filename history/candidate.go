package history

import (
	"slices"

	"winnow/history/repair"
)

// candidate is one message as it may be sent, without its texts. There is one for each message of a conversation, so it
// has no pointers: the garbage collector passes it over.
type candidate struct {
	from    int   // the message's position in the conversation
	group   int   // the position of the message that asked for the tools, else from
	turn    int   // index into turns
	at      int   // tokens of the conversation in front of its group, all whole
	tokens  int   // what it costs whole beside its frame
	text    int   // the part of tokens that goes when its text is cut
	chars   int   // code points of its text
	newest  int64 // when the newest message up to here was said, Unix milliseconds
	created int64 // when it was said, the same; 0 unknown
	counted int32 // Message.Tokens
	changed int32 // index into the thread's changed messages, from 1; 0 where it is sent as it was said
	origin  int32 // index into the conversation's origins
	load    load  // what it carries beside its text

	roleIndex   uint8 // into roles
	standIn     bool  // nobody said it: a stand-in for a missing result
	joins       bool  // continues the answer in front of it
	callsAsText bool  // its calls are written out in its text
	remedied    bool  // a remedy made another text of it; its verdict says what it costs repaired
	reworded    bool  // its text is not the one that was said
	calls       bool  // it calls tools
	parts       bool  // it has parts
	image       bool  // one of them is an image
	carries     bool  // it has reasoning, or keys that only its server knows
	brokeOff    bool  // the answer ended early
	rereads     bool  // it holds what a recall found in other messages
}

// role is who speaks.
func (v *candidate) role() Role { return roles[v.roleIndex] }

// kind is the role whose limits hold for a candidate: a tool's result that is sent as text stays one.
func (v *candidate) kind() Role {
	if v.joins {
		return Tool
	}
	return v.role()
}

// describe notes what is asked of a message without its texts.
func (v *candidate) describe(m *Message) {
	v.roleIndex = uint8(max(0, slices.Index(roles[:], m.Role)))
	v.created, v.counted = m.CreatedMS, int32(m.Tokens)
	v.calls, v.parts, v.image = len(m.ToolCalls) > 0, len(m.Parts) > 0, holdsImage(m.Parts)
	v.carries = m.Reasoning != "" || m.Replay != "" || slices.ContainsFunc(m.ToolCalls, func(c ToolCall) bool { return c.Replay != "" })
	v.brokeOff, v.rereads = m.BrokeOff(), m.ReadAgain != nil
}

// full is a candidate with its message.
type full struct {
	*candidate
	Message
	repair.Frame
}

// changed is a message that is sent in other words than it was said in, and where those are in it.
type changed struct {
	message Message
	frame   repair.Frame
}

// full is the candidate at an index with its message, which may have to be read again.
func (t *thread) full(i int) full { return t.fullOf(&t.candidates[i]) }

func (t *thread) fullOf(v *candidate) full {
	f := t.framed(v)
	if v.changed == 0 {
		f.Message = t.read(v.from)
	}
	f.Message.Role, f.Message.Tokens = v.role(), int(v.counted)
	return f
}

// framed is a candidate with its message only where that is sent in other words than it was said in.
func (t *thread) framed(v *candidate) full {
	if v.changed == 0 {
		return full{candidate: v}
	}
	c := &t.changed[v.changed-1]
	return full{v, c.message, c.frame}
}

// partsOf are the parts of a candidate.
func (t *thread) partsOf(v *candidate) []Part {
	if !v.parts {
		return nil
	}
	return t.fullOf(v).Parts
}

// id is the ID of a candidate's message.
func (t *thread) id(v *candidate) int64 { return t.base.at(v.from).id }

// change keeps the message of a candidate that is not sent as it was said.
func (t *thread) change(v *candidate, m Message, f repair.Frame) {
	t.changed = append(t.changed, changed{m, f})
	v.changed = int32(len(t.changed))
	v.describe(&m)
}

// asSaid reports whether a draft is the message that it was made of.
func asSaid(d *repair.Draft, m *Message) bool {
	return !d.StandIn && d.Frame == repair.Frame{} && d.Content == m.Content && d.Role == m.Role && d.ToolCallID == m.ToolCallID &&
		d.Reasoning == m.Reasoning && d.Replay == m.Replay && d.Status == m.Status && d.Tokens == m.Tokens && d.Name == m.Name &&
		same(d.ToolCalls, m.ToolCalls) && same(d.Parts, m.Parts)
}

// same reports whether two slices are the same memory.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
