// Package panel shows one request: where its tokens go, what becomes of every message and why, the requests of
// the past, and what other settings would change. It is fed values: plans, windows, prices, records. It asks no
// session and plans nothing itself.
package panel

import (
	"errors"
	"slices"

	"winnow/history"
	"winnow/llm"
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

	assumed string // why the limit may be wrong, "" where it is known
	unknown bool   // nobody says how large the window is
	wrong   string // that the limit is wrong, and what to do, "" where it is not

	At       int  // the place under the cursor
	opened   bool // the user had the run of messages that the cursor is in shown message by message
	unfolded bool // the panel has the keys: where everything is whole, it is shown message by message
	Moved    bool // the user moved the cursor: until then it stays at the end
	Led      bool // the transcript's cursor moved it
	list     list // the part of the list that was drawn last

	gists map[gistOf]string // how messages begin, without their secrets

	drawn pane
}

// Reset shows another conversation, of which nothing is planned yet.
func (p *Model) Reset(d Deps) {
	if p.Whatif != nil {
		p.Whatif.cancel()
	}
	*p = Model{Deps: d, Around: p.Around, Number: p.Number + 1, trials: p.trials}
}

// Reveal shows what looks like a secret, or hides it, as secrets say.
func (p *Model) Reveal(secrets theme.Secrets) {
	p.Secrets, p.gists = secrets, nil
	p.Changed()
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

// Set takes a new plan of the next request. The cursor stays on its message.
func (p *Model) Set(plan history.Plan, err error) {
	p.Changed()
	note, tooMany := "", 0
	if err != nil {
		note = theme.Sentence(err)
	}
	if over := (*history.OverBudgetError)(nil); errors.As(err, &over) {
		tooMany = over.Need - over.Have
	}
	if err == nil || len(plan.Entries) > 0 {
		on := p.Chosen()
		p.Next = requestOf(plan, p.said)
		if p.Shown() == &p.Next {
			p.Stay(on)
		}
	}
	p.Next.Note, p.Next.Over = note, tooMany
}

// Open shows a request that was sent; nil goes back to the next one. No other one is waited for any more.
func (p *Model) Open(past *Request) {
	p.Changed()
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
		p.At = r.Place(on.Entry.Index)
	}
	p.stand(p.At)
}

// ToFirstChange puts the cursor on the first message that is not sent whole, at the top of what the list shows, unless
// the user has moved it.
func (p *Model) ToFirstChange() {
	if p.Moved {
		return
	}
	first := slices.IndexFunc(p.Shown().Plan.Entries, func(e history.Entry) bool { return !e.Whole || !e.Sent() })
	if first >= 0 {
		p.jump(first)
	}
}

// jump puts the cursor on the message with an index, and the list where its line is the first below the one above it.
func (p *Model) jump(index int) {
	r := p.Shown().Rows
	p.stand(r.Place(index))
	p.list.first = max(0, r.lineOf(p.At, p.open())-1)
}

// Judge says how far the limit is to be trusted: a window that nobody said is shown as assumed.
func (p *Model) Judge(w llm.Window) {
	p.Changed()
	p.assumed, p.unknown, p.wrong = doubtOf(w), w.Assumed, ""
}

// Assumed says that a window is assumed, "" where somebody says how large it is.
func (p *Model) Assumed() string {
	if !p.unknown {
		return ""
	}
	return p.assumed
}

// Contradict says that the window that the user set is larger than the server's, and the key that takes
// the true one.
func (p *Model) Contradict(set llm.Window, actual int, key string) {
	p.Changed()
	p.wrong = "The window of " + theme.Thousands(set.Tokens) + " (" + set.Origin() + ") is too large: the server has " +
		theme.Thousands(actual) + ". " + key + " uses that."
}

// doubtOf says why a limit may be wrong, "" where it is known.
func doubtOf(w llm.Window) string {
	if w.Assumed {
		return "Context window unknown; assuming " + theme.Thousands(w.Tokens) + " (/window to set)"
	}
	if w.ByName {
		return "Window of " + theme.Thousands(w.Tokens) + " by the model's name (/window to set)"
	}
	return ""
}

// open is the run that is shown message by message, -1 for none.
func (p *Model) open() int {
	if !p.isOpen() {
		return -1
	}
	return p.Shown().Rows.runAt(p.At)
}

// Unfold shows a request in which everything is whole message by message, as long as the panel has the keys.
func (p *Model) Unfold(focused bool) {
	p.Changed()
	p.unfolded = focused
}

// isOpen says that the run that the cursor is in is shown message by message.
func (p *Model) isOpen() bool { return p.opened || p.unfolded && p.Shown().Whole() }

// stand puts the cursor on a place. A run that it leaves is one line again.
func (p *Model) stand(place int) {
	p.Changed()
	r := p.Shown().Rows
	was := p.open()
	p.At = max(0, min(place, r.Len()-1))
	p.opened = p.opened && was >= 0 && r.runAt(p.At) == was
}

// Move moves the cursor by lines.
func (p *Model) Move(by int) {
	p.Moved = p.Moved || by != 0
	p.Led = p.Led && by == 0
	r, opened := p.Shown().Rows, p.open()
	line := max(0, min(r.lineOf(p.At, opened)+by, r.lines(opened)-1))
	place, folded := r.placeOf(line, opened)
	switch {
	case by == 0:
		place = p.At
	case by == -1 && folded >= 0:
		place = r.runs[folded].to - 1 // The message that is next to where the cursor came from.
	}
	p.stand(place)
}

// Put puts the cursor on a place, as the user wants it.
func (p *Model) Put(place int) {
	p.stand(place)
	p.Moved, p.Led = true, false
}

// Folded is the run of messages that the line under the cursor stands for, and false where it stands for one.
func (p *Model) Folded() (first, last int, is bool) {
	r := p.Shown().Rows
	k := r.runAt(p.At)
	if k < 0 || p.isOpen() {
		return 0, 0, false
	}
	return r.entriesBefore(r.runs[k].from), r.entriesBefore(r.runs[k].to) - 1, true
}

// Chosen is what is under the cursor. Of a line that stands for several messages it is one of them.
func (p *Model) Chosen() row { return p.Shown().Rows.Row(p.At) }

// GoTo puts the cursor on the message with this place in the conversation, as long as the user is
// in the transcript.
func (p *Model) GoTo(index int, id int64) {
	if _, ok := p.Shown().Verdict(index, id); ok {
		p.stand(p.Shown().Rows.Place(index))
		p.Moved, p.Led = true, true
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
