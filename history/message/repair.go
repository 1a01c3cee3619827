package message

import "winnow/history/cause"

// Repair is one repaired fault of a message. The stored message is never changed.
type Repair struct {
	Kind   string      // C1 to C15, the catalogue of docs/context.md
	Cause  cause.Cause // what was wrong and what is sent instead
	Before string      // the damaged bytes
	After  string      // what is sent instead, "" where it is left out
	Remedy Remedy      `json:",omitempty"` // what the user had sent instead of the repair
}

// Sentence says what was wrong and what is sent instead.
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

// Same reports whether two repairs send the same for the same fault, whatever their causes say.
func (r Repair) SameEffect(other Repair) bool {
	r.Cause, other.Cause = cause.Cause{}, cause.Cause{}
	return r == other
}

// Remedy is what the user wants sent in place of something damaged. It is chosen for a message and
// holds for its whole tool group: the calls of an answer and all their results. Where messages of one
// group have different ones, the one that sends less holds. What is sound has no remedy: a message or
// group that was not repaired is sent as it is, whatever is chosen for it. So is the running turn, and
// a policy whose recovery is strip or strict takes no remedies. Nothing stands in the place of what is
// left out.
type Remedy string

// The remedies.
const (
	// SendRepaired sends the damaged messages repaired.
	SendRepaired Remedy = ""
	// SendAsText sends the calls and results of the group as text, as tool_history = text does for all. For a
	// message without calls it is the same as SendRepaired.
	SendAsText Remedy = "text"
	// LeaveOut leaves the calls and results of the group out. What the assistant said beside its calls
	// stays, as it does with recovery = strip. A message without calls is left out as a whole, and so is an
	// answer that broke off before its calls ran, because repaired it is its text alone already.
	LeaveOut Remedy = "drop"
)

// Remedies are the remedies that can be chosen.
func Remedies() []Remedy { return []Remedy{SendRepaired, SendAsText, LeaveOut} }

// Less is the one of two remedies that sends less.
func (r Remedy) Stronger(other Remedy) Remedy {
	switch {
	case r == LeaveOut || other == LeaveOut:
		return LeaveOut
	case r == SendAsText || other == SendAsText:
		return SendAsText
	}
	return SendRepaired
}
