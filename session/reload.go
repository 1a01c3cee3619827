package session

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"winnow/session/store"
)

// readStored reads everything but the messages of the conversation with this full id. The row, which counts the
// changes, is read first, so that changes made meanwhile are noticed the next time.
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

// RefreshSettings reads the flags, remedies, settings and system prompt again if another program or a sync has changed
// them, and reports whether the next request is affected. It costs one small query if nothing was written. Messages and
// model stay as they are: see Reload.
func (s *Session) RefreshSettings(ctx context.Context) (changed bool, err error) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	was := s.State()
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
		st.Stale = now.Row.Leaf != st.Row.Leaf || now.Row.Messages != st.Row.Messages ||
			now.Row.Title != st.Row.Title || !slices.Equal(now.Row.Tags, st.Row.Tags)
		st.Row.Preset, st.Row.Overrides = now.Row.Preset, now.Row.Overrides
		st.Row.System, st.Row.SystemFixed = now.Row.System, now.Row.SystemFixed
		st.Flags, st.Remedies, st.Policy, st.Row.Changes = now.Flags, now.Remedies, now.Policy, now.Row.Changes
		st.System = s.deps.systemPrompt(st.Row)
		changed = st.Row.Preset != was.Row.Preset || st.Row.Overrides != was.Row.Overrides || st.System != was.System ||
			!maps.Equal(st.Flags, was.Flags) || !maps.Equal(st.Remedies, was.Remedies)
	})
	return changed, nil
}

// refreshSettings calls RefreshSettings before a request and reports that the request differs from what the screen
// showed.
func (t *turn) refreshSettings(ctx context.Context) error {
	changed, err := t.RefreshSettings(ctx)
	if changed {
		t.say("this chat was changed elsewhere: its pins, exclusions and settings were read again")
	}
	return err
}

// Reloaded is what Reload found in the store.
type Reloaded struct {
	Row      store.Session // as stored; its Leaf is the end of the branch that is active in the store
	Added    int           // number of messages added to the end of the branch
	Diverged bool          // another program continued from an earlier message, on another branch
}

// Reload reads everything again that was changed in the store, such as by a merge with the history of another machine:
// title, settings, flags and versions of messages. Messages added after the end of the active branch become part of it.
// A branch that diverges from it stays another branch. The model does not change.
//
// The error is ErrBusy while a turn is running, ErrLoading while the older messages are still being read, and
// store.ErrNotFound if the conversation is no longer in the store.
func (s *Session) Reload(ctx context.Context) (found Reloaded, err error) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	was := s.State()
	found.Row = was.Row
	switch {
	case was.Busy():
		return found, ErrBusy
	case !was.Loaded:
		return found, ErrLoading
	case was.Row.ID == "":
		return found, nil
	}
	now, err := s.deps.readStored(ctx, was.Row.ID)
	if err != nil {
		return found, err
	}
	found.Row = now.Row
	leaf := max(was.Row.Leaf, now.Row.Leaf) // ids of messages grow along a branch
	there, err := s.deps.Store.BranchIDs(ctx, was.Row.ID, leaf)
	if err != nil {
		return found, err
	}
	found.Diverged = !slices.Contains(there, was.Row.Leaf) || !slices.Contains(there, now.Row.Leaf)
	if found.Diverged {
		leaf = was.Row.Leaf
	}
	read, err := s.readBranch(ctx, was.Row.ID, leaf)
	if err != nil {
		return found, err
	}
	read.DropCache() // the content may have changed too
	if !found.Diverged {
		found.Added = max(0, read.Len()-was.Branch.Len())
	}
	s.set(func(st *State) {
		if st.Busy() || st.Row.Leaf != was.Row.Leaf {
			err = ErrBusy // a turn began or ended meanwhile
			return
		}
		st.Row, st.Flags, st.Remedies, st.summaries = now.Row, now.Flags, now.Remedies, now.summaries
		st.Policy, st.Stale = now.Policy, false
		st.Branch, st.Row.Leaf = read, leaf
		s.setModel(was.Model)
	})
	return found, err
}
