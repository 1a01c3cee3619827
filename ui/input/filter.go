// Package input reads what the terminal sends. It reads before Bubble Tea's reader, which takes
// a paste apart as if it were typed: there, an escape string that a pasted text opens swallows the end
// of the paste, and every key after it. Filter decides what is typed and what is pasted, Reader reads
// a terminal through it. The package handles no keys but ctrl+c, and does not draw.
package input

import (
	"bytes"
	"time"
)

// How long a silence decides something.
const (
	burstTime   = 20 * time.Millisecond  // what arrives within it may be one paste
	escapeTime  = 50 * time.Millisecond  // an escape sequence does not go on
	settleTime  = 100 * time.Millisecond // a paste without markers is over
	pauseTime   = 200 * time.Millisecond // a paste without its end marker is over
	literalTime = time.Second            // and so is what may still belong to it
)

// What makes a paste of a burst, and bounds what is held back.
const (
	burstBytes = 200
	burstLines = 2
	fewLetters = 8        // letters that are read at once and are typed
	maxHeld    = 1 << 10  // bytes that may turn out to be typed
	maxPaste   = 16 << 20 // bytes of one paste; a longer one arrives as several
)

const (
	startMarker = "\x1b[200~"
	endMarker   = "\x1b[201~"
	interrupt   = "\x03"
)

// interrupts are ctrl+c as terminals send it: plain, in Kitty's protocol with the lock keys on and off,
// and as xterm's modifyOtherKeys has it.
var interrupts = []string{
	interrupt, "\x1b[99;5u", "\x1b[99;69u", "\x1b[99;133u", "\x1b[99;197u", "\x1b[99;5:1u", "\x1b[27;5;99~",
}

// Event is a piece of input: keys as a terminal sends them, or a pasted text.
type Event struct {
	Paste bool
	Data  []byte
}

// mode is what the next byte is.
type mode int

const (
	typed     mode = iota // a key, unless a burst says otherwise
	bracketed             // between the start and the end marker of a paste
	ended                 // right behind an end marker, which the pasted text may hold itself
	burst                 // of a paste without markers
	literal               // after a paste whose end marker did not come in time: maybe still of it
)

// Filter is a state machine that separates what is typed from what is pasted. It reads no clock and does no
// I/O. Its zero value is ready.
//
// A bracketed paste ends at its end marker whatever is inside, and after a pause without one. Then the
// input stays literal, so that nothing in the rest of the paste acts as a key. Without markers, 200
// bytes or two line ends within 20 ms are a paste. Ctrl+c is a key wherever silence follows it.
type Filter struct {
	mode   mode
	held   []byte    // arrived and not decided, or the paste so far
	since  time.Time // the first byte of held came
	last   time.Time // the last byte came
	recent []typedAt // typed bytes that were passed on within burstTime
}

// typedAt is a number of bytes of typed text and when they came.
type typedAt struct {
	at time.Time
	n  int
}

// Feed takes bytes that have arrived and returns what is decided. Time passes by Silence: bytes that are
// fed late, because the machine is busy, still belong to those before them.
func (f *Filter) Feed(p []byte, now time.Time) []Event {
	if len(p) == 0 {
		return nil
	}
	if f.mode == literal && len(f.held) == 0 && now.Sub(f.last) >= literalTime {
		f.mode = typed
	}
	if len(f.held) == 0 {
		f.since = now
	}
	f.last = now
	scanned := max(0, len(f.held)-len(endMarker)+1)
	f.held = append(f.held, p...)
	return f.advance(scanned)
}

// Wait returns for how long nothing may arrive from now on before Silence is to be called; false if
// nothing is undecided.
func (f *Filter) Wait(now time.Time) (time.Duration, bool) {
	var due time.Time
	switch {
	case f.mode == ended:
		due = f.last.Add(burstTime)
	case len(f.held) == 0:
		return 0, false
	case f.mode == typed && f.unfinished():
		if f.held[0] != 0x1b {
			return 0, false // the next byte says what the beginning of a character was
		}
		due = f.last.Add(escapeTime)
	case f.mode == typed:
		due = f.since.Add(burstTime)
	case f.mode == literal:
		due = f.last.Add(burstTime)
	case interruptAtEnd(f.held) > 0:
		due = f.last.Add(escapeTime)
	case f.mode == burst:
		due = f.last.Add(settleTime)
	default:
		due = f.last.Add(pauseTime)
	}
	return max(0, due.Sub(now)), true
}

