package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/target"
)

// Reread is what Session.Reread found in the store.
type Reread struct {
	Row   store.Session // as it is stored; its Leaf is the end of the branch that was the active one there
	Added int           // messages at the end of the branch
	By    string        // the machine that said the last of them, "" where it is not known
	Model bool          // another model is in use now
	Elsewhere
}

// Elsewhere is a branch with which another machine went on while this one did with the branch in use. Its zero value is
// none.
type Elsewhere struct {
	Parted  int64   // the message of the branch in use that has another version there
	Other   Version // that version
	Ends    int64   // the end of its branch
	Machine string  // the name of that machine, "" where it is not known
}

// Reread takes over what was changed in the store beside this session, as a merge with the history of another machine
// does: the title, the settings, the flags, the versions of messages. Messages that were added behind the end of the
// active branch become part of it. A branch that parts from it stays another branch, and the next message goes on where
// this one ends; then the model stays too.
//
// While a turn is running the error is ErrBusy, and while the older messages are still loading ErrLoading. For a
// conversation that is not in the store any more it is store.ErrNotFound.
func (s *Session) Reread(ctx context.Context) (Reread, error) {
	found, err := s.reread(ctx)
	if err == nil && found.Parted == 0 {
		found.Elsewhere, err = s.Elsewhere(ctx)
	}
	return found, err
}

// snapshot is what a conversation is in the store beside its messages.
type snapshot struct {
	changes   int64 // Store.Changes, read before the rest: what is written meanwhile is found the next time
	row       store.Session
	flags     map[int64]history.Flag
	remedies  map[int64]history.Remedy
	summaries []store.Summary
	policy    history.Policy
}

// readStored reads the conversation with this whole id.
func (d Deps) readStored(ctx context.Context, id string) (now snapshot, err error) {
	var errs [6]error
	now.changes, errs[0] = d.Store.Changes(ctx, id)
	now.row, errs[1] = d.Store.Session(ctx, id)
	now.flags, errs[2] = d.Store.Flags(ctx, id)
	now.remedies, errs[3] = d.Store.Remedies(ctx, id)
	now.summaries, errs[4] = d.Store.Summaries(ctx, id)
	now.policy, errs[5] = d.settings().PolicyOf(overridesOf(now.row))
	return now, cmp.Or(errs[:]...)
}

// Refresh reads flags, remedies, settings and the system prompt again where another program or a sync has written
// any, and reports whether that changed what decides a request. It costs one small query where nothing was written.
// The messages and the model stay what they are: Reread takes those over.
func (s *Session) Refresh(ctx context.Context) (changed bool, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	id, known := s.row.ID, s.changes
	s.mu.Unlock()
	if id == "" {
		return false, nil
	}
	if changes, err := s.deps.Store.Changes(ctx, id); err != nil || changes == known {
		return false, err
	}
	now, err := s.deps.readStored(ctx, id)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.row
	s.behind = now.row.Leaf != row.Leaf || now.row.Messages != row.Messages || now.row.Title != row.Title ||
		!slices.Equal(now.row.Tags, row.Tags)
	changed = now.row.Preset != row.Preset || now.row.Overrides != row.Overrides || now.row.System != row.System ||
		now.row.SystemFixed != row.SystemFixed || !maps.Equal(now.flags, s.flags) ||
		!maps.Equal(now.remedies, s.remedies)
	s.row.Preset, s.row.Overrides = now.row.Preset, now.row.Overrides
	s.row.System, s.row.SystemFixed = now.row.System, now.row.SystemFixed
	s.flags, s.remedies, s.policy, s.changes = now.flags, now.remedies, now.policy, now.changes
	s.system = s.deps.system(s.row)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return changed || s.behind, err
}

