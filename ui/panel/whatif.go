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

// Whatif tries other settings out. Its dials move the verdicts of the next request, and until they are applied nothing
// is stored and nothing is sent.
type Whatif struct {
	Request Request // the next request with the trial's settings, compared with it as it is set
	Running bool    // a plan is being made

	dials  []dial
	at     int                // the dial under the cursor
	stop   context.CancelFunc // of the newest trial
	cursor int64              // the row of the next request that was under the cursor
}

// dial is one setting that can be tried out: as it is set, to what it was turned, "" for nothing else, and what it can
// be turned to.
type dial struct {
	name, set, tried string
	values           func() []string
}

// The dials, from above.
const (
	budgetDial = iota
	presetDial
	modelDial
)

// says is what the dial shows.
func (d dial) says() string { return cmp.Or(d.tried, d.set) }

// OpenWhatif shows the dials at what is set.
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

// CloseWhatif goes back to the next request as it is set.
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

// trial are the settings that were turned.
func (w *Whatif) trial() session.Settings {
	t := session.Settings{Preset: w.dials[presetDial].tried, Model: w.dials[modelDial].tried}
	if tried := w.dials[budgetDial].tried; tried != "" {
		n, _ := settings.ParseBudget(tried)
		t.Budget = &n
	}
	return t
}

// dialKey is a key while settings are tried out.
func (p *Model) dialKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &p.Keys
	switch {
	case k.Pressed(msg, keymap.Back, keymap.WhatIf):
		return p.Leave()
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

// toDial puts the cursor on the next dial. The endpoints are asked for their models when theirs is reached.
func (p *Model) toDial(by int) tea.Cmd {
	w := p.Whatif
	w.at = (w.at + by + len(w.dials)) % len(w.dials)
	if w.at == modelDial && p.Listed() == nil {
		return p.ListModels()
	}
	return nil
}

// turn turns the dial under the cursor by a step. At the ends of its values it stays.
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
	return p.Try()
}

// budgets are the steps of the budget's dial: auto, the one that is set, and thousands that double up to the window.
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

// models are the models that are known: the one in use, what the endpoints answer with by default, and what they list.
func (p *Model) models() []string {
	refs := []string{p.Ref}
	for _, e := range p.With.Models.Endpoints() {
		if e.Default != "" {
			refs = append(refs, e.Name+"/"+e.Default)
		}
	}
	for _, m := range p.Listed() {
		refs = append(refs, m.Ref())
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// Try plans with the dials as they are, once they rest. It stops an older trial, and what that comes to is not shown.
func (p *Model) Try() tea.Cmd {
	const rest = 60 * time.Millisecond
	w, s, draft, trial := p.Whatif, p.Session, p.Draft(), p.Whatif.trial()
	ctx, stop := p.NewContext()
	w.stop()
	w.stop, w.Running = stop, true
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
			return p.ShowTried(plan, cost, err)
		})
	})
}

// ShowTried shows the plan of the newest trial, with the cursor on the first message that it changes.
func (p *Model) ShowTried(plan history.Plan, cost pricing.Cost, err error) tea.Cmd {
	w := p.Whatif
	r := &w.Request
	w.Running = false
	r.take(plan, err)
	r.Input, r.was = cost, p.Next.Plan.Entries
	first := slices.IndexFunc(r.Plan.Entries, func(e history.Entry) bool { return r.change(&e) != "" })
	if first >= 0 {
		p.cursor = r.Plan.Entries[first].ID
	}
	return p.Screen.Shown()
}

// apply has the conversation set to what the dials say.
func (p *Model) apply() tea.Cmd {
	var parts []string
	for _, d := range p.Whatif.dials {
		if d.tried != "" {
			parts = append(parts, d.name+" "+d.tried)
		}
	}
	if len(parts) == 0 {
		return tea.Batch(p.Leave(), p.Say("No setting was changed."))
	}
	trial := p.Whatif.trial()
	return tea.Batch(p.Leave(), p.Apply(trial, "Set: "+strings.Join(parts, ", ")+"."))
}

// dials adds the dials, and the sums that they change.
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
	if w.Running && w.trial().Model != "" {
		t.say(st.Muted, "Asking for its context window…")
	} else {
		p.sums(t)
	}
	t.add(blank...)
	t.add(w.Request.bar(st, t.w))
}

// sums adds what the trial changes in all.
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
	if r.Input.Known() {
		say("Price", now.Input.String(), r.Input.String(), " a request")
	}
}
