package session

import (
	"slices"

	"winnow/history"
)

// Losses are the messages that lose text for the first time in this conversation, as indexes into
// plan.Entries: they are not sent whole, and were sent whole in every earlier request that knew them and
// that something was answered to. Those that the user excludes or has left out, and those that hold
// nothing to send or cannot be read, are none. A turn's own requests count as earlier ones once it has
// ended. Before the first answer there are none: a conversation that was imported has lost nothing. After
// Open there are none until LoadPast.
func (s *Session) Losses(plan history.Plan) []int {
	s.mu.Lock()
	lost, known := s.before.lost, s.before.read && s.before.begun
	s.mu.Unlock()
	if !known {
		return nil
	}
	var list []int
	for i := range plan.Entries {
		e := &plan.Entries[i]
		if e.Whole || e.LeftOut() || e.Disposition == history.Excluded || e.Disposition == history.Blank || e.Disposition == history.Isolated {
			continue
		}
		// A message is younger than the one before it.
		for len(lost) > 0 && lost[0] < e.ID {
			lost = lost[1:]
		}
		if len(lost) == 0 || lost[0] != e.ID {
			list = append(list, i)
		}
	}
	return list
}

// cutShort are the ids of the messages that a request did not hold whole, sorted.
func cutShort(entries []history.Entry) []int64 {
	var ids []int64
	for _, e := range entries {
		if !e.Whole {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// union is all ids of two sorted lists. It is a where b holds no other.
func union(a, b []int64) []int64 {
	var more []int64
	at := 0
	for _, id := range b {
		for at < len(a) && a[at] < id {
			at++
		}
		if at == len(a) || a[at] != id {
			more = append(more, id)
		}
	}
	if len(more) == 0 {
		return a
	}
	all := append(slices.Clone(a), more...)
	slices.Sort(all)
	return all
}
