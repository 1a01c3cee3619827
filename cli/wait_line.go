//go:build cgo

package cli

import (
	"fmt"
	"io"
	"time"
)

// waitShown is how long a model may be silent before a terminal says that winnow waits.
const waitShown = 3 * time.Second

// waitLine is the line on a terminal that says how long a model has sent nothing. It is taken away before
// anything else is written. The zero waitLine, without ticks, shows nothing.
type waitLine struct {
	out   io.Writer
	ticks <-chan time.Time

	model string // that was asked; "" where nothing is waited for
	since time.Time
	shown bool
}

// begin waits for a model from the next tick on.
func (l *waitLine) begin(model string) {
	l.end()
	l.model = model
}

// tick shows how long it has been.
func (l *waitLine) tick(now time.Time) {
	if l.model == "" {
		return
	}
	if l.since.IsZero() {
		l.since = now
	}
	if waited := now.Sub(l.since); waited >= waitShown {
		fmt.Fprintf(l.out, "\r\x1b[Kwinnow: waiting for %s, %d s; ctrl+c stops", l.model, int(waited.Seconds()))
		l.shown = true
	}
}

// clear takes the line away; the next tick shows it again.
func (l *waitLine) clear() {
	if l.shown {
		io.WriteString(l.out, "\r\x1b[K")
		l.shown = false
	}
}

// end takes the line away for good: something came.
func (l *waitLine) end() {
	l.clear()
	l.model, l.since = "", time.Time{}
}
