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
	// ErrNotUserMessage is returned for an edit of a message that the user did not write.
	ErrNotUserMessage = errors.New("you can only edit your own messages")
	// ErrExcluded is returned if the message to answer is excluded.
	ErrExcluded = errors.New("the message to answer is excluded; include it again first")
	// ErrOnlyVersion is returned if a message has no other version.
	ErrOnlyVersion = errors.New("the message has only one version; edit it or ask again to make another")
)

// Regenerate asks again for an answer to the user message of the turn that a message belongs to, on any branch. A
// message id of 0 stands for the end of the active branch. An existing answer and everything after it stay as another
// branch. If no new answer comes, the active branch stays as it was.
//
// The model ref answers this one turn; "" means the conversation's own model. References are resolved as in Set, and
// nothing is sent if ref does not name a model.
func (s *Session) Regenerate(ctx context.Context, message int64, ref string) <-chan Event {
	return s.start(ctx, ref, func(ctx context.Context, t *turn) error {
		before := t.Branch()
		err := t.rewind(ctx, cmp.Or(message, t.Info().Leaf))
		if err == nil {
			err = t.answer(ctx)
		}
		if len(t.messages) <= 1 { // no answer came, and the store still has the earlier branch
			t.setBranch(before)
		}
		return err
	})
}

// rewind sets the turn to the one that a message belongs to, without its answer. The message is cut again if it was cut
// before.
func (t *turn) rewind(ctx context.Context, message int64) error {
	to, err := t.branchTo(ctx, message)
	if err != nil {
		return err
	}
	at := to.LastOf(history.User)
	if at < 0 {
		return ErrNothingToAnswer
	}
	user, err := to.Message(at)
	if err != nil {
		return err
	}
	t.before, t.user, t.messages = at, user.ID, []history.Message{user.Message}
	t.setBranch(to.First(at + 1))
	t.cut, err = t.Records().WasCutByUser(ctx, user.ID)
	return err
}

// branchTo returns the branch that ends at leaf, from memory if it is a part of the loaded active branch.
func (s *Session) branchTo(ctx context.Context, leaf int64) (branch.Branch, error) {
	st := s.State()
	if at, there := st.Branch.Find(leaf); there && st.Loaded {
		return st.Branch.First(at + 1), nil
	}
	ids, err := s.deps.Store.BranchIDs(ctx, st.Row.ID, leaf)
	if err != nil {
		return branch.Branch{}, err
	}
	return branch.New(s.deps.Tokenizer, s.deps.Store.MessagesByID).Load(ctx, ids, nil)
}

// setBranch makes a branch the active one in memory.
func (t *turn) setBranch(b branch.Branch) {
	t.set(func(st *State) {
		st.Branch, st.Loaded, st.Row.Leaf = b, true, 0
		if n := b.Len(); n > 0 {
			st.Row.Leaf = b.ID(n - 1)
		}
	})
}

// SwitchBranch makes a branch through a message the active one. Where the branch forks after the message, it follows
// the newest messages. If the message is on the active branch already, nothing changes. The error is ErrBusy while a
// turn is running.
func (s *Session) SwitchBranch(ctx context.Context, message int64) error {
	t := s.newTurn(func() {})
	if err := s.claim(t); err != nil {
		return err
	}
	defer t.finish()
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
		t.setBranch(to)
	}
	return err
}

// Version is one of several messages at the same place in the conversation.
type Version struct {
	Message int64
	Nth, Of int // position among the versions, from 1 for the oldest, and their number
}

// SwitchVersion moves by versions forward from a message, or back if by is negative, and makes the branch through that
// version the active one. It wraps around at both ends. The error is ErrOnlyVersion if there is no other version.
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
		return Version{message, 1, 1}, ErrOnlyVersion
	}
	at = ((slices.Index(siblings, message)+by)%n + n) % n
	return Version{siblings[at], at + 1, n}, s.SwitchBranch(ctx, siblings[at])
}

// Fork copies the branch that ends at a message, which may be on any branch, into a new conversation and returns its
// row. A message id of 0 stands for the end of the active branch. This conversation does not change, and a running turn
// continues. The error is ErrNothingToAnswer if there are no messages yet.
func (s *Session) Fork(ctx context.Context, message int64) (store.Session, error) {
	row := s.Info()
	if message = cmp.Or(message, row.Leaf); row.ID == "" || message == 0 {
		return store.Session{}, ErrNothingToAnswer
	}
	return s.deps.Store.Fork(ctx, row.ID, message)
}
