package session

// Group is the messages that are sent or left out together with this one, itself among them: a message
// that calls tools and the results of its calls, or the message alone. A flag on one of them holds for
// all. Of what is not planned yet, such as the running turn, each message is alone.
func (s *Session) Group(message int64) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.group(message)
}

// GroupNow is Group for drawing, which must not wait: ok is false while something is being planned or stored.
func (s *Session) GroupNow(message int64) (group []int64, ok bool) {
	if !s.mu.TryLock() {
		return nil, false
	}
	defer s.mu.Unlock()
	return s.group(message), true
}

func (s *Session) group(message int64) []int64 {
	at, there := s.find(message)
	if !there || s.reader == nil || at >= s.read {
		return []int64{message}
	}
	var list []int64
	for _, i := range s.reader.Group(at) {
		list = append(list, s.branch[i].ID)
	}
	return list
}
