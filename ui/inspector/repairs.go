package inspector

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/aymanbagabas/go-udiff/lcs"

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
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
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
		return func() tea.Cmd { return in.ShowPrices(prices) }, nil
	})
}

// ShowPrices shows the remedies that there are for the message. The cursor stays on its remedy, and is on what is sent
// now at first.
func (in *Model) ShowPrices(prices []Price) tea.Cmd {
	if in.prices = prices; in.pointed() < 0 {
		e, _ := in.Plan.EntryOf(in.On.Message)
		in.remedy = remedyOf(e)
	}
	return in.put(in.repairView())
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

// choose has a remedy stored for the message and its group.
func (in *Model) choose(to history.Remedy) tea.Cmd {
	e, _ := in.Plan.EntryOf(in.On.Message)
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
		tokens := theme.Signed(p.Tokens) + " tokens"
		switch {
		case p.Remedy == remedyOf(on):
			tokens = "in use"
		case p.Tokens == 0:
			tokens = "no difference"
		case p.Tokens == 1 || p.Tokens == -1:
			tokens = theme.Signed(p.Tokens) + " token"
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
		hints = append(hints, k.Hint("undo", keymap.TakeBack))
	}
	return append(hints, k.Hint("next repair", keymap.NextHit))
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

// block is a part of what is stored against what is sent of it: a message with its role, or one of its calls.
type block struct {
	role   string
	lacks  string // what stands on the side that is stored where only what is sent has the part, "" for others
	gone   string // what stands on the side that is sent where only what is stored has the part, "" for others
	fields []field
}

// field is a value with its name, as it is stored and as it is sent.
type field struct{ name, stored, sent string }

// differs reports whether what is sent is not what is stored.
func (b block) differs() bool {
	return b.gone+b.lacks != "" || slices.ContainsFunc(b.fields, func(f field) bool { return f.stored != f.sent })
}

// names is how wide the names of its fields are.
func (b block) names() (w int) {
	for _, f := range b.fields {
		w = max(w, theme.Width(f.name))
	}
	return w
}

// words are runs of letters and digits, and every other character by itself.
var words = regexp.MustCompile(`[\pL\pN]+|(?s:.)`)

// differ takes two texts apart by what they have in common, word by word: what only one has is Changed.
func differ(before, after string) (was, is Page) {
	a, b := words.FindAllString(before, -1), words.FindAllString(after, -1)
	take := func(p *Page, k Kind, list []string) { p.add(k, strings.Join(list, "")) }
	at, bt := 0, 0
	for _, d := range lcs.DiffLines(a, b) { // it compares any texts, and these are words
		take(&was, Plain, a[at:d.Start])
		take(&was, Changed, a[d.Start:d.End])
		take(&is, Plain, b[bt:d.ReplStart])
		take(&is, Changed, b[d.ReplStart:d.ReplEnd])
		at, bt = d.End, d.ReplEnd
	}
	take(&was, Plain, a[at:])
	take(&is, Plain, b[bt:])
	return was, is
}

// abridged leaves out the middle of what is long.
func abridged(p Page) (short Page) {
	const head, tail = 200, 100 // characters
	for _, s := range p {
		if s.Kind == Changed {
			s.Text = strings.ReplaceAll(s.Text, "\n", "↵\n") // a line's end that only one side has is seen
		}
		if runes := []rune(s.Text); len(runes) > head+tail {
			short.add(s.Kind, string(runes[:head]))
			short.add(Quiet, "\n… "+theme.Plural(len(runes)-head-tail, "more character")+" …\n")
			s.Text = string(runes[len(runes)-tail:])
		}
		short.add(s.Kind, s.Text)
	}
	return short
}

// The layout of a comparison.
const (
	columnGap  = 4 // cells between what is stored and what is sent
	signCells  = 3 // the sign of a line, with a cell before and after it
	fieldCells = 2 // in front of the name of a field
)

// comparison draws blocks as they are stored against what is sent of them, on a screen of w cells: side by side, on a
// narrow screen one below the other. A line with a part that the other side does not have begins with a sign, − or +.
// There are no lines where there are no blocks.
func comparison(st theme.Styles, w int, blocks []block, when string) []string {
	if len(blocks) == 0 {
		return nil
	}
	edge := strings.Repeat(" ", theme.Gutter(w))
	each, beside := w-2*len(edge), w >= theme.NarrowScreen
	if beside {
		each = (each - columnGap) / 2
	}
	stored := column{Styles: st, sign: "−", style: st.Error, w: each}
	sent := column{Styles: st, sign: "+", style: st.Seen, w: each}
	level := func() {
		for beside && len(stored.lines) < len(sent.lines) {
			stored.lines = append(stored.lines, "")
		}
		for beside && len(sent.lines) < len(stored.lines) {
			sent.lines = append(sent.lines, "")
		}
	}
	for _, b := range blocks {
		stored.head(b.role)
		sent.head(b.role)
		stored.value("", 0, Page{{Changed, b.lacks}})
		sent.value("", 0, Page{{Changed, b.gone}})
		for _, f := range b.fields {
			switch was, is := differ(f.stored, f.sent); {
			case b.lacks != "":
				sent.value(f.name, b.names(), Page{{Changed, f.sent}})
			case b.gone != "":
				stored.value(f.name, b.names(), Page{{Changed, f.stored}})
			default:
				stored.value(f.name, b.names(), was)
				sent.value(f.name, b.names(), is)
				level()
			}
		}
		level()
	}
	left, right := stored.draw("Stored", "as received"), sent.draw("Sent", when)
	lines := slices.Concat(left, []string{""}, right)
	if beside {
		for i := range left {
			left[i] += strings.Repeat(" ", columnGap) + right[i]
		}
		lines = left
	}
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	return lines
}

// column is one side of a comparison.
type column struct {
	theme.Styles
	sign  string         // of a line that has what the other side has not
	style lipgloss.Style // of that part, and of the sign
	w     int
	lines []string
}

// head begins a block.
func (c *column) head(role string) {
	c.lines = append(c.lines, "", strings.Repeat(" ", signCells-1)+c.Keyword.Render(role))
}

// value adds a value behind its name, which is one of so many cells, in lines of the width of the column.
func (c *column) value(name string, names int, p Page) {
	lead := strings.Repeat(" ", fieldCells)
	if name != "" {
		lead += c.Text.Render(theme.Fit(name, names)) + "  "
	}
	room := max(1, c.w-signCells-theme.Width(lead)-1)
	var lines pager
	lines.write(abridged(p))
	for _, line := range lines.lines {
		for _, r := range rowsOf(line, room, room) {
			sign, shown := " ", ""
			for _, s := range r.Page {
				style := c.String
				switch s.Kind {
				case Changed:
					sign, style = c.style.Render(c.sign), c.style
				case Quiet:
					style = c.Muted
				}
				shown += style.Render(s.Text)
			}
			c.lines = append(c.lines, sign+" "+lead+shown)
			lead = strings.Repeat(" ", theme.Width(lead))
		}
	}
}

// draw is the column on the ground of code, under its title.
func (c *column) draw(title, about string) []string {
	lines := []string{theme.Fit(c.Strong.Render(title)+c.Muted.Render("  "+about), c.w)}
	for _, s := range append(c.lines, "") {
		if c.Tinted {
			lines = append(lines, theme.Ground(c.Tint, theme.Fit(" "+s, c.w)))
		} else {
			lines = append(lines, theme.Fit(c.Faint.Render("│")+s, c.w))
		}
	}
	return lines
}
