package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// ErrNotYours says that a message cannot be edited, because the user did not write it.
var (
	ErrNotYours = errors.New("only a message of yours can be edited")
	// ErrExcluded says that a message cannot be asked about, because the user excluded it.
	ErrExcluded = errors.New("the message to answer is excluded; /auto includes it again")
)

// Regenerate asks again for the user message of the turn that a message belongs to, on whatever branch,
// and whether it has an answer or not; 0 is the end of the active branch. The new answer stands beside an
// old one as its sibling, and what stood behind it stays as another branch: nothing is overwritten. Where
// no answer comes, the branch is the one that it was.
//
// The model that ref names answers, for this turn alone, or the conversation's own for "". A reference is found as
// SetModel finds one, and nothing is sent where it stands for no model.
func (s *Session) Regenerate(ctx context.Context, message int64, ref string) <-chan Event {
	again := func(ctx context.Context, t *turn) error {
		return t.answerAgain(ctx, cmp.Or(message, t.Info().Leaf))
	}
	if ref == "" {
		return s.start(ctx, again)
	}
	return s.startUnless(ctx, nil, func(ctx context.Context, t *turn) error {
		back, err := t.lend(ctx, ref)
		if err != nil {
			return err
		}
		defer back()
		return again(ctx, t)
	})
}

// Edit says draft in the place of an earlier message of the user's, on whatever branch, and asks the
// model for an answer. The earlier message stays, with all that was said after it: the new one is its
// sibling. A list of files takes the place of the earlier message's, even an empty one; without a list
// the new message keeps them. An edit of a message that was sent alone is sent alone as well. For a message of somebody
// else the error is ErrNotYours.
func (s *Session) Edit(
	ctx context.Context, how SendOptions, message int64, draft string, files ...history.Part,
) <-chan Event {
	return s.start(ctx, func(ctx context.Context, t *turn) error {
		t.cut = how.Cut
		if err := t.saveEdit(ctx, message, draft, files); err != nil {
			return err
		}
		return t.answer(ctx)
	})
}

// Switch makes the branch through a message the active one, with the newest of what was said after it
// at every fork. On the active branch it changes nothing. While a turn is running the error is ErrBusy.
func (s *Session) Switch(ctx context.Context, message int64) error {
	t := newTurn(s, func() {})
	if err := s.claim(t); err != nil {
		return err
	}
	defer t.release()
	if err := t.loadBranch(ctx); err != nil {
		return err
	}
	if t.Holds(message) {
		return nil
	}
	row := t.Info()
	leaf, err := t.deps.Store.LeafUnder(ctx, message)
	if err != nil {
		return err
	}
	branch, err := t.branchTo(ctx, leaf)
	if err != nil {
		return err
	}
	if err := t.deps.Store.Update(ctx, row.ID, func(row *store.Session) { row.Leaf = leaf }); err != nil {
		return err
	}
	t.follow(branch)
	return nil
}

// Holds says that a message is on the active branch, as far as that is loaded.
func (s *Session) Holds(message int64) bool {
	_, there := s.Branch().Find(message)
	return there
}

// branchTo is the branch that ends at leaf: the beginning of the active one where that has it and is
// loaded, else as it is stored.
func (s *Session) branchTo(ctx context.Context, leaf int64) (branch.Branch, error) {
	st := s.now()
	if at, there := st.branch.Find(leaf); there && st.whole {
		return st.branch.First(at + 1), nil
	}
	ids, err := s.deps.Store.BranchIDs(ctx, leaf)
	if err != nil {
		return branch.Branch{}, err
	}
	return s.deps.noMessages().Load(ctx, ids, nil)
}

// answerAgain makes the user's message that a message belongs to the one to answer, and answers it.
func (t *turn) answerAgain(ctx context.Context, message int64) error {
	branch, err := t.branchTo(ctx, message)
	if err != nil {
		return err
	}
	at := branch.LastUser()
	if at < 0 {
		return ErrNothingToAnswer
	}
	before := t.Branch()
	t.follow(branch.First(at + 1))
	if err = t.rejoin(ctx); err == nil {
		err = t.askAsBefore(ctx)
	}
	if len(t.messages) <= 1 { // Nothing came: in the store the branch of before is active still.
		t.follow(before)
	}
	return err
}

// askAsBefore answers the turn's message again, cut where the user had it cut.
func (t *turn) askAsBefore(ctx context.Context) error {
	st := t.now()
	_, err := t.plans.build(st, t.past, t.Model(), t.nextOptions(st))
	if over := (*history.OverBudgetError)(nil); errors.As(err, &over) {
		if t.cut, err = t.Records().WasCut(ctx, t.messages[0].ID); err != nil {
			return err
		}
	}
	return t.answer(ctx)
}

