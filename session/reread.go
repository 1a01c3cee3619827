package session

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"winnow/session/store"
)

// readStored reads what the conversation with this whole id is in the store, beside its messages. The row, which counts
// the changes, is read before the rest: what is written meanwhile is found the next time.
func (d Deps) readStored(ctx context.Context, id string) (st State, err error) {
	var errs [4]error
	var decided store.UserDecisions
	st.Row, errs[0] = d.Store.Session(ctx, id)
	decided, errs[1] = d.Store.UserDecisions(ctx, id)
	st.Flags, st.Remedies = decided.Flags, decided.Remedies
	st.summaries, errs[2] = d.Store.Summaries(ctx, id)
	st.Policy, errs[3] = d.PolicyOf(st.Row)
	return st, cmp.Or(errs[:]...)
}

// Refresh reads flags, remedies, settings and the system prompt again where another program or a sync has written
// any, and reports whether that changed what decides a request. It costs one small query where nothing was written.
// The messages and the model stay what they are: Reread takes those over.
func (s *Session) Refresh(ctx context.Context) (changed bool, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	was := s.Now()
	if was.Row.ID == "" {
		return false, nil
	}
	if row, err := s.deps.Store.Session(ctx, was.Row.ID); err != nil || row.Changes == was.Row.Changes {
		return false, err
	}
	now, err := s.deps.readStored(ctx, was.Row.ID)
	if err != nil {
		return false, err
	}
	s.set(func(st *State) {
		st.Behind = now.Row.Leaf != st.Row.Leaf || now.Row.Messages != st.Row.Messages ||
			now.Row.Title != st.Row.Title || !slices.Equal(now.Row.Tags, st.Row.Tags)
		st.Row.Preset, st.Row.Overrides = now.Row.Preset, now.Row.Overrides
		st.Row.System, st.Row.SystemFixed = now.Row.System, now.Row.SystemFixed
		st.Flags, st.Remedies, st.Policy, st.Row.Changes = now.Flags, now.Remedies, now.Policy, now.Row.Changes
		st.System = s.deps.system(st.Row)
		changed = st.Row.Preset != was.Row.Preset || st.Row.Overrides != was.Row.Overrides || st.System != was.System ||
			!maps.Equal(st.Flags, was.Flags) || !maps.Equal(st.Remedies, was.Remedies)
	})
	return changed, nil
}

// refresh is Refresh before a request. It says where the request goes by something else than what the screen showed.
func (t *turn) refresh(ctx context.Context) error {
	changed, err := t.Refresh(ctx)
	if changed {
		t.say("this chat was changed elsewhere: its pins, exclusions and settings were read again")
	}
	return err
}

// Reread is what Session.Reread found in the store.
type Reread struct {
	Row   store.Session // as it is stored; its Leaf is the end of the branch that was the active one there
	Added int           // messages at the end of the branch
	Parts bool          // somebody else went on from an earlier message, with another branch
}

// Reread takes over what was changed in the store beside this session, as a merge with the history of another machine
// does: the title, the settings, the flags, the versions of messages. Messages that were added behind the end of the
// active branch become part of it. A branch that parts from it stays another branch, and the next message goes on where
// this one ends. The model stays.
//
// While a turn is running the error is ErrBusy, and while the older messages are still loading ErrLoading. For a
// conversation that is not in the store any more it is store.ErrNotFound.
func (s *Session) Reread(ctx context.Context) (found Reread, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	was := s.Now()
	found.Row = was.Row
	switch {
	case was.Busy():
		return found, ErrBusy
	case !was.Whole:
		return found, ErrLoading
	case was.Row.ID == "":
		return found, nil
	}
	now, err := s.deps.readStored(ctx, was.Row.ID)
	if err != nil {
		return found, err
	}
	found.Row = now.Row
	leaf := max(was.Row.Leaf, now.Row.Leaf) // a message has a greater id than those before it
	there, err := s.deps.Store.BranchIDs(ctx, was.Row.ID, leaf)
	if err != nil {
		return found, err
	}
	found.Parts = !slices.Contains(there, was.Row.Leaf) || !slices.Contains(there, now.Row.Leaf)
	if found.Parts {
		leaf = was.Row.Leaf
	}
	read, err := s.readBranch(ctx, was.Row.ID, leaf)
	if err != nil {
		return found, err
	}
	read.Forget() // what was said may have been changed too
	if !found.Parts {
		found.Added = max(0, read.Len()-was.Branch.Len())
	}
	s.set(func(st *State) {
		if st.Busy() || st.Row.Leaf != was.Row.Leaf {
			err = ErrBusy // the user went on meanwhile
			return
		}
		st.Row, st.Flags, st.Remedies, st.summaries = now.Row, now.Flags, now.Remedies, now.summaries
		st.Policy, st.Behind = now.Policy, false
		st.Branch, st.Row.Leaf = read, leaf
		s.use(was.Model)
	})
	return found, err
}
