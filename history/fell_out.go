package history

// FellOut says that a message is dropped for want of room or by a limit of the policy. What cannot be
// sent, and what the user had left out, did not fall out: messages in front of it may well be sent.
func (e Entry) FellOut() bool {
	switch e.Reason {
	case sentenceDoubled, sentenceTrailing, sentenceToolsDropped:
		return false
	}
	return e.Disposition == Dropped && !e.LeftOut() && !e.OutOfScope()
}

// Unasked says that the message is not sent because the user excluded the question that it answers.
func (e Entry) Unasked() bool { return e.Disposition == Excluded && e.Reason == sentenceUnasked }

// LeftOut says that the message is not sent because the user had it, or the tool call that it belongs to,
// left out.
func (e Entry) LeftOut() bool {
	return e.Disposition == Dropped && (e.Reason == sentenceLeft || e.Reason == sentenceLeftGroup)
}
