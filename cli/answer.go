//go:build cgo

package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"winnow/cli/report"
	"winnow/llm"
	"winnow/session"
	"winnow/session/limits"
	"winnow/ui/markdown"
)

// answerWriter writes the events of a turn to standard output and standard error.
type answerWriter struct {
	out, err io.Writer
	json     bool // collect the text for one object at the end
	quiet    bool // nothing but the answer and errors

	// What a stored session is called on the command line, "" for one that is not stored.
	named func(session string) string

	wait  waitLine
	wrote bool // something stands on the current line
	turn  report.Turn
}

// follow writes until the turn is over and returns how it ended.
func (w *answerWriter) follow(events <-chan session.Event) error {
	var end error
	for open := true; open; {
		var event session.Event
		select {
		case now := <-w.wait.ticks:
			w.wait.tick(now)
			continue
		case event, open = <-events:
		}
		switch event := event.(type) {
		case session.Delta:
			w.wait.end()
			w.text(event.Text)
		case session.Calling:
			w.wait.end()
		case session.Planned:
			w.planned(event)
			w.wait.begin(markdown.Visible(event.Request.Endpoint + "/" + event.Request.Model))
		case session.Answered:
			w.turn.Answered(event)
			w.endLine()
		case session.Ran:
			w.turn.Ran(event)
		case session.Withdrawn:
			w.turn.Withdraw(event.Requests)
		case session.Notice:
			w.notice(event.Text)
		case session.Waiting:
			w.turn.Waiting(event.Waiting)
			if event.Changed == "" { // A notice says the rest.
				w.notice(waitingText(event.Waiting))
			}
		case session.OverLimit:
			event.Answer(limits.No) // There is nobody to ask; the turn ends with the reason.
		case session.Finished:
			w.wait.end()
			end = event.Err
		}
	}
	w.endLine()
	if end == nil && w.turn.Unfinished() {
		return w.cutShort()
	}
	return end
}

// cutShort is the error of an answer that nobody ended: a script must not take its beginning for the
// whole. For people the turn's notice has said it.
func (w *answerWriter) cutShort() error {
	if !w.json && !w.quiet {
		return &failure{exit: Provider}
	}
	return fail(Provider, "the server ended the stream without a finish reason; the answer may be incomplete")
}

func (w *answerWriter) text(text string) {
	if w.json || text == "" {
		return
	}
	io.WriteString(w.out, text)
	w.wrote = !strings.HasSuffix(text, "\n")
}

// endLine ends an answer that does not end with a line feed of its own.
func (w *answerWriter) endLine() {
	if w.wrote {
		io.WriteString(w.out, "\n")
	}
	w.wrote = false
}

// planned says what of the conversation a request holds otherwise than as it is stored.
func (w *answerWriter) planned(event session.Planned) {
	was := w.turn
	w.turn.Planned(event.Plan.Entries)
	for _, line := range w.turn.Lines(was, w.named(event.Request.Session)) {
		w.say(line)
	}
}

func (w *answerWriter) notice(text string) {
	w.turn.Notice(text)
	w.say(text)
}

// say writes a line about the turn. --json has the same in its object.
func (w *answerWriter) say(text string) {
	if w.json || w.quiet {
		return
	}
	w.wait.clear()
	w.endLine()
	fmt.Fprintf(w.err, "winnow: %s\n", markdown.Visible(text))
}

// waitingText announces that a request is sent again.
func waitingText(w llm.Waiting) string {
	reason := w.Err.Error()
	if !strings.HasSuffix(reason, "?") {
		reason = strings.TrimSuffix(reason, ".") + "."
	}
	return fmt.Sprintf("%s Try %d of %d in %s", reason, w.Attempt, w.Of, w.After.Round(100*time.Millisecond))
}

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
