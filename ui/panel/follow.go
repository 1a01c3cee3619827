package panel

import (
	"winnow/history"
)

// GoTo puts the cursor on the message with this place in the conversation, as long as the user is
// in the transcript.
func (p *Model) GoTo(place int, id int64) {
	if _, ok := p.Shown().Verdict(place, id); ok {
		p.At, p.Moved, p.Led = p.Shown().Rows.Line(place), true, true
	}
}

// Let gives the cursor back to the end of the list, where it was only led.
func (p *Model) Let() {
	if p.Led {
		p.Moved, p.Led = false, false
		p.Stay(row{})
	}
}

// Verdict is the entry of the message with this place in the conversation.
func (r *Request) Verdict(place int, id int64) (history.Entry, bool) {
	if place < 0 || place >= len(r.Plan.Entries) || r.Plan.Entries[place].ID != id {
		return history.Entry{}, false
	}
	return r.Plan.Entries[place], true
}
