package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"winnow/session/store"
	"winnow/session/target"
)

// readStored reads what the conversation with this whole id is in the store, beside its messages. The changes are read
// before the rest: what is written meanwhile is found the next time.
func (d Deps) readStored(ctx context.Context, id string) (st state, err error) {
	var errs [5]error
	var decided store.Decisions
	st.changes, errs[0] = d.Store.Changes(ctx, id)
	st.row, errs[1] = d.Store.Session(ctx, id)
	decided, errs[2] = d.Store.Decisions(ctx, id)
	st.flags, st.remedies = decided.Flags, decided.Remedies
	st.summaries, errs[3] = d.Store.Summaries(ctx, id)
	st.policy, errs[4] = d.settings().PolicyOf(overridesOf(st.row))
	return st, cmp.Or(errs[:]...)
}

// Refresh reads flags, remedies, settings and the system prompt again where another program or a sync has written
// any, and reports whether that changed what decides a request. It costs one small query where nothing was written.
// The messages and the model stay what they are: Reread takes those over.
func (s *Session) Refresh(ctx context.Context) (changed bool, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	was := s.now()
	if was.row.ID == "" {
		return false, nil
	}
	if changes, err := s.deps.Store.Changes(ctx, was.row.ID); err != nil || changes == was.changes {
		return false, err
	}
	now, err := s.deps.readStored(ctx, was.row.ID)
	if err != nil {
		return false, err
	}
	s.set(func(st *state) {
		row := &st.row
		st.behind = now.row.Leaf != row.Leaf || now.row.Messages != row.Messages || now.row.Title != row.Title ||
			!slices.Equal(now.row.Tags, row.Tags)
		changed = now.row.Preset != row.Preset || now.row.Overrides != row.Overrides ||
			now.row.System != row.System || now.row.SystemFixed != row.SystemFixed ||
			!maps.Equal(now.flags, st.flags) || !maps.Equal(now.remedies, st.remedies)
		row.Preset, row.Overrides = now.row.Preset, now.row.Overrides
		row.System, row.SystemFixed = now.row.System, now.row.SystemFixed
		st.flags, st.remedies, st.policy, st.changes = now.flags, now.remedies, now.policy, now.changes
		st.system = s.deps.system(*row)
	})
	return changed, nil
}

// refresh is Refresh before a request. It says where the request goes by something else than what the screen showed.
func (t *turn) refresh(ctx context.Context) (changed bool, err error) {
	changed, err = t.Refresh(ctx)
	if changed {
		t.emit(Notice{"this chat was changed elsewhere: its pins, exclusions and settings were read again"})
	}
	return changed, err
}

// Stale reports whether the conversation has other messages, flags or settings in the store than here, or is not there
// any more.
func (s *Session) Stale(ctx context.Context) (bool, error) {
	if s.Busy() {
		return false, nil
	}
	changed, err := s.Refresh(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return true, nil
	}
	return changed || s.now().behind, err
}

// Reread is what Session.Reread found in the store.
type Reread struct {
	Row   store.Session // as it is stored; its Leaf is the end of the branch that was the active one there
	Added int           // messages at the end of the branch
	By    string        // the machine that said the last of them, "" where it is not known
	Model bool          // another model is in use now
	Elsewhere
}

