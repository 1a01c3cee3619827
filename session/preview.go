package session

import (
	"context"

	"winnow/history"
	"winnow/session/branch"
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
	return s.Model().Find(ctx)
}

func (s *Session) loadBranch(ctx context.Context) error {
	s.mu.Lock()
	row, whole := s.row, s.whole
	s.mu.Unlock()
	if whole {
		return nil
	}
	all, reader, err := s.readBranch(ctx, row.ID, row.Leaf)
	if err != nil {
		return err
	}
	s.warm(reader)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.whole {
		s.branch, s.whole = all, true
		s.reader, s.read, s.fresh = reader, all.Len(), map[int]int{}
	}
	return nil
}

// readBranch reads a branch of the session from its first message on, for the screen and for the planner. Nobody who
// asks the session for something else waits for it.
func (s *Session) readBranch(ctx context.Context, id string, leaf int64) (branch.Branch, *history.Conversation, error) {
	ids, err := s.deps.Store.BranchIDs(ctx, id, leaf)
	if err != nil {
		return branch.Branch{}, nil, err
	}
	uncounted, err := s.deps.Store.Uncounted(ctx, ids, s.tokenizer)
	if err != nil {
		return branch.Branch{}, nil, err
	}
	into := s.feed(s.newReader(), uncounted)
	all, err := s.Branch().First(0).Load(ctx, ids, into.take)
	return all, into.reader, err
}

// reread reads what came before the running turn for the planner, where that has been cut back.
func (t *turn) reread() error {
	t.mu.Lock()
	past, reader := t.branch.First(t.past), t.newReader()
	t.mu.Unlock()
	read, err := t.append(reader, past, 0, past.Len())
	if err != nil {
		return err
	}
	t.warm(reader)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reader, t.read, t.fresh = reader, past.Len(), map[int]int{}
	t.branch = t.branch.Change(func(row func(i int) *branch.Row) {
		for i := range read.Len() {
			switch now, then := t.branch.Row(i).Tokens, read.Row(i).Tokens; {
			case now == 0 && then != 0:
				row(i).Tokens = then
			case now != 0 && then == 0:
				t.fresh[i] = int(now) // It was counted meanwhile.
			}
		}
	})
	return nil
}