// saveEdit commits what the user says in the place of an earlier message.
func (t *turn) saveEdit(ctx context.Context, message int64, draft string, files []history.Part) error {
	row := t.Info()
	branch, err := t.branchTo(ctx, message)
	if err != nil {
		return err
	}
	if branch.Len() == 0 {
		return fmt.Errorf("edit message %d: %w", message, store.ErrNotFound)
	}
	at := branch.Len() - 1
	earlier, err := branch.Message(at)
	if err != nil {
		return err
	}
	if earlier.Role != history.User {
		return ErrNotYours
	}
	if files == nil {
		files = earlier.Parts
	}
	m := t.userMessage(draft, files)
	m.Alone = earlier.Alone
	if err := t.sendable(ctx, m, message); err != nil {
		return err
	}
	m.Session, m.Parent = row.ID, earlier.Parent
	stored, err := t.deps.Store.Append(ctx, m)
	if err != nil {
		return err
	}
	t.follow(branch.First(at))
	t.commit(stored)
	return nil
}

// follow makes a branch the active one, as far as the session's own memory goes.
func (t *turn) follow(branch branch.Branch) {
	t.set(func(st *state) {
		st.branch, st.whole, st.row.Leaf = branch, true, 0
		if n := branch.Len(); n > 0 {
			st.row.Leaf = branch.ID(n - 1)
		}
	})
}

// ErrOneVersion says that nothing else was said in the place of a message.
var ErrOneVersion = errors.New("it has only one version")

// Version is a message among those that were said in the same place of the conversation.
type Version struct {
	Message int64
	Nth, Of int // it is the Nth of Of, from 1, the oldest first
}

// SwitchVersion goes so many versions on from a message, back where by is negative, and makes the branch
// through that one the active one, as Switch does. Behind the last version comes the first again. For a
// message without another version the error is ErrOneVersion.
func (s *Session) SwitchVersion(ctx context.Context, message int64, by int) (Version, error) {
	siblings, err := s.Versions(ctx, message)
	if err != nil {
		return Version{}, err
	}
	n := len(siblings)
	if n == 1 {
		return Version{message, 1, 1}, ErrOneVersion
	}
	at := ((slices.Index(siblings, message)+by)%n + n) % n
	return Version{siblings[at], at + 1, n}, s.Switch(ctx, siblings[at])
}

// Versions are the ids of the messages that were said in the place of a message of the active branch, itself included,
// the oldest first.
func (s *Session) Versions(ctx context.Context, message int64) ([]int64, error) {
	parent := int64(0)
	if at, there := s.Branch().Find(message); there && at > 0 {
		parent = s.Branch().ID(at - 1)
	}
	return s.deps.Store.Replies(ctx, s.Info().ID, parent)
}

// Fork copies the branch that ends at a message, on whatever branch that is, into a conversation of its
// own, and returns its row; 0 is the end of the active branch. This conversation stays as it is, and
// a turn that is running goes on. Where nothing was said yet the error is ErrNothingToAnswer.
func (s *Session) Fork(ctx context.Context, message int64) (store.Session, error) {
	row := s.Info()
	if message == 0 {
		message = row.Leaf
	}
	if row.ID == "" || message == 0 {
		return store.Session{}, ErrNothingToAnswer
	}
	return s.deps.Store.Fork(ctx, row.ID, message)
}

// Kin are the conversations that this one was forked from, and that were forked from it.
type Kin struct {
	Parent store.Session   // without an ID where this one is no fork, or its parent is gone
	Fork   bool            // this one is a fork
	Copied int             // how many of its first messages are copies of its parent's
	Forks  []store.Session // the oldest first, without those in the trash
}

// Kin reads the conversation's kin.
func (s *Session) Kin(ctx context.Context) (Kin, error) {
	row := s.Info()
	if row.ID == "" {
		return Kin{}, nil
	}
	kin := Kin{Fork: row.Parent != ""}
	forks, err := s.deps.Store.Sessions(ctx, store.Filter{ForkOf: row.ID, All: true})
	if err != nil {
		return kin, err
	}
	kin.Forks = slices.DeleteFunc(forks, func(f store.Session) bool { return !f.Deleted.IsZero() })
	slices.SortFunc(kin.Forks, func(a, b store.Session) int { return strings.Compare(a.ID, b.ID) })
	if !kin.Fork {
		return kin, nil
	}
	copied, err := s.deps.Store.BranchIDs(ctx, row.ForkedAt)
	if err == nil {
		kin.Copied = len(copied)
		kin.Parent, err = s.deps.Store.Session(ctx, row.Parent)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = nil // it is gone
	}
	return kin, err
}
