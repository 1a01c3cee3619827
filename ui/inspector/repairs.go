package inspector

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

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

// Price is a remedy that there is for a message, and the request with it.
type Price struct {
	Remedy history.Remedy
	Plan   *history.Plan
}

// repair writes what was repaired of the message: what was wrong, and what is stored against what is sent, by the
// remedy under the cursor.
func (in *Model) repair(p *Page) {
	plan, when, e := &in.Plan, "now", in.entry()
	if i := in.pointed(); i >= 0 && in.remedy != remedyOf(e) {
		plan, when = in.prices[i].Plan, "if you choose this"
		e, _ = plan.EntryByID(in.On.Message)
	}
	for _, r := range e.Repairs {
		what, instead, _ := strings.Cut(r.Cause.Sentence(), "; ")
		p.add(Paragraph{Mark: "▲", Title: strings.TrimSuffix(what, ".")})
		if r.Remedy == history.SendRepaired {
			p.block(Quiet, theme.UpperFirst(instead))
		}
	}
	p.line(Quiet, "Many servers refuse a whole request for this.")
	p.line(Quiet, "")
	for _, row := range in.comparison(plan, e, when) {
		p.paragraphs = append(p.paragraphs, Paragraph{Kind: Drawn, Text: row})
	}
	p.line(Quiet, "")
	p.line(Quiet, "The original is kept byte for byte.")
}

// readPrices plans with each other remedy for the message than now, and keeps those that change something.
func (in *Model) readPrices() tea.Cmd {
	if in.Past != nil {
		return nil
	}
	of, s, draft, now := in.entry(), in.Session, in.Draft(), in.Plan
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		var prices []Price
		for _, to := range history.Remedies() {
			plan := now
			if to != remedyOf(of) {
				// Why it could not be sent is said where it is sent.
				plan, _ = s.Try(ctx, session.Settings{}).WithRemedy(to, of.ID).Preview(draft)
			}
			if e, ok := plan.EntryByID(of.ID); ok && remedyOf(e) == to {
				prices = append(prices, Price{to, &plan})
			}
		}
		return func() tea.Cmd { return in.ShowPrices(prices) }, nil
	})
}

// ShowPrices shows the remedies that there are for the message. The cursor stays on its remedy, and is on what is sent
// now at first.
func (in *Model) ShowPrices(prices []Price) tea.Cmd {
	if in.prices = prices; in.pointed() < 0 {
		in.remedy = remedyOf(in.entry())
	}
	return in.write(0, in.repair)
}

// pointed is the remedy under the cursor, by its place; -1 until the prices are known.
func (in *Model) pointed() int {
	return slices.IndexFunc(in.prices, func(p Price) bool { return p.Remedy == in.remedy })
}

// point moves the cursor to another remedy.
func (in *Model) point(i int) tea.Cmd {
	if i < 0 || i >= len(in.prices) {
		return nil
	}
	in.remedy = in.prices[i].Remedy
	return in.write(0, in.repair)
}

// stepRepair goes to another repaired message. Behind the last one comes the first.
func (in *Model) stepRepair(by int) tea.Cmd {
	list := Repaired(&in.Plan)
	to := list[(in.repairNumber(list)+by+len(list))%len(list)]
	return in.Inspect(Subject{Message: to.ID}, RepairView)
}

// repairNumber is the place of the message among the repaired ones.
func (in *Model) repairNumber(list []history.Entry) int {
	return slices.IndexFunc(list, func(e history.Entry) bool { return e.ID == in.On.Message })
}

// choose has a remedy stored for the message and its group.
func (in *Model) choose(to history.Remedy) tea.Cmd {
	e := in.entry()
	switch recovery := in.Session.State().Policy.Recovery; {
	case in.Busy:
		return in.Say(in.Keys.Lacks(keymap.NeedIdle))
	case !recovery.AllowsRemedies():
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
			return in.Settled("This is sent from now on; your history is unchanged.", err)
		})
	})
}

