package session

import (
	"context"
	"errors"
	"slices"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

const (
	sliceRows  = 4000    // messages that are counted at a time
	sliceBytes = 1 << 20 // of text that is counted at a time: a third of a second or so
	writeRows  = 400     // counts that are stored in one transaction, so that nobody waits for it
)

// Counting says how far the messages of the active branch are counted.
type Counting struct{ Counted, Of int }

// Done says that nothing is left to count.
func (c Counting) Done() bool { return c.Counted == c.Of }

// Counting says how far the messages of the active branch are counted, as far as it is loaded.
func (s *Session) Counting() Counting {
	st := s.now()
	c := Counting{Of: st.branch.Len()}
	for i := range c.Of {
		if !st.uncounted(st.branch.Row(i)) {
			c.Counted++
		}
	}
	return c
}

// uncounted says that a message's tokens are not in the store yet.
func (t tokens) uncounted(r branch.Row) bool {
	return t.counter != nil && r.Size > 0 && r.Status() != history.Streaming && (r.Tokens == 0 || !r.Counted)
}

// CountSome counts some of the messages that have no count yet, the newest first, and stores what it
// counted. Call it until it is done, on a goroutine that may take its time: until then plans go by
// guesses. While the older messages are still loading the error is ErrLoading.
func (s *Session) CountSome(ctx context.Context) (Counting, error) {
	s.counting.Lock()
	defer s.counting.Unlock()
	st := s.now()
	if !st.whole {
		return Counting{}, ErrLoading
	}
	messages := st.branch
	var some []int
	for i, size := messages.Len()-1, 0; i >= 0 && len(some) < sliceRows && size < sliceBytes; i-- {
		if r := messages.Row(i); st.uncounted(r) {
			some = append(some, i)
			if r.Tokens == 0 {
				size += int(r.Size)
			}
		}
	}
	for part := range slices.Chunk(some, writeRows) {
		if err := s.countAt(ctx, messages, part); err != nil {
			return s.Counting(), err
		}
	}
	return s.Counting(), nil
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

// countAt counts messages of a branch, and keeps the counts in the active branch and in the store. Where that takes
// nothing they are good for as long as the program runs.
func (s *Session) countAt(ctx context.Context, messages branch.Branch, indexes []int) error {
	counts := make(map[int64]int, len(indexes))
	for _, i := range indexes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m, err := messages.Message(i)
		if err != nil {
			return err
		}
		if m.Tokens == 0 {
			m.Tokens = max(1, s.deps.Count(m.Content)) // none would be taken for not counted yet
		}
		counts[m.ID] = m.Tokens
	}
	s.set(func(st *state) {
		st.branch = st.branch.Change(func(rows []branch.Row) {
			for id, n := range counts {
				if at, there := st.branch.Find(id); there {
					rows[at].Tokens, rows[at].Counted = int32(n), true
				}
			}
		})
	})
	if err := s.deps.Store.SetTokens(ctx, s.deps.Tokenizer, counts); err != nil && !errors.Is(err, store.ErrReadOnly) {
		return err
	}
	return nil
}
