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
	at     int           // the dial under the cursor
	typed  bool          // the budget is being typed
	note   string        // why the dials cannot stand so, "" where they can
	number int           // of the newest trial
	prefix record.Prefix // that the server may have read
}

// dial is one setting that can be tried out.
type dial struct {
	name   string
	was    string // as it is set
	tried  string // what it says
	turned bool   // by the user: another preset turns the budget, too
}

// The dials, from above.
const (
	budgetDial = iota
	presetDial
	modelDial
)

// OpenWhatif shows the dials at what is set.
func (p *Model) OpenWhatif() {
	policy := p.Session.Now().Policy
	p.Whatif = &Whatif{Request: p.Next, prefix: p.Forecast.Prefix}
	for _, d := range [][2]string{{"budget", budgetText(policy.Budget)}, {"preset", policy.Preset}, {"model", p.Ref}} {
		p.Whatif.dials = append(p.Whatif.dials, dial{name: d[0], was: d[1], tried: d[1]})
	}
}

// CloseWhatif goes back to the next request as it is set.
func (p *Model) CloseWhatif() {
	p.Whatif = nil
	p.stand(p.At)
}

func budgetText(n int) string {
	if n == 0 {
		return "auto"
	}
	return theme.Thousands(n)
}

// budget is the budget that is tried.
func (w *Whatif) budget() int {
	n, _ := settings.ReadBudget(w.dials[budgetDial].tried)
	return n
}

// trial are the settings that were turned.
func (w *Whatif) trial() session.Settings {
	var t session.Settings
	if d := w.dials[presetDial]; d.tried != d.was {
		t.Preset = d.tried
	}
	if d := w.dials[modelDial]; d.tried != d.was {
		t.Model = d.tried
	}
	if w.dials[budgetDial].turned {
		t.Budget = new(w.budget())
	}
	return t
}

// maxBudget is the largest budget that can be typed.
const maxBudget = 99_999_999