// unfinished reports whether all that is held is the beginning of a character or an escape sequence.
func (f *Filter) unfinished() bool { return next(f.held).kind == unfinishedToken }

// Silence says that nothing has arrived for as long as Wait said, and returns what that decides.
func (f *Filter) Silence(now time.Time) []Event {
	if wait, waiting := f.Wait(now); !waiting || wait > 0 {
		return nil
	}
	switch f.mode {
	case ended:
		f.mode = typed
		return f.advance(0)
	case burst:
		events := f.paste(f.take(len(f.held)), true)
		f.mode = typed
		return events
	case bracketed, literal:
		events := f.paste(f.take(len(f.held)), true)
		f.mode = literal
		return events
	}
	if f.unfinished() {
		return keys(abandoned(f.take(len(f.held))))
	}
	return f.release()
}

// advance decides what can be decided. The bytes before scanned are known to hold no marker.
func (f *Filter) advance(scanned int) []Event {
	var events []Event
	for more := true; more; scanned = 0 {
		var some []Event
		switch f.mode {
		case typed:
			some, more = f.advanceTyped()
		case ended:
			some, more = f.advanceEnded(scanned)
		default:
			some, more = f.advancePaste(scanned)
		}
		events = append(events, some...)
	}
	return events
}

// advanceTyped passes single keys on at once, and a few letters that are read together: a busy program, a slow
// connection and an input method bring them so, and letters do no harm where they begin a paste. More text, line ends
// and control characters among letters wait, because they may be the beginning of one.
func (f *Filter) advanceTyped() (events []Event, more bool) {
	characters, controls, lines, size, sequences := 0, 0, 0, f.recently(), 0
	at := 0
scan:
	for at < len(f.held) {
		switch t := next(f.held[at:]); t.kind {
		case endToken: // of a paste whose beginning was not seen
			f.mode = literal
			return nil, true
		case startToken:
			events = f.releaseUpTo(at)
			f.take(t.size)
			f.begin(bracketed)
			return events, true
		case unfinishedToken:
			break scan
		case textToken:
			characters++
			if f.held[at] < ' ' {
				controls++
			}
			size += t.size
			at += t.size
		case lineToken:
			lines++
			size += t.size
			at += t.size
		case garbageToken:
			size += t.size
			fallthrough
		default:
			sequences++
			at += t.size
		}
		if lines >= burstLines || size >= burstBytes || lines > 0 && at > maxHeld {
			f.mode = burst
			return nil, true
		}
	}
	few := characters == 1 || characters <= fewLetters && controls == 0
	if at > maxHeld || lines == 0 && (characters == 0 || few && sequences == 0 && at == len(f.held)) {
		return f.releaseUpTo(at), false
	}
	return nil, false
}

// recently is how many bytes of text were passed on as typed within burstTime.
func (f *Filter) recently() int {
	n := 0
	for len(f.recent) > 0 && f.last.Sub(f.recent[0].at) >= burstTime {
		f.recent = f.recent[1:]
	}
	for _, r := range f.recent {
		n += r.n
	}
	return n
}

// release passes on what is held as keys, but not the beginning of a character or a sequence.
func (f *Filter) release() []Event {
	at := 0
	for at < len(f.held) {
		t := next(f.held[at:])
		if t.kind == unfinishedToken {
			break
		}
		at += t.size
	}
	return f.releaseUpTo(at)
}

