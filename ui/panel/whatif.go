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
	name  string
	was   string // as it is set
	tried string // what it is turned to
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
		p.Whatif.dials = append(p.Whatif.dials, dial{d[0], d[1], d[1]})
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

// trial are the settings that were turned. Another preset drops the budget that was set, so that with one every budget
// is a trial's.
func (w *Whatif) trial() session.Settings {
	var t session.Settings
	if d := w.dials[presetDial]; d.tried != d.was {
		t.Preset = d.tried
	}
	if d := w.dials[modelDial]; d.tried != d.was {
		t.Model = d.tried
	}
	if d := w.dials[budgetDial]; d.tried != d.was {
		t.Budget = new(w.budget())
	}
	return t
}

// maxBudget is the largest budget that can be typed.
const maxBudget = 99_999_999

// dialKey is a key while settings are tried out.
func (p *Model) dialKey(msg tea.KeyPressMsg) tea.Cmd {
	k, w := &p.Keys, p.Whatif
	digit := strings.Index("0123456789", msg.Text)
	switch typed := len(msg.Text) == 1 && digit >= 0; {
	case w.typed && msg.Code == tea.KeyBackspace:
		return p.set(budgetText(w.budget() / 10))
	case w.typed && typed:
		return p.set(budgetText(min(w.budget()*10+digit, maxBudget)))
	case typed:
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
	d := w.dials[w.at]
	at, to := d.tried, d.tried
	switch w.at {
	case budgetDial:
		to = budgetText(turnedBudget(w.budget(), by, w.Request.Plan.Sum.Window))
	case presetDial:
		to = beside(history.Presets(), at, by)
	case modelDial:
		to = beside(p.models(), at, by)
	}
	switch {
	case to != at:
		return p.set(to)
	case by < 0:
		return p.Say("This is the first " + d.name + ".")
	}
	return p.Say("This is the last " + d.name + ".")
}

// turnedBudget doubles or halves a budget, in thousands. 0 is auto, and a window that is known is the last step.
func turnedBudget(n, by, window int) int {
	switch {
	case by > 0:
		n = max(1000, 2*n/1000*1000)
	case n <= 1000:
		return 0
	default:
		n = max(1000, n/2/1000*1000)
	}
	if window > 0 {
		return min(n, window)
	}
	return min(n, maxBudget)
}

// beside is the value of a list a step before or after another, or that one at the ends of the list.
func beside(list []string, at string, by int) string {
	return list[max(0, min(slices.Index(list, at)+by, len(list)-1))]
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
	p.Whatif.dials[p.Whatif.at].tried = value
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
	if w.trial().Budget == nil {
		w.dials[budgetDial].tried = budgetText(plan.Sum.Budget) // that of the preset
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
	back, sign, verdict := c.After.Sent() && !c.Before.Sent(), "+ ", cmp.Or(theme.Verdict(c.After), "whole")
	switch {
	case c.Before.Sent() && !c.After.Sent():
		return "− drops out"
	case back && c.After.Disposition == history.Cut:
		return "+ comes back, cut"
	case back:
		return "+ comes back"
	case c.After.CharsAfter == c.Before.CharsAfter:
		return ""
	case c.After.CharsAfter < c.Before.CharsAfter:
		sign = "− "
	}
	return sign + verdict
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
