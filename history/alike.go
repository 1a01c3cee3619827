package history

import (
	"bytes"
	"slices"
)

// Alike counts the messages that two requests to one model begin with alike. A server that keeps what it read of the
// first need not read these again for the second.
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

// alike writes the request a second time with some changes undone, in the order of the list, and counts the messages at
// its beginning that are the same as in the first.
func (s *selection) alike(messages []Message, undone []change) int {
	if len(undone) == 0 {
		return len(messages)
	}
	body, recall := s.body, s.recall
	s.body, s.recall = slices.Clone(body), slices.Clone(recall)
	for _, c := range undone {
		s.body[c.candidate], s.recall[c.candidate] = c.body, c.recall
	}
	second := s.write().finish()
	s.body, s.recall = body, recall
	return Alike(messages, second)
}
