package session

// Group is the messages that are sent or left out together with this one, itself among them: a message
// that calls tools and the results of its calls, or the message alone. A flag on one of them holds for
// all. Of what is not planned yet, such as the running turn, each message is alone.
func (s *Session) Group(message int64) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.branch) - 1; i >= 0; i-- {
		if s.branch[i].ID != message {
			continue
		}
		if s.reader == nil || i >= s.read {
			break
		}
		var list []int64
		for _, at := range s.reader.Group(i) {
			list = append(list, s.branch[at].ID)
		}
		return list
	}
	return []int64{message}
}
