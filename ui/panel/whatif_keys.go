package panel

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Current is how the next request is made as it is set.
type Current struct {
	Policy history.Policy
	Window llm.Window
	Chosen int      // the window that was set by hand, 0 for none
	Model  string   // "endpoint/model"
	Refs   []string // the models of the dial
	Listed bool     // the endpoints were asked for their models
}

// OpenWhatif shows the dials at what is set.
func (p *Model) OpenWhatif(now Current) {
	w := &Whatif{
		Policy: now.Policy, Window: now.Window, Prefix: p.Forecast.Prefix, known: map[string]bool{}, Refs: now.Refs,
		listed: now.Listed,
		was:    settingsOf(now.Policy, now.Model, now.Chosen),
	}
	w.Show(p.Next, p.Next, nil)
	p.Whatif = w
}

// CloseWhatif goes back to the next request as it is set.
func (p *Model) CloseWhatif() {
	p.Whatif.cancel()
	p.Whatif = nil
	p.Move(0)
}

// dialKey is a key while settings are tried out.
func (p *Model) dialKey(msg tea.KeyPressMsg) tea.Cmd {
	k, w := &p.Keys, p.Whatif
	if len(msg.Text) == 1 && msg.Text[0] >= '0' && msg.Text[0] <= '9' {
		return p.typeBudget(int(msg.Text[0] - '0'))
	}
	if w.typed && msg.Code == tea.KeyBackspace {
		return p.turnTo(budgetDial, Settings{Budget: w.Settings().Budget / 10})
	}
	w.typed = false
	switch {
	case k.Pressed(msg, keymap.Back, keymap.WhatIf):
		return p.Emit(Closed{})
	case k.Pressed(msg, keymap.Choose):
		return p.apply()
	case k.Pressed(msg, keymap.Down):
		return p.toDial(1)
	case k.Pressed(msg, keymap.Up):
		return p.toDial(-1)
	case k.Pressed(msg, keymap.Earlier):
		return p.turnDial(-1)
	case k.Pressed(msg, keymap.Later):
		return p.turnDial(1)
	}
	if by, ok := k.Stride(msg, p.page()); ok {
		p.Move(by)
		return nil
	}
	return p.Say(msg.String() + " does nothing here; " + k.First(keymap.Choose) + " applies the settings, " +
		k.First(keymap.Back) + " changes nothing.")
}

// maxBudget is the largest budget that can be typed.
const maxBudget = 99_999_999

// typeBudget puts a digit at the end of the budget, or begins one with it.
func (p *Model) typeBudget(n int) tea.Cmd {
	w := p.Whatif
	budget := n
	if w.typed {
		budget = w.Settings().Budget*10 + n
	}
	if budget > maxBudget {
		return p.Say("A budget can have at most " + theme.Thousands(maxBudget) + " tokens here.")
	}
	w.at, w.typed = budgetDial, true
	return p.turnTo(budgetDial, Settings{Budget: budget})
}

// toDial puts the cursor on the next dial. The models of the last one are asked for when it is reached.
func (p *Model) toDial(by int) tea.Cmd {
	w := p.Whatif
	to := w.at + Dial(by)
	if to < 0 || to >= dialCount {
		return p.Say("There are " + fmt.Sprint(int(dialCount)) + " settings: " + p.Keys.First(keymap.Earlier) +
			" and " + p.Keys.First(keymap.Later) + " change them.")
	}
	w.at = to
	if to == modelDial && !w.listed && !w.Listing {
		w.Listing = true
		return p.Emit(ListModels{})
	}
	return nil
}

// turnDial turns the dial under the cursor.
func (p *Model) turnDial(by int) tea.Cmd {
	w := p.Whatif
	s := w.Settings()
	ok := false
	switch w.at {
	case budgetDial:
		s.Budget, ok = budgetBy(s.Budget, by, w.Window.Tokens)
	case presetDial:
		s.Preset, ok = turned(history.Presets(), s.Preset, by)
	case placementDial:
		s.Placement, ok = turned([]history.Placement{history.Steady, history.InOrder}, s.Placement, by)
	case modelDial:
		s.Model, ok = turned(w.Refs, s.Model, by)
	case windowDial:
		s.Window, ok = stepBy(windows[:], s.Window, by)
	}
	if !ok {
		return p.Say(p.endOfDial(by))
	}
	return p.turnTo(w.at, s)
}

