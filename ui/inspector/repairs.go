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

// RepairedEntries returns the entries of a plan that have repairs or a remedy.
func RepairedEntries(p *history.Plan) (list []history.Entry) {
	for i := range p.Entries { // Most are not repaired, and an entry is large to copy.
		if len(p.Entries[i].Repairs) > 0 {
			list = append(list, p.Entries[i])
		}
	}
	return list
}

// remedyOf returns the remedy in use for a message.
func remedyOf(e history.Entry) history.Remedy {
	for _, r := range e.Repairs {
		if r.Remedy != history.SendRepaired {
			return r.Remedy
		}
	}
	return history.SendRepaired
}

// RemedyOption is a remedy that can be chosen for a message, and the plan of the request with it.
type RemedyOption struct {
	Remedy history.Remedy
	Plan   *history.Plan
}

// repair writes the repair of the message: what was wrong, and the stored messages beside those that would be sent with
// the remedy under the cursor.
func (in *Model) repair(p *page) {
	plan, when, e := &in.Plan, "now", in.entry()
	if i := in.optionAtCursor(); i >= 0 && in.remedy != remedyOf(e) {
		plan, when = in.options[i].Plan, "if you choose this"
		e, _ = plan.EntryByID(in.Subject.Message)
	}
	for _, r := range e.Repairs {
		what, instead, _ := strings.Cut(r.Cause.Sentence(), "; ")
		p.add(Paragraph{Mark: "▲", Title: strings.TrimSuffix(what, ".")})
		if r.Remedy == history.SendRepaired {
			p.block(KindRemark, theme.UpperFirst(instead))
		}
	}
	p.line(KindRemark, "Many servers refuse a whole request for this.")
	p.line(KindRemark, "")
	for _, row := range in.comparison(plan, e, when) {
		p.paragraphs = append(p.paragraphs, Paragraph{Kind: KindDrawn, Text: row})
	}
	p.line(KindRemark, "")
	p.line(KindRemark, "The original is kept byte for byte.")
}

// readRemedies plans with each remedy for the message, and keeps those that make a difference.
func (in *Model) readRemedies() tea.Cmd {
	if in.Past != nil {
		return nil
	}
	of, s, draft, now := in.entry(), in.Session, in.Draft(), in.Plan
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		var prices []RemedyOption
		for _, to := range history.Remedies() {
			plan := now
			if to != remedyOf(of) {
				// The user sees the error on sending.
				plan, _ = s.Try(ctx, session.Settings{}).WithRemedy(to, of.ID).Preview(draft)
			}
			if e, ok := plan.EntryByID(of.ID); ok && remedyOf(e) == to {
				prices = append(prices, RemedyOption{to, &plan})
			}
		}
		return func() tea.Cmd { return in.ShowRemedies(prices) }, nil
	})
}

// ShowRemedies shows the remedies for the message. The cursor stays on its remedy, or begins on the one in use.
func (in *Model) ShowRemedies(prices []RemedyOption) tea.Cmd {
	if in.options = prices; in.optionAtCursor() < 0 {
		in.remedy = remedyOf(in.entry())
	}
	return in.write(0, in.repair)
}

// optionAtCursor returns the index of the option under the cursor, -1 until the options are known.
func (in *Model) optionAtCursor() int {
	return slices.IndexFunc(in.options, func(p RemedyOption) bool { return p.Remedy == in.remedy })
}

// moveToOption moves the cursor to another option.
func (in *Model) moveToOption(i int) tea.Cmd {
	if i < 0 || i >= len(in.options) {
		return nil
	}
	in.remedy = in.options[i].Remedy
	return in.write(0, in.repair)
}

// stepRepair goes to the next repaired message, and wraps around.
func (in *Model) stepRepair(by int) tea.Cmd {
	list := RepairedEntries(&in.Plan)
	to := list[(in.repairNumber(list)+by+len(list))%len(list)]
	return in.Inspect(Subject{Message: to.ID}, RepairView)
}

// repairNumber returns the index of the message among the repaired ones.
func (in *Model) repairNumber(list []history.Entry) int {
	return slices.IndexFunc(list, func(e history.Entry) bool { return e.ID == in.Subject.Message })
}

