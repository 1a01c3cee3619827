package panel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/settings"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Whatif tries other settings out. Its dials move the verdicts of the next request, and until they are applied nothing
// is stored and nothing is sent.
type Whatif struct {
	Request Request        // the next request with the trial's settings, compared with it as it is set
	First   *history.Entry // the first message that the trial changes, nil for none
	Running bool           // a plan is being made

	dials  []dial
	at     int                // the dial under the cursor
	typed  bool               // the budget is being typed
	stop   context.CancelFunc // of the newest trial
	prefix record.Prefix      // that the server may have read
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
	policy := p.Session.Now().Policy
	w := &Whatif{Request: p.Next, prefix: p.Forecast.Prefix, stop: func() {}, cursor: p.cursor}
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

// budget is the budget that the dial says.
func (w *Whatif) budget() int {
	n, _ := settings.ReadBudget(w.dials[budgetDial].says())
	return n
}

// trial are the settings that were turned.
func (w *Whatif) trial() session.Settings {
	t := session.Settings{Preset: w.dials[presetDial].tried, Model: w.dials[modelDial].tried}
	if w.dials[budgetDial].tried != "" {
		t.Budget = new(w.budget())
	}
	return t
}

// maxBudget is the largest budget that can be typed.
const maxBudget = 99_999_999

// dialKey is a key while settings are tried out.
func (p *Model) dialKey(msg tea.KeyPressMsg) tea.Cmd {
	k, w := &p.Keys, p.Whatif
	digit, err := strconv.Atoi(msg.Text)
	switch {
	case w.typed && msg.Code == tea.KeyBackspace:
		return p.set(budgetText(w.budget() / 10))
	case err == nil && w.typed:
		return p.set(budgetText(min(w.budget()*10+digit, maxBudget)))
	case err == nil:
		w.at, w.typed = budgetDial, true
		return p.set(budgetText(digit))
	}
	w.typed = false
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

// turn turns the dial under the cursor by a step.
func (p *Model) turn(by int) tea.Cmd {
	d := p.Whatif.dials[p.Whatif.at]
	values := d.values()
	if i := slices.Index(values, d.says()) + by; i >= 0 && i < len(values) {
		return p.set(values[i])
	}
	return p.Say("This is the " + map[bool]string{true: "first ", false: "last "}[by < 0] + d.name + ".")
}

// budgets are the steps of the budget's dial: auto, the one that is tried, and thousands that double up to the window.
func (w *Whatif) budgets() (texts []string) {
	most := cmp.Or(w.Request.Plan.Sum.Window, maxBudget)
	steps := []int{0, w.budget(), most}
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
func (p *Model) models() (refs []string) {
	refs = append(refs, p.Ref)
	for _, e := range p.With.Models.Endpoints() {
		if e.Default != "" {
			refs = append(refs, e.Name+"/"+e.Default)
		}
	}
	for _, m := range p.Listed() {
		refs = append(refs, m.Ref())
	}
	for i := len(refs) - 1; i > 0; i-- {
		if slices.Contains(refs[:i], refs[i]) {
			refs = slices.Delete(refs, i, i+1)
		}
	}
	return refs
}

// set turns the dial under the cursor to a value.
func (p *Model) set(value string) tea.Cmd {
	d := &p.Whatif.dials[p.Whatif.at]
	if d.tried = value; value == d.set {
		d.tried = ""
	}
	return p.Try()
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
		by, prefix := s.Try(ctx, trial), record.Prefix{}
		plan, err := by.Preview(draft)
		if trial.Model == "" {
			prefix = s.Forecast(plan).Prefix
		}
		cost := by.To.InputCost(plan.Sum)
		return app.Then(func() tea.Cmd {
			if ctx.Err() != nil || p.Whatif != w {
				return nil
			}
			return p.ShowTried(plan, cost, prefix, err)
		})
	})
}

// ShowTried shows the plan of the newest trial.
func (p *Model) ShowTried(plan history.Plan, cost pricing.Cost, prefix record.Prefix, err error) tea.Cmd {
	w := p.Whatif
	w.Running = false
	if err == nil || len(plan.Entries) > 0 {
		w.Request, w.First, w.prefix = requestOf(plan, p.Message), nil, prefix
		w.Request.Input, w.Request.was = cost, p.Next.Plan.Entries
	}
	if w.Request.Note = ""; err != nil {
		w.Request.Note = theme.Sentence(err)
	}
	for i := range plan.Entries {
		if w.First == nil && w.Request.change(&plan.Entries[i]) != "" {
			w.First = &plan.Entries[i]
			p.cursor = w.First.ID
		}
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

// change is what a trial changes of a message, with a sign that says whether more of it is sent: "+ comes back". It is
// "" for nothing.
func (r *Request) change(e *history.Entry) string {
	if e.Index >= len(r.was) {
		return ""
	}
	verdict, was := cmp.Or(theme.Verdict(*e), "whole"), &r.was[e.Index]
	switch {
	case was.Sent() && !e.Sent():
		return "− drops out"
	case e.Sent() && !was.Sent():
		return "+ comes back"
	case e.CharsAfter < was.CharsAfter:
		return "− " + verdict
	case e.CharsAfter > was.CharsAfter:
		return "+ " + verdict
	}
	return ""
}

// dials adds the dials, and the sums that they change.
func (p *Model) dials(t *text, blank []string) {
	w, st := p.Whatif, &p.Themes.Styles
	t.add(theme.Spread(st.Strong.Render("What if"), st.Muted.Render("nothing is sent or stored"), t.w))
	t.add(blank...)
	for i, d := range w.dials {
		name, arrow, row := st.Text, st.Faint, func(line string, w int) string { return " " + theme.Fit(line, w-1) }
		if i == w.at {
			name, arrow, row = st.Strong, st.Seen, st.CursorRow
		}
		line := name.Render(fmt.Sprintf("%-8s", theme.UpperFirst(d.name))) + arrow.Render("◂ ") +
			name.Render(fmt.Sprintf("%-13s", d.says())) + arrow.Render(" ▸")
		if was := " was " + d.set; d.tried != "" && theme.Width(line+was) <= t.w {
			line = theme.Spread(line, st.Muted.Render(was), t.w)
		}
		t.lines = append(t.lines, row(line, t.w+1))
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
		if was != "" && was != is {
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
	prefix, tried := p.Forecast.Prefix, p.Whatif.prefix
	switch {
	case !prefix.Known || prefix.Tokens+tried.Tokens == 0:
	case p.Whatif.trial().Model != "":
		say("Cache", "", "none: another model", "")
	case tried.Tokens == prefix.Tokens || p.Whatif.First == nil:
		say("Cache", "", "~"+r.Counted(prefix.Tokens)+", as before", "")
	default:
		say("Cache", "", "rebuilt once, from message "+theme.Thousands(p.Whatif.First.Index+1)+" on", "")
	}
}
