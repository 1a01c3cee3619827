package session

import (
	"context"
	"maps"

	"winnow/history"
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
	if err := s.deps.Store.SetRemedies(ctx, r, groups...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remedies = remediesWith(s.remedies, r, groups)
	return nil
}

// PreviewRemedy is Preview as it would be after SetRemedy. It keeps nothing.
func (s *Session) PreviewRemedy(ctx context.Context, r history.Remedy, messages ...int64) (history.Plan, error) {
	groups, err := s.ToolGroups(ctx, messages...)
	if err != nil {
		return history.Plan{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.previewOptions(s.model, s.policy, nil)
	o.Remedies = remediesWith(s.remedies, r, groups)
	return s.build(len(s.branch), o)
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
	branch := s.Messages()
	past := historyOf(branch)
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