// releaseUpTo passes on the first n bytes of what is held as keys.
func (f *Filter) releaseUpTo(n int) []Event {
	var out []byte
	text, escapes := 0, 0
	for p := f.take(n); len(p) > 0; {
		t := next(p)
		switch t.kind {
		case textToken:
			text += t.size
			out = append(out, p[:t.size]...)
		case lineToken:
			text += t.size
			out = append(out, p[0]) // the line feed behind a carriage return is no key of its own
		case sequenceToken:
			out = append(out, p[:t.size]...)
		case escapeToken:
			if escapes++; escapes <= 2 {
				out = append(out, escapeKey...)
			}
		}
		if t.kind != escapeToken {
			escapes = 0
		}
		p = p[t.size:]
	}
	if text > 0 {
		f.recent = append(f.recent, typedAt{f.last, text})
	}
	f.since = f.last
	return keys(out)
}

// advancePaste looks for the marker that ends or begins a paste. What the terminal itself says amid an
// unmarked paste is passed on.
func (f *Filter) advancePaste(scanned int) (events []Event, more bool) {
	end := indexFrom(f.held, endMarker, scanned)
	start := -1
	if f.mode != bracketed {
		start = indexFrom(f.held, startMarker, scanned)
	}
	switch {
	case start >= 0 && (end < 0 || start < end):
		events = f.paste(f.take(start), false)
		f.take(len(startMarker))
		f.begin(bracketed)
		return events, true
	case end >= 0:
		pasted := f.take(end)
		f.take(len(endMarker))
		if f.mode == bracketed || len(pasted) > 0 {
			events = f.paste(pasted, false)
		}
		f.begin(ended)
		return events, true
	case len(f.held) > maxPaste:
		return f.paste(f.take(len(f.held)), false), false
	}
	return nil, false
}

// advanceEnded looks for another end marker: then the first was a part of the pasted text, and so is
// what is between them.
func (f *Filter) advanceEnded(scanned int) (events []Event, more bool) {
	end, start := indexFrom(f.held, endMarker, scanned), indexFrom(f.held, startMarker, scanned)
	switch {
	case end >= 0 && (start < 0 || end < start):
		pasted := f.take(end)
		f.take(len(endMarker))
		return f.paste(pasted, false), true
	case start >= 0:
		f.mode = typed
		return nil, true
	case len(f.held) >= burstBytes:
		f.mode = burst
		return nil, true
	}
	return nil, false
}

func (f *Filter) begin(m mode) {
	f.mode = m
	f.since = f.last
}

// take removes the first n bytes of what is held and returns them.
func (f *Filter) take(n int) []byte {
	p := f.held[:n:n]
	f.held = f.held[n:]
	if len(f.held) == 0 {
		f.held = nil
	}
	return p
}

// paste is a pasted text. Where silence follows it, ctrl+c at its end is the key.
func (f *Filter) paste(p []byte, silence bool) []Event {
	var events []Event
	pressed := 0
	for n := interruptAtEnd(p); silence && n > 0; n = interruptAtEnd(p) {
		p = p[:len(p)-n]
		pressed++
	}
	if f.mode != bracketed { // nothing says that all of it was pasted
		var answers []byte
		if p, answers = reports(p); len(answers) > 0 {
			events = append(events, Event{Data: answers})
		}
	}
	if len(p) > 0 || f.mode == bracketed {
		events = append(events, Event{Paste: true, Data: bytes.ToValidUTF8(p, []byte("\uFFFD"))})
	}
	return append(events, keys(bytes.Repeat([]byte(interrupt), min(pressed, 3)))...)
}

func keys(p []byte) []Event {
	if len(p) == 0 {
		return nil
	}
	return []Event{{Data: p}}
}

// interruptAtEnd is the length of the ctrl+c that p ends with, 0 for none.
func interruptAtEnd(p []byte) int {
	for _, key := range interrupts {
		if bytes.HasSuffix(p, []byte(key)) {
			return len(key)
		}
	}
	return 0
}

func indexFrom(p []byte, marker string, from int) int {
	i := bytes.Index(p[min(from, len(p)):], []byte(marker))
	if i < 0 {
		return -1
	}
	return from + i
}
