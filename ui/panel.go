package ui

import (
	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/ui/theme"
)

// panel shows one request: where its tokens go, and what becomes of every message and why. It is fed
// by the plan or the record of that request alone.
type panel struct {
	next request  // what would leave now, or is leaving
	past *request // one that was sent, shown instead; nil for none

	looking bool // another one that was sent is still being read

	whatif *whatif // other settings that are tried out, shown instead; nil for none

	outlook outlook // what the requests before tell about the next one

	doubt   string // why the limit may be wrong, "" where it is known
	guessed string // that tokens are guessed until the messages are counted, "" where they are

	at    int  // the line under the cursor
	first int  // the line of the list at the top of the box
	moved bool // the user moved the cursor: until then it stays at the end
	led   bool // the transcript's cursor moved it

	price func(history.Entry) string // what each act by hand would cost
	holds func(int64) bool           // a message is selected

	secrets theme.Secrets
	gists   map[gistOf]string // how messages begin, without their secrets
}

// shown is the request that the panel shows.
func (p *panel) shown() *request {
	switch {
	case p.whatif != nil:
		return &p.whatif.request
	case p.past != nil:
		return p.past
	}
	return &p.next
}

// set takes a new plan of the next request. The cursor stays on its message.
func (p *panel) set(plan history.Plan, err error, texts func(int64) string) {
	p.next.note = ""
	if err != nil {
		p.next.note = theme.Sentence(err)
	}
	if err != nil && len(plan.Entries) == 0 {
		return
	}
	on := p.chosen()
	note := p.next.note
	p.next = requestOf(plan, texts)
	p.next.note = note
	if p.shown() == &p.next {
		p.stay(on)
	}
}

// open shows a request that was sent; nil goes back to the next one. No other is looked for any more.
func (p *panel) open(past *request) {
	p.past, p.moved, p.looking = past, false, false
	p.stay(row{})
}

// stay puts the cursor on the message it was on, or at the end where the user never moved it.
func (p *panel) stay(on row) {
	r := p.shown().rows
	switch {
	case !p.moved:
		p.at = r.len() - 1
	case on.entry != nil && on.entry.Index < len(r.entries):
		p.at = r.line(on.entry.Index)
	}
	p.move(0)
}

// judge says how far the limit is to be trusted: a window that nobody said is shown as assumed.
func (p *panel) judge(w llm.Window) {
	p.doubt = doubtOf(w)
}

// contradict says that the window that the user set is larger than the server's, and the key that takes
// the true one.
func (p *panel) contradict(set llm.Window, actual int, key string) {
	p.doubt = "the window of " + theme.Thousands(set.Tokens) + " (" + set.Origin() + ") is too large: the server has " + theme.Thousands(actual) + "; " + key + " takes that"
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

// count says how far the messages are counted, as long as they are not.
func (p *panel) count(c session.Counting) {
	p.guessed = ""
	if !c.Done() {
		p.guessed = "counting " + theme.Thousands(c.Counted) + " of " + theme.Thousands(c.Of) + "; until then tokens are guessed"
	}
}

// move moves the cursor by lines.
func (p *panel) move(by int) {
	p.moved = p.moved || by != 0
	p.led = p.led && by == 0
	p.at = max(0, min(p.at+by, p.shown().rows.len()-1))
}

// chosen is the line under the cursor.
func (p *panel) chosen() row { return p.shown().rows.row(p.at) }

// place is how far down the list the cursor is, "" where there is no list.
func (p *panel) place() string {
	n := p.shown().rows.len()
	if n == 0 {
		return ""
	}
	return theme.Thousands(p.at+1) + "/" + theme.Thousands(n)
}

// view draws the panel's lines for a box of w by h cells: what request it is, the sums, the list, and
// the reason for the line under the cursor. What has no room is left out from the lower end of what
// can be missed: first the foot, then the parts of the sum.
func (p *panel) view(st theme.Styles, w, h int, focused bool) []string {
	r := p.shown()
	if !r.ready {
		note := r.note
		if note == "" {
			note = "The plan appears with the first message."
		}
		return theme.Indented(st.Dim, note, w)
	}
	s := p.slice(st, w, h)
	lines := s.head
	for i := s.first; i < r.rows.len() && i < s.first+s.room; i++ {
		lines = append(lines, p.line(st, i, w, focused && i == p.at))
	}
	for len(lines)+len(s.foot) < h {
		lines = append(lines, "")
	}
	return append(lines, s.foot...)
}

// slice is the part of the list that a box of w by h cells shows, with what stands around it.
type slice struct {
	head, foot  []string
	first, room int // the first line of the list in the box, and how many have room
}

func (p *panel) slice(st theme.Styles, w, h int) slice {
	s := slice{head: p.head(st, w, h), foot: p.foot(st, w)}
	if h < len(s.head)+len(s.foot)+leastRows {
		s.foot = nil
	}
	s.room = max(0, h-len(s.head)-len(s.foot))
	// No further than the cursor takes it: a second click on a line must find it where it was.
	p.first = max(p.at-s.room+1, min(p.first, p.at))
	p.first = max(0, min(p.first, p.shown().rows.len()-s.room))
	s.first = p.first
	return s
}

// lineAt is the line of the list that stands at line y of a box of w by h cells.
func (p *panel) lineAt(st theme.Styles, w, h, y int) (int, bool) {
	if !p.shown().ready {
		return 0, false
	}
	s := p.slice(st, w, h)
	i := y - len(s.head) + s.first
	return i, y >= len(s.head) && y < len(s.head)+s.room && i < p.shown().rows.len()
}

// leastRows is how much of the list the foot leaves.
const leastRows = 3
