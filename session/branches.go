package session

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

var (
	// ErrNotYours says that a message cannot be edited, because the user did not write it.
	ErrNotYours = errors.New("only a message of yours can be edited")
	// ErrExcluded says that a message cannot be asked about, because the user excluded it.
	ErrExcluded = errors.New("the message to answer is excluded; include it again first")
	// ErrOneVersion says that nothing else was said in the place of a message.
	ErrOneVersion = errors.New("the message has only one version; edit it or ask again to make another")
)

// Regenerate asks again for the user message of the turn that a message belongs to, on whatever branch,
// and whether it has an answer or not; 0 is the end of the active branch. The new answer stands beside an
// old one as its sibling, and what stood behind it stays as another branch: nothing is overwritten. Where
// no answer comes, the branch is the one that it was.
//
// The model that ref names answers, for this turn alone, or the conversation's own for "". A reference is found as
// Set finds one, and nothing is sent where it stands for no model.
func (s *Session) Regenerate(ctx context.Context, message int64, ref string) <-chan Event {
	return s.start(ctx, ref, func(ctx context.Context, t *turn) error {
		before := t.Branch()
		err := t.rejoin(ctx, cmp.Or(message, t.Info().Leaf))
		if err == nil {
			err = t.answer(ctx)
		}
		if len(t.messages) <= 1 { // Nothing came: in the store the branch of before is active still.
			t.follow(before)
		}
		return err
	})
}

// rejoin makes the turn the one that a message belongs to, without what answered it. It is cut where the user had it
// cut.
func (t *turn) rejoin(ctx context.Context, message int64) error {
	to, err := t.branchTo(ctx, message)
	if err != nil {
		return err
	}
	at := to.Last(history.User)
	if at < 0 {
		return ErrNothingToAnswer
	}
	user, err := to.Message(at)
	if err != nil {
		return err
	}
	t.before, t.user, t.messages = at, user.ID, []history.Message{user.Message}
	t.follow(to.First(at + 1))
	t.cut, err = t.Records().WasCut(ctx, user.ID)
	return err
}

// branchTo is the branch that ends at leaf: the beginning of the active one where that has it and is
// loaded, else as it is stored.
func (s *Session) branchTo(ctx context.Context, leaf int64) (branch.Branch, error) {
	st := s.Now()
	if at, there := st.Branch.Find(leaf); there && st.Whole {
		return st.Branch.First(at + 1), nil
	}
	ids, err := s.deps.Store.BranchIDs(ctx, st.Row.ID, leaf)
	if err != nil {
		return branch.Branch{}, err
	}
	return branch.New(s.deps.Tokenizer, s.deps.Store.MessagesByID).Load(ctx, ids, nil)
}

// follow makes a branch the active one, as far as the session's own memory goes.
func (t *turn) follow(b branch.Branch) {
	t.set(func(st *State) {
		st.Branch, st.Whole, st.Row.Leaf = b, true, 0
		if n := b.Len(); n > 0 {
			st.Row.Leaf = b.ID(n - 1)
		}
	})
}

// Switch makes the branch through a message the active one, with the newest of what was said after it
// at every fork. On the active branch it changes nothing. While a turn is running the error is ErrBusy.
func (s *Session) Switch(ctx context.Context, message int64) error {
	t := s.newTurn(func() {})
	if err := s.claim(t); err != nil {
		return err
	}
	defer t.free()
	if err := t.loadBranch(ctx); err != nil {
		return err
	}
	if _, active := t.Branch().Find(message); active {
		return nil
	}
	leaf, err := t.deps.Store.NewestDescendant(ctx, message)
	if err != nil {
		return err
	}
	to, err := t.branchTo(ctx, leaf)
	if err != nil {
		return err
	}
	err = t.deps.Store.UpdateSession(ctx, t.Info().ID, func(row *store.Session) { row.Leaf = leaf })
	if err == nil {
		t.follow(to)
	}
	return err
}

// Version is a message among those that were said in the same place of the conversation.
type Version struct {
	Message int64
	Nth, Of int // it is the Nth of Of, from 1, the oldest first
}

// SwitchVersion goes so many versions on from a message, back where by is negative, and makes the branch
// through that one the active one, as Switch does. Behind the last version comes the first again. For a
// message without another version the error is ErrOneVersion.
func (s *Session) SwitchVersion(ctx context.Context, message int64, by int) (Version, error) {
	branch := s.Branch()
	at, there := branch.Find(message)
	if !there {
		return Version{}, store.ErrNotFound
	}
	parent := int64(0)
	if at > 0 {
		parent = branch.ID(at - 1)
	}
	siblings, err := s.deps.Store.Replies(ctx, s.Info().ID, parent)
	if err != nil {
		return Version{}, err
	}
	n := len(siblings)
	if n == 1 {
		return Version{message, 1, 1}, ErrOneVersion
	}
	at = ((slices.Index(siblings, message)+by)%n + n) % n
	return Version{siblings[at], at + 1, n}, s.Switch(ctx, siblings[at])
}

// Fork copies the branch that ends at a message, on whatever branch that is, into a conversation of its
// own, and returns its row; 0 is the end of the active branch. This conversation stays as it is, and
// a turn that is running goes on. Where nothing was said yet the error is ErrNothingToAnswer.
func (s *Session) Fork(ctx context.Context, message int64) (store.Session, error) {
	row := s.Info()
	if message = cmp.Or(message, row.Leaf); row.ID == "" || message == 0 {
		return store.Session{}, ErrNothingToAnswer
	}
	return s.deps.Store.Fork(ctx, row.ID, message)
}