// Reread takes over what was changed in the store beside this session, as a merge with the history of another machine
// does: the title, the settings, the flags, the versions of messages. Messages that were added behind the end of the
// active branch become part of it. A branch that parts from it stays another branch, and the next message goes on where
// this one ends; then the model stays too.
//
// While a turn is running the error is ErrBusy, and while the older messages are still loading ErrLoading. For a
// conversation that is not in the store any more it is store.ErrNotFound.
func (s *Session) Reread(ctx context.Context) (Reread, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	was := s.now()
	switch {
	case was.turn != nil:
		return Reread{Row: was.row}, ErrBusy
	case !was.whole:
		return Reread{Row: was.row}, ErrLoading
	case was.row.ID == "":
		return Reread{Row: was.row}, nil
	}
	now, err := s.deps.readStored(ctx, was.row.ID)
	if err != nil {
		return Reread{Row: now.row}, err
	}
	found := Reread{Row: now.row}
	if found.Elsewhere, err = s.elsewhere(ctx, was.row, now.row.Leaf); err != nil {
		return found, err
	}
	parts, leaf := found.Parted != 0, max(was.row.Leaf, now.row.Leaf) // a message has a greater id than those before it
	if parts {
		leaf = was.row.Leaf
	}
	if now.row.Leaf != was.row.Leaf {
		if found.By, err = s.deps.Store.Sync().From(ctx, now.row.Leaf); err != nil {
			return found, err
		}
	}
	read, err := s.readBranch(ctx, was.row.ID, leaf)
	if err != nil {
		return found, err
	}
	read.seen.Forget() // what was said may have been changed too
	if !parts {
		found.Added = max(0, read.seen.Len()-was.branch.Len())
	}
	to := was.model
	if ref := target.Ref(now.row.Endpoint, now.row.Model); !parts && now.row.Endpoint != "" && ref != to.Ref() {
		// An endpoint that this machine does not have is another machine's.
		if other, _, err := s.modelOf(ref); err == nil {
			to, found.Model = other, true
		}
	}
	s.set(func(st *state) {
		if st.turn != nil || st.row.Leaf != was.row.Leaf || st.branch.Len() != was.branch.Len() ||
			!maps.Equal(st.flags, was.flags) || !maps.Equal(st.remedies, was.remedies) {
			err = ErrBusy // the user went on meanwhile
			return
		}
		st.row, st.flags, st.remedies, st.summaries = now.row, now.flags, now.remedies, now.summaries
		st.policy, st.changes, st.behind = now.policy, now.changes, false
		st.branch, st.row.Leaf = read.seen, leaf
		s.use(to)
	})
	if err == nil && !parts {
		found.Elsewhere, err = s.Elsewhere(ctx)
	}
	return found, err
}

// Elsewhere is a branch with which another machine went on while this one did with the branch in use. Its zero value is
// none.
type Elsewhere struct {
	Parted  int64   // the message of the branch in use that has another version there
	Other   Version // that version
	Ends    int64   // the end of its branch
	Machine string  // the name of that machine, "" where it is not known
}

// Elsewhere finds the branch with which another machine went on while this one did with the branch in use.
func (s *Session) Elsewhere(ctx context.Context) (Elsewhere, error) {
	row := s.Info()
	if row.ID == "" {
		return Elsewhere{}, nil
	}
	ends, err := s.deps.Store.Sync().Diverged(ctx, row.ID)
	if err != nil {
		return Elsewhere{}, err
	}
	return s.elsewhere(ctx, row, ends...)
}

// elsewhere finds the first of some branches, by their ends, that leaves the one in use before both end.
func (s *Session) elsewhere(ctx context.Context, row store.Session, ends ...int64) (Elsewhere, error) {
	if len(ends) == 0 {
		return Elsewhere{}, nil
	}
	db := s.deps.Store
	here, err := db.BranchIDs(ctx, row.Leaf)
	if err != nil {
		return Elsewhere{}, err
	}
	for _, end := range ends {
		there, err := db.BranchIDs(ctx, end)
		if err != nil {
			return Elsewhere{}, err
		}
		at := 0
		for at < min(len(here), len(there)) && here[at] == there[at] {
			at++
		}
		if at == len(here) || at == len(there) {
			continue
		}
		parent := int64(0)
		if at > 0 {
			parent = here[at-1]
		}
		versions, err := db.Replies(ctx, row.ID, parent)
		if err != nil {
			return Elsewhere{}, err
		}
		other := Version{there[at], slices.Index(versions, there[at]) + 1, len(versions)}
		machine, err := db.Sync().From(ctx, end)
		return Elsewhere{here[at], other, end, machine}, err
	}
	return Elsewhere{}, nil
}
