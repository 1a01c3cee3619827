package repair

import (
	"maps"

	"winnow/history/message"
)

// LeftOut says what of a message's tool group is left out because the user wants it.
type LeftOut uint8

// The values of LeftOut; 0 is nothing.
const (
	LeftAlone     LeftOut = iota + 1 // the message
	LeftWithGroup                    // the call and its results, of which the message is one
)

// remedy sends what the user chose in place of what was repaired. It is the last rule: what is
// sent as text or left out has been repaired before.
func (m *run) remedy() {
	chosen := m.chosen()
	if len(chosen) == 0 {
		return
	}
	m.LeftOut, m.LeftHeads, m.Before = map[int]LeftOut{}, map[int]int{}, map[int]message.Message{}
	m.keep(func(d *Draft) bool {
		head := d.group()
		if chosen[head] != message.SendRepaired && !d.StandIn {
			m.Before[d.From] = d.Message
		}
		switch chosen[head] {
		case message.SendAsText:
			return m.asText(d, head)
		case message.LeaveOut:
			return m.leave(d, head)
		}
		return true
	})
	for from, head := range m.Duplicates {
		if chosen[head] == message.LeaveOut {
			m.LeftOut[from] = LeftWithGroup
			m.remedied(from, message.LeaveOut, "")
		}
	}
}

// group is the draft whose calls this one belongs to, itself for one that belongs to none.
func (d *Draft) group() *Draft {
	for {
		switch {
		case d.Head != nil:
			d = d.Head
		case d.owner != nil:
			d = d.owner
		default:
			return d
		}
	}
}

// chosen are the remedies that hold, by the first draft of a group: those of groups that were repaired.
func (m *run) chosen() map[*Draft]message.Remedy {
	if len(m.Remedies) == 0 {
		return nil
	}
	chosen, repaired := map[*Draft]message.Remedy{}, map[*Draft]bool{}
	note := func(head *Draft, from int) {
		if r := m.Remedies[m.past[from-m.From].ID].Less(chosen[head]); r != message.SendRepaired {
			chosen[head] = r
		}
		if len(m.Repairs[from]) > 0 {
			repaired[head] = true
		}
	}
	for _, d := range m.list {
		note(d.group(), d.From)
	}
	for from, head := range m.Duplicates {
		note(head, from)
	}
	maps.DeleteFunc(chosen, func(head *Draft, r message.Remedy) bool {
		return !repaired[head] || r == message.SendAsText && len(head.ToolCalls) == 0
	})
	return chosen
}

// asText makes text of a draft of a group whose calls are sent as text, and reports whether it stays.
func (m *run) asText(d, head *Draft) bool {
	switch {
	case d.StandIn:
		return false
	case d == head:
		m.spend(d)
		d.CallsAsText = len(d.ToolCalls) > 0 || d.CallsAsText
		d.Message = d.Message.AsText(d.WriteCalls(d.Message))
	case d.Head == head:
		d.Joins = true
		d.Message = d.Message.AsText(d.WriteResult(ResultLead, d.Content))
	default: // It is text already.
		return true
	}
	m.remedied(d.From, message.SendAsText, d.Content)
	return true
}

// leave takes a draft of a group that is left out away, or its calls, and says whether something of it
// stays.
func (m *run) leave(d, head *Draft) bool {
	calls := len(d.ToolCalls) > 0
	switch {
	case d.StandIn:
		return false
	case d == head && calls:
		m.spend(d)
		d.Message = d.Message.AsText(d.Content)
	case d == head && d.CallsAsText && !d.Joins:
		d.withoutCalls(message.Clean(m.past[d.From-m.From].Content))
	case d == head:
		m.LeftOut[d.From] = LeftAlone
		m.remedied(d.From, message.LeaveOut, "")
		return false
	}
	if d != head || message.IsBlank(d.Content) && !d.HasParts() {
		if d.Head != nil {
			m.LeftHeads[d.From] = d.Head.From
		}
		m.LeftOut[d.From] = LeftWithGroup
		m.remedied(d.From, message.LeaveOut, "")
		return false
	}
	m.remedied(d.From, message.LeaveOut, d.Content)
	return true
}

// withoutCalls gives a draft its text without the calls that are written behind it.
func (d *Draft) withoutCalls(text string) {
	d.Content, d.Frame = text, Frame{}
	d.brokenOff()
}

// spend keeps the ids of calls that are not sent: the ids of later calls do not depend on a remedy.
func (m *run) spend(d *Draft) {
	for _, c := range d.ToolCalls {
		m.Unsent = append(m.Unsent, Call{c.ID, d.From})
	}
}

// remedied notes in the repairs of a message what is sent instead of the repair.
func (m *run) remedied(from int, r message.Remedy, after string) {
	for k := range m.Repairs[from] {
		of := &m.Repairs[from][k]
		of.Remedy, of.After, of.Cause.Alone = r, after, m.LeftOut[from] == LeftAlone
	}
}
