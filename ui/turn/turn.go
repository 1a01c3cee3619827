// Package turn is the state of the running turn as the screen shows it: what the model or a tool is doing, since when,
// and why it is waiting. It receives the events of a session's turn in order, and passes them on.
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

// Model is the running turn while Busy is true, else the last one.
type Model struct {
	*app.Context
	Number       int // unique; messages with another number are dropped
	Stopping     bool
	Quitting     bool // winnow quits when the turn ends
	Cancel       context.CancelFunc
	retryCause   string // why the turn waits before it retries, "" if it does not
	Regenerating bool   // the turn asks for another answer to an old message
	Compacting   bool   // the turn summarises older messages, and answers nothing

	activity   string    // of the model or a tool
	since      time.Time // when the activity began
	arrived    int       // bytes of the answer so far
	progress   string    // as reported by the tool, "" if unknown
	until      time.Time // when it retries
	began, now time.Time // times of the first and the newest event
	shown      time.Time // the time on the screen, which moves once a second
	ticked     time.Time // when a tick moved it last
}

// EventsMsg carries events of a turn, in order.
type EventsMsg struct {
	Turn   int
	Events []session.Event
	At     time.Time

	from  <-chan session.Event
	shown time.Time // when deltas were passed on last
	over  bool      // the channel was closed
}

// TickMsg advances the clock of a turn.
type TickMsg struct {
	Turn int
	At   time.Time
}

// tickTime is the step of the clock.
const tickTime = time.Second

// asking is the activity until an answer arrives.
const asking = "asking…"

// Start begins a turn with a unique number. Its events come from the channel that start returns; cancel stops it.
func (t *Model) Start(
	number int, cancel context.CancelFunc, start func() <-chan session.Event,
) tea.Cmd {
	*t = Model{Context: t.Context, Number: number, Cancel: cancel, activity: asking}
	t.Busy = true
	return tea.Batch(func() tea.Msg { return gather(number, joinTime, EventsMsg{from: start()}) }, t.Tick())
}

// Tick starts the clock of the turn.
func (t *Model) Tick() tea.Cmd {
	number := t.Number
	return func() tea.Msg { return TickMsg{number, time.Now()} }
}

// Elapsed returns how long the turn has taken so far.
func (t *Model) Elapsed() time.Duration { return t.now.Sub(t.began) }

// Receive applies a message to the turn. It returns the events, for the caller, and the command that waits for the next
// ones. If the channel was closed without session.Finished, it adds that event.
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
	case t.Busy:
		return append(msg.Events, session.Finished{}), nil
	}
	return msg.Events, nil
}

// Ticked advances the clock and returns the next tick. The clock stops while asleep is true: nobody is looking. A tick
// that comes too early belongs to a second clock, which is stopped.
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
		t.activity, t.retryCause = "answering…", ""
		if e.Text == "" {
			t.activity = "thinking…"
		}
	case session.ToolCallDelta:
		t.retryCause = ""
		if e.Name != "" {
			t.activity = "calling " + markdown.OneLine(e.Name, 60) + "…"
		}
	case session.Retrying:
		t.retryCause = strings.TrimSuffix(e.Err.Error(), ".")
		t.until = t.now.Add(e.Delay)
	case session.ToolStarted:
		t.activity, t.since = "running "+theme.OneLine(e.Name)+"…", t.now
	case session.ToolProgress:
		t.progress = markdown.OneLine(e.Text, 60)
	case session.ToolFinished:
		t.activity, t.since, t.progress = asking, t.began, ""
	case session.AnswerStored:
		t.activity, t.arrived = asking, 0
	}
}

// clock sets the time. The first time is when the turn began.
func (t *Model) clock(at time.Time) {
	if t.began.IsZero() {
		t.began, t.since = at, at
	}
	t.now = at
	if at.Sub(t.shown) >= tickTime { // without the focus there are no ticks
		t.shown = at
	}
}

// Stop cancels the turn, which continues until its last event.
func (t *Model) Stop() {
	t.Stopping = true
	if t.Cancel != nil {
		t.Cancel()
	}
}

// End is called after the last event of the turn.
func (t *Model) End() {
	t.Busy, t.Stopping, t.retryCause = false, false, ""
	if t.Cancel != nil {
		t.Cancel()
	}
}

// joinTime is the least time between two updates of an answer on the screen.
const joinTime = time.Second / 15

// gather waits for the events that follow those of the message before. Deltas that arrive within join of the last
// update are joined into one; any other event ends the wait at once.
func gather(number int, join time.Duration, before EventsMsg) EventsMsg {
	msg := EventsMsg{Turn: number, from: before.from, shown: before.shown}
	var text, reasoning strings.Builder
	end := func(last ...session.Event) EventsMsg {
		msg.At = time.Now()
		if text.Len()+reasoning.Len() > 0 {
			msg.Events = append(msg.Events, session.Delta{
				Text: text.String(), Reasoning: reasoning.String(),
			})
			msg.shown = msg.At
		}
		msg.Events = append(msg.Events, last...)
		return msg
	}
	var due <-chan time.Time // nil until the first delta
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
