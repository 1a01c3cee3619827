package inspector

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// group are the messages that are repaired together, a message with the results of its calls or a message alone: as
// they are stored, and as a plan sends them.
func (in *Model) group(plan *history.Plan, e history.Entry) (stored, sent []history.Message) {
	k := slices.IndexFunc(plan.Entries, func(o history.Entry) bool { return o.ID == e.ID })
	if k < 0 {
		return nil, nil
	}
	var at []int
	for _, i := range plan.Group(k) {
		m, _ := in.stored(plan.Entries[i].ID)
		stored = append(stored, m.Message)
		at = append(at, carriersOf(plan, plan.Entries[i].ID)...)
	}
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
	stored := column{Styles: st, w: w, sign: "−", style: st.Error}
	sent := column{Styles: st, w: w, sign: "+", style: st.Seen}
	for i := range max(len(before), len(after)) {
		was, is := in.rowsOf(before, i, w), in.rowsOf(after, i, w)
		stored.add(was, is)
		sent.add(is, was)
		if beside { // the next messages begin side by side
			stored.lines = append(stored.lines, make([]string, max(0, len(is)-len(was)))...)
			sent.lines = append(sent.lines, make([]string, max(0, len(was)-len(is)))...)
		}
	}
	left, right := stored.draw("Stored", "as received"), sent.draw("Sent", when)
	if !beside {
		left = slices.Concat(left, []string{""}, right)
	}
	for i := range left {
		if left[i] = strings.Repeat(" ", gutter) + left[i]; beside {
			left[i] += strings.Repeat(" ", columnGap) + right[i]
		}
	}
	return left
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
	text, _ = in.Secrets.Hide(text)
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

// column is one side of a comparison.
type column struct {
	*theme.Styles
	w     int
	sign  string         // of a row that the other side does not have
	style lipgloss.Style // of such a row
	lines []string
}

// add adds the rows of a message beside those of the other side.
func (c *column) add(rows, other []string) {
	for i, row := range rows {
		name, value := row[:min(len(row), nameCells)], row[min(len(row), nameCells):]
		same := slices.Contains(other, row)
		if len(rows) == len(other) {
			same = other[i] == row
		}
		switch {
		case !strings.HasPrefix(row, " "):
			row = "  " + c.Keyword.Render(row)
		case same:
			row = "  " + c.Text.Render(name) + c.String.Render(value)
		default:
			row = c.style.Render(c.sign) + " " + c.Text.Render(name) + c.style.Render(value)
		}
		c.lines = append(c.lines, row)
	}
}

// draw is the column on the ground of code, under its title.
func (c *column) draw(title, about string) []string {
	lines := []string{theme.Fit(c.Strong.Render(title)+c.Muted.Render("  "+about), c.w)}
	for _, line := range append(c.lines, "") {
		if c.Tinted {
			lines = append(lines, theme.Ground(c.Tint, theme.Fit(" "+line, c.w)))
		} else {
			lines = append(lines, theme.Fit(c.Faint.Render("│")+line, c.w))
		}
	}
	return lines
}