// dialKey is a key while settings are tried out.
func (p *Model) dialKey(msg tea.KeyPressMsg) tea.Cmd {
	k, w := &p.Keys, p.Whatif
	switch digit, err := strconv.Atoi(msg.Text); {
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
	if by, ok := k.Stride(msg, p.list.page()); ok {
		p.Move(by)
		return nil
	}
	return p.NoKey(msg, k.First(keymap.Choose)+" applies the settings, "+k.First(keymap.Back)+" changes nothing.")
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
	w := p.Whatif
	d, values := w.dials[w.at], history.Presets()
	switch w.at {
	case budgetDial:
		values = w.budgets()
	case modelDial:
		values = p.models()
	}
	switch i := slices.Index(values, d.tried) + by; {
	case i < 0:
		return p.Say("This is the first " + d.name + ".")
	case i < len(values):
		return p.set(values[i])
	}
	return p.Say("This is the last " + d.name + ".")
}

// budgets are the steps of the budget's dial: auto, the one that is tried, and thousands that double up to the window.
func (w *Whatif) budgets() []string {
	most := cmp.Or(w.Request.Plan.Sum.Window, maxBudget)
	steps := []int{0, w.budget(), most}
	for n := 1000; n < most; n *= 2 {
		steps = append(steps, n)
	}
	slices.Sort(steps)
	var texts []string
	for _, n := range slices.Compact(steps) {
		texts = append(texts, budgetText(n))
	}
	return texts
}

// models are the models that are known: the one in use, what the endpoints answer with by default, and what they list.
func (p *Model) models() []string {
	list := []string{p.Ref}
	add := func(ref string) {
		if !slices.Contains(list, ref) {
			list = append(list, ref)
		}
	}
	for _, e := range p.With.Models.Endpoints() {
		if e.Default != "" {
			add(e.Name + "/" + e.Default)
		}
	}
	for _, m := range p.Listed() {
		add(m.Ref())
	}
	return list
}

// set turns the dial under the cursor to a value.
func (p *Model) set(value string) tea.Cmd {
	d := &p.Whatif.dials[p.Whatif.at]
	d.tried, d.turned = value, true
	return p.Try()
}

// restTime is how long the dials rest before their plan is made.
const restTime = 60 * time.Millisecond

// Try plans with the dials as they are, once they rest. What an older trial comes to is not shown.
func (p *Model) Try() tea.Cmd {
	w, s := p.Whatif, p.Session
	w.number++
	w.Running = true
	number := w.number
	newest := func(do func() tea.Cmd) tea.Msg {
		return app.Then(func() tea.Cmd {
			if p.Whatif != w || w.number != number {
				return nil
			}
			return do()
		})
	}
	return tea.Tick(restTime, func(time.Time) tea.Msg {
		return newest(func() tea.Cmd {
			draft, trial := p.Draft(), w.trial()
			return p.Run(func(ctx context.Context) tea.Msg {
				by, prefix := s.Try(ctx, trial), record.Prefix{}
				plan, err := by.Preview(draft)
				if trial.Model == "" {
					prefix = s.Forecast(plan).Prefix
				}
				cost := by.To.InputCost(plan.Sum)
				return newest(func() tea.Cmd { return p.ShowTried(plan, cost, prefix, err) })
			})
		})
	})
}

// ShowTried shows the plan of the newest trial.
func (p *Model) ShowTried(plan history.Plan, cost pricing.Cost, prefix record.Prefix, err error) tea.Cmd {
	w, on := p.Whatif, p.Chosen()
	w.Running, w.note = false, ""
	if err != nil {
		w.note = theme.Sentence(err)
	}
	if err != nil && len(plan.Entries) == 0 {
		return nil
	}
	if d := &w.dials[budgetDial]; !d.turned {
		d.tried = budgetText(plan.Sum.Budget)
	}
	w.Request, w.First, w.prefix = requestOf(plan, p.Message), nil, prefix
	w.Request.Input, w.Request.moves = cost, map[int64]move{}
	for _, c := range history.Compare(p.Next.Plan.Entries, plan.Entries) {
		text, e := moveOf(c), c.Entry()
		if text == "" {
			continue
		}
		w.Request.moves[e.ID] = move{text, c.After.TokensAfter - c.Before.TokensAfter}
		if w.First == nil || e.Index < w.First.Index {
			w.First = &e
		}
	}
	p.stay(on)
	if w.First != nil {
		p.toTop(w.First.Index)
	}
	return p.Screen.Shown()
}

// apply has the conversation set to what the dials say.
func (p *Model) apply() tea.Cmd {
	var parts []string
	for _, d := range p.Whatif.dials {
		if d.tried != d.was {
			parts = append(parts, d.name+" "+d.tried)
		}
	}
	if len(parts) == 0 {
		return tea.Batch(p.Leave(), p.Say("No setting was changed."))
	}
	trial := p.Whatif.trial()
	return tea.Batch(p.Leave(), p.Apply(trial, "Set: "+strings.Join(parts, ", ")+"."))
}

// move is what a trial changes for a message.
type move struct {
	text string // "+ comes back"
	diff int    // counted tokens more or less
}

// moveOf says what a change does to the amount of a message that is sent, "" for nothing.
func moveOf(c history.Change) string {
	verdict := cmp.Or(theme.Verdict(c.After), "whole")
	switch before, after := c.Before.Sent(), c.After.Sent(); {
	case before && !after:
		return "− drops out"
	case after && !before:
		return "+ comes back"
	case c.After.CharsAfter < c.Before.CharsAfter:
		return "− " + verdict
	case c.After.CharsAfter > c.Before.CharsAfter:
		return "+ " + verdict
	}
	return ""
}

// whatif are the lines above the list while settings are tried out: the dials, and the sums that they change.
func (p *Model) whatif(w, in int, blank []string) []string {
	t, r, st := p.Whatif, &p.Whatif.Request, &p.Themes.Styles
	title := theme.Spread(st.Strong.Render("What if"), st.Muted.Render("nothing is sent or stored"), in)
	lines := framed(append([]string{title}, blank...), w)
	for i, d := range t.dials {
		mark, name, arrow := " ", st.Text, st.Faint
		if i == t.at {
			mark, name, arrow = st.Seen.Render("▌"), st.Strong, st.Seen
		}
		line := name.Render(fmt.Sprintf("%-8s", theme.UpperFirst(d.name))) + arrow.Render("◂ ") +
			name.Render(fmt.Sprintf("%-13s", d.tried)) + arrow.Render(" ▸")
		if was := "was " + d.was; d.tried != d.was && theme.Width(line+" "+was) <= in {
			line = theme.Spread(line, st.Muted.Render(was), in)
		}
		line = theme.Fit(mark+line, w)
		if i == t.at {
			line = theme.Ground(st.Selected, line)
		}
		lines = append(lines, line)
	}
	below := append(p.wrap(in, note{st.Error, t.note}), blank...)
	if t.Running && t.trial().Model != "" {
		below = append(below, st.Muted.Render("Asking for its context window…"))
	} else {
		below = append(below, p.sums()...)
	}
	return append(lines, framed(slices.Concat(below, blank, []string{r.bar(st, in)}), w)...)
}

// sums are what the trial changes in all.
func (p *Model) sums() []string {
	r, now, st := &p.Whatif.Request, &p.Next, &p.Themes.Styles
	var lines []string
	say := func(label, was, is, rest string) {
		text := st.Text.Render(is)
		if was != "" && was != is {
			text = st.Muted.Render(was) + st.Faint.Render(" → ") + st.Strong.Render(is)
		}
		lines = append(lines, st.Muted.Render(theme.Fit(label, labelCells))+text+st.Text.Render(rest))
	}
	say("Sends", theme.Thousands(now.Counts.Sent()), theme.Thousands(r.Counts.Sent()),
		" of "+theme.Thousands(r.Counts.Stored))
	_, before := now.used()
	_, after := r.used()
	say("Tokens", before, after, " of "+theme.Thousands(r.Plan.Sum.Limit))
	if r.Input.Known() {
		say("Price", now.Input.String(), r.Input.String(), " a request")
	}
	switch prefix := p.Forecast.Prefix; {
	case !prefix.Known, prefix.Tokens == 0 && p.Whatif.prefix.Tokens == 0:
	case p.Whatif.trial().Model != "":
		say("Cache", "", "none: another model", "")
	case p.Whatif.prefix.Tokens == prefix.Tokens || p.Whatif.First == nil:
		say("Cache", "", "~"+r.Counted(prefix.Tokens)+", as before", "")
	default:
		say("Cache", "", "rebuilt once, from message "+theme.Thousands(p.Whatif.First.Index+1)+" on", "")
	}
	return lines
}
