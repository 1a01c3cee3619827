// Package panel shows one request: where its tokens go, what becomes of every message and why, the requests of
// the past, and what other settings would change. It is fed values: plans, windows, prices, records. It asks no
// session and plans nothing itself.
package panel

import (
	"errors"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/ui/event"
	"winnow/ui/theme"
)

// Model shows one request: where its tokens go, and what becomes of every message and why. It is fed
// by the plan or the record of that request alone.
type Model struct {
	Deps
	Around
	event.Queue

	Next Request  // what would leave now, or is leaving
	Past *Request // one that was sent, shown instead; nil for none

	Marked  *Request // one to compare others with, nil for none
	Number  int      // of the newest reading of a request of the past
	reading reading
	slow    bool // the screen says that it is being read

	Whatif *Whatif // other settings that are tried out, shown instead; nil for none
	trials int     // settings that were tried out

	Forecast Forecast // what the requests before tell about the next one

	Doubt   string // why the limit may be wrong, "" where it is known
	Guessed string // that tokens are guessed until the messages are counted, "" where they are

	At    int  // the line under the cursor
	first int  // the line of the list at the top of the box
	Moved bool // the user moved the cursor: until then it stays at the end
	Led   bool // the transcript's cursor moved it

	gists map[gistOf]string // how messages begin, without their secrets
}

// Reset shows another conversation, of which nothing is planned yet.
func (p *Model) Reset(d Deps) {
	if p.Whatif != nil {
		p.Whatif.cancel()
	}
	*p = Model{Deps: d, Around: p.Around, Number: p.Number + 1, trials: p.trials}
}

// Reveal shows what looks like a secret, or hides it, as secrets say.
func (p *Model) Reveal(secrets theme.Secrets) { p.Secrets, p.gists = secrets, nil }

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

// Set takes a new plan of the next request. The cursor stays on its message.
func (p *Model) Set(plan history.Plan, err error) {
	p.Next.Note = ""
	p.Next.Over = 0
	if err != nil {
		p.Next.Note = theme.Sentence(err)
	}
	if over := (*history.OverBudgetError)(nil); errors.As(err, &over) {
		p.Next.Over = over.Need - over.Have
	}
	if err != nil && len(plan.Entries) == 0 {
		return
	}
	on := p.Chosen()
	note, over := p.Next.Note, p.Next.Over
	p.Next = requestOf(plan, p.Text)
	p.Next.Note, p.Next.Over = note, over
	if p.Shown() == &p.Next {
		p.Stay(on)
	}
}

// Open shows a request that was sent; nil goes back to the next one. No other one is waited for any more.
func (p *Model) Open(past *Request) {
	p.Past, p.Moved, p.slow = past, false, false
	p.Stay(row{})
}

// Stay puts the cursor on the message it was on, or at the end where the user never moved it.
func (p *Model) Stay(on row) {
	r := p.Shown().Rows
	switch {
	case !p.Moved:
		p.At = r.Len() - 1
	case on.Entry != nil && on.Entry.Index < len(r.Entries):
		p.At = r.Line(on.Entry.Index)
	}
	p.Move(0)
}

// Judge says how far the limit is to be trusted: a window that nobody said is shown as assumed.
func (p *Model) Judge(w llm.Window) {
	p.Doubt = doubtOf(w)
}

// Contradict says that the window that the user set is larger than the server's, and the key that takes
// the true one.
func (p *Model) Contradict(set llm.Window, actual int, key string) {
	p.Doubt = "the window of " + theme.Thousands(set.Tokens) + " (" + set.Origin() + ") is too large: the server has " + theme.Thousands(actual) + "; " + key + " takes that"
}

// doubtOf says why a limit may be wrong, "" where it is known.
func doubtOf(w llm.Window) string {
	if w.Assumed {
		return "context window unknown; assuming " + theme.Thousands(w.Tokens) + " (/window to set)"
	}
	if w.ByName {
		return "window of " + theme.Thousands(w.Tokens) + " by the model's name (/window to set)"
	}
	return ""
}

