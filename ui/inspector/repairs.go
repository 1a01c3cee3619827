package inspector

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Repaired are the messages of a plan that it repairs, or sends otherwise because they are damaged.
func Repaired(p *history.Plan) (list []history.Entry) {
	for i := range p.Entries { // Most are not repaired, and an entry is large to copy.
		if len(p.Entries[i].Repairs) > 0 {
			list = append(list, p.Entries[i])
		}
	}
	return list
}

// remedyOf is what is sent of a repaired message.
func remedyOf(e history.Entry) history.Remedy {
	for _, r := range e.Repairs {
		if r.Remedy != history.SendRepaired {
			return r.Remedy
		}
	}
	return history.SendRepaired
}

// Price is a remedy that there is for a message: what would be sent, and its tokens beside those of now.
type Price struct {
	Remedy history.Remedy
	Plan   *history.Plan
	Tokens int
}

// repairView shows what was repaired of the message, and in the next request what else could be sent.
func (in *Model) repairView() *view {
	plan, when := &in.Plan, "now"
	e, _ := plan.EntryOf(in.On.Message)
	if i := in.pointed(); i >= 0 && in.remedy != remedyOf(e) {
		plan, when = in.prices[i].Plan, "if you choose this"
	}
	v := &view{}
	for _, s := range in.repairLines(plan, when) {
		v.head.line(Drawn, "%s", s)
	}
	if in.Past == nil {
		v.below = in.remedies
	}
	return v
}

// repairLines draw the repairs of the message in a plan: what was wrong, and what is stored against what is sent.
func (in *Model) repairLines(plan *history.Plan, when string) []string {
	st, w := in.Themes.Styles, in.w
	e, _ := plan.EntryOf(in.On.Message)
	var lines []string
	for _, r := range e.Repairs {
		sentence, _ := in.Secrets.Hide(r.Cause.Sentence())
		what, instead, _ := strings.Cut(sentence, "; ")
		wrapped := indented(st.Strong, strings.TrimSuffix(what, "."), w)
		wrapped[0] = strings.Repeat(" ", theme.Gutter(w)) + st.Repaired.Render("▲") + wrapped[0][theme.Gutter(w)+1:]
		lines = append(lines, wrapped...)
		if instead != "" && r.Remedy == history.SendRepaired {
			lines = append(lines, indented(st.Muted, theme.UpperFirst(instead), w)...)
		}
	}
	blocks := group{plan, in.stored, in.Secrets}.blocks(e)
	return slices.Concat(lines, indented(st.Muted, "Many servers refuse a whole request for this.", w), []string{""},
		comparison(st, w, blocks, when), []string{""},
		indented(st.Muted, "The original is kept byte for byte.", w))
}

// readPrices plans with each other remedy for the message than now, and keeps those that change something.
func (in *Model) readPrices() tea.Cmd {
	if in.Past != nil {
		return nil
	}
	of, _ := in.Plan.EntryOf(in.On.Message)
	s, draft, now := in.Session, in.Draft(), in.Plan
	return in.later(func(ctx context.Context) (func(), error) {
		var prices []Price
		for _, to := range history.Remedies() {
			plan := now
			if to != remedyOf(of) {
				// Why it could not be sent is said where it is sent.
				plan, _ = s.Try(ctx, session.Settings{}).WithRemedy(to, of.ID).Preview(draft)
			}
			if e, ok := plan.EntryOf(of.ID); ok && remedyOf(e) == to {
				prices = append(prices, Price{to, &plan, plan.Sum.Used() - now.Sum.Used()})
			}
		}
		return func() { in.ShowPrices(prices) }, nil
	})
}

// ShowPrices shows the remedies that there are for the message. The cursor stays on its remedy, and is on what is sent
// now at first.
func (in *Model) ShowPrices(prices []Price) {
	if in.prices = prices; in.pointed() < 0 {
		e, _ := in.Plan.EntryOf(in.On.Message)
		in.remedy = remedyOf(e)
	}
	in.put(in.repairView())
}

// pointed is the remedy under the cursor, by its place; -1 until the prices are known.
func (in *Model) pointed() int {
	return slices.IndexFunc(in.prices, func(p Price) bool { return p.Remedy == in.remedy })
}

// point moves the cursor to another remedy.
func (in *Model) point(i int) {
	if i >= 0 && i < len(in.prices) {
		in.remedy = in.prices[i].Remedy
		in.put(in.repairView())
	}
}

// repairKey is a key that only the view of a repair has, else false.
func (in *Model) repairKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := &in.Keys
	e, _ := in.Plan.EntryOf(in.On.Message)
	switch {
	case in.At != RepairView:
		return nil, false
	case k.Pressed(msg, keymap.NextHit):
		return in.stepRepair(1), true
	case k.Pressed(msg, keymap.PrevHit):
		return in.stepRepair(-1), true
	case in.Past != nil:
		return nil, false
	case k.Pressed(msg, keymap.Down):
		in.point(in.pointed() + 1)
	case k.Pressed(msg, keymap.Up):
		in.point(in.pointed() - 1)
	case k.Pressed(msg, keymap.Choose):
		return in.choose(e, in.remedy), true
	case k.Pressed(msg, keymap.TakeBack):
		return in.choose(e, history.SendRepaired), true
	default:
		return nil, false
	}
	return nil, true
}