// endOfDial says why the dial under the cursor does not turn any further.
func (p *Model) endOfDial(by int) string {
	w := p.Whatif
	end := "last"
	if by < 0 {
		end = "first"
	}
	switch {
	case w.at == windowDial && by < 0:
		return "Auto is the first step: the window is detected."
	case w.at == windowDial:
		return "This is the largest step; use /window for a larger window."
	case w.at != budgetDial && w.at != modelDial:
		return "This is the " + end + " " + w.at.Name() + "."
	case w.at == modelDial && w.Listing:
		return "Still asking the endpoints for their models."
	case w.at == modelDial:
		return "This is the " + end + " model that is known; " + p.Keys.First(keymap.Models) +
			" in the chat reloads the list."
	case by < 0:
		return "Auto is the first step: the automatic budget, or what the window leaves. Digits set a budget as well."
	}
	return "The window of this model has " + theme.Thousands(w.Window.Tokens) +
		" tokens; a larger budget would be capped by it."
}

// turnTo puts a dial at a value and plans with it.
func (p *Model) turnTo(d Dial, to Settings) tea.Cmd {
	p.Whatif.trial = With(p.Whatif.trial, d, to, p.Whatif.was)
	return p.replan()
}

// replan plans with the dials as they are. Only one plan is made at a time, and then the newest trial's:
// so a dial that is held down never waits. A server that is being asked for a window is not waited for.
func (p *Model) replan() tea.Cmd {
	p.trials++
	if p.Whatif.Running != 0 {
		p.Whatif.stop()
		return nil
	}
	return p.try()
}

// try asks for the plan of the newest trial.
func (p *Model) try() tea.Cmd {
	w, e := p.Whatif, Try{Number: p.trials, Trial: p.Whatif.trial}
	e.Context, w.stop = p.NewContext()
	w.Running = p.trials
	return p.Emit(e)
}

// tried shows the plan of the newest trial. An older one is not shown: the dials have been turned since.
func (p *Model) tried(msg TriedMsg) tea.Cmd {
	w := p.Whatif
	if w == nil || msg.Number != w.Running {
		return nil
	}
	w.cancel()
	if msg.Number != p.trials {
		return p.try()
	}
	w.Note = ""
	if msg.Err != nil {
		w.Note = theme.Sentence(msg.Err)
	}
	if msg.Err != nil && len(msg.Plan.Entries) == 0 {
		return nil
	}
	if msg.Trial.Model != "" {
		w.known[msg.Trial.Model] = true
	}
	w.Policy, w.Window, w.Prefix = msg.Policy, msg.Window, msg.Prefix
	on := p.Chosen()
	r := requestOf(msg.Plan, p.said)
	r.Input = msg.Input
	w.Show(r, p.Next, msg.Changes)
	p.Stay(on)
	if w.first > 0 {
		p.jump(w.first - 1)
	}
	return p.Emit(Shown{})
}

// apply asks for the conversation to be set to what the dials say.
func (p *Model) apply() tea.Cmd {
	w := p.Whatif
	to := w.Settings()
	var parts []string
	for d := range dialCount {
		if to.Text(d) != w.was.Text(d) {
			parts = append(parts, d.Name()+" "+to.Text(d))
		}
	}
	switch {
	case w.Asking() != "":
		return p.SayError(w.Asking() + " has not stated its context window yet, so there is no plan for it.")
	case len(parts) == 0:
		p.Emit(Closed{})
		return p.Say("No setting was changed.")
	}
	return p.Emit(Apply{w.trial, "Set: " + strings.Join(parts, ", ") + "."})
}
