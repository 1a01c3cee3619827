package panel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Whatif is a trial of other settings. Turning its dials plans the next request again; nothing is stored or sent until
// it is applied.
type Whatif struct {
	Request  Request // the next request with the settings of the trial
	Planning bool    // a plan is being computed

	dials  []dial
	at     int                // the dial under the cursor
	stop   context.CancelFunc // cancels the newest plan
	cursor int64              // to go back to when the trial closes
}

// dial is a setting of a trial: its value in use, the tried value or "", and the values it can take.
type dial struct {
	name, set, tried string
	values           func() []string
}

// Indexes of the dials, from the top.
const (
	budgetDial = iota
	presetDial
	modelDial
)

// says returns the value that the dial shows.
func (d dial) says() string { return cmp.Or(d.tried, d.set) }

// OpenWhatif starts a trial with the settings in use.
func (p *Model) OpenWhatif() {
	policy := p.Session.State().Policy
	w := &Whatif{Request: p.Next, stop: func() {}, cursor: p.cursor}
	w.dials = []dial{
		{name: "budget", set: budgetText(policy.Budget), values: w.budgets},
		{name: "preset", set: policy.Preset, values: history.Presets},
		{name: "model", set: p.Ref, values: p.models},
	}
	p.Whatif = w
}

// CloseWhatif ends the trial and goes back to the next request.
func (p *Model) CloseWhatif() {
	p.Whatif.stop()
	p.cursor, p.Whatif = p.Whatif.cursor, nil
}

func budgetText(n int) string {
	if n == 0 {
		return "auto"
	}
	return theme.Thousands(n)
}

// trial returns the settings that were changed.
func (w *Whatif) trial() session.Settings {
	t := session.Settings{Preset: w.dials[presetDial].tried, Model: w.dials[modelDial].tried}
	if tried := w.dials[budgetDial].tried; tried != "" {
		n, _ := settings.ParseBudget(tried)
		t.Budget = &n
	}
	return t
}

// dialKey handles a key during a trial.
func (p *Model) dialKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &p.Keys
	switch {
	case k.Pressed(msg, keymap.Back, keymap.WhatIf):
		return p.LeaveWhatif()
	case k.Pressed(msg, keymap.Choose):
		return p.apply()
	case k.Pressed(msg, keymap.Down):
		return p.toDial(1)
	case k.Pressed(msg, keymap.Up):
		return p.toDial(-1)
	case k.Pressed(msg, keymap.Earlier):
		return p.turn(-1)
	case k.Pressed(msg, keymap.Later):
		return p.turn(1)
	}
	return p.scroll(msg, k.First(keymap.Choose)+" applies the settings, "+k.First(keymap.Back)+" changes nothing.")
}

// toDial moves the cursor to the next dial. For the model dial it asks the endpoints for their models.
func (p *Model) toDial(by int) tea.Cmd {
	w := p.Whatif
	w.at = (w.at + by + len(w.dials)) % len(w.dials)
	if w.at == modelDial && p.ListedModels() == nil {
		return p.ListModels()
	}
	return nil
}

// turn changes the dial under the cursor by a step, and stops at the ends.
func (p *Model) turn(by int) tea.Cmd {
	d := &p.Whatif.dials[p.Whatif.at]
	values := d.values()
	to := slices.Index(values, d.says()) + by
	if to < 0 || to >= len(values) {
		return nil
	}
	if d.tried = values[to]; d.tried == d.set {
		d.tried = ""
	}
	return p.PlanTrial()
}

// budgets returns the values of the budget dial: auto, the one in use, and powers of two times 1,000 up to the window.
func (w *Whatif) budgets() (texts []string) {
	const unknown = 1_000_000 // tokens, for a window that is not known
	most := cmp.Or(w.Request.Plan.Sum.Window, unknown)
	set, _ := settings.ParseBudget(w.dials[budgetDial].set)
	steps := []int{0, set, most}
	for n := 1000; n < most; n *= 2 {
		steps = append(steps, n)
	}
	slices.Sort(steps)
	for _, n := range slices.Compact(steps) {
		texts = append(texts, budgetText(n))
	}
	return texts
}

