package history

import (
	"maps"
	"strings"

	"winnow/history/message"
)

// What the plan says of messages that are sent otherwise, or not at all, because the user wants it.
const (
	sentenceLeftGroup = "not sent: its tool call is damaged, and you had the call left out with its results"
	sentenceLeft      = "not sent: it is damaged, and you had it left out"
	remarkText        = " You had the call told as text instead."
	remarkLeftGroup   = " You had the call left out instead."
	remarkLeft        = " You had the message left out instead."
)

// remedy sends what the user chose in place of what was mended. It comes behind all repairs: what is
// told or left out is the mended history.
func (m *mender) remedy() {
	chosen := m.chosen()
	if len(chosen) == 0 {
		return
	}
	m.left, m.was = map[int]string{}, map[int]Message{}
	m.keep(func(d *draft) bool {
		head := d.group()
		if chosen[head] != SendRepaired && !d.made {
			m.was[d.from] = d.Message
		}
		switch chosen[head] {
		case SendAsText:
			return m.tell(d, head)
		case LeaveOut:
			return m.leave(d, head)
		}
		return true
	})
	for from, head := range m.doubled {
		if chosen[head] == LeaveOut {
			m.left[from] = sentenceLeftGroup
			m.remark(from, LeaveOut, remarkLeftGroup, "")
		}
	}
}

// group is the draft whose calls this one belongs to, itself for one that belongs to none.
func (d *draft) group() *draft {
	for {
		switch {
		case d.head != nil:
			d = d.head
		case d.owner != nil:
			d = d.owner
		default:
			return d
		}
	}
}

// chosen are the remedies that hold, by the first draft of a group: those of groups that were mended.
func (m *mender) chosen() map[*draft]Remedy {
	if len(m.remedies) == 0 {
		return nil
	}
	chosen, mended := map[*draft]Remedy{}, map[*draft]bool{}
	note := func(head *draft, from int) {
		if r := m.remedies[m.past[from].ID].Less(chosen[head]); r != SendRepaired {
			chosen[head] = r
		}
		if len(m.repairs[from]) > 0 {
			mended[head] = true
		}
	}
	for _, d := range m.list {
		note(d.group(), d.from)
	}
	for from, head := range m.doubled {
		note(head, from)
	}
	maps.DeleteFunc(chosen, func(head *draft, r Remedy) bool {
		return !mended[head] || r == SendAsText && len(head.ToolCalls) == 0
	})
	return chosen
}

// tell makes text of a draft of a group whose calls are told, and says whether it stays.
func (m *mender) tell(d, head *draft) bool {
	switch {
	case d.made:
		return false
	case d == head:
		m.spend(d)
		d.Message = d.Message.AsText(d.Message.TextWithCalls())
	case d.head == head:
		d.joins = true
		d.Message = d.Message.AsText(resultText + d.Content)
	default: // It is text already.
		return true
	}
	m.remark(d.from, SendAsText, remarkText, d.Content)
	return true
}

// leave takes a draft of a group that is left out away, or its calls, and says whether something of it
// stays.
func (m *mender) leave(d, head *draft) bool {
	calls := len(d.ToolCalls) > 0
	switch {
	case d.made:
		return false
	case d == head && calls:
		m.spend(d)
		d.Message = d.Message.AsText(d.Content)
	case d == head && d.told && !d.joins:
		d.Content = m.spoken(d)
	case d == head:
		m.left[d.from] = sentenceLeft
		m.remark(d.from, LeaveOut, remarkLeft, "")
		return false
	}
	if d != head || message.IsBlank(d.Content) && !d.HasParts() {
		m.left[d.from] = sentenceLeftGroup
		m.remark(d.from, LeaveOut, remarkLeftGroup, "")
		return false
	}
	m.remark(d.from, LeaveOut, remarkLeftGroup, d.Content)
	return true
}

// spoken is what a message said beside the calls that were told in its text.
func (m *mender) spoken(d *draft) string {
	text := message.Clean(m.past[d.from].Content)
	if d.Message.BrokeOff() && !message.IsBlank(text) && !strings.HasSuffix(text, message.InterruptedSuffix) {
		text += message.InterruptedSuffix
	}
	return text
}

// spent is the id of a call that is not sent.
type spent struct {
	id   string
	from int // position of the message that made it
}

// spend keeps the ids of calls that are not sent: the ids of later calls do not depend on a remedy.
func (m *mender) spend(d *draft) {
	for _, c := range d.ToolCalls {
		m.spent = append(m.spent, spent{c.ID, d.from})
	}
}

// remark says in the repairs of a message what is sent instead of what mending makes.
func (m *mender) remark(from int, r Remedy, words, after string) {
	for k := range m.repairs[from] {
		of := &m.repairs[from][k]
		of.Remedy, of.What, of.After = r, of.What+words, after
	}
}
