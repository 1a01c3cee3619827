package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

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
	return s.counted()
}

// CountSome counts some of the messages that have no count yet, the newest first, and stores what it
// counted. Call it until it is done, on a goroutine that may take its time: until then plans go by
// guesses. Equal texts are counted once. While the older messages are still loading the error is
// ErrLoading.
func (s *Session) CountSome(ctx context.Context) (Counting, error) {
	s.counting.Lock()
	defer s.counting.Unlock()
	if !s.Loaded() {
		return Counting{}, ErrLoading
	}
	s.mu.Lock()
	messages, indexes := s.branch, s.uncounted()
	s.mu.Unlock()
	some, err := indexedIn(messages, indexes)
	if err != nil {
		return s.Counting(), err
	}
	for part := range slices.Chunk(some, writeRows) {
		for i := range part {
			if ctx.Err() != nil {
				return s.Counting(), ctx.Err()
			}
			if m := &part[i].Message; m.Tokens == 0 {
				m.Tokens = s.counting.count(m.Content, s.deps.Count)
			}
		}
		if err := s.keepCounts(ctx, part); err != nil {
			return s.Counting(), err
		}
	}
	c := s.Counting()
	if c.Done() {
		s.counting.texts = nil
	}
	return c, nil
}

// CountAll counts what has no count yet, and says after each part how far it is. It may take half a
// minute for a hundred megabytes.
func CountAll(ctx context.Context, s *Session, show func(Counting)) error {
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

// counting is held while some messages are counted.
type counting struct {
	sync.Mutex
	texts map[[sha256.Size]byte]int // tokens of texts, for as long as the counting goes on
}

// count counts a text, and an equal one only once. A text that is there has a token at least: none would
// be taken for not counted yet.
func (c *counting) count(text string, counter history.Counter) int {
	if c.texts == nil {
		c.texts = map[[sha256.Size]byte]int{}
	}
	key := sha256.Sum256([]byte(text))
	n, known := c.texts[key]
	if !known {
		n = max(1, counter(text))
		c.texts[key] = n
	}
	return n
}

// keepCounts puts counts into the branch and keeps them for the next time. Where the store takes nothing they are
// good for as long as the program runs.
func (s *Session) keepCounts(ctx context.Context, some []indexed) error {
	s.mu.Lock()
	s.recount(some)
	s.mu.Unlock()
	counts := make(map[int64]int, len(some))
	for _, p := range some {
		counts[p.ID] = p.Tokens
	}
	if err := s.deps.Store.SetTokens(ctx, s.deps.Tokenizer, counts); err != nil && !errors.Is(err, store.ErrReadOnly) {
		return err
	}
	return nil
}

// countNow counts messages that are about to be sent. That they are sent does not depend on the counts
// being kept.
func (t *turn) countNow(ctx context.Context, some []indexed) error {
	for i := range some {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		some[i].Tokens = t.deps.Count(some[i].Content)
	}
	if err := t.keepCounts(ctx, some); err != nil {
		t.log().Warn("keep the counts of what is sent", "error", ErrorCode(err))
	}
	return nil
}
