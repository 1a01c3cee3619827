package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// openWhatif shows the dials.
func (m *Model) openWhatif() tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.stillArriving()
	case !m.panel.Next.Ready:
		return m.say("Nothing is planned yet, so there is nothing to try out.")
	}
	if m.panel.Past != nil {
		m.toNext()
	}
	w := &panel.Whatif{
		Policy: m.session.Policy(), Window: m.session.Window(), Known: map[string]bool{},
		Refs:        panel.Refs(m.ref, m.options.Deps.Models.Endpoints(), m.models),
		PanelHidden: !m.wantPanel,
	}
	w.Was, w.Prefix = panel.SettingsOf(w.Policy, m.ref, m.session.Windows().Chosen.Tokens), m.panel.Outlook.Prefix
	w.Show(m.panel.Next, m.panel.Next, nil)
	m.panel.Whatif = w
	m.cover(whatifOverlay{})
	m.wantPanel = true
	m.arrange()
	return nil
}

// leaveWhatif goes back to the next request as it is set.
func (m *Model) leaveWhatif() {
	w := m.panel.Whatif
	if w == nil {
		return
	}
	w.Cancel()
	m.panel.Whatif = nil
	m.wantPanel = !w.PanelHidden
	m.panel.Move(0)
	m.dismiss(whatifOverlay{})
	m.chat.Judge(m.panel.Next.Plan)
	m.arrange()
}

// whatifKey is a key while settings are tried out.
func (m *Model) whatifKey(msg tea.KeyPressMsg) tea.Cmd {
	k, w := &m.keys, m.panel.Whatif
	if n, ok := digit(msg); ok {
		return m.typeBudget(n)
	}
	if w.Typed && msg.Code == tea.KeyBackspace {
		return m.turnTo(panel.BudgetDial, panel.Settings{Budget: w.Settings().Budget / 10})
	}
	w.Typed = false
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
	m.panel.Move(by)
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
	w := m.panel.Whatif
	budget := n
	if w.Typed {
		budget = w.Settings().Budget*10 + n
	}
	if budget > mostBudget {
		return m.say("A budget has at most " + theme.Thousands(mostBudget) + " tokens here.")
	}
	w.At, w.Typed = panel.BudgetDial, true
	return m.turnTo(panel.BudgetDial, panel.Settings{Budget: budget})
}

// toDial puts the cursor on the next dial. The models of the last one are asked for when it is reached.
func (m *Model) toDial(by int) tea.Cmd {
	w := m.panel.Whatif
	to := w.At + panel.Dial(by)
	if to < 0 || to >= panel.DialCount {
		return m.say("There are " + fmt.Sprint(int(panel.DialCount)) + " dials: " + m.keys.First(keymap.Earlier) + " and " + m.keys.First(keymap.Later) + " turn them.")
	}
	w.At = to
	if to == panel.ModelDial && m.models == nil && !w.Listing {
		w.Listing = true
		return m.listModels()
	}
	return nil
}

// turnDial turns the dial under the cursor.
func (m *Model) turnDial(by int) tea.Cmd {
	w := m.panel.Whatif
	s := w.Settings()
	ok := false
	switch w.At {
	case panel.BudgetDial:
		s.Budget, ok = panel.BudgetBy(s.Budget, by, w.Window.Tokens)
	case panel.PresetDial:
		s.Preset, ok = panel.Turned(history.Presets(), s.Preset, by)
	case panel.PlacementDial:
		s.Placement, ok = panel.Turned(panel.Placements(), s.Placement, by)
	case panel.ModelDial:
		s.Model, ok = panel.Turned(w.Refs, s.Model, by)
	case panel.WindowDial:
		s.Window, ok = panel.WindowBy(s.Window, by)
	}
	if !ok {
		return m.say(m.endOfDial(by))
	}
	return m.turnTo(w.At, s)
}

// endOfDial says why the dial under the cursor does not turn any further.
func (m *Model) endOfDial(by int) string {
	w := m.panel.Whatif
	end := "last"
	if by < 0 {
		end = "first"
	}
	switch {
	case w.At == panel.WindowDial && by < 0:
		return "Auto is the first step: the window is found out."
	case w.At == panel.WindowDial:
		return "This is the largest step; /window sets a larger window."
	case w.At != panel.BudgetDial && w.At != panel.ModelDial:
		return "This is the " + end + " " + w.At.Name() + "."
	case w.At == panel.ModelDial && w.Listing:
		return "The endpoints are still being asked for their models."
	case w.At == panel.ModelDial:
		return "This is the " + end + " model that is known; " + m.keys.First(keymap.Models) + " in the chat asks the endpoints again."
	case by < 0:
		return "Auto is the first step: max_context_tokens, or what the window leaves. Digits set a budget as well."
	}
	return "The window of this model has " + theme.Thousands(w.Window.Tokens) + " tokens; a larger budget would be capped by it."
}

