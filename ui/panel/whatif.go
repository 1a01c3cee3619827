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
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/record"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Whatif tries other settings out. Its dials move the verdicts of the next request, and until they are applied nothing
// is stored and nothing is sent.
type Whatif struct {
	Request Request // the next request with the trial's settings, compared with it as it is set
	Running bool    // a plan is being made
	Listing bool    // the endpoints are being asked for their models

	at     dial             // the dial under the cursor
	trial  session.Settings // what was turned
	was    history.Policy   // as it is set
	policy history.Policy   // by the trial
	window int              // of the trial's model
	ref    string           // the model that the request on show is for
	prefix record.Prefix
	typed  bool   // the budget is being typed
	note   string // why the dials cannot stand so, "" where they can

	number  int // of the newest trial
	stop    context.CancelFunc
	first   int // the number of the first message that the trial changes, 0 for none
	changed [kinds]int
}

// dial is one setting that can be tried out.
type dial int

// The dials, from above.
const (
	budgetDial dial = iota
	presetDial
	modelDial
	dialCount
)

func (d dial) name() string { return [...]string{"budget", "preset", "model"}[d] }

// OpenWhatif shows the dials at what is set.
func (p *Model) OpenWhatif() {
	policy := p.Session.Now().Policy
	p.Whatif = &Whatif{
		was: policy, policy: policy, window: p.Session.Model().Window().Tokens, ref: p.Ref,
		prefix: p.Forecast.Prefix, Request: p.Next, stop: func() {},
	}
}

// CloseWhatif goes back to the next request as it is set.
func (p *Model) CloseWhatif() {
	p.Whatif.stop()
	p.Whatif = nil
	p.stand(p.At)
}

// FirstTried is the first message that the settings on trial change, and false where they change none.
func (p *Model) FirstTried() (id int64, ok bool) {
	w := p.Whatif
	if w == nil || w.first == 0 {
		return 0, false
	}
	return w.Request.Plan.Entries[w.first-1].ID, true
}

func (w *Whatif) budget() int {
	if w.trial.Budget != nil {
		return *w.trial.Budget
	}
	return w.policy.Budget
}

// value is what a dial says, and what is set.
func (p *Model) value(d dial) (tried, was string) {
	w := p.Whatif
	budget := func(n int) string {
		if n == 0 {
			return "auto"
		}
		return theme.Thousands(n)
	}
	switch d {
	case budgetDial:
		return budget(w.budget()), budget(w.was.Budget)
	case presetDial:
		return cmp.Or(w.trial.Preset, w.was.Preset), w.was.Preset
	}
	return cmp.Or(w.trial.Model, p.Ref), p.Ref
}

// asking says that nothing is known yet of the model that is tried.
func (p *Model) asking() bool {
	tried, _ := p.value(modelDial)
	return p.Whatif.Running && tried != p.Whatif.ref
}

