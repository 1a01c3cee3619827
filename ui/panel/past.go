package panel

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// slowTime is how long a request of the past is read before the screen says so. In a conversation of a
// hundred thousand messages it takes seconds.
const slowTime = 150 * time.Millisecond

// reading is the reading of a request of the past. One is read at a time: of a long conversation each takes
// a while, and a key that is held down would ask for many at once.
type reading struct {
	busy bool
	step bool // it goes from request to request
	owed int  // steps asked for meanwhile, those forth less those back
}

// load asks for a request of the past. Of several the last is answered.
func (p *Model) load(l Load) tea.Cmd {
	p.Number++
	l.Number = p.Number
	p.reading = reading{busy: true, step: l.Request == 0}
	p.Emit(l)
	return tea.Tick(slowTime, func(time.Time) tea.Msg { return SlowMsg{l.Number} })
}

// Reading says that a request of the past is being read.
func (p *Model) Reading() bool { return p.reading.busy }

// loaded shows what was found.
func (p *Model) loaded(msg LoadedMsg) tea.Cmd {
	if msg.Number != p.Number {
		return nil
	}
	owed, backwards := p.reading.owed, msg.By < 0
	p.reading, p.slow = reading{}, false
	switch {
	case msg.Err != nil:
		return p.SayError(theme.Sentence(msg.Err))
	case msg.Request == nil && (backwards && owed > 0 || !backwards && owed < 0):
		return p.step(owed)
	case msg.Request == nil && backwards:
		return p.Say("There is no earlier request.")
	case msg.Request == nil:
		p.Open(nil)
		return p.Emit(Shown{})
	}
	p.Open(msg.Request)
	p.Emit(Shown{})
	if owed != 0 {
		return p.step(owed)
	}
	return nil
}

// step shows the request so many steps before the one on show, or after it. Steps that are asked for while one
// is being read are made as one step when it is shown.
func (p *Model) step(by int) tea.Cmd {
	if p.reading.step {
		p.reading.owed += by
		return nil
	}
	if p.Past == nil && by > 0 {
		return p.Say("This is the next request: what the model would see now.")
	}
	l := Load{Turn: p.Turns + 1, Nth: 1, By: by}
	if p.Past != nil {
		l.Turn, l.Nth = p.Past.Past.Request.Turn, p.Past.Past.Nth
	}
	return p.load(l)
}

// toNext goes back to the next request. What is being read comes too late.
func (p *Model) toNext() {
	p.Number++
	p.reading = reading{}
	p.Open(nil)
}

// compare marks the request on show, or has it compared with the one that is marked.
func (p *Model) compare() tea.Cmd {
	k, r := &p.Keys, p.Shown()
	switch marked := p.Marked; {
	case !r.Ready:
		return p.Say(r.Missing())
	case marked == nil:
		kept := *r
		p.Marked = &kept
		return p.Say("Marked: " + p.Name(r) + ". Select another request with " + k.First(keymap.Earlier) + " and " +
			k.First(keymap.Later) +
			", then " + k.First(keymap.Compare) + " shows what changed between the two.")
	case !marked.Before(r) && !r.Before(marked):
		p.Marked = nil
		return p.Say("Mark removed from " + p.Name(r) + ".")
	default:
		shown := *r
		before, after := marked, &shown
		if after.Before(before) {
			before, after = after, before
		}
		p.Marked = nil
		p.toNext()
		if after.Past != nil {
			p.Open(after)
		}
		return p.Emit(Compared{before})
	}
}

// Left says that the next request leaves, or is another one: it is not the one that was marked.
func (p *Model) Left() {
	if p.Marked != nil && p.Marked.Past == nil {
		p.Marked = nil
	}
}

// Before says whether a request was sent before another one; the next one is the last.
func (r *Request) Before(other *Request) bool {
	if r.Past == nil || other.Past == nil {
		return r.Past != nil
	}
	return r.Past.Request.ID < other.Past.Request.ID
}

// Name is what a request is called.
func (p *Model) Name(r *Request) string {
	switch {
	case r.Past != nil:
		return TurnName(r.Past.Recorded)
	case p.Busy:
		return "this request"
	}
	return "next request"
}

// heading is the title of the panel.
func (p *Model) heading() string {
	switch {
	case p.slow:
		return "Reading a past request…"
	case p.Past == nil:
		return theme.UpperFirst(p.Name(p.Shown()))
	case p.Past.Past.Proven:
		return theme.UpperFirst(p.Name(p.Past)) + " · as it was sent"
	}
	return theme.UpperFirst(p.Name(p.Past)) + " · as recorded"
}

// State says in a few words what is next, for the end of the line with the hints; "" for nothing.
func (p *Model) State() string {
	if p.Past != nil || p.Whatif != nil || !p.Next.tight() {
		return ""
	}
	if next := numbered(p.Next.Plan.Next, 2); next != "" {
		return "next out " + next
	}
	return ""
}
