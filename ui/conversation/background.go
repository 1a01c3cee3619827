package conversation

import (
	"context"
	"errors"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/notice/bell"
	"winnow/ui/theme"
)

// MostBehind is how many conversations may be in the background at once. Each has its own requests, which cost tokens.
const MostBehind = 4

// Background is the conversations whose answers arrive while another one is on the screen, and how those ended that
// were not opened since.
type Background struct {
	Notice *notice.Model
	Next   func(*Model) tea.Cmd // sends the next message of a queue, where that may be
	Sync   func() tea.Cmd       // exchanges what is new with other machines

	list  []*Model
	ended map[string]Outcome // by the id of the session
}

// Outcome is how the answers of a conversation ended in the background.
type Outcome struct {
	session.Finished        // why the last one failed
	State            string // what a list says of it, "" where there is none
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

// Event shows what happened in a conversation of the background, and says what of it the user should know.
func (b *Background) Event(c *Model, e session.Event) tea.Cmd {
	c.Event(e)
	switch e := e.(type) {
	case session.ApprovalNeeded, session.LimitExceeded:
		b.Notice.News(c.Quoted() + " waits for your answer; " + c.opens())
		return c.CallAsked(b.Notice)
	case session.Notice:
		return b.Notice.Say(c.Quoted() + ": " + e.Text)
	case session.Finished:
		return b.finished(c, e)
	}
	return nil
}

// opens says how a conversation of the background is opened.
func (c *Model) opens() string { return c.Keys.First(keymap.Sessions) + " opens it." }

// finished goes on with the queue of a conversation, or says how its last answer ended.
func (b *Background) finished(c *Model, e session.Finished) tea.Cmd {
	stopped := c.Turn.Stopping && e.Err == nil
	c.Finish(e)
	if c.Waiting.Len() > 0 && !c.Waiting.Held() {
		return b.Next(c) // one that is still being saved says when it can be sent
	}
	b.Take(c.Session)
	waits, call := "", c.CallEnded(b.Notice, e.Err)
	if c.Waiting.Held() {
		waits = "Its queue is paused."
	}
	said, state := c.Quoted()+" has a new answer; "+c.opens(), "new answer"
	switch {
	case e.Err != nil:
		said = "The answer of " + c.Quoted() + " failed: " + theme.Sentence(e.Err) + " " + c.opens()
		said, state = joined(said, waits), "failed"
	case stopped:
		said, state, call = joined(c.Quoted()+" was stopped; what arrived is kept.", waits), "stopped", nil
	}
	if b.ended == nil {
		b.ended = map[string]Outcome{}
	}
	b.ended[c.Session.Info().ID] = Outcome{e, state}
	sentence := notice.Sentence{Text: said, Error: e.Err != nil}
	return tea.Batch(b.Notice.Show(sentence), call, b.Sync(), Leave(c.Session))
}

// CallEnded calls a user who is not looking when the last answer of a conversation is there, or has failed.
func (c *Model) CallEnded(n *notice.Model, err error) tea.Cmd {
	text := "winnow: " + c.Quoted() + " has a new answer"
	if err != nil {
		text = "winnow: the answer of " + c.Quoted() + " failed"
	}
	return n.Bell.Call(text, c.Turn.Took())
}

// CallAsked calls a user who is not looking about a question, however soon it came.
func (c *Model) CallAsked(n *notice.Model) tea.Cmd {
	return n.Bell.Call("winnow: "+c.Quoted()+" waits for your answer", bell.Worth)
}

// State is what a list says of a session, "" for nothing, and whether it is in the background.
func (b *Background) State(id string) (word string, busy bool) {
	c := b.Find(id)
	switch {
	case c == nil:
		return b.ended[id].State, false
	case c.Question.Waits():
		return "waits for you", true
	}
	return "answering…", true
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
