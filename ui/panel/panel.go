// Package panel shows one request: where its tokens go, what becomes of every message and why, the requests of the
// past, and what other settings would change. It plans nothing but trials, and stores nothing.
package panel

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Model shows one request. It is fed by the plan or the record of that request alone.
type Model struct {
	*app.Context
	Screen

	Next   Request  // what would leave now, or is leaving
	Past   *Request // one that was sent, shown instead; nil for none
	Whatif *Whatif  // other settings that are tried out, shown instead; nil for none

	Forecast record.Forecast // what the requests before tell about the next one
	Window   llm.Window      // of the model in use
	wrong    string          // that the limit is wrong, and what to do, "" where it is not

	Focused bool  // the keys are for the panel
	cursor  int64 // the id of the row under the cursor; any other number stands for the last row
	opened  bool  // the messages that share a row are shown row by row

	reads   app.Latest        // the readings of requests of the past
	reading bool              // it is not done
	list    list              // the part of the list that was drawn last
	gists   map[gistOf]string // how messages begin, without their secrets
}

// Screen is what the panel has the rest of the screen do.
type Screen struct {
	Message func(id int64) (store.Message, bool)
	Gist    func(store.Message) string // how a message begins
	OnPage  func() (first, end int)    // the messages on the page by their index
	Listed  func() []llm.Model         // the models of the endpoints, nil before they were asked

	Shown      func() tea.Cmd                         // another request is on show
	Follow     func()                                 // the user moved the cursor
	Inspect    func() tea.Cmd                         // shows what is under the cursor in full
	ListModels func() tea.Cmd                         // asks the endpoints for their models
	Leave      func() tea.Cmd                         // closes the dials
	Apply      func(session.Settings, string) tea.Cmd // keeps settings, and says which
}

// Shown is the request that the panel shows.
func (p *Model) Shown() *Request {
	switch {
	case p.Whatif != nil:
		return &p.Whatif.Request
	case p.Past != nil:
		return p.Past
	}
	return &p.Next
}

// Set takes a new plan of the next request.
func (p *Model) Set(plan history.Plan, err error) { p.Next.take(plan, err) }

// Price reads what the next request would cost, which limit it would exceed, and how far its window is to be trusted.
func (p *Model) Price() {
	s, next := p.Session, &p.Next
	model := s.Model()
	next.Input = model.InputCost(next.Plan.Sum)
	next.Limit = s.ExceededLimits(next.Plan).Short()
	next.Spent = s.State().Spending.Session.CostSum.Sentence()
	p.Window, p.wrong = model.Window(), ""
	if actual, ok := model.ActualWindow(); ok {
		p.wrong = "The window that is set is too large: the server has " + theme.Thousands(actual) + ". " +
			"/window auto uses that."
	}
}

// Open shows a request that was sent; nil goes back to the next one. No other one is waited for any more.
func (p *Model) Open(past *Request) tea.Cmd {
	p.reads++
	p.reading, p.Past = false, past
	p.CursorToEnd()
	return p.Screen.Shown()
}

// ToNext goes back to the next request, where another one is shown.
func (p *Model) ToNext() tea.Cmd {
	if p.Past == nil {
		return nil
	}
	return p.Open(nil)
}

// lines are the rows of the list, and at is the one under the cursor. With the focus a request in which everything is
// whole is shown message by message.
func (p *Model) lines() (rows []Row, at int) {
	r := p.Shown()
	rows = r.rows(p.opened || p.Focused && r.Whole())
	e, found := r.Plan.EntryByID(p.cursor)
	at = slices.IndexFunc(rows, func(row Row) bool { return row.id() == p.cursor || found && row.has(e.Index) })
	if at < 0 {
		at = len(rows) - 1
	}
	return rows, at
}

// Chosen is the row under the cursor, with the message of it that the cursor is on. It is the zero Row where the
// request has none.
func (p *Model) Chosen() Row {
	rows, at := p.lines()
	if at < 0 {
		return Row{}
	}
	row := rows[at]
	if e, ok := p.Shown().Plan.EntryByID(p.cursor); ok {
		row.Entry = &e
	}
	return row
}

// GoTo puts the cursor on a message, where the request has it.
func (p *Model) GoTo(message int64) {
	if _, ok := p.Shown().Plan.EntryByID(message); ok {
		p.cursor = message
	}
}

// CursorToEnd gives the cursor back to the end of the list, of which no line is opened any more.
func (p *Model) CursorToEnd() { p.cursor, p.opened = 0, false }

// ToFirstChange puts the cursor on the first message that is not sent whole, unless it was moved.
func (p *Model) ToFirstChange() {
	entries := p.Shown().Plan.Entries
	changed := slices.IndexFunc(entries, func(e history.Entry) bool { return !e.Whole || !e.Sent() })
	if p.cursor == 0 && changed >= 0 {
		p.cursor = entries[changed].ID
	}
}

// Move moves the cursor by rows.
func (p *Model) Move(by int) {
	if rows, at := p.lines(); at >= 0 {
		p.cursor = rows[max(0, min(at+by, len(rows)-1))].id()
	}
}

// Click puts the cursor on the line of the list that stands at a line of the panel. A click on the line under the
// cursor opens that, where the panel had the keys.
func (p *Model) Click(y int, focused bool) tea.Cmd {
	rows, at := p.lines()
	line := y - p.list.top + p.list.first
	switch {
	case y < p.list.top || line >= len(rows):
	case line != at:
		p.Move(line - at)
		p.Follow()
	case focused:
		return p.inspect()
	}
	return nil
}

// Update is a key in the panel, or for its dials.
func (p *Model) Update(msg tea.KeyPressMsg) tea.Cmd {
	if p.Whatif != nil {
		return p.dialKey(msg)
	}
	k := &p.Keys
	switch a := k.Action(msg, keymap.InPanel); a {
	case keymap.Inspect:
		return p.inspect()
	case keymap.Earlier:
		return p.step(-1)
	case keymap.Later:
		return p.step(1)
	case keymap.Pin, keymap.Exclude:
		if p.Chosen().Of > 1 {
			return p.Say(k.First(keymap.Inspect) + " shows the messages of this line separately.")
		}
		return p.Do(a)
	case keymap.TakeBack, keymap.Request, keymap.WhatIf, keymap.Repairs, keymap.Help:
		return p.Do(a)
	}
	return p.scroll(msg, k.First(keymap.Help)+" lists the keys.")
}

// scroll is a key that moves the cursor through the list; of another one it says which keys do something.
func (p *Model) scroll(msg tea.KeyPressMsg, others string) tea.Cmd {
	by, ok := p.Keys.Stride(msg, max(1, p.list.end-p.list.first))
	if !ok {
		return p.NoKey(msg, others)
	}
	p.Move(by)
	p.Follow()
	return nil
}

// inspect shows the row under the cursor in full.
func (p *Model) inspect() tea.Cmd {
	switch row := p.Chosen(); {
	case row == Row{}:
		return p.Say("There is nothing to open yet.")
	case row.Of > 1:
		p.opened, p.cursor = true, row.id()
		return nil
	}
	return p.Inspect()
}
