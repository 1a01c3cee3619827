package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"winnow/history"
	"winnow/session/store"
)

const (
	sliceRows   = 4000     // messages that are counted at a time
	sliceBytes  = 1 << 20  // of text that is counted at a time: a third of a second or so
	writeRows   = 400      // counts that are stored in one transaction, so that nobody waits for it
	countAtOnce = 64 << 10 // bytes of text that are counted when they are read: some hundredths of a second
)

// Counting says how far the messages of the active branch are counted.
type Counting struct{ Counted, Of int }

// Done says that nothing is left to count.
func (c Counting) Done() bool { return c.Counted == c.Of }

// Counting says how far the messages of the active branch are counted, as far as it is loaded.
func (s *Session) Counting() Counting {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Counting{Of: len(s.branch)}
	for i := range s.branch {
		if !s.deps.open(&s.branch[i]) {
			c.Counted++
		}
	}
	return c
}

// open says that a message's tokens are not in the store yet.
func (d Deps) open(m *store.Message) bool {
	return d.Count != nil && m.Content != "" && m.Status != history.Streaming && (m.Tokens == 0 || m.Tokenizer != d.Tokenizer)
}

// trusted takes from stored messages the counts of another tokenizer.
func (d Deps) trusted(messages []store.Message) []store.Message {
	for i := range messages {
		if messages[i].Tokenizer != d.Tokenizer {
			messages[i].Tokens = 0
		}
	}
	return messages
}

// CountSome counts some of the messages that have no count yet, the newest first, and stores what it
// counted. Call it until it is done, on a goroutine that may take its time: until then plans go by
// guesses. Equal texts are counted once. While the older messages are still being read the error is
// ErrLoading.
func (s *Session) CountSome(ctx context.Context) (Counting, error) {
	s.counting.Lock()
	defer s.counting.Unlock()
	if !s.Loaded() {
		return Counting{}, ErrLoading
	}
	some := s.uncounted()
	for part := range slices.Chunk(some, writeRows) {
		for i := range part {
			if ctx.Err() != nil {
				return s.Counting(), ctx.Err()
			}
			if m := &part[i].Message; m.Tokens == 0 {
				m.Tokens = s.tally(m.Content)
			}
		}
		if err := s.storeCounts(ctx, part); err != nil {
			return s.Counting(), err
		}
		s.recount(part)
	}
	c := s.Counting()
	if c.Done() {
		s.tallied = nil
	}
	return c, nil
}

// CountAll counts what has no count yet, and says after each part how far it is. It may take half a
// minute for a hundred megabytes.
func (s *Session) CountAll(ctx context.Context, show func(Counting)) error {
	for {
		c, err := s.CountSome(ctx)
		if err != nil {
			return err
		}
		if show(c); c.Done() {
			return nil
		}
	}
}

// placed is a message with its place on the branch.
type placed struct {
	store.Message
	at int
}

// uncounted are the newest messages without a stored count, a slice of them.
func (s *Session) uncounted() []placed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var some []placed
	size := 0
	for i := len(s.branch) - 1; i >= 0 && len(some) < sliceRows && size < sliceBytes; i-- {
		if m := &s.branch[i]; s.deps.open(m) {
			some = append(some, placed{*m, i})
			if m.Tokens == 0 {
				size += len(m.Content)
			}
		}
	}
	return some
}

// tally counts a text, and an equal one only once. A text that is there has a token at least: none would
// be taken for not counted yet.
func (s *Session) tally(text string) int {
	if s.tallied == nil {
		s.tallied = map[[sha256.Size]byte]int{}
	}
	key := sha256.Sum256([]byte(text))
	n, known := s.tallied[key]
	if !known {
		n = max(1, s.deps.Count(text))
		s.tallied[key] = n
	}
	return n
}

// storeCounts keeps counts for the next time. Where the store takes nothing they are good for as long
// as the program runs.
func (s *Session) storeCounts(ctx context.Context, some []placed) error {
	counts := make(map[int64]int, len(some))
	for _, p := range some {
		counts[p.ID] = p.Tokens
	}
	if err := s.deps.Store.SetTokens(ctx, s.deps.Tokenizer, counts); err != nil && !errors.Is(err, store.ErrReadOnly) {
		return err
	}
	return nil
}

// recount brings counts into the branch, which may be another one by now. The planner takes them at
// its next plan.
func (s *Session) recount(some []placed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range some {
		if p.at >= len(s.branch) || s.branch[p.at].ID != p.ID {
			continue
		}
		s.branch[p.at].Tokens, s.branch[p.at].Tokenizer = p.Tokens, s.deps.Tokenizer
		if s.reader != nil && p.at < s.read {
			s.fresh[p.at] = p.Tokens
		}
		s.early.count(p.at, p.Tokens)
	}
}

// readable is a piece of a branch for the planner. A little text without a count is counted at once;
// for more of it a guess has to do, so that nobody waits.
func (d Deps) readable(branch []store.Message) []history.Message {
	size := 0
	for i := range branch {
		if branch[i].Tokens == 0 {
			size += len(branch[i].Content)
		}
	}
	list := make([]history.Message, len(branch))
	for i := range branch {
		m := &branch[i]
		if d.Count != nil && m.Tokens == 0 && size <= countAtOnce {
			m.Tokens = d.Count(m.Content)
		}
		if list[i] = m.Message; d.Guess != nil && m.Tokens == 0 {
			list[i].Tokens = d.Guess(m.Content)
		}
	}
	return list
}

// guessed says that message i of the branch is planned with by a guess. The caller holds the lock.
func (s *Session) guessed(i int) bool {
	return s.deps.Guess != nil && i < s.read && s.branch[i].Tokens == 0 && s.branch[i].Content != ""
}

// guessedIn are the messages that a plan sends whole and by a guess. What is sent of the others was
// counted as it is sent. The caller holds the lock.
func (s *Session) guessedIn(p history.Plan) []placed {
	var some []placed
	for i, e := range p.Entries {
		if e.Whole && i < s.read && s.guessed(i) {
			some = append(some, placed{s.branch[i], i})
		}
	}
	return some
}

// countNow counts messages that are about to be sent. That they are sent does not depend on the counts
// being kept.
func (s *Session) countNow(ctx context.Context, some []placed) error {
	for i := range some {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		some[i].Tokens = s.deps.Count(some[i].Content)
	}
	if err := s.storeCounts(ctx, some); err != nil {
		s.log().Warn("keep the counts of what is sent", "error", ErrorCode(err))
	}
	s.recount(some)
	return nil
}

// guesses are the messages of the branch's beginning that are planned with by a guess, as runs from
// one id to another. The caller holds the lock.
func (s *Session) guesses(past int) [][2]int64 {
	var runs [][2]int64
	for i := range past {
		if !s.guessed(i) {
			continue
		}
		if n := len(runs); n > 0 && i > 0 && s.guessed(i-1) {
			runs[n-1][1] = s.branch[i].ID
			continue
		}
		runs = append(runs, [2]int64{s.branch[i].ID, s.branch[i].ID})
	}
	return runs
}
