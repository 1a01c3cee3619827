package session

import (
	"context"
	"maps"

	"winnow/history"
)

// Flag is what the user decided about a message by hand, "" for nothing.
func (s *Session) Flag(message int64) history.Flag {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flags[message]
}

// SetFlags pins messages, excludes them, or gives them back to the rules with "": all of them, or none
// where the error is not nil. before has the flag that each message had, "" for none, of those that have
// another one now: RestoreFlags takes it.
//
// Exclusion is set and taken back for a whole tool group, each of its messages: a branch that begins in front of
// a late result holds the call without it.
func (s *Session) SetFlags(
	ctx context.Context, f history.Flag, messages ...int64,
) (before map[int64]history.Flag, err error) {
	// Only a reader of the branch knows its tool groups. While the older messages are still loading, or a turn
	// runs, that has to wait.
	s.mu.Lock()
	if s.whole && s.turn == nil {
		err = s.readTo(s.branch.Len())
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	flags := make(map[int64]history.Flag, len(messages))
	for _, id := range messages {
		flags[id] = f
		if f == history.Pin {
			continue
		}
		for _, member := range s.Group(id) {
			if f == history.Exclude || s.Flag(member) == history.Exclude {
				flags[member] = f
			}
		}
	}
	return s.RestoreFlags(ctx, flags)
}

// Group is the messages that are sent or left out together with this one, itself among them: a message
// that calls tools and the results of its calls, or the message alone. A flag on one of them holds for
// all. Of what is not planned yet, such as the running turn, each message is alone.
func (s *Session) Group(message int64) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.group(message)
}

// RestoreFlags gives each message the flag that it had: it undoes a SetFlags by what that returned. Plans and records
// hold the map that was there before, so that is left alone.
func (s *Session) RestoreFlags(
	ctx context.Context, flags map[int64]history.Flag,
) (before map[int64]history.Flag, err error) {
	if err := s.mayWrite(); err != nil {
		return nil, err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if before, err = s.deps.Store.SetFlags(ctx, flags); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(s.flags)
	maps.Copy(all, flags)
	maps.DeleteFunc(all, func(_ int64, f history.Flag) bool { return f == "" })
	s.flags = all
	return before, nil
}
