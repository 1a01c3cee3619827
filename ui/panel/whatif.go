package panel

import (
	"context"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
)

// Whatif tries other settings out. Its dials move the verdicts of the next request, and until they are
// applied nothing is stored and nothing is sent.
type Whatif struct {
	Request Request // the next request with the trial's settings, compared with it as it is set

	At      Dial // the dial under the cursor
	Trial   session.Trial
	Was     Settings // without a trial
	Policy  history.Policy
	Window  llm.Window
	Prefix  session.Prefix
	Typed   bool            // the budget's dial is being typed on
	Known   map[string]bool // the models whose window was asked for
	Refs    []string        // the models of the dial
	Listing bool            // the endpoints are being asked for their models
	Note    string          // why the dials cannot stand so, "" where they can

	Running int // the wish that is being planned, 0 for none
	Stop    context.CancelFunc
	moves   []string // what changes, in words

	PanelHidden bool // the panel was not wished for before
}

// Settings are what the dials stand at.
func (w *Whatif) Settings() Settings {
	return SettingsOf(w.Policy, w.Was.Model, w.Was.Window).from(w.Trial)
}

// Asking is the model whose window is not known yet, "" for none.
func (w *Whatif) Asking() string {
	if ref := w.Trial.Model; ref != "" && !w.Known[ref] {
		return ref
	}
	return ""
}

// Cancel stops the plan that is being made.
func (w *Whatif) Cancel() {
	if w.Stop != nil {
		w.Stop()
	}
	w.Running, w.Stop = 0, nil
}
