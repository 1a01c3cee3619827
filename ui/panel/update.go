package panel

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/record"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Deps are what the panel works with.
type Deps struct {
	Keys       keymap.Map
	Secrets    theme.Secrets
	Text       func(message int64) string // how a message begins
	ModelOf    func(message int64) string // the model that a message is of, "" for none
	Selected   func(message int64) bool
	NewContext func() (context.Context, context.CancelFunc) // makes the context of a plan that may be stopped
}

// Around is what the parent sets before the panel is updated or drawn.
type Around struct {
	Busy  bool // the next request has left, and its answer arrives
	Turns int  // turns of the conversation so far

	Model     string // that is asked, as endpoint/model
	Selection string // how many messages are selected in the transcript, "" for none
	OnPage    Range  // the messages that are on the page
}

// Range is some messages of the conversation by their index, without the one at To.
type Range struct{ From, To int }

// The events.
type (
	// Load asks for a request of the past. LoadedMsg is the answer.
	Load struct {
		Number  int // of the reading
		Turn    int
		Request int64 // the one with this id; 0 for the one that is By requests behind the Nth of the turn
		Nth, By int
	}
	// Shown says that another request is on show.
	Shown struct{}
	// Compared says that the request on show, which is another one now, is to be compared with one before it.
	Compared struct{ Before *Request }
	// Try asks for the plan of the next request by other settings. TriedMsg is the answer.
	Try struct {
		Context context.Context // ends when the plan is not wanted any more
		Number  int
		Trial   session.Settings
	}
	// Apply asks for settings to be kept. Text says which.
	Apply struct {
		Trial session.Settings
		Text  string
	}
	// ListModels asks for the models of the endpoints.
	ListModels struct{}
	// Closed says that the dials are to be closed.
	Closed struct{}
	// CursorMoved says that the user moved the cursor.
	CursorMoved struct{}
	// Inspect says that the line under the cursor is to be shown in full.
	Inspect struct{}
	// Select is a key that selects messages in the transcript. It is about the line under the cursor.
	Select struct{ Key tea.KeyPressMsg }
	// Wanted is what a key is for that concerns more than the panel.
	Wanted struct{ Action keymap.Action }
)

// Click is the message that a line of the panel was clicked at. A click on the line under the cursor opens that, where
// the panel had the keys.
type Click struct {
	Y       int
	Focused bool
}

// ShowNext is the message that the next request is shown.
type ShowNext struct{}

// Msg is what answers a request of the panel.
type Msg interface{ panelMsg() }

// LoadedMsg is a request of the past, or why it cannot be shown. Without both there is none that way.
type LoadedMsg struct {
	Load
	Request *Request
	Err     error
}

// TriedMsg is the plan by other settings, with what it was made by.
type TriedMsg struct {
	Try
	Plan    history.Plan
	Changes []history.Change // to the next request as it is set
	Prefix  record.Prefix
	Policy  history.Policy
	Window  llm.Window
	Input   pricing.Cost // of the plan's request
	Err     error
}

// Replan says that the next request is another one, so that what is tried out with it is planned anew.
type Replan struct{}

// SlowMsg says that a request of the past has been read for slowTime.
type SlowMsg struct{ Number int }

func (LoadedMsg) panelMsg() {}
func (TriedMsg) panelMsg()  {}
func (SlowMsg) panelMsg()   {}

// Update is a key, the wheel, or what the panel has asked for.
func (p Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	at := p.At
	cmd := p.update(msg)
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseWheelMsg, Click:
		if p.At != at {
			p.Emit(CursorMoved{})
		}
	}
	return p, cmd
}

func (p *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if p.Whatif != nil {
			return p.dialKey(msg)
		}
		return p.key(msg)
	case tea.MouseWheelMsg:
		p.Move(keymap.Wheel(msg, 3))
	case Click:
		return p.click(msg)
	case ShowNext:
		p.toNext()
		return p.Emit(Shown{})
	case Load:
		return p.load(msg)
	case LoadedMsg:
		return p.loaded(msg)
	case SlowMsg:
		p.slow = p.reading.busy && msg.Number == p.Number
	case Replan:
		return p.replan()
	case TriedMsg:
		return p.tried(msg)
	}
	return nil
}

// key is a key in the panel.
func (p *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := &p.Keys
	a := k.Action(msg, keymap.InPanel)
	if first, last, folded := p.Folded(); folded && (a == keymap.Pin || a == keymap.Exclude || a == keymap.Auto ||
		a == keymap.Pick) && p.Selection == "" {
		return p.Say(k.First(keymap.Inspect) + " shows the " + theme.Thousands(last-first+1) +
			" messages of this line separately.")
	}
	switch a {
	case keymap.Inspect:
		return p.inspect()
	case keymap.Select, keymap.Pick:
		return p.Emit(Select{msg})
	case keymap.Pin, keymap.Exclude, keymap.Auto, keymap.TakeBack, keymap.Adopt, keymap.Request, keymap.WhatIf,
		keymap.Repairs, keymap.Ask:
		return p.Emit(Wanted{a})
	}
	if by, ok := k.Stride(msg, p.page()); ok {
		p.Move(by)
		return nil
	}
	switch {
	case k.Pressed(msg, keymap.Earlier):
		return p.step(-1)
	case k.Pressed(msg, keymap.Later):
		return p.step(1)
	case k.Pressed(msg, keymap.Compare):
		return p.compare()
	}
	return p.Say(msg.String() + " does nothing in the panel; " + k.First(keymap.Ask) + " lists the keys.")
}

// inspect asks for the line under the cursor in full.
func (p *Model) inspect() tea.Cmd {
	if on := p.Chosen(); on.Entry == nil && on.Added == nil {
		return p.Say("There is nothing to open yet.")
	}
	if _, _, folded := p.Folded(); folded {
		p.opened, p.Moved, p.Led = true, true, false
		return nil
	}
	return p.Emit(Inspect{})
}

// click puts the cursor on a line, or opens the line under it.
func (p *Model) click(msg Click) tea.Cmd {
	line, ok := p.LineAt(msg.Y)
	p.list.clicked = !msg.Focused
	at := p.Shown().Rows.lineOf(max(0, p.At), p.open())
	switch {
	case !ok:
	case line != at:
		p.Move(line - at)
	case msg.Focused:
		return p.inspect()
	}
	return nil
}
