package repair

import (
	"winnow/history/cause"
	"winnow/history/message"
)

// groups returns, for each of n messages, the first message of its group. It is nil for a message that is not sent and
// belongs to no call.
func (m Result) groups(n int) []*Candidate {
	groups := make([]*Candidate, n)
	for _, d := range m.Messages {
		groups[d.From] = d.group()
	}
	for from, head := range m.Heads {
		groups[from] = groups[head]
	}
	return groups
}

// group returns the message whose call a result belongs to, or the message itself.
func (d *Candidate) group() *Candidate {
	switch {
	case d.Head != nil:
		return d.Head.group()
	case d.owner != nil:
		return d.owner.group()
	}
	return d
}

// remedy applies the user's choices to the repaired messages.
func (m *run) remedy() {
	groups := m.groups(len(m.past))
	chosen := m.chosen(groups)
	for from, head := range groups {
		if m.Unsent[from] == cause.Duplicate && chosen[head] == message.LeaveOut {
			m.leaveOut(from, cause.LeftOutGroup)
		}
	}
	keeping(func(m *run, d *Candidate) bool { return m.asChosen(d, d.group(), chosen[d.group()]) })(m)
}

// chosen returns the remedy of each repaired group, by the first message of the group.
func (m *run) chosen(groups []*Candidate) map[*Candidate]message.Remedy {
	chosen, damaged := map[*Candidate]message.Remedy{}, map[*Candidate]bool{}
	for from, head := range groups {
		if head == nil {
			continue
		}
		chosen[head] = m.Remedies[m.past[from].ID].Stronger(chosen[head])
		damaged[head] = damaged[head] || len(m.Repairs[from]) > 0
	}
	for head, r := range chosen {
		if !damaged[head] || r == message.SendAsText && len(head.ToolCalls) == 0 {
			chosen[head] = message.SendRepaired
		}
	}
	return chosen
}

// asChosen applies a remedy to a message of a group, and reports whether something of it is still sent.
func (m *run) asChosen(d, head *Candidate, r message.Remedy) bool {
	switch {
	case r == message.SendRepaired:
		return true
	case d.Placeholder:
		return false
	}
	m.Before[d.From] = d.Message
	switch {
	case r == message.SendAsText && d != head && d.Head != head: // It is text already.
		return true
	case r == message.SendAsText:
		d.toText()
	case d != head:
		return m.leaveOut(d.From, cause.LeftOutGroup)
	case len(d.ToolCalls) > 0:
		d.Message = d.TextOnly(d.Content)
	case d.CallsAsText && !d.JoinsPrevious:
		d.Content, d.Wrapping = message.ToValidUTF8(m.past[d.From].Content), Wrapping{}
		m.brokenOff(d)
	default:
		return m.leaveOut(d.From, cause.LeftOut)
	}
	if d.blank() {
		return m.leaveOut(d.From, cause.LeftOutGroup)
	}
	m.noteRemedy(d.From, r, d.Content)
	return true
}

// leaveOut leaves out a message completely. It always returns false.
func (m *run) leaveOut(from int, because cause.Code) (stays bool) {
	m.Unsent[from] = because
	m.noteRemedy(from, message.LeaveOut, "")
	return false
}

// noteRemedy records in the repairs of a message what is sent instead of them.
func (m *run) noteRemedy(from int, r message.Remedy, after string) {
	for k := range m.Repairs[from] {
		of := &m.Repairs[from][k]
		of.Remedy, of.After, of.Cause.NoCall = r, after, m.Unsent[from] == cause.LeftOut
	}
}

// toText writes a result, or the calls of a message, as text.
func (d *Candidate) toText() {
	if d.Head != nil {
		d.resultToText(resultLead)
		return
	}
	d.callsToText()
}

// toolHistory sends past calls and results as text or not at all, as Options.Tools says.
func (m *run) toolHistory(d *Candidate) bool {
	result := d.Role == message.Tool || d.JoinsPrevious && m.Tools == ToolsStrip
	switch {
	case m.Tools == ToolsKeep || m.Tools == "" || !result && len(d.ToolCalls) == 0:
		return true
	case d.Placeholder:
		return false
	}
	m.Before[d.From] = d.Message
	if m.Tools == ToolsText {
		d.toText()
	} else {
		d.Message = d.TextOnly(d.Content)
	}
	if result && m.Tools != ToolsText || message.IsBlank(d.Content) {
		m.Unsent[d.From] = cause.ToolsLeftOut
		return false
	}
	return true
}
