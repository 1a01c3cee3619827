// Package history decides what the model gets to see. It does no I/O, reads no clock, uses no randomness and never
// modifies its input. It does not store, send or draw anything.
//
// Its entry point is Build: it takes the messages of a conversation and Options, and returns a Plan. The Plan holds the
// messages to send and one Entry for every message of the conversation, which says what became of that message and why.
// Everything that winnow shows about the context comes from this value.
//
// A Conversation is a history that is prepared once and then appended to. Four internal types work on a request: budget
// is how much the request may hold, selection chooses how much of each message to send, rendering is a message at one
// detail level, and verdicts records what became of each message.
package history

import (
	"winnow/history/cause"
	"winnow/history/message"
)

// Types of packages message and cause, so that callers need only import history.
type (
	// Cause is the reason for a verdict or a repair: a code with its numbers.
	Cause = cause.Cause
	// Message is one message of a conversation as it was received.
	Message = message.Message
	// Role is the author of a message.
	Role = message.Role
	// Status says whether a stored message arrived completely.
	Status = message.Status
	// Origin names a model of an endpoint.
	Origin = message.Origin
	// Part is an image or a file attached to a message.
	Part = message.Part
	// ToolCall is one tool call of an assistant message.
	ToolCall = message.ToolCall
	// Repair describes one repaired fault of a message.
	Repair = message.Repair
	// Remedy is what the user chose to send instead of a repaired message.
	Remedy = message.Remedy
)

// The constants of package message, and the cause codes that other packages use.
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

// Remedies returns the remedies that the user can choose.
func Remedies() []Remedy { return message.Remedies() }
