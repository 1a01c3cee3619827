package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/calibration"
	"winnow/session/store"
	"winnow/session/target"
)

// Preview is the plan of the request that would leave if draft were sent now with these files: see Tried.Preview.
func (s *Session) Preview(draft string, files ...history.Part) (history.Plan, error) {
	return s.Try(Trial{}).Preview(draft, files...)
}

// Body is the body of the request that plan makes, byte for byte as it would be sent.
func (s *Session) Body(plan history.Plan) ([]byte, error) { return s.Try(Trial{}).Body(plan) }

// build plans a request that answers o.Turn after the first past messages of the branch. The caller
// holds the lock.
func (s *Session) build(past int, o history.Options) (history.Plan, error) {
	if err := s.readTo(past); err != nil {
		return history.Plan{}, err
	}
	return s.reader.Build(o)
}

// limitTries is how often a request is planned again, with less, to fit below a limit.
const limitTries = 3

// buildLimited is build, but a limit that leaves no room for what must be sent does not hold, and below a limit
// text of a kind that the server has hardly counted yet gets the room that it may need. The caller holds the
// lock.
func (s *Session) buildLimited(past int, o *history.Options) (history.Plan, error) {
	plan, err := s.build(past, *o)
	for range limitTries {
		if err != nil || o.Limit == 0 {
			break
		}
		over := s.model.OverLimit(calibration.PartsOf(plan.Sum, plan.Entries, s.message))
		if over <= 1 {
			return plan, nil
		}
		tighter := *o
		tighter.Limit = int(float64(o.Limit) / over)
		smaller, err := s.build(past, tighter)
		if err != nil {
			break
		}
		plan, *o = smaller, tighter
	}
	if over := (*history.OverBudgetError)(nil); o.Limit > 0 && s.model.Shrunk() == 0 && errors.As(err, &over) {
		o.Limit = 0
		return s.build(past, *o)
	}
	return plan, err
}

// options is everything beside the history that decides a request to a model under a policy. The caller
// holds the lock.
func (s *Session) options(to *target.Model, policy history.Policy, turn []history.Message) history.Options {
	o := history.Options{
		Policy:   policy,
		System:   s.deps.system(s.row),
		Turn:     turn,
		Flags:    s.flags,
		Remedies: s.remedies,
		Count:    s.deps.Count,
	}
	if policy.Summarizes() {
		o.Summaries = s.summariesOn(s.summaries, len(s.branch))
	}
	to.Fill(&o)
	return o
}

// previewEdit plans the request that would leave if a draft were said in the place of a message: Edit says
// which files go with it. What was said since is not in it. The caller holds the lock.
func (s *Session) previewEdit(message int64, draft string, files []history.Part, options func([]history.Message) history.Options) (history.Plan, error) {
	at, there := s.find(message)
	switch {
	case !s.whole:
		return history.Plan{}, ErrLoading
	case !there:
		return history.Plan{}, fmt.Errorf("plan an edit of message %d: %w", message, store.ErrNotFound)
	case s.branch[at].Role != history.User:
		return history.Plan{}, ErrNotYours
	}
	if files == nil {
		files = s.branch[at].Parts
	}
	reader := s.readBefore(message, at, func(read func()) {
		s.mu.Unlock()
		defer s.mu.Lock()
		read()
	})
	o := options(asTurn(draft, files))
	if len(o.Summaries) > 0 {
		o.Summaries = s.summariesOn(s.summaries, at)
	}
	if s.branch[at].Alone {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	return reader.Build(o)
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
	return s.readCounts(ctx)
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

// readerOf reads a branch for the planner. A long one takes seconds to read and to make searchable.
// Nobody who asks the session for something else waits for it: the session is not locked, and the
// next plan finds all of it done.
func (s *Session) readerOf(branch []store.Message) *history.Conversation {
	reader := history.Read(s.readable(branch), s.deps.Count)
	s.mu.Lock()
	o := s.options(s.model, s.policy, []history.Message{{Role: history.User, Content: "?"}})
	s.mu.Unlock()
	reader.Build(o)
	return reader
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
