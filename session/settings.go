package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/settings"
	"winnow/session/store"
)

// Rename gives the conversation a title of the user's own, which no automatic title replaces.
func (s *Session) Rename(ctx context.Context, title string) error {
	title = strings.TrimSpace(title)
	return s.change(func(id string) error { return s.deps.Store.Rename(ctx, id, title, store.TitleUser) },
		func(st *state) { st.row.Title, st.row.TitleFrom = title, store.TitleUser })
}

// SetSystem gives this conversation a system prompt of its own, "" for none.
func (s *Session) SetSystem(ctx context.Context, text string) error {
	set := func(row *store.Session) { row.System, row.SystemFixed = text, true }
	return s.change(func(id string) error { return s.deps.Store.Update(ctx, id, set) }, func(st *state) {
		set(&st.row)
		st.system = text
	})
}

// system is the system prompt of a conversation's next request: its own, or until it has one what is configured for
// its model.
func (d Deps) system(row store.Session) string {
	if row.System != "" || row.SystemFixed {
		return row.System
	}
	return *d.of(row.Endpoint, row.Model).System
}

// settings is what the configuration and the environment say of the policy.
func (d Deps) settings() settings.Base {
	return settings.Base{Policy: d.Policy, Context: d.Context, Environment: d.Environment}
}

// overridesOf is what was set for a conversation.
func overridesOf(row store.Session) settings.Overrides {
	return settings.Overrides{Preset: row.Preset, Keys: row.Overrides}
}

// SetFlags pins messages, excludes them, or gives them back to the rules with "": all of them, or none
// where the error is not nil. before has the flag that each message had, "" for none, of those that have
// another one now: RestoreFlags takes it.
//
// Exclusion is set and taken back for a whole tool group, each of its messages: a branch that begins in front of
// a late result holds the call without it.
func (s *Session) SetFlags(
	ctx context.Context, f history.Flag, messages ...int64,
) (before map[int64]history.Flag, err error) {
	st := s.now()
	// Only a reader of the branch knows its tool groups. While the older messages are still loading, or a turn
	// runs, that has to wait.
	if st.whole && st.turn == nil {
		if err := s.plans.read(st, st.branch.Len(), func(*reading) {}); err != nil {
			return nil, err
		}
	}
	flags := make(map[int64]history.Flag, len(messages))
	for _, id := range messages {
		flags[id] = f
		if f == history.Pin {
			continue
		}
		for _, member := range s.Group(id) {
			if f == history.Exclude || st.flags[member] == history.Exclude {
				flags[member] = f
			}
		}
	}
	return s.RestoreFlags(ctx, flags)
}

// Group is the messages that are sent or left out together with this one, itself among them: a message
// that calls tools and the results of its calls, or the message alone. A flag on one of them holds for
// all. Of what is not planned yet, such as the running turn, each message is alone.
func (s *Session) Group(message int64) (list []int64) {
	at, there := s.Branch().Find(message)
	s.plans.mu.Lock()
	defer s.plans.mu.Unlock()
	r := &s.plans.reading
	if !there || r.Conversation == nil || at >= r.seen.Len() || r.seen.ID(at) != message {
		return []int64{message}
	}
	for _, i := range r.Group(at) {
		list = append(list, r.seen.ID(i))
	}
	return list
}

// RestoreFlags gives each message the flag that it had: it undoes a SetFlags by what that returned.
func (s *Session) RestoreFlags(
	ctx context.Context, flags map[int64]history.Flag,
) (before map[int64]history.Flag, err error) {
	err = s.change(func(string) (err error) {
		before, err = s.deps.Store.SetFlags(ctx, flags)
		return err
	}, func(st *state) {
		all := maps.Clone(st.flags)
		maps.Copy(all, flags)
		maps.DeleteFunc(all, func(_ int64, f history.Flag) bool { return f == "" })
		st.flags = all
	})
	return before, err
}

// SetRemedy has the damaged tool groups of some messages, or the damaged messages themselves, sent
// otherwise than repaired from the next request on; history.SendRepaired has them repaired again. It is kept for
// every message of each group, or for none where the error is not nil. A message that is sound may get
// a remedy too, and is sent as it is.
func (s *Session) SetRemedy(ctx context.Context, r history.Remedy, messages ...int64) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	groups, err := s.ToolGroups(ctx, messages...)
	if err != nil {
		return err
	}
	return s.change(func(string) error { return s.deps.Store.SetRemedies(ctx, r, groups...) },
		func(st *state) { st.remedies = remediesWith(st.remedies, r, groups) })
}

// remediesWith are the remedies with another for some messages.
func remediesWith(before map[int64]history.Remedy, r history.Remedy, messages []int64) map[int64]history.Remedy {
	all := make(map[int64]history.Remedy, len(before)+len(messages))
	maps.Copy(all, before)
	for _, id := range messages {
		if all[id] = r; r == history.SendRepaired {
			delete(all, id)
		}
	}
	return all
}

