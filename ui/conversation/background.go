package conversation

import (
	"context"
	"errors"
	"slices"
	"sync"

	"winnow/session"
	"winnow/session/record"
)

// MostBehind is how many conversations may be in the background at once. Each has its own requests, which cost tokens.
const MostBehind = 4

// Background is the conversations whose answers arrive while another one is on the screen, and how those ended that
// were not opened since.
type Background struct {
	list  []*Model
	ended map[string]Outcome // by the id of the session
}

// Outcome is how the answers of a conversation ended in the background.
type Outcome struct {
	Ended   bool            // there is one
	Err     error           // why the last one failed
	Failure *record.Failure // the same where the message is stored
	Stopped bool            // the user had stopped it before the conversation left the screen
}

// Len is how many conversations there are.
func (b *Background) Len() int { return len(b.list) }

// Put puts a conversation into the background.
func (b *Background) Put(c *Model) { b.list = append(b.list, c) }

// first is the first conversation that fits, nil for none.
func (b *Background) first(fits func(*Model) bool) *Model {
	if i := slices.IndexFunc(b.list, fits); i >= 0 {
		return b.list[i]
	}
	return nil
}

// Of is the conversation of a session, nil for none.
func (b *Background) Of(s *session.Session) *Model {
	return b.first(func(c *Model) bool { return c.Session == s })
}

// Find is the conversation whose session has an id, nil for none.
func (b *Background) Find(id string) *Model {
	return b.first(func(c *Model) bool { return id != "" && c.Session.Info().ID == id })
}

// WithTurn is the conversation whose turn has a number, nil for none.
func (b *Background) WithTurn(number int) *Model {
	return b.first(func(c *Model) bool { return c.Turn.Number == number })
}

// Take takes the conversation of a session out of the background, nil for none, and how it ended if it did.
func (b *Background) Take(s *session.Session) (*Model, Outcome) {
	id, c := s.Info().ID, b.Of(s)
	outcome := b.ended[id]
	delete(b.ended, id)
	b.list = slices.DeleteFunc(b.list, func(other *Model) bool { return other == c })
	return c, outcome
}

// End takes a conversation out of the background whose last answer ended.
func (b *Background) End(c *Model, o Outcome) {
	b.Take(c.Session)
	if b.ended == nil {
		b.ended = map[string]Outcome{}
	}
	o.Ended = true
	b.ended[c.Session.Info().ID] = o
}

// State is what a list says of a session, "" for nothing, and whether it is in the background.
func (b *Background) State(id string) (word string, busy bool) {
	c := b.Find(id)
	o := b.ended[id]
	switch {
	case c != nil && c.Question.Waits():
		return "waits for you", true
	case c != nil:
		return "answering…", true
	case o.Err != nil:
		return "failed", false
	case o.Stopped:
		return "stopped", false
	case o.Ended:
		return "new answer", false
	}
	return "", false
}

// Close stops all answers when the program ends, and waits until what arrived and what is queued is saved.
func (b *Background) Close(ctx context.Context) error {
	faults := make([]error, len(b.list))
	var all sync.WaitGroup
	for i, c := range b.list {
		all.Go(func() { faults[i] = errors.Join(c.Waiting.KeepAtEnd(ctx), c.Session.Close(ctx)) })
	}
	all.Wait()
	return errors.Join(faults...)
}
