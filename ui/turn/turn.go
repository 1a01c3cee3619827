// Package turn is the state of the running turn as the screen shows it: what the model does now, since when, and
// what is waited for. It reads the events of a session's turn, in order, and hands them on.
package turn

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Model is a turn: the running one while its conversation is busy, else the last.
type Model struct {
	*app.Context
	Number       int // messages of another turn are dropped by it
	Stopping     bool
	Quitting     bool // winnow is left when the turn is over
	Cancel       context.CancelFunc
	RetryCause   string // what a waiting turn waits for, "" for nothing
	Regenerating bool   // another answer to an old message was asked for
	Compacting   bool   // the older messages are condensed: nothing is said and nothing answered

	activity   string    // what the model or a tool does
	since      time.Time // and since when
	arrived    int       // bytes of the answer that arrives
	progress   string    // how far the tool is, "" for not known
	until      time.Time // until when it waits before it tries again
	began, now time.Time // of the first and the newest message
	shown      time.Time // what the clock on the screen says: it moves once a second
	ticked     time.Time // when it moved by itself
}

// EventsMsg carries events of a turn, in order.
type EventsMsg struct {
	Turn   int
	Events []session.Event
	At     time.Time

	from  <-chan session.Event
	shown time.Time // when pieces of an answer were handed on last
	over  bool
}

// TickMsg moves the clock of a turn.
type TickMsg struct {
	Turn int
	At   time.Time
}

// tickTime is one step of the clock.
const tickTime = time.Second

// asking is what a turn does until an answer arrives.
const asking = "asking…"

// Start begins a new turn with a number of its own. Its events come from the channel that start makes.
func (t *Model) Start(number int, cancel context.CancelFunc, start func() <-chan session.Event) tea.Cmd {
	*t = Model{Context: t.Context, Number: number, Cancel: cancel, activity: asking}
	t.Busy = true
	return tea.Batch(func() tea.Msg { return gather(number, joinTime, EventsMsg{from: start()}) }, t.Tick())
}

// Tick has the clock of the turn move.
func (t *Model) Tick() tea.Cmd {
	number := t.Number
	return func() tea.Msg { return TickMsg{number, time.Now()} }
}

// Took is how long the turn has taken so far.
func (t *Model) Elapsed() time.Duration { return t.now.Sub(t.began) }

// Take takes events of the turn, which are handed on, and waits for the next ones.
func (t *Model) Receive(msg EventsMsg) (events []session.Event, next tea.Cmd) {
	if msg.Turn != t.Number {
		return nil, nil
	}
	t.clock(msg.At)
	for _, e := range msg.Events {
		t.event(e)
	}
	switch {
	case !msg.over:
		return msg.Events, func() tea.Msg { return gather(msg.Turn, joinTime, msg) }
	case t.Busy: // The channel was closed without the last event.
		return append(msg.Events, session.Finished{}), nil
	}
	return msg.Events, nil
}

// Ticked moves the clock, which goes on unless nobody looks. A tick that comes too early is one of a second clock.
func (t *Model) Ticked(msg TickMsg, asleep bool) tea.Cmd {
	if msg.Turn != t.Number || !t.Busy || asleep || msg.At.Sub(t.ticked) < tickTime/2 {
		return nil
	}
	t.clock(msg.At)
	t.shown, t.ticked = msg.At, msg.At
	return tea.Tick(tickTime, func(at time.Time) tea.Msg { return TickMsg{msg.Turn, at} })
}

func (t *Model) event(e session.Event) {
	switch e := e.(type) {
	case session.Delta:
		t.arrived += len(e.Text) + len(e.Reasoning)
		t.activity, t.RetryCause = "answering…", ""
		if e.Text == "" {
			t.activity = "thinking…"
		}
	case session.Calling:
		t.RetryCause = ""
		if e.Name != "" {
			t.activity = "calling " + markdown.OneLine(e.Name, 60) + "…"
		}
	case session.Waiting:
		t.RetryCause = "the server did not answer"
		if e.Err != nil {
			t.RetryCause = strings.TrimSuffix(e.Err.Error(), ".")
		}
		t.until = t.now.Add(e.After)
	case session.Running:
		t.activity, t.since = "running "+theme.OneLine(e.Name)+"…", t.now
	case session.Progress:
		t.progress = markdown.OneLine(e.Text, 60)
	case session.Ran:
		t.activity, t.since, t.progress = asking, t.began, ""
	case session.Answered:
		t.activity, t.arrived = asking, 0
	}
}

// clock notes the time. The first one is when the turn began.
func (t *Model) clock(at time.Time) {
	if t.began.IsZero() {
		t.began, t.since = at, at
	}
	t.now = at
	if at.Sub(t.shown) >= tickTime { // in a window without the focus nothing ticks
		t.shown = at
	}
}

// Stop stops the turn. It goes on until its last event has come.
func (t *Model) Stop() {
	t.Stopping = true
	if t.Cancel != nil {
		t.Cancel()
	}
}

// End ends the turn, behind its last event.
func (t *Model) End() {
	t.Busy, t.Stopping, t.RetryCause = false, false, ""
	if t.Cancel != nil {
		t.Cancel()
	}
}

// joinTime is the least time between two pieces of an answer that are shown.
const joinTime = time.Second / 15

// gather waits for the events of a turn that follow those of a message. The first piece of an answer is handed on at
// once, and those that follow within the given time as one; anything else ends the waiting.
func gather(number int, join time.Duration, before EventsMsg) EventsMsg {
	msg := EventsMsg{Turn: number, from: before.from, shown: before.shown}
	var text, reasoning strings.Builder
	end := func(last ...session.Event) EventsMsg {
		msg.At = time.Now()
		if text.Len()+reasoning.Len() > 0 {
			msg.Events = append(msg.Events, session.Delta{Text: text.String(), Reasoning: reasoning.String()})
			msg.shown = msg.At
		}
		msg.Events = append(msg.Events, last...)
		return msg
	}
	var due <-chan time.Time // nil until the first piece came
	for {
		select {
		case <-due:
			return end()
		case e, ok := <-msg.from:
			if !ok {
				msg.over = true
				return end()
			}
			d, piece := e.(session.Delta)
			if !piece {
				return end(e)
			}
			text.WriteString(d.Text)
			reasoning.WriteString(d.Reasoning)
			if due == nil {
				due = time.After(time.Until(msg.shown.Add(join)))
			}
		}
	}
}