// Count says how far the messages are counted, as long as they are not.
func (p *Model) Count(c session.Counting) {
	p.Guessed = ""
	if !c.Done() {
		p.Guessed = "counting " + theme.Thousands(c.Counted) + " of " + theme.Thousands(c.Of) + "; until then tokens are guessed"
	}
}

// Move moves the cursor by lines.
func (p *Model) Move(by int) {
	p.Moved = p.Moved || by != 0
	p.Led = p.Led && by == 0
	p.At = max(0, min(p.At+by, p.Shown().Rows.Len()-1))
}

// Chosen is the line under the cursor.
func (p *Model) Chosen() row { return p.Shown().Rows.Row(p.At) }

// GoTo puts the cursor on the message with this place in the conversation, as long as the user is
// in the transcript.
func (p *Model) GoTo(index int, id int64) {
	if _, ok := p.Shown().Verdict(index, id); ok {
		p.At, p.Moved, p.Led = p.Shown().Rows.Line(index), true, true
	}
}

// ReleaseCursor gives the cursor back to the end of the list, where it was only led.
func (p *Model) ReleaseCursor() {
	if p.Led {
		p.Moved, p.Led = false, false
		p.Stay(row{})
	}
}

// Verdict is the entry of the message with this place in the conversation.
func (r *Request) Verdict(index int, id int64) (history.Entry, bool) {
	if index < 0 || index >= len(r.Plan.Entries) || r.Plan.Entries[index].ID != id {
		return history.Entry{}, false
	}
	return r.Plan.Entries[index], true
}

// Position is how far down the list the cursor is, "" where there is no list.
func (p *Model) Position() string { return theme.OneOf(p.At, p.Shown().Rows.Len()) }

// View draws the panel's lines for a box of w by h cells: what request it is, the sums, the list, and
// the reason for the line under the cursor. What has no room is left out from the lower end of what
// can be missed: first the foot, then the parts of the sum.
func (p *Model) View(st theme.Styles, w, h int, focused bool) []string {
	r := p.Shown()
	if !r.Ready {
		return append([]string{" " + st.Strong.Render(p.Title())}, theme.Indented(st.Muted, r.Missing(), w)...)
	}
	s := p.Slice(st, w, h)
	lines := s.head
	for i := p.first; i < r.Rows.Len() && i < p.first+s.Height; i++ {
		lines = append(lines, p.Line(st, i, w, focused && i == p.At))
	}
	for len(lines)+len(s.foot) < h {
		lines = append(lines, "")
	}
	return append(lines, s.foot...)
}

// slice is the part of the list that a box of w by h cells shows, with the lines above and below it.
type slice struct {
	head, foot []string
	Height     int // how many lines of the list have room
}

// Slice is the part of the list in a box, with the lines above and below it.
func (p *Model) Slice(st theme.Styles, w, h int) slice {
	s := slice{head: p.head(st, w, h), foot: p.foot(st, w)}
	if h < len(s.head)+len(s.foot)+leastRows {
		s.foot = nil
	}
	s.Height = max(0, h-len(s.head)-len(s.foot))
	// No further than the cursor takes it: a second click on a line must find it where it was.
	p.first = max(p.At-s.Height+1, min(p.first, p.At))
	p.first = max(0, min(p.first, p.Shown().Rows.Len()-s.Height))
	return s
}

// LineAt is the line of the list that was clicked at.
func (p *Model) LineAt(msg Click) (int, bool) {
	if !p.Shown().Ready {
		return 0, false
	}
	s, y := p.Slice(msg.Styles, msg.W, msg.H), msg.Y
	i := y - len(s.head) + p.first
	return i, y >= len(s.head) && y < len(s.head)+s.Height && i < p.Shown().Rows.Len()
}

// leastRows is how much of the list the foot leaves.
const leastRows = 3
