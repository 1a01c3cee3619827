package message

import "winnow/history/cause"

// Repair describes one repaired fault of a message. The stored message is never changed.
type Repair struct {
	Kind   string      // C1 to C15, see docs/context.md
	Cause  cause.Cause // what was wrong and what is sent instead
	Before string      // the damaged bytes
	After  string      // what is sent instead, "" if nothing
	Remedy Remedy      `json:",omitempty"` // what the user chose to send instead of the repair
}

// Sentence returns what was wrong and what is sent instead.
func (r Repair) Sentence() string {
	sentence := r.Cause.Sentence()
	switch {
	case r.Remedy == SendRepaired:
		return sentence
	case r.Remedy == SendAsText:
		return sentence + " You chose to send the call as text."
	case r.Cause.NoCall:
		return sentence + " You chose to leave the message out."
	}
	return sentence + " You chose to leave the call out."
}

// SameEffect reports whether two repairs send the same for the same fault, whatever their causes say.
func (r Repair) SameEffect(other Repair) bool {
	r.Cause, other.Cause = cause.Cause{}, cause.Cause{}
	return r == other
}

// Remedy is what the user chose to send in place of damaged messages. It is chosen for one message and applies to its
// whole tool group: the calls of an answer and all their results. If messages of a group have different remedies, the
// one that sends less applies. Messages that needed no repair are sent as they are, whatever was chosen for them, and
// so is the running turn. The recovery settings strip and strict ignore remedies. Nothing replaces messages that are
// left out.
type Remedy string

// The remedies.
const (
	// SendRepaired sends the damaged messages repaired.
	SendRepaired Remedy = ""
	// SendAsText sends the calls and results of the group as text, as tool_history = text does for all calls. For
	// a message without calls it is the same as SendRepaired.
	SendAsText Remedy = "text"
	// LeaveOut leaves out the calls and results of the group. The assistant's own text stays, as it does with
	// recovery = strip. A message without calls is left out completely, and so is an answer that was interrupted
	// before its calls ran, because its repaired form is already just its text.
	LeaveOut Remedy = "drop"
)

// Remedies returns the remedies that the user can choose.
func Remedies() []Remedy { return []Remedy{SendRepaired, SendAsText, LeaveOut} }

// Stronger returns the one of two remedies that sends less.
func (r Remedy) Stronger(other Remedy) Remedy {
	switch {
	case r == LeaveOut || other == LeaveOut:
		return LeaveOut
	case r == SendAsText || other == SendAsText:
		return SendAsText
	}
	return SendRepaired
}
