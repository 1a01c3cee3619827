package history

// FellOut says that a message is dropped for want of room or by a limit of the policy. What cannot be
// sent, and what the user had left out, did not fall out: messages in front of it may well be sent.
func (e Entry) FellOut() bool {
	switch e.Reason {
	case sentenceDoubled, sentenceTrailing, sentenceToolsDropped, sentenceLeft, sentenceLeftGroup:
		return false
	}
	return e.Disposition == Dropped
}