// stepRepair goes to another repaired message.
func (in *Model) stepRepair(by int) tea.Cmd {
	list := Repaired(&in.Plan)
	switch i := by + in.repairNumber(list); {
	case i < 0:
		return in.Say("This is the first repair.")
	case i == len(list):
		return in.Say("This is the last repair.")
	default:
		return in.Inspect(Subject{Message: list[i].ID}, RepairView)
	}
}

// repairNumber is the place of the message among the repaired ones.
func (in *Model) repairNumber(list []history.Entry) int {
	return slices.IndexFunc(list, func(e history.Entry) bool { return e.ID == in.On.Message })
}

// choose has a remedy stored for a message and its group.
func (in *Model) choose(e history.Entry, to history.Remedy) tea.Cmd {
	switch recovery := in.Session.Now().Policy.Recovery; {
	case in.Busy:
		return in.Say(in.Keys.Lacks(keymap.NeedIdle))
	case !recovery.TakesRemedies():
		return in.Say("Recovery is set to " + string(recovery) + " for all calls, so there is nothing to choose.")
	case to == remedyOf(e):
		return in.Say("This is what is sent now.")
	}
	s := in.Session
	return in.Run(func(ctx context.Context) tea.Msg {
		err := s.SetRemedy(ctx, to, e.ID)
		return app.Then(func() tea.Cmd {
			if err == nil {
				in.remedy = to
			}
			return in.Done("This is sent from now on; your history is unchanged.", err)
		})
	})
}

// remedies are what can be sent, each with its tokens beside those of now.
func (in *Model) remedies(st theme.Styles, w int) []string {
	lines := []string{""}
	on, _ := in.Plan.EntryOf(in.On.Message)
	if in.prices == nil {
		lines = append(lines, indented(st.Muted, "Comparing what else can be sent …", w)...)
		return append(lines, make([]string, len(history.Remedies())-1)...) // as high as what comes
	}
	g := theme.Gutter(w)
	for i, p := range in.prices {
		label, about := in.remedyText(on, p)
		tokens := theme.Signed(p.Tokens) + " tokens"
		switch {
		case p.Remedy == remedyOf(on):
			tokens = "in use"
		case p.Tokens == 0:
			tokens = "no difference"
		case p.Tokens == 1 || p.Tokens == -1:
			tokens = theme.Signed(p.Tokens) + " token"
		}
		const labelCells = 26
		label = fmt.Sprintf("%*s%d %-*s  ", g, "", i+1, labelCells, label)
		room := w - theme.Width(label+tokens) - 2 - g
		about = st.Muted.Render(markdown.OneLine(about, max(0, room)))
		line := theme.Spread(st.Text.Render(label)+about, st.Text.Render(tokens), w-g)
		if p.Remedy == in.remedy {
			line = theme.Spread(st.Seen.Render("▌")+st.Strong.Render(label[1:])+about, st.Text.Render(tokens), w-g)
			line = theme.Ground(st.Selected, theme.Fit(line, w))
		}
		lines = append(lines, line)
	}
	return lines
}

// remedyText is the name of a remedy, and what becomes of the message by it.
func (in *Model) remedyText(on history.Entry, p Price) (label, about string) {
	m, _ := in.stored(on.ID)
	e, _ := p.Plan.EntryOf(on.ID)
	switch {
	case p.Remedy == history.SendAsText:
		label, about = "Send it as plain text", sourceOf(p.Plan, e).text
	case p.Remedy == history.LeaveOut && on.Role != history.Tool && len(m.ToolCalls) == 0:
		return "Leave the message out", "the messages around it stay"
	case p.Remedy == history.LeaveOut:
		return "Leave the call out", "with its results; the answer’s text stays"
	default:
		label, about = "Send it repaired", e.Repairs[0].After
	}
	if about = in.Secrets.Line(about); about != "" {
		about = "“" + theme.OneLine(about) + "”"
	}
	return label, about
}

// repairHints are the keys that matter in the view of a repair.
func (in *Model) repairHints() (hints []key.Binding) {
	k := &in.Keys
	if len(in.prices) > 1 {
		hints = append(hints, k.Hint("choose", keymap.Down, keymap.Up), k.Hint("use this repair", keymap.Choose))
	}
	e, _ := in.Plan.EntryOf(in.On.Message)
	if remedyOf(e) != history.SendRepaired {
		hints = append(hints, k.Hint("undo", keymap.TakeBack))
	}
	return append(hints, k.Hint("next repair", keymap.NextHit))
}
