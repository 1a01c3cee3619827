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

// MaxBackground is how many conversations may run in the background at once. Each sends requests that cost tokens.
const MaxBackground = 4

// Background holds the conversations whose answers arrive while another one is on the screen, and how those ended that
// have not been opened since.
type Background struct {
	Notice *notice.Model
	Next   func(*Model) tea.Cmd // sends the next queued message, nil if there is none
	Sync   func() tea.Cmd       // synchronizes with other machines

	list  []*Model
	ended map[string]BackgroundOutcome // by session id
}

// BackgroundOutcome is how the last turn of a conversation ended in the background.
type BackgroundOutcome struct {
	session.Finished
	State string // for the list of chats, such as "failed"; "" if no turn ended in the background
}

// Len returns how many conversations are in the background.
func (b *Background) Len() int { return len(b.list) }

// Add sends a conversation to the background.
func (b *Background) Add(c *Model) { b.list = append(b.list, c) }

// first returns the first conversation for which fits is true, or nil.
func (b *Background) first(fits func(*Model) bool) *Model {
	if i := slices.IndexFunc(b.list, fits); i >= 0 {
		return b.list[i]
	}
	return nil
}

// BySession returns the conversation of a session, or nil.
func (b *Background) BySession(s *session.Session) *Model {
	return b.first(func(c *Model) bool { return c.Session == s })
}

// ByID returns the conversation with a session id, or nil.
func (b *Background) ByID(id string) *Model {
	return b.first(func(c *Model) bool { return id != "" && c.Session.Info().ID == id })
}

// ByTurn returns the conversation whose turn has a number, or nil.
func (b *Background) ByTurn(number int) *Model {
	return b.first(func(c *Model) bool { return c.Turn.Number == number })
}

// Remove takes the conversation of a session out of the background. It returns nil if it was not there, and how its
// turn ended if that was not shown yet.
func (b *Background) Remove(s *session.Session) (*Model, BackgroundOutcome) {
	id, c := s.Info().ID, b.BySession(s)
	outcome := b.ended[id]
	delete(b.ended, id)
	b.list = slices.DeleteFunc(b.list, func(other *Model) bool { return other == c })
	return c, outcome
}

// Event applies an event to a conversation in the background, and shows what the user should know of it.
func (b *Background) Event(c *Model, e session.Event) tea.Cmd {
	c.Event(e)
	switch e := e.(type) {
	case session.ApprovalNeeded, session.LimitExceeded:
		b.Notice.ShowNews(c.quotedTitle() + " waits for your answer; " + c.opens())
		return c.NotifyQuestion(b.Notice)
	case session.Notice:
		return b.Notice.Say(c.quotedTitle() + ": " + e.Text)
	case session.Finished:
		return b.finished(c, e)
	}
	return nil
}

// opens says which key opens a conversation in the background.
func (c *Model) opens() string { return c.Keys.First(keymap.Sessions) + " opens it." }

// finished sends the next queued message of a conversation, or shows how its turn ended and closes its session.
func (b *Background) finished(c *Model, e session.Finished) tea.Cmd {
	stopped := c.Turn.Stopping && e.Err == nil
	c.Finish(e)
	if c.Waiting.Len() > 0 && !c.Waiting.Paused() {
		return b.Next(c) // nil while the message is being saved; the queue calls Next then
	}
	b.Remove(c.Session)
	waits, call := "", c.NotifyAnswer(b.Notice, e.Err)
	if c.Waiting.Paused() {
		waits = "Its queue is paused."
	}
	said, state := c.quotedTitle()+" has a new answer; "+c.opens(), "new answer"
	switch {
	case e.Err != nil:
		said = "The answer of " + c.quotedTitle() + " failed: " + theme.Sentence(e.Err) + " " + c.opens()
		said, state = joined(said, waits), "failed"
	case stopped:
		said, state, call = joined(c.quotedTitle()+" was stopped; what arrived is kept.", waits), "stopped", nil
	}
	if b.ended == nil {
		b.ended = map[string]BackgroundOutcome{}
	}
	b.ended[c.Session.Info().ID] = BackgroundOutcome{e, state}
	sentence := notice.Sentence{Text: said, Error: e.Err != nil}
	return tea.Batch(b.Notice.Show(sentence), call, b.Sync(), Leave(c.Session))
}

// NotifyAnswer rings the bell that the turn has ended, if the user is looking elsewhere and it took long enough.
func (c *Model) NotifyAnswer(n *notice.Model, err error) tea.Cmd {
	text := "winnow: " + c.quotedTitle() + " has a new answer"
	if err != nil {
		text = "winnow: the answer of " + c.quotedTitle() + " failed"
	}
	return n.Bell.Call(text, c.Turn.Elapsed())
}

// NotifyQuestion rings the bell that a question waits, if the user is looking elsewhere.
func (c *Model) NotifyQuestion(n *notice.Model) tea.Cmd {
	return n.Bell.Call("winnow: "+c.quotedTitle()+" waits for your answer", bell.MinWait)
}

// State returns what the list of chats says about a session, "" for nothing, and whether it is in the background.
func (b *Background) State(id string) (word string, busy bool) {
	c := b.ByID(id)
	switch {
	case c == nil:
		return b.ended[id].State, false
	case c.Question.HasQuestion():
		return "waits for you", true
	}
	return "answering…", true
}

// Close stops all answers when winnow ends, and waits until partial answers and queues are saved.
func (b *Background) Close(ctx context.Context) error {
	faults := make([]error, len(b.list))
	var all sync.WaitGroup
	for i, c := range b.list {
		all.Go(func() { faults[i] = errors.Join(c.Waiting.SaveAtExit(ctx), c.Session.Close(ctx)) })
	}
	all.Wait()
	return errors.Join(faults...)
}
