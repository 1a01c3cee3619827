package repair

import (
	"maps"
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

// remedy sends what the user chose in place of what was repaired. What is sent as text or left out has been repaired
// before.
func (m *run) remedy() {
	chosen := m.chosen()
	keeping(func(m *run, d *Draft) bool {
		head := d.group()
		r := chosen[head]
		if r != message.SendRepaired && !d.StandIn {
			m.Before[d.From] = d.Message
		}
		switch r {
		case message.SendAsText:
			return m.asText(d, head)
		case message.LeaveOut:
			return m.leave(d, head)
		}
		return true
	})(m)
	for head, r := range chosen {
		for from, of := range m.Heads {
			if r == message.LeaveOut && of == head.From && m.Unsent[from] == cause.Duplicate {
				m.leaveOut(from, cause.LeftOutGroup)
			}
		}
	}
}

// group is the draft whose calls this one belongs to, itself for one that belongs to none.
func (d *Draft) group() *Draft {
	switch {
	case d.Head != nil:
		return d.Head.group()
	case d.owner != nil:
		return d.owner.group()
	}
	return d
}

// chosen are the remedies that hold, by the first draft of a group: those of groups that were repaired.
func (m *run) chosen() map[*Draft]message.Remedy {
	chosen, repaired := map[*Draft]message.Remedy{}, map[*Draft]bool{}
	if len(m.Remedies) == 0 {
		return nil
	}
	note := func(head *Draft, from int) {
		if r := m.Remedies[m.past[from].ID].Less(chosen[head]); r != message.SendRepaired {
			chosen[head] = r
		}
		repaired[head] = repaired[head] || len(m.Repairs[from]) > 0
	}
	heads := map[int]*Draft{}
	for _, d := range m.list {
		heads[d.From] = d
		note(d.group(), d.From)
	}
	for from, head := range m.Heads {
		note(heads[head].group(), from)
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
	case d != head && d.Head != head: // It is text already.
		return true
	}
	d.toText()
	m.remedied(d.From, message.SendAsText, d.Content)
	return true
}

// toText writes a result, or the calls of a message, as text.
func (d *Draft) toText() {
	if d.Head != nil {
		d.Joins, d.Message = true, d.AsText(d.WriteResult(ResultLead, d.Content))
		return
	}
	d.CallsAsText = d.CallsAsText || len(d.ToolCalls) > 0
	d.Message = d.AsText(d.WriteCalls(d.Message))
}

// leave takes a draft of a group that is left out away, or its calls, and says whether something of it stays.
func (m *run) leave(d, head *Draft) bool {
	switch {
	case d.StandIn:
		return false
	case d == head && len(d.ToolCalls) > 0:
		d.Message = d.AsText(d.Content)
	case d == head && d.CallsAsText && !d.Joins:
		d.Content, d.Frame = message.Clean(m.past[d.From].Content), Frame{}
		m.brokenOff(d)
	case d == head:
		m.leaveOut(d.From, cause.LeftOut)
		return false
	}
	if d != head || message.IsBlank(d.Content) && !d.HasParts() {
		m.leaveOut(d.From, cause.LeftOutGroup)
		return false
	}
	m.remedied(d.From, message.LeaveOut, d.Content)
	return true
}

// leaveOut leaves a message out.
func (m *run) leaveOut(from int, because cause.Code) {
	m.Unsent[from] = because
	m.remedied(from, message.LeaveOut, "")
}

// remedied notes in the repairs of a message what is sent instead of the repair.
func (m *run) remedied(from int, r message.Remedy, after string) {
	for k := range m.Repairs[from] {
		of := &m.Repairs[from][k]
		of.Remedy, of.After, of.Cause.Alone = r, after, m.Unsent[from] == cause.LeftOut
	}
}

// toolHistory sends all calls and results as text or not at all, where the request wants that.
func (m *run) toolHistory(d *Draft) bool {
	result := d.Role == message.Tool || d.Joins && m.Tools == ToolsStrip
	switch {
	case m.Tools == ToolsKeep || m.Tools == "" || !result && len(d.ToolCalls) == 0:
		return true
	case d.StandIn:
		return false
	}
	m.Before[d.From] = d.Message
	switch {
	case m.Tools == ToolsText:
		d.toText()
	case result:
		d.Content = ""
	default:
		d.Message = d.AsText(d.Content)
	}
	if message.IsBlank(d.Content) {
		m.Unsent[d.From] = cause.ToolsLeftOut
		return false
	}
	return true
}

// ToolGroups are the messages that a remedy for some of them holds for, in their order: all of the tool group of each,
// with the results that a repair sends as text or not again, or the message alone. Those that past does not hold are
// left out.
func ToolGroups(past []message.Message, ids ...int64) []int64 {
	m := Run(past, Options{Begins: true})
	heads := make([]int, len(past))
	for i := range heads {
		heads[i] = i
	}
	for from, head := range m.Heads {
		heads[from] = head
	}
	for _, d := range m.Drafts {
		heads[d.From] = d.group().From
	}
	asked := map[int]bool{}
	for i, one := range past {
		asked[heads[i]] = asked[heads[i]] || slices.Contains(ids, one.ID)
	}
	var list []int64
	for i, one := range past {
		if asked[heads[i]] {
			list = append(list, one.ID)
		}
	}
	return list
}
