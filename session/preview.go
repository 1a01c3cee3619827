package session

import (
	"context"
	"slices"

	"winnow/history"
)

// Preview is the plan of the request that would leave if draft were sent now with these files: see Tried.Preview.
func (s *Session) Preview(draft string, files ...history.Part) (history.Plan, error) {
	return s.Try(Trial{}).Preview(draft, files...)
}

// LoadRest reads what Open left out and asks the server how large the model's window is. Until it
// returns, Preview answers ErrLoading in a long conversation.
func (s *Session) LoadRest(ctx context.Context) error {
	if err := s.loadBranch(ctx); err != nil {
		return err
	}
	if err := s.Model().Find(ctx); err != nil {
		return err
	}
	return s.readCounts(ctx, s.Model())
}

func (s *Session) loadBranch(ctx context.Context) error {
	s.mu.Lock()
	row, whole, newest := s.row, s.whole, slices.Clone(s.branch)
	s.mu.Unlock()
	if whole {
		return nil
	}
	older, err := s.deps.Store.Branch(ctx, row.ID, row.Leaf, newest[0].ID, -1)
	if err != nil {
		return err
	}
	branch := append(s.trusted(older), newest...)
	reader := s.readerOf(branch)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.whole {
		s.branch, s.whole = branch, true
		s.reader, s.read, s.fresh = reader, len(branch), map[int]int{}
	}
	return nil
}

// reread reads what came before the running turn for the planner, where that has been cut back.
func (t *turn) reread() {
	t.mu.Lock()
	past := slices.Clone(t.branch[:t.past])
	t.mu.Unlock()
	reader := t.readerOf(past)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reader, t.read, t.fresh = reader, len(past), map[int]int{}
	for i := range past {
		switch m := &t.branch[i]; {
		case m.Tokens == 0:
			m.Tokens = past[i].Tokens
		case past[i].Tokens == 0:
			t.fresh[i] = m.Tokens // It was counted meanwhile.
		}
	}
}
