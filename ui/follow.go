package ui

import "winnow/history"

// The transcript and the panel are two views of one list of messages, with one cursor: where the
// user moves it in one of them, it goes along in the other.

// follow brings the message under the panel's cursor into the transcript's view.
func (m *Model) follow() {
	if e := m.panel.chosen().entry; e != nil {
		m.chat.goTo(e.ID)
	}
}

// lead puts the panel's cursor on the message under the transcript's.
func (m *Model) lead() {
	if message, ok := m.chat.selected(); ok {
		m.panel.goTo(m.chat.place[message.ID], message.ID)
	}
}

// goTo puts the cursor on the message with this place in the conversation, as long as the user is
// in the transcript.
func (p *panel) goTo(place int, id int64) {
	if _, ok := p.shown().verdict(place, id); ok {
		p.at, p.moved, p.led = p.shown().rows.line(place), true, true
	}
}

// let gives the cursor back to the end of the list, where it was only led.
func (p *panel) let() {
	if p.led {
		p.moved, p.led = false, false
		p.stay(row{})
	}
}

// verdict is the entry of the message with this place in the conversation.
func (r *request) verdict(place int, id int64) (history.Entry, bool) {
	if place < 0 || place >= len(r.plan.Entries) || r.plan.Entries[place].ID != id {
		return history.Entry{}, false
	}
	return r.plan.Entries[place], true
}