// turnTo puts a dial at a value and plans with it.
func (m *Model) turnTo(d panel.Dial, to panel.Settings) tea.Cmd {
	w := m.panel.Whatif
	w.Trial = panel.With(w.Trial, d, to, w.Was)
	return m.replan()
}

// triedMsg is the plan of a trial, with what it was made by.
type triedMsg struct {
	number  int
	model   string // that was tried
	plan    history.Plan
	changes []history.Change // to the next request as it is set
	prefix  session.Prefix
	policy  history.Policy
	window  llm.Window
	input   pricing.Cost // of the plan's request
	err     error
}

// appliedMsg says what became of settings that were applied.
type appliedMsg struct {
	session *session.Session
	said    string
	err     error
}

// replan plans with the dials as they are. Only one plan is made at a time, and then the newest trial's:
// so a dial that is held down never waits. A server that is being asked for a window is not waited for.
func (m *Model) replan() tea.Cmd {
	w := m.panel.Whatif
	m.trials++
	if w.Running != 0 && w.Stop != nil {
		w.Stop()
		return nil
	}
	return m.tryOut()
}

// tryOut makes the plan of the newest trial.
func (m *Model) tryOut() tea.Cmd {
	w := m.panel.Whatif
	ctx, stop := m.newContext()
	w.Running, w.Stop = m.trials, stop
	n, s, draft, trial, now := m.trials, m.session, m.planDraft(), w.Trial, m.panel.Next.Plan.Entries
	return func() tea.Msg {
		defer stop()
		msg := planTrial(ctx, s, draft, trial)
		msg.number, msg.changes = n, history.Compare(now, msg.plan.Entries)
		if msg.model == "" {
			msg.prefix = s.Prefix(msg.plan)
		}
		return msg
	}
}

// planTrial plans by a trial. A model of which nothing is known is read about first, unless the dial is
// turned on meanwhile.
func planTrial(ctx context.Context, s *session.Session, draft composer.Drafted, t session.Trial) triedMsg {
	plan, err := previewAs(draft, s, t)
	if errors.Is(err, session.ErrNotConsidered) {
		select {
		case <-ctx.Done():
			return triedMsg{err: ctx.Err()}
		case <-time.After(restTime):
		}
		if err = s.Consider(ctx, t.Model); err == nil {
			plan, err = previewAs(draft, s, t)
		}
	}
	policy, fault := s.PolicyAs(t)
	if fault != nil {
		err = fault
	}
	return triedMsg{model: t.Model, plan: plan, policy: policy, window: s.WindowAs(t), input: s.InputCost(plan, t), err: err}
}

// tried shows the plan of the newest trial. An older one is not shown: the dials stand elsewhere by now.
func (m *Model) tried(msg triedMsg) tea.Cmd {
	w := m.panel.Whatif
	if w == nil || msg.number != w.Running {
		return nil
	}
	w.Running, w.Stop = 0, nil
	if msg.number != m.trials {
		return m.tryOut()
	}
	w.Note = ""
	if msg.err != nil {
		w.Note = theme.Sentence(msg.err)
	}
	if msg.err != nil && len(msg.plan.Entries) == 0 {
		return nil
	}
	if msg.model != "" {
		w.Known[msg.model] = true
	}
	w.Policy, w.Window, w.Prefix = msg.policy, msg.window, msg.prefix
	on := m.panel.Chosen()
	r := panel.RequestOf(msg.plan, m.chat.Gist)
	r.Input = msg.input
	w.Show(r, m.panel.Next, msg.changes)
	m.panel.Stay(on)
	m.chat.Judge(msg.plan)
	return nil
}

// applyTrial sets the conversation to what the dials say.
func (m *Model) applyTrial() tea.Cmd {
	w := m.panel.Whatif
	to := w.Settings()
	var parts []string
	for d := range panel.DialCount {
		if to.Text(d) != w.Was.Text(d) {
			parts = append(parts, d.Name()+" "+to.Text(d))
		}
	}
	switch {
	case w.Asking() != "":
		return m.complain(w.Asking() + " was not asked for its window yet, so its plan is not known.")
	case len(parts) == 0:
		m.leaveWhatif()
		return m.say("The dials stand where they stood; nothing was set.")
	}
	said := "Set: " + strings.Join(parts, ", ") + "."
	s, trial := m.session, w.Trial
	return m.inBackground(func(ctx context.Context) tea.Msg {
		before, _ := s.Preview("")
		if err := s.Apply(ctx, trial); err != nil {
			return appliedMsg{s, said, err}
		}
		after, err := s.Preview("")
		return appliedMsg{s, said + changeSays(before, after, err), nil}
	})
}

// applied ends the trial: what it showed is the next request now.
func (m *Model) applied(msg appliedMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	if w := m.panel.Whatif; w != nil && msg.err == nil {
		plan, stands := w.Request.Plan, w.Running == 0
		m.leaveWhatif()
		if stands {
			m.showNext(plan, nil, m.session.Outlook(plan))
		}
	}
	return m.settled(settledMsg{text: msg.said, err: msg.err})
}