// choose stores a remedy for the message and its tool group.
func (in *Model) choose(to history.Remedy) tea.Cmd {
	e := in.entry()
	switch recovery := in.Session.State().Policy.Recovery; {
	case in.Busy:
		return in.Say(in.Keys.ExplainNeed(keymap.NeedIdle))
	case !recovery.AllowsRemedies():
		return in.Say("Recovery is set to " + string(recovery) + " for all calls, so there is nothing to choose.")
	case to == remedyOf(e):
		return in.Say("This is already in use.")
	}
	s := in.Session
	return in.Run(func(ctx context.Context) tea.Msg {
		err := s.SetRemedy(ctx, to, e.ID)
		return app.Then(func() tea.Cmd {
			if err == nil {
				in.remedy = to
			}
			return in.SettingsChanged("This is sent from now on; your history is unchanged.", err)
		})
	})
}

// remedies draws the options, each with the difference in tokens.
func (in *Model) remedies() (lines []string) {
	st, gutter := &in.Themes.Styles, theme.Gutter(in.w)
	w := in.w - gutter - 1 // without the cursor bar
	for i, p := range in.options {
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

// remedyText returns the name of a remedy and what it does to the message.
func (in *Model) remedyText(to history.Remedy) (name, about string) {
	m, _ := in.Panel.StoredMessage(in.Subject.Message)
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

// repairHints are the keys of the repair view.
func (in *Model) repairHints() (hints []key.Binding) {
	k := &in.Keys
	if len(in.options) > 1 {
		hints = append(hints, k.Hint("choose", keymap.Down, keymap.Up), k.Hint("use this repair", keymap.Choose))
	}
	if remedyOf(in.entry()) != history.SendRepaired {
		hints = append(hints, k.Hint("undo", keymap.TakeBack))
	}
	return append(hints, k.Hint("next repair", keymap.NextHit))
}

// group returns the messages that are repaired together, a message with the results of its calls: as stored, and as a
// plan sends them.
func (in *Model) group(plan *history.Plan, e history.Entry) (stored, sent []history.Message) {
	var ids []int64
	for _, i := range plan.ToolGroup(e.Index) {
		id := plan.Entries[i].ID
		m, _ := in.Panel.StoredMessage(id)
		stored, ids = append(stored, m.Message), append(ids, id)
	}
	at := carriersOf(plan, ids...)
	if len(at) == 0 {
		return stored, nil
	}
	end := slices.Max(at) + 1
	for end < len(plan.Messages) && plan.Messages[end].Role == history.Tool { // placeholder results
		end++
	}
	return stored, plan.Messages[slices.Min(at):end]
}

// The layout of a comparison, in cells.
const (
	columnGap = 4 // between the two columns
	signCells = 3 // a − or + with a space on both sides
	nameCells = 8 // the name of a value with its spaces
)

// comparison draws the stored messages beside those that are sent, or above them on a narrow screen. Rows that only one
// side has are marked − or +.
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
			stored, sent = theme.FitLines(stored, w-1, rows), theme.FitLines(sent, w-1, rows)
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

// rowsOf returns the rows of message i: its role, its text, and its calls or its result. Ids are quoted, so that an
// empty one is visible.
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

// valueRows returns the rows of a named value. A long value is shortened in the middle.
func (in *Model) valueRows(name, text string, w int) []string {
	const head, tail = 200, 200 // bytes
	text = in.Secrets.Redact(text)
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

// signed styles the rows of a message and marks those that the other side does not have.
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

// column draws one side of a comparison in w cells, with its title.
func (in *Model) column(title, about string, lines []string, w int) string {
	st := &in.Themes.Styles
	column := theme.Fit(st.Strong.Render(title)+st.Muted.Render("  "+about), w)
	for _, line := range append(lines, "") {
		if st.HasBackgrounds {
			column += "\n" + theme.WithBackground(st.Tint, theme.Fit(" "+line, w))
		} else {
			column += "\n" + theme.Fit(st.Faint.Render("│")+line, w)
		}
	}
	return column
}
