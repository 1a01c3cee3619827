package history

import (
	"bytes"
	"slices"
)

// Alike counts the messages that two requests to one model begin with alike. A server that keeps what
// it read of the first need not read these again for the second.
func Alike(before, now []Message) int {
	n := 0
	for n < len(before) && n < len(now) && sameWords(&before[n], &now[n]) {
		n++
	}
	return n
}

// sameWords says that a model gets the same to see of both messages.
func sameWords(a, b *Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.ToolCallID == b.ToolCallID &&
		a.Reasoning == b.Reasoning && a.Replay == b.Replay &&
		slices.Equal(a.ToolCalls, b.ToolCalls) && slices.EqualFunc(a.Parts, b.Parts, samePart)
}

func samePart(a, b Part) bool {
	return a.Kind == b.Kind && a.MediaType == b.MediaType && a.Sent() == b.Sent() && bytes.Equal(a.Data, b.Data)
}

// Cost is what a message of a request costs with its frame, in counted tokens. Tokens of the message
// is not asked: it is of the text that was stored.
func Cost(m Message, count Counter) int { return count(m.Content) + overhead(m, count) + frameMessage }