func (s *Session) reread(ctx context.Context) (Reread, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	was, active, flags, remedies := s.row, s.branch, s.flags, s.remedies
	var err error
	switch {
	case s.turn != nil:
		err = ErrBusy
	case !s.whole:
		err = ErrLoading
	}
	s.mu.Unlock()
	if err != nil || was.ID == "" {
		return Reread{Row: was}, err
	}
	now, err := s.readAgain(ctx, was)
	if err != nil {
		return Reread{Row: now.row}, err
	}
	now.reading.seen.Forget() // what was said may have been changed too

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil || s.row.Leaf != was.Leaf || s.branch.Len() != active.Len() || !maps.Equal(s.flags, flags) ||
		!maps.Equal(s.remedies, remedies) {
		return Reread{}, ErrBusy // the user went on meanwhile
	}
	all := now.reading.seen
	found := Reread{Row: now.row, Added: max(0, all.Len()-active.Len()), By: now.by}
	if now.parted >= 0 {
		found.Added, found.Elsewhere = 0, Elsewhere{all.ID(now.parted), now.other, now.row.Leaf, now.by}
	}
	s.branch, s.reading = all, now.reading
	s.flags, s.remedies, s.summaries, s.policy = now.flags, now.remedies, now.summaries, now.policy
	s.row, s.row.Leaf, s.changes, s.behind = now.row, 0, now.changes, false
	if n := all.Len(); n > 0 {
		s.row.Leaf = all.ID(n - 1)
	}
	to := s.model
	if ref := target.Ref(now.row.Endpoint, now.row.Model); found.Parted == 0 && now.row.Endpoint != "" &&
		ref != to.Ref() {
		// An endpoint that this machine does not have is another machine's.
		if other, err := s.deps.target(ref); err == nil {
			to, found.Model = other, true
		}
	}
	s.use(to)
	return found, nil
}

// readAnew is a conversation as it was found in the store.
type readAnew struct {
	snapshot
	reading reading // of the active branch, with what was added to its end
	parted  int     // the index on the branch at which the active one in the store leaves it, -1 where it does not
	other   Version
	by      string // the machine that said the end of the active one in the store
}

// readAgain reads a conversation of which this was known.
func (s *Session) readAgain(ctx context.Context, was store.Session) (found readAnew, err error) {
	db := s.deps.Store
	if found.snapshot, err = s.deps.readStored(ctx, was.ID); err != nil {
		return found, err
	}
	here, err := db.BranchIDs(ctx, was.ID, was.Leaf)
	if err != nil {
		return found, err
	}
	there, err := db.BranchIDs(ctx, was.ID, found.row.Leaf)
	if err != nil {
		return found, err
	}
	if found.parted, found.other, err = s.parts(ctx, here, there); err != nil {
		return found, err
	}
	leaf := was.Leaf
	if found.parted < 0 && len(there) > len(here) {
		leaf = found.row.Leaf
	}
	if found.row.Leaf != was.Leaf {
		if found.by, err = db.Sync().From(ctx, found.row.Leaf); err != nil {
			return found, err
		}
	}
	found.reading, err = s.readBranch(ctx, was.ID, leaf)
	return found, err
}

// parts is the index at which a branch of the conversation leaves another one, which is here, and the version that it
// goes on with there; -1 where one of the two is the beginning of the other.
func (s *Session) parts(ctx context.Context, here, there []int64) (at int, other Version, err error) {
	for at < min(len(here), len(there)) && here[at] == there[at] {
		at++
	}
	if at == len(here) || at == len(there) {
		return -1, Version{}, nil
	}
	versions, err := s.deps.Store.Siblings(ctx, there[at])
	return at, Version{there[at], slices.Index(versions, there[at]) + 1, len(versions)}, err
}

// Elsewhere finds the branch with which another machine went on while this one did with the branch in use.
func (s *Session) Elsewhere(ctx context.Context) (Elsewhere, error) {
	row := s.Info()
	if row.ID == "" {
		return Elsewhere{}, nil
	}
	ends, err := s.deps.Store.Sync().Diverged(ctx, row.ID)
	if err != nil || len(ends) == 0 {
		return Elsewhere{}, err
	}
	here, err := s.deps.Store.BranchIDs(ctx, row.ID, row.Leaf)
	if err != nil {
		return Elsewhere{}, err
	}
	for _, end := range ends {
		there, err := s.deps.Store.BranchIDs(ctx, row.ID, end)
		if err != nil {
			return Elsewhere{}, err
		}
		at, other, err := s.parts(ctx, here, there)
		switch {
		case err != nil:
			return Elsewhere{}, err
		case at >= 0:
			name, err := s.deps.Store.Sync().From(ctx, end)
			return Elsewhere{here[at], other, end, name}, err
		}
	}
	return Elsewhere{}, nil
}