// ToolGroups are the messages that a remedy for some of them holds for: those of their tool groups on
// the active branch, in order, then those of them that are not on it. See history.ToolGroups.
func (s *Session) ToolGroups(ctx context.Context, messages ...int64) ([]int64, error) {
	if err := s.loadBranch(ctx); err != nil {
		return nil, err
	}
	all, err := s.Branch().All(ctx)
	if err != nil {
		return nil, err
	}
	groups := history.ToolGroups(branch.History(all), messages...)
	for _, id := range messages {
		if !slices.Contains(groups, id) {
			groups = append(groups, id)
		}
	}
	return groups, nil
}

// OtherAddressError says that the endpoint of a conversation is at another address than the one that its requests went
// to. None goes there before the user names the model again: SetModel agrees to the address.
type OtherAddressError struct {
	Endpoint string
	Was, Now string // addresses, without what may be secret in them
}

func (e *OtherAddressError) Error() string {
	return fmt.Sprintf("this chat was with %[1]s at %[2]s, and %[1]s is at %[3]s now", e.Endpoint, e.Was, e.Now)
}

// Ready says why no turn of the conversation's model can begin, nil where one can: the model's Unready, or an
// *OtherAddressError.
func (s *Session) Ready() error {
	st := s.now()
	if st.model.Unready != nil {
		return st.model.Unready
	}
	if now := st.model.Address(); st.row.Address != "" && st.row.Address != now {
		return &OtherAddressError{Endpoint: st.row.Endpoint, Was: st.row.Address, Now: now}
	}
	return nil
}

// keepAddress keeps where the conversation goes, before its first request.
func (t *turn) keepAddress(ctx context.Context) error {
	st := t.now()
	if st.row.ID == "" || st.row.Address != "" {
		return nil // begin stores it with the row
	}
	now := st.model.Address()
	set := func(row *store.Session) { row.Address = now }
	return t.change(func(id string) error { return t.deps.Store.Update(ctx, id, set) },
		func(st *state) { set(&st.row) })
}

// ErrLeased says that the conversation can only be read, because another window writes in it.
var ErrLeased = errors.New("this session is open in another window; you can read and fork it here")

// lease is the lease that a conversation's window has, or wants.
type lease struct {
	wanted  bool // the conversation is to be taken as soon as it is on disk
	leased  bool // another window has it
	release func()
}

// Lease takes the lease of the conversation for this window, or finds that another one has it: then leased is
// true, and nothing that changes the conversation works, but fails with ErrLeased. A conversation that
// has not begun is taken when it does.
//
// What another window adds is not seen here. So whoever finds a conversation free that was not should
// open it anew.
func (s *Session) Lease(ctx context.Context) (leased bool, err error) {
	s.set(func(st *state) { st.lease.wanted = true })
	st := s.now()
	if st.row.ID == "" || st.lease.release != nil {
		return false, nil
	}
	leased, release, err := s.deps.Store.Lease(ctx, st.row.ID)
	if err != nil {
		return false, err
	}
	if leased {
		release = nil
	}
	s.set(func(st *state) { st.lease.leased, st.lease.release = leased, release })
	return leased, nil
}

// Leave ends the lease. It is the last call of a window that shows another one.
func (s *Session) Leave() {
	var release func()
	s.set(func(st *state) { release, st.lease = st.lease.release, lease{} })
	if release != nil {
		release()
	}
}

// mayWrite is ErrLeased where the conversation can only be read.
func (s *Session) mayWrite() error {
	if s.LeasedByOther() {
		return ErrLeased
	}
	return nil
}

// Queue returns the conversation's queued messages in the order in which they are sent. The queue of a conversation
// that has not begun is empty.
func (s *Session) Queue(ctx context.Context) ([]store.Queued, error) {
	if id := s.Info().ID; id != "" {
		return s.deps.Store.Queue(ctx, id)
	}
	return nil, nil
}

// Enqueue stores a message at the end of the conversation's queue and returns it with its id. Nothing is sent: that is
// for SendQueued. A conversation that has not begun has no queue on disk: its error is ErrNothingToAnswer.
func (s *Session) Enqueue(ctx context.Context, q store.Queued) (store.Queued, error) {
	id := s.Info().ID
	if id == "" {
		return q, ErrNothingToAnswer
	}
	if err := s.mayWrite(); err != nil {
		return q, err
	}
	return s.deps.Store.Enqueue(ctx, id, q)
}

// Unqueue takes a message out of the conversation's queue, and makes it the draft where keep says so. The error is
// store.ErrNotFound for one that is not in the queue any more.
func (s *Session) Unqueue(ctx context.Context, message int64, keep bool) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	return s.deps.Store.Unqueue(ctx, s.Info().ID, message, keep)
}

// SendQueued is SendAs of a queued message. It leaves the queue in the transaction that stores it as a message of the
// conversation, so that it is never in both and never in neither; a message that is not sent stays in the queue.
func (s *Session) SendQueued(ctx context.Context, q store.Queued) <-chan Event {
	return s.SendAs(ctx, SendOptions{Alone: q.Alone, Cut: q.Cut, queued: q.ID}, q.Text, q.Parts...)
}