// models returns references to the known models: the one in use, the default of each endpoint, and those that the
// endpoints list.
func (p *Model) models() []string {
	refs := []string{p.Ref}
	for _, e := range p.Deps.Models.Endpoints() {
		if e.DefaultModel != "" {
			refs = append(refs, e.Name+"/"+e.DefaultModel)
		}
	}
	for _, m := range p.ListedModels() {
		refs = append(refs, m.Ref())
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// PlanTrial plans with the tried settings after a short pause. It cancels an older plan.
func (p *Model) PlanTrial() tea.Cmd {
	const rest = 60 * time.Millisecond
	w, s, draft, trial := p.Whatif, p.Session, p.Draft(), p.Whatif.trial()
	ctx, stop := p.NewContext()
	w.stop()
	w.stop, w.Planning = stop, true
	return tea.Tick(rest, func(time.Time) tea.Msg {
		if ctx.Err() != nil {
			return nil
		}
		by := s.Try(ctx, trial)
		plan, err := by.Preview(draft)
		cost := by.Target.InputCost(plan.Sum)
		return app.Then(func() tea.Cmd {
			if ctx.Err() != nil {
				return nil
			}
			return p.ShowTrial(plan, cost, err)
		})
	})
}

// ShowTrial shows the plan of the trial and moves the cursor to the first message that it changes.
func (p *Model) ShowTrial(plan history.Plan, cost pricing.Cost, err error) tea.Cmd {
	w := p.Whatif
	r := &w.Request
	w.Planning = false
	r.setPlan(plan, err)
	r.InputCost, r.before = cost, p.Next.Plan.Entries
	first := slices.IndexFunc(r.Plan.Entries, func(e history.Entry) bool { return r.change(&e) != "" })
	if first >= 0 {
		p.cursor = r.Plan.Entries[first].ID
	}
	return p.Hooks.RequestShown()
}

// apply applies the tried settings to the chat.
func (p *Model) apply() tea.Cmd {
	var parts []string
	for _, d := range p.Whatif.dials {
		if d.tried != "" {
			parts = append(parts, d.name+" "+d.tried)
		}
	}
	if len(parts) == 0 {
		return tea.Batch(p.LeaveWhatif(), p.Say("No setting was changed."))
	}
	trial := p.Whatif.trial()
	return tea.Batch(p.LeaveWhatif(), p.ApplySettings(trial, "Set: "+strings.Join(parts, ", ")+"."))
}

// dials draws the dials and the sums that they change.
func (p *Model) dials(t *text, blank []string) {
	w, st := p.Whatif, &p.Themes.Styles
	t.add(theme.Spread(st.Strong.Render("What if"), st.Muted.Render("nothing is sent or stored"), t.w))
	t.add(blank...)
	for i, d := range w.dials {
		style := st.Text
		if i == w.at {
			style = st.Strong
		}
		line := style.Render(fmt.Sprintf("%-8s◂ %-13s ▸", theme.UpperFirst(d.name), d.says()))
		if was := " was " + d.set; d.tried != "" && theme.Width(line+was) <= t.w {
			line = theme.Spread(line, st.Muted.Render(was), t.w)
		}
		if i == w.at {
			t.lines = append(t.lines, st.CursorRow(line, t.w+1))
		} else {
			t.add(theme.Fit(line, t.w))
		}
	}
	t.add(blank...)
	if w.Planning && w.trial().Model != "" {
		t.say(st.Muted, "Asking for its context window…")
	} else {
		p.sums(t)
	}
	t.add(blank...)
	t.add(w.Request.bar(st, t.w))
}

// sums adds what the trial changes in total.
func (p *Model) sums(t *text) {
	r, now, st := &p.Whatif.Request, &p.Next, &p.Themes.Styles
	say := func(label, was, is, rest string) {
		text := st.Text.Render(is)
		if was != is {
			text = st.Muted.Render(was) + st.Faint.Render(" → ") + st.Strong.Render(is)
		}
		t.add(labelled(st, label, text+st.Text.Render(rest)))
	}
	say("Sends", theme.Thousands(now.Counts.Sent()), theme.Thousands(r.Counts.Sent()),
		" of "+theme.Thousands(r.Counts.Stored))
	_, before := now.used()
	_, after := r.used()
	say("Tokens", before, after, " of "+theme.Thousands(r.Plan.Sum.Limit))
	if r.InputCost.Known() {
		say("Price", now.InputCost.String(), r.InputCost.String(), " a request")
	}
}
