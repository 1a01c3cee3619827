package session

import (
	"context"
	"errors"
	"maps"
	"slices"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/session/target"
)

// Reread is what Session.Reread found in the store.
type Reread struct {
	Row    store.Session // as it is stored; its Leaf is the end of the branch that was the active one there
	Added  int           // messages at the end of the branch
	Parted int64         // the message of the branch that has another version on the branch that was the active one in the store, 0 where that is this one
	Other  Version       // that version
	Ends   int64         // the end of its branch
	Model  bool          // another model is in use now
}

// Reread takes over what was changed in the store beside this session, as a merge with the history of another machine does: the
// title, the settings, the flags, the versions of messages. Messages that were added behind the end of the active branch
// become part of it. A branch that parts from it stays another branch, and the next message goes on where this one ends;
// then the model stays too.
//
// While a turn is running the error is ErrBusy, and while the older messages are still loading ErrLoading. For a
// conversation that is not in the store any more it is store.ErrNotFound.
func (s *Session) Reread(ctx context.Context) (Reread, error) {
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
	now.branch.Forget() // what was said may have been changed too
	s.warm(now.reader)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil || s.row.Leaf != was.Leaf || s.branch.Len() != active.Len() || !maps.Equal(s.flags, flags) || !maps.Equal(s.remedies, remedies) {
		return Reread{}, ErrBusy // the user went on meanwhile
	}
	found := Reread{Row: now.row, Added: max(0, now.branch.Len()-active.Len())}
	if now.parted >= 0 {
		found.Added, found.Parted, found.Other, found.Ends = 0, now.branch.ID(now.parted), now.other, now.row.Leaf
	}
	s.branch, s.reader, s.read, s.fresh, s.edited = now.branch, now.reader, now.branch.Len(), map[int]int{}, editReader{}
	s.flags, s.remedies, s.summaries, s.policy = now.flags, now.remedies, now.summaries, now.policy
	s.row, s.row.Leaf = now.row, 0
	if n := now.branch.Len(); n > 0 {
		s.row.Leaf = now.branch.ID(n - 1)
	}
	to := s.model
	if ref := target.Ref(now.row.Endpoint, now.row.Model); found.Parted == 0 && now.row.Endpoint != "" && ref != to.Ref() {
		if other, err := s.deps.target(ref); err == nil { // an endpoint that this machine does not have is another machine's
			to, found.Model = other, true
		}
	}
	s.use(to)
	return found, nil
}

// readAnew is a conversation as it was found in the store.
type readAnew struct {
	row       store.Session
	branch    branch.Branch // the active one, with what was added to its end
	reader    *reader
	parted    int // the index on the branch at which the active one in the store leaves it, -1 where it does not
	other     Version
	flags     map[int64]history.Flag
	remedies  map[int64]history.Remedy
	summaries []store.Summary
	policy    history.Policy
}

// readAgain reads a conversation of which this was known.
func (s *Session) readAgain(ctx context.Context, was store.Session) (found readAnew, err error) {
	db := s.deps.Store
	if found.row, err = db.Session(ctx, was.ID); err != nil {
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
	same := 0
	for same < min(len(here), len(there)) && here[same] == there[same] {
		same++
	}
	leaf := was.Leaf
	switch found.parted = -1; {
	case same == len(here):
		leaf = found.row.Leaf
	case same < len(there):
		versions, err := db.Siblings(ctx, there[same])
		if err != nil {
			return found, err
		}
		found.parted, found.other = same, Version{there[same], slices.Index(versions, there[same]) + 1, len(versions)}
	}
	if found.branch, found.reader, err = s.readBranch(ctx, was.ID, leaf); err != nil {
		return found, err
	}
	var errs [4]error
	found.flags, errs[0] = db.Flags(ctx, was.ID)
	found.remedies, errs[1] = db.Remedies(ctx, was.ID)
	found.summaries, errs[2] = db.Summaries(ctx, was.ID)
	found.policy, errs[3] = s.deps.settings().PolicyOf(overridesOf(found.row))
	return found, errors.Join(errs[:]...)
}
