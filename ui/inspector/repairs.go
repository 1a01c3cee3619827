package inspector

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
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

// repairView shows what was repaired of the message: what was wrong, and what is stored against what is sent. In the
// next request it shows what else could be sent.
func (in *Model) repairView() *view {
	v, st, w := &view{}, in.Themes.Styles, in.w
	plan, when := &in.Plan, "now"
	e, _ := plan.EntryOf(in.On.Message)
	if i := in.pointed(); i >= 0 && in.remedy != remedyOf(e) {
		plan, when = in.prices[i].Plan, "if you choose this"
		e, _ = plan.EntryOf(in.On.Message)
	}
	if in.Past == nil {
		v.below = in.remedies
	}
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
	for _, s := range slices.Concat(lines, indented(st.Muted, "Many servers refuse a whole request for this.", w),
		[]string{""}, comparison(st, w, blocks, when), []string{""},
		indented(st.Muted, "The original is kept byte for byte.", w)) {
		v.page.line(Drawn, "%s", s)
	}
	return v
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
	case k.Pressed(msg, keymap.NextRepair):
		return in.stepRepair(1), true
	case k.Pressed(msg, keymap.PrevRepair):
		return in.stepRepair(-1), true
	case in.Past != nil:
		return nil, false
	case k.Pressed(msg, keymap.Down):
		in.point(in.pointed() + 1)
	case k.Pressed(msg, keymap.Up):
		in.point(in.pointed() - 1)
	case k.Pressed(msg, keymap.Choose):
		return in.choose(e, in.remedy), true
	case k.Pressed(msg, keymap.UndoRemedy):
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
		name, about := in.remedyText(on, p)
		tokens := theme.Signed(p.Tokens) + strings.TrimLeft(theme.Plural(max(p.Tokens, -p.Tokens), "token"), "0123456789,")
		switch {
		case p.Remedy == remedyOf(on):
			tokens = "in use"
		case p.Tokens == 0:
			tokens = "no difference"
		}
		mark, style := " ", st.Text
		if p.Remedy == in.remedy {
			mark, style = st.Seen.Render("▌"), st.Strong
		}
		line := mark + style.Render(fmt.Sprintf("%*s%d %-26s  ", g-1, "", i+1, name))
		line += st.Muted.Render(markdown.OneLine(about, max(0, w-theme.Width(line+tokens)-2-g)))
		if line = theme.Spread(line, st.Text.Render(tokens), w-g); p.Remedy == in.remedy {
			line = theme.Ground(st.Selected, theme.Fit(line, w))
		}
		lines = append(lines, line)
	}
	return lines
}

// remedyText is the name of a remedy, and what becomes of the message by it.
func (in *Model) remedyText(on history.Entry, p Price) (name, about string) {
	m, _ := in.stored(on.ID)
	e, _ := p.Plan.EntryOf(on.ID)
	switch {
	case p.Remedy == history.LeaveOut && on.Role != history.Tool && len(m.ToolCalls) == 0:
		return "Leave the message out", "the messages around it stay"
	case p.Remedy == history.LeaveOut:
		return "Leave the call out", "with its results; the answer’s text stays"
	case p.Remedy == history.SendAsText:
		name, about = "Send it as plain text", sourceOf(p.Plan, e).text
	default:
		name, about = "Send it repaired", e.Repairs[0].After
	}
	if about != "" {
		about = "“" + theme.OneLine(in.Secrets.Line(about)) + "”"
	}
	return name, about
}

// repairHints are the keys that matter in the view of a repair.
func (in *Model) repairHints() (hints []key.Binding) {
	k := &in.Keys
	if len(in.prices) > 1 {
		hints = append(hints, k.Hint("choose", keymap.Down, keymap.Up), k.Hint("use this repair", keymap.Choose))
	}
	e, _ := in.Plan.EntryOf(in.On.Message)
	if remedyOf(e) != history.SendRepaired {
		hints = append(hints, k.Hint("undo", keymap.UndoRemedy))
	}
	return append(hints, k.Hint("next repair", keymap.NextRepair))
}

// group is a message with the results of its calls, or a message alone: what is repaired together.
type group struct {
	plan    *history.Plan
	stored  func(id int64) (store.Message, bool) // a message as it is stored
	secrets theme.Secrets
}

