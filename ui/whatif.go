package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// whatif tries other settings out. Its dials move the verdicts of the next request, and until they are
// applied nothing is stored and nothing is sent.
type whatif struct {
	request request // the next request with the trial's settings, compared with it as it is set

	at      dial // the dial under the cursor
	trial   session.Trial
	was     settings // without a trial
	policy  history.Policy
	window  llm.Window
	prefix  session.Prefix
	typed   bool            // the budget's dial is being typed on
	known   map[string]bool // the models whose window was asked for
	refs    []string        // the models of the dial
	listing bool            // the endpoints are being asked for their models
	note    string          // why the dials cannot stand so, "" where they can

	running int // the wish that is being planned, 0 for none
	stop    context.CancelFunc
	moves   []string // what changes, in words

	panelHidden bool // the panel was not wished for before
}

// settings are what the dials stand at.
func (w *whatif) settings() settings {
	return settingsOf(w.policy, w.was.model, w.was.window).from(w.trial)
}

// asking is the model whose window is not known yet, "" for none.
func (w *whatif) asking() string {
	if ref := w.trial.Model; ref != "" && !w.known[ref] {
		return ref
	}
	return ""
}

// openWhatif shows the dials.
func (m *Model) openWhatif() tea.Cmd {
	switch {
	case m.turn.busy:
		return m.stillArriving()
	case !m.panel.next.ready:
		return m.say("Nothing is planned yet, so there is nothing to try out.")
	}
	if m.panel.past != nil {
		m.toNext()
	}
	w := &whatif{
		policy: m.session.Policy(), window: m.session.Window(), known: map[string]bool{},
		refs:        refs(m.ref, m.options.Deps.Models.Endpoints(), m.models),
		panelHidden: !m.wishPanel,
	}
	w.was, w.prefix = settingsOf(w.policy, m.ref, m.session.Windows().Chosen.Tokens), m.panel.outlook.prefix
	w.show(m.panel.next, m.panel.next, nil)
	m.panel.whatif = w
	m.cover(whatifOverlay{})
	m.wishPanel = true
	m.arrange()
	return nil
}

// leaveWhatif goes back to the next request as it is set.
func (m *Model) leaveWhatif() {
	w := m.panel.whatif
	if w == nil {
		return
	}
	w.cancel()
	m.panel.whatif = nil
	m.wishPanel = !w.panelHidden
	m.panel.move(0)
	m.dismiss(whatifOverlay{})
	m.chat.judge(m.panel.next.plan)
	m.arrange()
}

// cancel stops the plan that is being made.
func (w *whatif) cancel() {
	if w.stop != nil {
		w.stop()
	}
	w.running, w.stop = 0, nil
}

// whatifKey is a key while settings are tried out.
func (m *Model) whatifKey(msg tea.KeyPressMsg) tea.Cmd {
	k, w := &m.keys, m.panel.whatif
	if n, ok := digit(msg); ok {
		return m.typeBudget(n)
	}
	if w.typed && msg.Code == tea.KeyBackspace {
		return m.turnTo(budgetDial, settings{budget: w.settings().budget / 10})
	}
	w.typed = false
	switch {
	case k.Pressed(msg, keymap.Back, keymap.WhatIf):
		m.leaveWhatif()
		return m.draftChanged() // What was not done for the next request meanwhile is done now.
	case k.Pressed(msg, keymap.Choose):
		return m.applyTrial()
	case k.Pressed(msg, keymap.Down):
		return m.toDial(1)
	case k.Pressed(msg, keymap.Up):
		return m.toDial(-1)
	case k.Pressed(msg, keymap.Earlier):
		return m.turnDial(-1)
	case k.Pressed(msg, keymap.Later):
		return m.turnDial(1)
	}
	if by, ok := k.Stride(msg, m.panelPage()); ok {
		m.moveInTrial(by)
		return nil
	}
	return m.noKey(msg, k.First(keymap.Choose)+" applies the dials, "+k.First(keymap.Back)+" leaves everything as it is.")
}

// moveInTrial moves through the list below the dials, and the transcript with it.
func (m *Model) moveInTrial(by int) {
	m.panel.move(by)
	m.follow()
}

// digit is the digit of a key.
func digit(msg tea.KeyPressMsg) (int, bool) {
	if len(msg.Text) == 1 && msg.Text[0] >= '0' && msg.Text[0] <= '9' {
		return int(msg.Text[0] - '0'), true
	}
	return 0, false
}

// mostBudget is the largest budget that can be typed.
const mostBudget = 99_999_999

// typeBudget puts a digit at the end of the budget, or begins one with it.
func (m *Model) typeBudget(n int) tea.Cmd {
	w := m.panel.whatif
	budget := n
	if w.typed {
		budget = w.settings().budget*10 + n
	}
	if budget > mostBudget {
		return m.say("A budget has at most " + theme.Thousands(mostBudget) + " tokens here.")
	}
	w.at, w.typed = budgetDial, true
	return m.turnTo(budgetDial, settings{budget: budget})
}

// toDial puts the cursor on the next dial. The models of the last one are asked for when it is reached.
func (m *Model) toDial(by int) tea.Cmd {
	w := m.panel.whatif
	to := w.at + dial(by)
	if to < 0 || to >= dialCount {
		return m.say("There are " + fmt.Sprint(int(dialCount)) + " dials: " + m.keys.First(keymap.Earlier) + " and " + m.keys.First(keymap.Later) + " turn them.")
	}
	w.at = to
	if to == modelDial && m.models == nil && !w.listing {
		w.listing = true
		return m.listModels()
	}
	return nil
}

// turnDial turns the dial under the cursor.
func (m *Model) turnDial(by int) tea.Cmd {
	w := m.panel.whatif
	s := w.settings()
	ok := false
	switch w.at {
	case budgetDial:
		s.budget, ok = budgetBy(s.budget, by, w.window.Tokens)
	case presetDial:
		s.preset, ok = turned(history.Presets(), s.preset, by)
	case placementDial:
		s.placement, ok = turned(placements(), s.placement, by)
	case modelDial:
		s.model, ok = turned(w.refs, s.model, by)
	case windowDial:
		s.window, ok = windowBy(s.window, by)
	}
	if !ok {
		return m.say(m.endOfDial(by))
	}
	return m.turnTo(w.at, s)
}

// endOfDial says why the dial under the cursor does not turn any further.
func (m *Model) endOfDial(by int) string {
	w := m.panel.whatif
	end := "last"
	if by < 0 {
		end = "first"
	}
	switch {
	case w.at == windowDial && by < 0:
		return "Auto is the first step: the window is found out."
	case w.at == windowDial:
		return "This is the largest step; /window sets a larger window."
	case w.at != budgetDial && w.at != modelDial:
		return "This is the " + end + " " + w.at.name() + "."
	case w.at == modelDial && w.listing:
		return "The endpoints are still being asked for their models."
	case w.at == modelDial:
		return "This is the " + end + " model that is known; " + m.keys.First(keymap.Models) + " in the chat asks the endpoints again."
	case by < 0:
		return "Auto is the first step: max_context_tokens, or what the window leaves. Digits set a budget as well."
	}
	return "The window of this model has " + theme.Thousands(w.window.Tokens) + " tokens; a larger budget would be capped by it."
}

// turnTo puts a dial at a value and plans with it.
func (m *Model) turnTo(d dial, to settings) tea.Cmd {
	w := m.panel.whatif
	w.trial = with(w.trial, d, to, w.was)
	return m.wish()
}
