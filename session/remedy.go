package session

import (
	"context"
	"maps"

	"winnow/history"
	"winnow/session/branch"
)

// Remedy is what the user had sent in place of a damaged message, history.SendRepaired where it is repaired.
func (s *Session) Remedy(message int64) history.Remedy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remedies[message]
}

// SetRemedy has the damaged tool groups of some messages, or the damaged messages themselves, sent
// otherwise than repaired from the next request on; history.SendRepaired has them repaired again. It is kept for
// every message of each group, or for none where the error is not nil. A message that is sound may get
// a remedy too, and is sent as it is.
func (s *Session) SetRemedy(ctx context.Context, r history.Remedy, messages ...int64) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	groups, err := s.ToolGroups(ctx, messages...)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.deps.Store.SetRemedies(ctx, r, groups...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remedies = remediesWith(s.remedies, r, groups)
	return nil
}

// RemedyTrial plans as requests would be after SetRemedy, and keeps nothing. It reads the conversation by itself: to
// read an old message otherwise is to read all behind it again, and nobody who asks the session for something else
// waits for that. It is for one goroutine at a time.
type RemedyTrial struct {
	s *Session
	p planner
}

// TryRemedies begins to try remedies.
func (s *Session) TryRemedies() *RemedyTrial { return &RemedyTrial{s: s} }

// Try tries a remedy for some messages out, with the settings of a trial, in the conversation as it is now. What it
// returns holds until the next Try.
func (r *RemedyTrial) Try(ctx context.Context, by Trial, to history.Remedy, messages ...int64) (Tried, error) {
	groups, err := r.s.ToolGroups(ctx, messages...)
	if err != nil {
		return Tried{}, err
	}
	w := r.s.Try(by)
	r.s.mu.Lock()
	r.p.situation = r.s.situation
	r.s.mu.Unlock()
	r.p.remedies = remediesWith(r.p.remedies, to, groups)
	w.p = &r.p
	return w, nil
}

// remediesWith are the remedies with another for some messages. Plans and records hold the map that is
// there, so that is left alone.
func remediesWith(before map[int64]history.Remedy, r history.Remedy, messages []int64) map[int64]history.Remedy {
	all := make(map[int64]history.Remedy, len(before)+len(messages))
	maps.Copy(all, before)
	for _, id := range messages {
		if all[id] = r; r == history.SendRepaired {
			delete(all, id)
		}
	}
	return all
}

// ToolGroups are the messages that a remedy for some of them holds for: those of their tool groups on
// the active branch, in order, then those of them that are not on it. See history.ToolGroups.
func (s *Session) ToolGroups(ctx context.Context, messages ...int64) ([]int64, error) {
	if err := s.loadBranch(ctx); err != nil {
		return nil, err
	}
	past, err := toolsOf(ctx, s.Branch())
	if err != nil {
		return nil, err
	}
	groups := history.ToolGroups(past, messages...)
	on := make(map[int64]bool, len(groups))
	for _, id := range groups {
		on[id] = true
	}
	for _, id := range messages {
		if !on[id] {
			groups = append(groups, id)
		}
	}
	return groups, nil
}

// toolsOf are the messages of a branch as far as their tool groups need them: of those that neither call tools nor
// answer a call there is no text.
func toolsOf(ctx context.Context, b branch.Branch) ([]history.Message, error) {
	list := make([]history.Message, b.Len())
	for i := 0; i < len(list); i++ {
		r := b.Row(i)
		list[i] = history.Message{ID: r.ID, Role: r.Role(), Status: r.Status()}
		if r.Size > 0 {
			list[i].Content = "…" // it is not blank
		}
		if r.Calls == 0 && r.Role() != history.Tool && r.Role() != "" {
			continue
		}
		m, err := b.Message(i)
		if err != nil {
			return nil, err
		}
		list[i] = m.Message
	}
	return list, ctx.Err()
}
