package panel

import (
	"context"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/record"
)

// Whatif tries other settings out. Its dials move the verdicts of the next request, and until they are
// applied nothing is stored and nothing is sent.
type Whatif struct {
	Request Request // the next request with the trial's settings, compared with it as it is set

	at      Dial // the dial under the cursor
	trial   session.Settings
	was     Settings // without a trial
	Policy  history.Policy
	Window  llm.Window
	Prefix  record.Prefix
	typed   bool            // the budget's dial is being typed on
	known   map[string]bool // the models whose window was asked for
	Refs    []string        // the models of the dial
	listed  bool            // the endpoints were asked for their models before
	Listing bool            // they are being asked
	Note    string          // why the dials cannot stand so, "" where they can

	Running int // the number of the trial that is being planned, 0 for none
	stop    context.CancelFunc
	first   int // the number of the first message that the trial changes, 0 for none
	changed tally
}

// Settings are the values of the dials.
func (w *Whatif) Settings() Settings {
	return settingsOf(w.Policy, w.was.Model, w.was.Window).from(w.trial)
}

// Asking is the model whose window is not known yet, "" for none.
func (w *Whatif) Asking() string {
	if ref := w.trial.Model; ref != "" && !w.known[ref] {
		return ref
	}
	return ""
}

// FirstTried is the first message that the settings on trial change, and false where they change none.
func (p *Model) FirstTried() (id int64, ok bool) {
	w := p.Whatif
	if w == nil || w.first == 0 {
		return 0, false
	}
	return w.Request.Plan.Entries[w.first-1].ID, true
}

// cancel stops the plan that is being made.
func (w *Whatif) cancel() {
	if w.Running != 0 {
		w.stop()
	}
	w.Running = 0
}