// remedies are what can be sent, each with its tokens beside those of now.
func (in *Model) remedies() (lines []string) {
	st, gutter := &in.Themes.Styles, theme.Gutter(in.w)
	w := in.w - gutter - 1 // beside the mark of the cursor
	for i, p := range in.prices {
		name, about := in.remedyText(p.Remedy)
		tokens, style := "no difference", st.Text
		switch more := p.Plan.Sum.Used() - in.Plan.Sum.Used(); {
		case p.Remedy == remedyOf(in.entry()):
			tokens = "in use"
		case more > 0:
			tokens = "+" + theme.Plural(more, "token")
		case more < 0:
			tokens = "−" + theme.Plural(-more, "token")
		}
		if p.Remedy == in.remedy {
			style = st.Strong
		}
		line := style.Render(fmt.Sprintf("%*s%d %-26s  ", gutter-1, "", i+1, name))
		line += st.Muted.Render(markdown.OneLine(about, max(0, w-theme.Width(line+tokens)-2)))
		line = theme.Spread(line, st.Text.Render(tokens), w)
		if p.Remedy == in.remedy {
			line = st.CursorRow(line, in.w)
		} else {
			line = " " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// remedyText is the name of a remedy, and what becomes of the message by it.
func (in *Model) remedyText(to history.Remedy) (name, about string) {
	m, _ := in.Panel.Stored(in.On.Message)
	switch {
	case to == history.LeaveOut && m.Role != history.Tool && len(m.ToolCalls) == 0:
		return "Leave the message out", "the messages around it stay"
	case to == history.LeaveOut:
		return "Leave the call out", "with its results; the answer’s text stays"
	case to == history.SendAsText:
		return "Send it as plain text", "the model reads what was called, and what came of it"
	}
	return "Send it repaired", "changes only what the server needs"
}

// repairHints are the keys that matter in the view of a repair.
func (in *Model) repairHints() (hints []key.Binding) {
	k := &in.Keys
	if len(in.prices) > 1 {
		hints = append(hints, k.Hint("choose", keymap.Down, keymap.Up), k.Hint("use this repair", keymap.Choose))
	}
	if remedyOf(in.entry()) != history.SendRepaired {
		hints = append(hints, k.Hint("undo", keymap.TakeBack))
	}
	return append(hints, k.Hint("next repair", keymap.NextHit))
}

// group are the messages that are repaired together, a message with the results of its calls or a message alone: as
// they are stored, and as a plan sends them.
func (in *Model) group(plan *history.Plan, e history.Entry) (stored, sent []history.Message) {
	var ids []int64
	for _, i := range plan.ToolGroup(e.Index) {
		id := plan.Entries[i].ID
		m, _ := in.Panel.Stored(id)
		stored, ids = append(stored, m.Message), append(ids, id)
	}
	at := carriersOf(plan, ids...)
	if len(at) == 0 {
		return stored, nil
	}
	end := slices.Max(at) + 1
	for end < len(plan.Messages) && plan.Messages[end].Role == history.Tool { // stand-ins for results
		end++
	}
	return stored, plan.Messages[slices.Min(at):end]
}

// The layout of a comparison, in cells.
const (
	columnGap = 4 // between what is stored and what is sent
	signCells = 3 // the sign of a row, with a cell before and after it
	nameCells = 8 // the name of a value, with the cells before and after it
)

// comparison draws messages as they are stored against what is sent of them: side by side, on a narrow screen one below
// the other. A row that the other side does not have begins with a sign, − or +.
func (in *Model) comparison(plan *history.Plan, e history.Entry, when string) []string {
	st, gutter := &in.Themes.Styles, theme.Gutter(in.w)
	w, beside := in.w-2*gutter, in.w >= theme.NarrowScreen
	if beside {
		w = (w - columnGap) / 2
	}
	before, after := in.group(plan, e)
	var stored, sent []string
	for i := range max(len(before), len(after)) {
		was, is := in.rowsOf(before, i, w), in.rowsOf(after, i, w)
		stored = append(stored, in.signed(was, is, "−", st.Error)...)
		sent = append(sent, in.signed(is, was, "+", st.Seen)...)
		if rows := max(len(stored), len(sent)); beside { // the next messages begin side by side
			stored, sent = theme.Blank(stored, w-1, rows), theme.Blank(sent, w-1, rows)
		}
	}
	edge := lipgloss.NewStyle().MarginLeft(gutter)
	left, right := in.column("Stored", "as received", stored, w), in.column("Sent", when, sent, w)
	if !beside {
		return strings.Split(edge.Render(left+"\n\n"+right), "\n")
	}
	gap := strings.Repeat(" ", columnGap)
	return strings.Split(edge.Render(lipgloss.JoinHorizontal(lipgloss.Top, left, gap, right)), "\n")
}

// rowsOf are the rows of message i: its role, its text, and of calls and results the ids, which are quoted: a blank one
// is seen.
func (in *Model) rowsOf(list []history.Message, i, w int) (rows []string) {
	if i >= len(list) {
		return nil
	}
	m := list[i]
	value := func(name, text string) { rows = append(rows, in.valueRows(name, text, w)...) }
	rows = []string{"", theme.OneLine(string(m.Role))}
	if m.Role == history.Tool {
		value("id", strconv.Quote(m.ToolCallID))
	}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		value("text", m.Content)
	}
	for _, call := range m.ToolCalls {
		value("id", strconv.Quote(call.ID))
		value("name", strconv.Quote(call.Name))
		value("args", call.Arguments)
	}
	return rows
}

// valueRows are the rows of a value behind its name. Of a long one the beginning and the end are shown.
func (in *Model) valueRows(name, text string, w int) []string {
	const head, tail = 200, 200 // bytes
	text = in.Secrets.Without(text)
	if left := len(text) - head - tail; left > 0 {
		text = strings.ToValidUTF8(text[:head], "") + "\n… " + theme.Size(left) + " more …\n" +
			strings.ToValidUTF8(text[len(text)-tail:], "")
	}
	rows := theme.Wrap(markdown.Visible(text), max(1, w-signCells-nameCells-1))
	for i, row := range rows {
		rows[i] = theme.Fit("  "+name, nameCells) + row
		name = ""
	}
	return rows
}

// signed are the rows of a message beside those of the other side.
func (in *Model) signed(rows, other []string, sign string, style lipgloss.Style) (lines []string) {
	st := &in.Themes.Styles
	for i, row := range rows {
		name, value := row[:min(len(row), nameCells)], row[min(len(row), nameCells):]
		same := slices.Contains(other, row)
		if len(rows) == len(other) {
			same = other[i] == row
		}
		switch {
		case !strings.HasPrefix(row, " "):
			row = "  " + st.Keyword.Render(row)
		case same:
			row = "  " + st.Text.Render(name) + st.String.Render(value)
		default:
			row = style.Render(sign) + " " + st.Text.Render(name) + style.Render(value)
		}
		lines = append(lines, row)
	}
	return lines
}

// column is one side of a comparison, w cells wide on the ground of code under its title.
func (in *Model) column(title, about string, lines []string, w int) string {
	st := &in.Themes.Styles
	column := theme.Fit(st.Strong.Render(title)+st.Muted.Render("  "+about), w)
	for _, line := range append(lines, "") {
		if st.Tinted {
			column += "\n" + theme.Ground(st.Tint, theme.Fit(" "+line, w))
		} else {
			column += "\n" + theme.Fit(st.Faint.Render("│")+line, w)
		}
	}
	return column
}
