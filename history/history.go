// Package history decides what the model gets to see. It does no I/O, reads no clock, uses no
// randomness and leaves its input alone. It does not store, send or draw.
//
// Its one entry point is Build: the messages of a conversation and a Policy go in, a Plan comes
// out. The Plan holds the messages to send and, for every message of the conversation, one Entry
// that says what became of it and why. Everything winnow shows about the context is this value.
//
// A Conversation is a history that is read once and appended to. Four types decide a request of it: budget is what it
// may hold, selection chooses how much of each message is in it, rendering is a message at a detail level, and verdicts
// say what became of each.
package history

import (
	"winnow/history/cause"
	"winnow/history/message"
)

// The words of packages message and cause, under the name of the package that decides about them.
type (
	// Cause is why a message is in a request the way it is, or what was repaired: a code with its numbers.
	Cause = cause.Cause
	// Message is one message of a conversation as it was said.
	Message = message.Message
	// Role says who speaks.
	Role = message.Role
	// Status says how whole a stored message is.
	Status = message.Status
	// Origin is one model of one endpoint.
	Origin = message.Origin
	// Part is one piece of a message beside its text.
	Part = message.Part
	// PartKind is the kind of a Part.
	PartKind = message.PartKind
	// ToolCall is one call that an assistant message made.
	ToolCall = message.ToolCall
	// Repair is one repaired fault of a message.
	Repair = message.Repair
	// Remedy is what the user wants sent in place of something damaged.
	Remedy = message.Remedy
)

// The constants of package message, and the codes of package cause that others ask for.
const (
	System    = message.System
	User      = message.User
	Assistant = message.Assistant
	Tool      = message.Tool

	Complete    = message.Complete
	Streaming   = message.Streaming
	Interrupted = message.Interrupted
	Failed      = message.Failed
	Quarantined = message.Quarantined
	Imported    = message.Imported

	TextPart  = message.TextPart
	ImagePart = message.ImagePart
	NotePart  = message.NotePart

	SendRepaired = message.SendRepaired
	SendAsText   = message.SendAsText
	LeaveOut     = message.LeaveOut

	CauseOverBudget = cause.OverBudget
	CauseOverChars  = cause.OverChars
	CauseOlder      = cause.Older
	CauseGap        = cause.Gap
)

// Remedies are the remedies that can be chosen.
func Remedies() []Remedy { return message.Remedies() }
