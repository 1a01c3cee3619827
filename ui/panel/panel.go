// Package panel shows one request: how many tokens its parts take, which messages it sends and why, earlier requests,
// and what other settings would change (What-if). It plans nothing except What-if trials, and stores nothing.
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

// Model is the panel. It shows the next request, a past one, or a What-if trial.
type Model struct {
	*app.Context
	Hooks

	Next   Request  // the request that would be sent now, or is being sent
	Past   *Request // a sent request that is shown instead; nil for none
	Whatif *Whatif  // a trial that is shown instead; nil for none

	Forecast      record.Forecast // what earlier requests predict about the next one
	Window        llm.Window      // of the model in use
	windowProblem string          // a sentence if the configured window is too large, else ""

	Focused  bool  // the panel has the focus
	cursor   int64 // id of the row under the cursor; an unknown id means the last row
	expanded bool  // each message has its own row

	reads   app.Latest         // of past requests
	reading bool               // a past request is being read
	list    list               // as last drawn
	gists   map[gistKey]string // cache of the beginnings of messages, redacted
}

// Hooks are what the panel asks of its parent.
type Hooks struct {
	Message         func(id int64) (store.Message, bool)
	Gist            func(store.Message) string // the beginning of a message
	VisibleMessages func() (first, end int)    // half-open range of the messages that the transcript shows
	ListedModels    func() []llm.Model         // the models that the endpoints listed, nil if not asked yet

	RequestShown  func() tea.Cmd                         // called when another request is shown
	CursorMoved   func()                                 // called when the user moved the cursor
	Inspect       func() tea.Cmd                         // opens the inspector for the row under the cursor
	ListModels    func() tea.Cmd                         // asks the endpoints for their models
	LeaveWhatif   func() tea.Cmd                         // closes What-if
	ApplySettings func(session.Settings, string) tea.Cmd // applies settings to the chat and shows a notice
}

// ShownRequest returns the request that the panel shows.
func (p *Model) ShownRequest() *Request {
	switch {
	case p.Whatif != nil:
		return &p.Whatif.Request
	case p.Past != nil:
		return p.Past
	}
	return &p.Next
}

// SetPlan sets the plan of the next request, or the error of planning it.
func (p *Model) SetPlan(plan history.Plan, err error) { p.Next.setPlan(plan, err) }

// RefreshCosts updates the estimated cost of the next request, the limit that it would exceed, and the window.
func (p *Model) RefreshCosts() {
	s, next := p.Session, &p.Next
	model := s.Model()
	next.InputCost = model.InputCost(next.Plan.Sum)
	next.ExceededLimit = s.ExceededLimits(next.Plan).Short()
	next.SpentText = s.State().Spending.Session.CostSum.Sentence()
	p.Window, p.windowProblem = model.Window(), ""
	if actual, ok := model.ActualWindow(); ok {
		p.windowProblem = "The configured window is too large: the server has " + theme.Thousands(actual) + ". " +
			"/window auto uses that."
	}
}

// ShowPast shows a sent request, or the next one for nil. It cancels the reading of any other.
func (p *Model) ShowPast(past *Request) tea.Cmd {
	p.reads++
	p.reading, p.Past = false, past
	p.CursorToEnd()
	return p.Hooks.RequestShown()
}

// ShowNext goes back to the next request if a past one is shown.
func (p *Model) ShowNext() tea.Cmd {
	if p.Past == nil {
		return nil
	}
	return p.ShowPast(nil)
}

// lines returns the rows of the list and the index of the one under the cursor. With the focus, a request that sends
// everything whole has a row for each message.
func (p *Model) lines() (rows []Row, at int) {
	r := p.ShownRequest()
	rows = r.rows(p.expanded || p.Focused && r.AllWhole())
	e, found := r.Plan.EntryByID(p.cursor)
	at = slices.IndexFunc(rows, func(row Row) bool { return row.id() == p.cursor || found && row.has(e.Index) })
	if at < 0 {
		at = len(rows) - 1
	}
	return rows, at
}

// SelectedRow returns the row under the cursor; its Entry is the message under the cursor. It is the zero Row if there
// are none.
func (p *Model) SelectedRow() Row {
	rows, at := p.lines()
	if at < 0 {
		return Row{}
	}
	row := rows[at]
	if e, ok := p.ShownRequest().Plan.EntryByID(p.cursor); ok {
		row.Entry = &e
	}
	return row
}

// GoTo moves the cursor to a message if the request has it.
func (p *Model) GoTo(message int64) {
	if _, ok := p.ShownRequest().Plan.EntryByID(message); ok {
		p.cursor = message
	}
}

// CursorToEnd moves the cursor to the last row, where it stays as the list grows, and groups messages again.
func (p *Model) CursorToEnd() { p.cursor, p.expanded = 0, false }

// GoToFirstChange moves the cursor to the first message that is not sent whole, unless the user has moved it.
func (p *Model) GoToFirstChange() {
	entries := p.ShownRequest().Plan.Entries
	changed := slices.IndexFunc(entries, func(e history.Entry) bool { return !e.Whole || !e.Sent() })
	if p.cursor == 0 && changed >= 0 {
		p.cursor = entries[changed].ID
	}
}

// MoveCursor moves the cursor by so many rows.
func (p *Model) MoveCursor(by int) {
	if rows, at := p.lines(); at >= 0 {
		p.cursor = rows[max(0, min(at+by, len(rows)-1))].id()
	}
}

// Click moves the cursor to the row at line y of the panel. A click on the row under the cursor opens it, if the panel
// already had the focus.
func (p *Model) Click(y int, focused bool) tea.Cmd {
	rows, at := p.lines()
	line := y - p.list.top + p.list.first
	switch {
	case y < p.list.top || line >= len(rows):
	case line != at:
		p.MoveCursor(line - at)
		p.CursorMoved()
	case focused:
		return p.inspect()
	}
	return nil
}

// Update handles a key in the panel or in What-if.
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
		if p.SelectedRow().Count > 1 {
			return p.Say(k.First(keymap.Inspect) + " shows the messages of this line separately.")
		}
		return p.Do(a)
	case keymap.TakeBack, keymap.Request, keymap.WhatIf, keymap.Repairs, keymap.Help:
		return p.Do(a)
	}
	return p.scroll(msg, k.First(keymap.Help)+" lists the keys.")
}

// scroll handles a key that moves the cursor. For other keys it shows a notice that ends with others.
func (p *Model) scroll(msg tea.KeyPressMsg, others string) tea.Cmd {
	by, ok := p.Keys.Stride(msg, max(1, p.list.end-p.list.first))
	if !ok {
		return p.NoKey(msg, others)
	}
	p.MoveCursor(by)
	p.CursorMoved()
	return nil
}

// inspect opens the row under the cursor: a group row by row, a message or added text in the inspector.
func (p *Model) inspect() tea.Cmd {
	switch row := p.SelectedRow(); {
	case row == Row{}:
		return p.Say("There is nothing to open yet.")
	case row.Count > 1:
		p.expanded, p.cursor = true, row.id()
		return nil
	}
	return p.Inspect()
}