// blocks are what is stored of a repaired message, and of the calls and results that go with it, against what a plan
// sends of it: of each call its id, name and arguments, of each result its id and text. Calls that go as they are
// stored are left out with their results. Where nothing of that differs they are the damaged bytes of the message's
// repairs; there are none where a repair moved a message.
func (g group) blocks(e history.Entry) []block {
	at := slices.IndexFunc(g.plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	if at < 0 {
		return nil
	}
	places := g.plan.Group(at)
	head := g.plan.Entries[places[0]]
	first, _ := g.stored(head.ID)
	if len(first.ToolCalls) == 0 { // a result without its call, or any other message
		head, places = e, []int{at}
		first, _ = g.stored(e.ID)
	}
	c := sourceOf(g.plan, head)
	var list []block
	if b := g.text(first, head, c); len(first.ToolCalls) == 0 || b.gone == "" {
		list = changed(b)
	}
	for k, call := range first.ToolCalls {
		sent, as := c.call(first.ToolCalls, k)
		b := block{role: string(head.Role), fields: []field{
			{"id", call.ID, ""}, {"name", call.Name, ""}, {"args", call.Arguments, ""},
		}}
		of := []block{b}
		if sent == nil {
			of[0].gone = as
		} else {
			b.fields[0].sent, b.fields[1].sent, b.fields[2].sent = sent.ID, sent.Name, sent.Arguments
			of = append(of, g.standIns(sent.ID, c)...)
		}
		for _, i := range places[1:] {
			if m, _ := g.stored(g.plan.Entries[i].ID); m.ToolCallID == call.ID {
				of = append(of, g.text(m, g.plan.Entries[i], sourceOf(g.plan, g.plan.Entries[i])))
			}
		}
		list = append(list, changed(of...)...)
	}
	for _, r := range e.Repairs {
		if len(list) == 0 && r.Before+r.After != "" {
			list = append(list, block{role: string(e.Role), fields: []field{{"", r.Before, r.After}}})
		}
	}
	return g.shown(list)
}

// changed are blocks where one of them is not sent as it is stored, else none.
func changed(list ...block) []block {
	if slices.ContainsFunc(list, block.differs) {
		return list
	}
	return nil
}

// text is the text of a message, and of a result its id. A text that is only cut counts as the same.
func (g group) text(m store.Message, e history.Entry, c source) block {
	b := block{role: string(e.Role), fields: []field{{"text", m.Content, c.text}}}
	asText := c.asText || e.Role == history.Tool && len(c.sent) > 0 && c.sent[0].Role != history.Tool
	cut := ""
	for _, s := range SegmentsOf(m.Content, e) {
		if s.Kind != Unsent {
			cut += s.Text
		}
	}
	switch {
	case len(c.sent) == 0:
		b.gone, b.fields[0].sent = "not sent", ""
	case !asText && c.text == cut:
		b.fields[0].sent = m.Content
	}
	if e.Role == history.Tool && (b.gone != "" || !asText) { // a text has no id
		id := field{"id", m.ToolCallID, ""}
		if b.gone == "" {
			id.sent = c.sent[0].ToolCallID
		}
		b.fields = slices.Insert(b.fields, 0, id)
	}
	return b
}

// standIns are the results that are sent of a call without one; id is that of the call as it is sent.
func (g group) standIns(id string, c source) (list []block) {
	for _, a := range g.plan.Added {
		if a.Kind != history.AddedStandIn || a.Before <= c.at[0] || a.Before >= len(g.plan.Messages) {
			continue
		}
		if m := g.plan.Messages[a.Before]; m.ToolCallID == id {
			list = append(list, block{role: string(history.Tool), lacks: "missing", fields: []field{
				{"id", "", m.ToolCallID}, {"text", "", m.Content},
			}})
		}
	}
	return list
}

// shown are blocks without secrets, and with ids and names in quotes: a blank one is seen.
func (g group) shown(list []block) []block {
	for _, b := range list {
		for k := range b.fields {
			f := &b.fields[k]
			f.stored, _ = g.secrets.Hide(f.stored)
			f.sent, _ = g.secrets.Hide(f.sent)
			if f.name == "id" || f.name == "name" {
				f.stored, f.sent = strconv.Quote(f.stored), strconv.Quote(f.sent)
			}
		}
	}
	return list
}