// dialKey is a key while settings are tried out.
func (p *Model) dialKey(msg tea.KeyPressMsg) tea.Cmd {
	k, w := &p.Keys, p.Whatif
	if digit := strings.Index("0123456789", msg.Text); len(msg.Text) == 1 && digit >= 0 {
		return p.typeBudget(digit)
	}
	if w.typed && msg.Code == tea.KeyBackspace {
		return p.setBudget(w.budget() / 10)
	}
	w.typed = false
	switch {
	case k.Pressed(msg, keymap.Back, keymap.WhatIf):
		return p.Leave()
	case k.Pressed(msg, keymap.Choose):
		return p.apply()
	case k.Pressed(msg, keymap.Down):
		return p.toDial(w.at + 1)
	case k.Pressed(msg, keymap.Up):
		return p.toDial(w.at - 1)
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

// maxBudget is the largest budget that can be typed.
const maxBudget = 99_999_999

// typeBudget puts a digit at the end of the budget, or begins one with it.
func (p *Model) typeBudget(digit int) tea.Cmd {
	w, budget := p.Whatif, digit
	if w.typed {
		budget = w.budget()*10 + digit
	}
	if budget > maxBudget {
		return p.Say("A budget can have at most " + theme.Thousands(maxBudget) + " tokens here.")
	}
	w.at, w.typed = budgetDial, true
	return p.setBudget(budget)
}

func (p *Model) setBudget(n int) tea.Cmd {
	p.Whatif.trial.Budget = &n
	return p.Try()
}

// toDial puts the cursor on a dial. The endpoints are asked for their models when theirs is reached.
func (p *Model) toDial(to dial) tea.Cmd {
	w := p.Whatif
	if to < 0 || to >= dialCount {
		return p.Say(fmt.Sprintf("There are %d settings: %s and %s change them.", dialCount,
			p.Keys.First(keymap.Earlier), p.Keys.First(keymap.Later)))
	}
	w.at = to
	if to == modelDial && p.Listed() == nil && !w.Listing {
		w.Listing = true
		return p.ListModels()
	}
	return nil
}

// turn turns the dial under the cursor by a step.
func (p *Model) turn(by int) tea.Cmd {
	w, ok := p.Whatif, false
	var budget int
	var value string
	at, _ := p.value(w.at)
	switch w.at {
	case budgetDial:
		if budget, ok = step(budgets(w.window), w.budget(), by); ok {
			return p.setBudget(budget)
		}
	case presetDial:
		if value, ok = next(history.Presets(), at, by); ok {
			w.trial.Preset = value
		}
	case modelDial:
		if value, ok = next(Refs(p.Ref, p.With.Models.Endpoints(), p.Listed()), at, by); ok {
			w.trial.Model = value
		}
	}
	end := "last "
	if by < 0 {
		end = "first "
	}
	switch {
	case ok:
		return p.Try()
	case w.at == modelDial && w.Listing:
		return p.Say("Still asking the endpoints for their models.")
	}
	return p.Say("This is the " + end + w.at.name() + ".")
}

// budgets are the steps of the budget's dial: 0 is auto, and the last one is the window where that is known.
func budgets(window int) []int {
	steps := []int{
		0, 1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000, 96_000, 128_000,
		192_000, 256_000, 384_000, 512_000, 768_000, 1_000_000,
	}
	if window == 0 {
		return steps
	}
	at, _ := slices.BinarySearch(steps, window)
	return append(steps[:at], window)
}

// step is the step below or above a number in a rising list, and false where there is none.
func step(steps []int, at, by int) (int, bool) {
	i, on := slices.BinarySearch(steps, at)
	if by < 0 || on {
		i += by
	}
	if i < 0 || i >= len(steps) {
		return at, false
	}
	return steps[i], true
}

// next is the value of a list a step before or after another, and false where there is none.
func next(list []string, at string, by int) (string, bool) {
	i := slices.Index(list, at) + by
	if i < 0 || i >= len(list) {
		return at, false
	}
	return list[i], true
}

// Refs are the models that are known: the one in use, what the endpoints answer with by default, and what they list, in
// the order of the endpoints.
func Refs(inUse string, endpoints []llm.Endpoint, listed []llm.Model) []string {
	var list []string
	for _, e := range endpoints {
		if e.Default != "" {
			list = append(list, e.Name+"/"+e.Default)
		}
		for _, m := range listed {
			if ref := m.Ref(); m.Endpoint == e.Name && !slices.Contains(list, ref) {
				list = append(list, ref)
			}
		}
	}
	if !slices.Contains(list, inUse) {
		list = append([]string{inUse}, list...)
	}
	return list
}

// restTime is how long the dial of the model rests before a server is asked about the model.
const restTime = 60 * time.Millisecond

// Tried is the plan by other settings, with what it was made by.
type Tried struct {
	Plan    history.Plan
	Changes []history.Change // to the next request as it is set
	Prefix  record.Prefix
	Policy  history.Policy
	Window  int
	Input   pricing.Cost // of the plan's request
	Err     error
}

// Try plans with the dials as they are. What an older trial comes to is not shown.
func (p *Model) Try() tea.Cmd {
	w, s, draft, now := p.Whatif, p.Session, p.Draft(), p.Next.Plan.Entries
	t := &w.trial
	if t.Preset == w.was.Preset {
		t.Preset = ""
	}
	if t.Model == p.Ref {
		t.Model = ""
	}
	// Another preset drops the budget that was set, so only without one it is as it was.
	if t.Preset == "" && t.Budget != nil && *t.Budget == w.was.Budget {
		t.Budget = nil
	}
	w.stop()
	var ctx context.Context
	ctx, w.stop = p.NewContext()
	w.number++
	w.Running = true
	number, trial := w.number, w.trial
	return func() tea.Msg {
		if trial.Model != "" {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(restTime):
			}
		}
		by := s.Try(ctx, trial)
		plan, err := by.Preview(draft)
		tried := Tried{
			Plan: plan, Changes: history.Compare(now, plan.Entries), Policy: by.Policy,
			Window: by.To.Window().Tokens, Input: by.To.InputCost(plan.Sum), Err: err,
		}
		if trial.Model == "" {
			tried.Prefix = s.Forecast(plan).Prefix
		}
		return app.Then(func() tea.Cmd {
			if p.Whatif != w || w.number != number {
				return nil
			}
			return p.ShowTried(tried)
		})
	}
}

// ShowTried shows the plan of the newest trial.
func (p *Model) ShowTried(t Tried) tea.Cmd {
	w := p.Whatif
	w.stop()
	w.Running, w.note = false, ""
	if t.Err != nil {
		w.note = theme.Sentence(t.Err)
		if len(t.Plan.Entries) == 0 {
			return nil
		}
	}
	w.ref, _ = p.value(modelDial)
	w.policy, w.window, w.prefix = t.Policy, t.Window, t.Prefix
	on, r := p.Chosen(), requestOf(t.Plan, p.Said)
	r.Input, r.moves = t.Input, map[int64]move{}
	w.first, w.changed = 0, [kinds]int{}
	for _, c := range t.Changes {
		text, kind := moveOf(c)
		if text == "" {
			continue
		}
		w.changed[kind]++
		e := c.Entry()
		r.moves[e.ID] = move{text, c.After.TokensAfter - c.Before.TokensAfter}
		if n := e.Index + 1; w.first == 0 || n < w.first {
			w.first = n
		}
	}
	w.Request = r
	p.stay(on)
	if w.first > 0 {
		p.toTop(w.first - 1)
	}
	return p.Screen.Shown()
}

// apply has the conversation set to what the dials say.
func (p *Model) apply() tea.Cmd {
	var parts []string
	for d := range dialCount {
		if tried, was := p.value(d); tried != was {
			parts = append(parts, d.name()+" "+tried)
		}
	}
	switch {
	case p.asking():
		return p.Fail(p.Whatif.trial.Model + " has not stated its context window yet, so there is no plan for it.")
	case len(parts) == 0:
		return tea.Batch(p.Leave(), p.Say("No setting was changed."))
	}
	return p.Apply(p.Whatif.trial, "Set: "+strings.Join(parts, ", ")+".")
}

// move is what a trial changes for a message.
type move struct {
	text string // "+ comes back"
	diff int    // counted tokens more or less
}

// The kinds of what a trial does to a message.
const (
	back = iota // it is sent again
	wholeAgain
	longer
	shorter
	out
	kinds
)

// moveOf says what a change does to the amount of a message that is sent, "" for nothing.
func moveOf(c history.Change) (text string, kind int) {
	cut := c.After.Disposition == history.Cut
	switch {
	case c.After.Sent() && !c.Before.Sent() && cut:
		return "+ comes back, cut", back
	case c.After.Sent() && !c.Before.Sent():
		return "+ comes back", back
	case c.Before.Sent() && !c.After.Sent():
		return "− drops out", out
	case c.After.CharsAfter > c.Before.CharsAfter && !cut:
		return "+ whole", wholeAgain
	case c.After.CharsAfter > c.Before.CharsAfter:
		return "+ " + theme.Verdict(c.After), longer
	case c.After.CharsAfter < c.Before.CharsAfter:
		return "− " + theme.Verdict(c.After), shorter
	}
	return "", 0
}

// dials are the lines above the list while settings are tried out: the dials, and the sums that they change.
func (p *Model) dials(w, in int, blank []string) []string {
	t, st := p.Whatif, &p.Themes.Styles
	title := theme.Spread(st.Strong.Render("What if"), st.Muted.Render("nothing is sent or stored"), in)
	lines := framed(append([]string{title}, blank...), w)
	for d := range dialCount {
		lines = append(lines, p.dial(d, w, in))
	}
	var below []string
	switch {
	case t.note != "":
		below = p.wrap(st.Error, t.note, in)
	case p.asking():
		below = p.wrap(st.Muted, "Asking for its context window…", in)
	case t.Listing && t.at == modelDial:
		below = p.wrap(st.Muted, "Asking the endpoints for their models…", in)
	}
	below = append(below, blank...)
	if !p.asking() {
		below = append(below, p.sums()...)
	}
	return append(lines, framed(slices.Concat(below, blank, []string{t.Request.bar(st, in)}), w)...)
}

// The columns of a dial, in cells.
const (
	dialAt    = 9
	dialCells = 13
)

// dial is a dial's line: its name, its value, and the value that is set.
func (p *Model) dial(d dial, w, in int) string {
	st, row, cursor := &p.Themes.Styles, line{w: w}, d == p.Whatif.at
	tried, was := p.value(d)
	name, arrow := st.Text, st.Faint
	if cursor {
		name, arrow = st.Strong, st.Seen
		row.add("▌", st.Seen)
	}
	row.to(1)
	row.add(theme.UpperFirst(d.name()), name)
	row.to(dialAt)
	row.add("◂ ", arrow)
	row.cut(tried, name, in-1)
	row.to(dialAt + 2 + dialCells)
	row.add(" ▸", arrow)
	if right := "was " + was; tried != was && row.at+2+theme.Width(right) <= in+1 {
		row.to(in + 1 - theme.Width(right))
		row.add(right, st.Muted)
	}
	return row.on(st, cursor)
}

// sums are what the trial changes in all.
func (p *Model) sums() []string {
	w, r, now, st := p.Whatif, &p.Whatif.Request, &p.Next, &p.Themes.Styles
	var lines []string
	say := func(label, was, is, rest string) {
		text := st.Text.Render(is)
		if was != "" && was != is {
			text = st.Muted.Render(was) + st.Faint.Render(" → ") + st.Strong.Render(is)
		}
		if is != "" {
			lines = append(lines, st.Muted.Render(theme.Fit(label, labelCells))+text+st.Text.Render(rest))
		}
	}
	say("Sends", theme.Thousands(now.Counts.Sent()), theme.Thousands(r.Counts.Sent()),
		" of "+theme.Thousands(r.Counts.Stored))
	var changed []string
	for k, words := range [kinds]string{"sent again", "whole again", "longer", "shorter", "dropped"} {
		if w.changed[k] > 0 {
			changed = append(changed, theme.Thousands(w.changed[k])+" "+words)
		}
	}
	say("Changes", "", strings.Join(changed, ", "), "")
	_, before := now.used()
	_, after := r.used()
	of := ""
	if limit := r.Plan.Sum.Limit; limit > 0 {
		of = " of " + theme.Thousands(limit)
	}
	say("Tokens", before, after, of)
	if r.Input.Known() {
		say("Price", now.Input.String(), r.Input.String(), " a request")
	}
	say("Cache", "", p.cached(), "")
	return lines
}

// cached says what becomes of what the server may have read before, "" where nothing is known.
func (p *Model) cached() string {
	w, now := p.Whatif, p.Forecast.Prefix
	switch {
	case !now.Known, now.Tokens == 0 && w.prefix.Tokens == 0:
		return ""
	case w.trial.Model != "":
		return "none: another model"
	case w.prefix.Tokens == now.Tokens:
		return "~" + w.Request.Counted(now.Tokens) + ", as before"
	case w.first > 0:
		return "rebuilt once, from message " + theme.Thousands(w.first) + " on"
	}
	return "~" + w.Request.Counted(now.Tokens) + " → ~" + w.Request.Counted(w.prefix.Tokens)
}
