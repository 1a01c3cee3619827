// Package event is how a part of the screen reports to its parent. A part queues what it cannot do itself, and the
// parent takes the queue after each call of the part's methods.
package event

import tea "charm.land/bubbletea/v2"

// Event is what the parent has to do: one of the types of the part's package, a Notice or News.
type Event any

// Notice is a sentence for the user.
type Notice struct {
	Text  string
	Error bool // something did not work
	Done  bool // something that the user asked for was done
	Turn  bool // it is about the turn that runs, and over with it
}

// News is what the user has to know: it is shown until something is sent. "" ends it.
type News struct{ Text string }

// NoKey says that a key does nothing where it was pressed, and which others do something.
func NoKey(msg tea.KeyPressMsg, others string) Notice {
	return Notice{Text: msg.String() + " does nothing here; " + others}
}

// Queue holds the events of a part until its parent takes them. Its methods return the nil command, so that a
// handler of a message can end with them.
type Queue struct{ queued []Event }

// Emit queues an event.
func (q *Queue) Emit(e Event) tea.Cmd {
	q.queued = append(q.queued, e)
	return nil
}

// Say queues a sentence.
func (q *Queue) Say(text string) tea.Cmd { return q.Emit(Notice{Text: text}) }

// SayError queues a sentence about something that did not work.
func (q *Queue) SayError(text string) tea.Cmd { return q.Emit(Notice{Text: text, Error: true}) }

// NoKey queues the sentence that a key does nothing.
func (q *Queue) NoKey(msg tea.KeyPressMsg, others string) tea.Cmd { return q.Emit(NoKey(msg, others)) }

// Events takes what was queued, the oldest first.
func (q *Queue) Events() []Event {
	events := q.queued
	q.queued = nil
	return events
}
