// Package picker is a list to choose from, with a line that filters it: commands, models, themes, personas,
// prompts, forks. It draws choices that it is given and says which one was chosen; what a choice means and how
// its list was made it does not know.
package picker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Choice is one line of a list. The filter searches its label, and after that the rest of the line.
type Choice struct {
	Label string
	Args  string // may follow the label where that is a command; the filter does not search it
	About string // in a column of its own
	Right string // at the right end of the line: a key, a number
	Also  string // the filter finds it, and it is not shown
	Group string // stands above the first of its choices, "" for none; a group's choices follow each other
	Value string // what is chosen
}

// Options are what one list differs in from another.
type Options struct {
	Title   string
	Prompt  string        // stands in the empty filter line, "" for the title
	Noun    string        // what one choice is, for the count: "command"; "" leaves the number alone
	Remark  string        // about all choices, at the end of the hints; "" for none
	Does    string        // what choosing does, as a hint: "runs"
	Tries   string        // what moving the cursor does already, "" for nothing
	Leaves  string        // what leaving the list does, "" where it just closes
	Adds    string        // what tab does, "" for nothing
	Also    keymap.Action // closes the list as well, as the key that opened it; "" for none
	Loading bool          // the choices are still being asked for

	Leads     bool // the first group are choices of the next one: a filter finds them there by their labels alone
	Uncounted bool // the list does not say how many choices it has
	Column    int  // the widest column of labels in cells, 0 for that of most lists
	Wraps     bool // what is said about a choice goes on below it where the line is too short
	Widest    int  // the most cells from the first text of a line to its right end, 0 for all of the list's width
	RightFrom int  // the least width in cells at which right ends are drawn
}

// Model is a list. Its Update returns it as it is after a key, a paste or the mouse.
type Model struct {
	Options
	keys    keymap.Map
	filter  theme.Field
	choices []Choice
	shown   []match // what the filter leaves, in its order
	at      int
	wide    int      // the cells that show every choice whole, the margins included
	notes   []string // lines under the list: what could not be listed
	w, h    int
}

// Event is what the parent has to do: nil for nothing.
type Event interface{ event() }

// The events.
type (
	Chosen struct{ Value string }    // the list has done its work
	Added  struct{ Value string }    // tab was pressed, where that does something
	Closed struct{}                  // nothing was chosen
	Empty  struct{}                  // nothing is there to choose
	NoKey  struct{ tea.KeyPressMsg } // the key means nothing here
)

func (Chosen) event() {}
func (Added) event()  {}
func (Closed) event() {}
func (Empty) event()  {}
func (NoKey) event()  {}

// New is a list that has nothing in it yet.
func New(keys keymap.Map, o Options) Model {
	return Model{Options: o, keys: keys, filter: theme.NewField("")}
}

// Hints are the keys of the list.
func (p *Model) Hints() []key.Binding {
	hints := []key.Binding{
		p.keys.Hint(cmp.Or(p.Tries, "choose"), keymap.ListUp, keymap.ListDown),
		p.keys.Hint(p.Does, keymap.Choose),
	}
	if p.Adds != "" {
		hints = append(hints, p.keys.Hint(p.Adds, keymap.Focus))
	}
	if p.noMatch() {
		return append(hints[:0], p.keys.Hint("clear the filter", keymap.Back))
	}
	return append(hints, p.keys.Hint(cmp.Or(p.Leaves, "close"), keymap.Back))
}

// noMatch says that the list has choices and the filter leaves none of them.
func (p *Model) noMatch() bool { return len(p.choices) > 0 && len(p.shown) == 0 }

// Resize gives the list its size in cells: the line of the filter and the lines below it.
func (p *Model) Resize(w, h int) { p.w, p.h = w, h }

// Fill replaces the choices. The filter stays, and the cursor stays on its value; where that is
// gone, on its line: what a key does next must not move to another place of the list.
func (p *Model) Fill(choices []Choice) {
	old, _ := p.Cursor()
	p.choices, p.Loading = choices, false
	p.wide = p.widest()
	p.refilter()
	p.move(0)
	p.Select(old.Value)
}

// widest is how many cells show every choice whole.
func (p *Model) widest() int {
	widest := 0
	column, _ := p.labels()
	for i := range p.choices {
		c := &p.choices[i]
		n := c.width()
		if c.About != "" {
			n = max(n, column) + gap + theme.Width(c.About)
		}
		if c.Right != "" {
			n += gap + theme.Width(c.Right)
		}
		widest = max(widest, n)
	}
	return widest + 2*margin
}

// Width is how many cells show every choice whole.
func (p *Model) Width() int { return p.wide }

// State stands at the right end of the hints: what is to say about all choices, else what the filter searches.
func (p *Model) State() string {
	switch {
	case p.Remark != "" || p.filter.Text() == "":
		return p.Remark
	case slices.ContainsFunc(p.choices, func(c Choice) bool { return c.About != "" }):
		return "matches names and descriptions"
	}
	return p.Title
}

// Note puts lines under the list.
func (p *Model) Note(lines ...string) { p.notes = lines }

// Select puts the cursor on the choice with a value, where the list shows it.
func (p *Model) Select(value string) {
	for i, s := range p.shown {
		if p.choices[s.choice].Value == value {
			p.at = i
		}
	}
}

// Cursor is the choice under the cursor.
func (p *Model) Cursor() (Choice, bool) {
	if p.at < 0 || p.at >= len(p.shown) || p.shown[p.at].choice >= len(p.choices) {
		return Choice{}, false
	}
	return p.choices[p.shown[p.at].choice], true
}

// Len is how many choices there are.
func (p *Model) Len() int { return len(p.choices) }

// Shown is how many of them the filter leaves.
func (p *Model) Shown() int { return len(p.shown) }

// Filter is what is typed into the filter line.
func (p *Model) Filter() string { return p.filter.Text() }

// Update is a key, a paste, or the mouse, whose place is counted from the corner of the list.
func (p Model) Update(msg tea.Msg) (Model, Event) {
	var e Event
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		e = p.key(msg)
	case tea.PasteMsg:
		before := p.filter.Text()
		p.filter.Insert(strings.TrimSpace(msg.Content))
		p.filtered(before)
	case tea.MouseWheelMsg:
		p.move(keymap.Wheel(msg, 3))
	case tea.MouseClickMsg:
		e = p.click(msg.Y)
	}
	return p, e
}

func (p *Model) key(msg tea.KeyPressMsg) Event {
	k := &p.keys
	switch {
	case k.Pressed(msg, keymap.Back) && p.noMatch():
		p.filter = theme.NewField("")
		p.refilter()
	case k.Pressed(msg, keymap.Back):
		return Closed{}
	case k.Pressed(msg, keymap.Choose):
		return p.choose()
	case k.Pressed(msg, keymap.ListUp):
		p.move(-1)
	case k.Pressed(msg, keymap.ListDown):
		p.move(1)
	case k.Pressed(msg, keymap.PageUp):
		p.move(-p.page())
	case k.Pressed(msg, keymap.PageDown):
		p.move(p.page())
	case p.Also != "" && k.Pressed(msg, p.Also):
		return Closed{}
	case p.Adds != "" && k.Pressed(msg, keymap.Focus):
		if c, ok := p.Cursor(); ok {
			return Added{c.Value}
		}
	default:
		before := p.filter.Text()
		if !p.filter.Typed(msg) {
			return NoKey{msg}
		}
		p.filtered(before)
	}
	return nil
}

func (p *Model) choose() Event {
	c, ok := p.Cursor()
	if !ok {
		return Empty{}
	}
	return Chosen{c.Value}
}

// click puts the cursor on the line at y; a click on the line under it chooses that.
func (p *Model) click(y int) Event {
	rows, first, end := p.onScreen()
	i := first + y - p.head()
	switch {
	case y < p.head() || i >= end || rows[i].at < 0:
		return nil
	case rows[i].at == p.at:
		return p.choose()
	}
	p.move(rows[i].at - p.at)
	return nil
}

func (p *Model) move(by int) { p.at = max(0, min(p.at+by, len(p.shown)-1)) }

// page is how far a page goes: a line of the page before stays in sight.
func (p *Model) page() int {
	_, first, end := p.onScreen()
	return max(1, end-first-1)
}

// filtered shows what the filter leaves, the best first, where it is no longer what it was.
func (p *Model) filtered(before string) {
	if p.filter.Text() != before {
		p.at = 0
		p.refilter()
	}
}

func (p *Model) refilter() {
	p.shown = matches(p.choices, p.filter.Text(), p.Leads)
}

// head is how many lines stand above the choices: the filter, and a rule where there is room.
func (p *Model) head() int {
	if p.h < 4 {
		return 1
	}
	return 2
}

// Height is how many lines show all of the list.
func (p *Model) Height() int {
	height := 2 + max(1, len(p.rows()))
	if len(p.notes) > 0 {
		height += 1 + len(p.notes)
	}
	return height
}

// row is one line below the rule: a choice or a further line of it, else the name of a group or a blank.
type row struct {
	at           int // of a choice: its place in what is shown; -1 for none
	group        string
	label, about theme.Part
	more         bool // the line goes on with the one before it
}

// rows are all lines below the rule.
func (p *Model) rows() []row {
	var rows []row
	group, column := "", p.column()
	for i, s := range p.shown {
		if g := s.group; g != group {
			if group = g; len(rows) > 0 {
				rows = append(rows, row{at: -1})
			}
			rows = append(rows, row{at: -1, group: g})
		}
		rows = append(rows, p.lines(i, column)...)
	}
	return rows
}

// lines are the lines of choice i of what is shown, behind a column of labels.
func (p *Model) lines(i, column int) []row {
	c := p.choices[p.shown[i].choice]
	room := p.room(p.shown[i]) - column - gap
	if !p.Wraps || c.About == "" || room < leastAbout {
		return []row{{at: i, label: theme.Part{Text: c.Label}, about: theme.Part{Text: c.About}}}
	}
	labels, abouts := theme.Parts(c.Label, column), theme.Parts(c.About, room)
	rows := make([]row, max(len(labels), len(abouts)))
	for n := range rows {
		rows[n].at, rows[n].more = i, n > 0
		if n < len(labels) {
			rows[n].label = labels[n]
		}
		if n < len(abouts) {
			rows[n].about = abouts[n]
		}
	}
	return rows
}

// gap is how many cells stand between the column of labels and what is said about them.
const gap = 3

// leastAbout is the least room in cells for what is said about a choice.
const leastAbout = 9

// leastArgs is the least room in cells for what may follow a label.
const leastArgs = 3

// end is how many cells of a line are there for text, the margins included.
func (p *Model) end() int {
	if p.Widest > 0 {
		return min(p.w, p.Widest+2*margin)
	}
	return p.w
}

// right is the right end of a choice as it is drawn.
func (p *Model) right(m match) string {
	if p.w < p.RightFrom {
		return ""
	}
	c := p.choices[m.choice]
	return theme.Fit(c.Right, min(theme.Width(c.Right), max(0, p.end()-2*margin)))
}

// room is how many cells a choice's label and what is said about it have.
func (p *Model) room(m match) int {
	room := max(0, p.end()-2*margin)
	if right := p.right(m); right != "" {
		room = max(0, room-theme.Width(right)-2)
	}
	return room
}

// onScreen is all lines below the rule, and which of them are drawn.
func (p *Model) onScreen() (rows []row, first, end int) {
	rows = p.rows()
	cursor := max(0, slices.IndexFunc(rows, func(r row) bool { return r.at == p.at }))
	first, end = theme.Around(cursor, len(rows), max(0, p.h-p.head()-len(p.notesShown())))
	return rows, first, end
}

// notesShown are the notes for which there is room.
func (p *Model) notesShown() []string { return p.notes[:min(len(p.notes), max(0, p.h-p.head()-1))] }

// margin is how many cells stay free at either side of the text.
const margin = 2

// View draws the list; the cursor stands at column x of the first line.
func (p *Model) View(st theme.Styles) (lines []string, x int) {
	count := theme.Thousands(len(p.choices))
	switch {
	case p.Uncounted:
		count = ""
	case p.filter.Text() != "":
		count = theme.Thousands(len(p.shown)) + " of " + count
	case p.Noun != "":
		count = theme.Plural(len(p.choices), p.Noun)
	}
	head := strings.Repeat(" ", margin) + st.Seen.Render("›") + " "
	lead := theme.Width(head)
	room := max(1, p.end()-lead-theme.Width(count)-2*margin)
	filter, x := p.filter.View(room)
	if p.filter.Text() == "" { // The cursor stands in front of the words.
		filter = "  " + st.Muted.Render(markdown.OneLine(cmp.Or(p.Prompt, theme.UpperFirst(p.Title)), max(1, room-2)))
	}
	x = min(lead+x, max(0, p.w-1))
	lines = append(lines, theme.Fit(theme.Spread(head+filter, st.Muted.Render(count)+strings.Repeat(" ", margin),
		p.end()), p.w))
	if p.head() > 1 {
		lines = append(lines, st.Lines.Render(strings.Repeat("─", max(0, p.w))))
	}
	rows, first, end := p.onScreen()
	column := p.column()
	for _, r := range rows[first:end] {
		switch {
		case r.at >= 0:
			lines = append(lines, p.line(st, r, column))
		default:
			lines = append(lines, theme.Fit(st.Muted.Render("  "+r.group), p.w))
		}
	}
	nothing := ""
	switch {
	case p.Loading && len(p.shown) == 0:
		nothing = "asking…"
	case len(p.shown) == 0 && p.filter.Text() != "":
		nothing = fmt.Sprintf("No match for “%s”.", markdown.OneLine(p.filter.Text(), max(1, p.w-20)))
		if p.noMatch() {
			nothing += " " + p.keys.First(keymap.Back) + " clears the filter."
		}
	case len(p.shown) == 0:
		nothing = "Nothing here yet."
	}
	if nothing != "" {
		lines = append(lines, theme.Fit(st.Muted.Render("  "+nothing), p.w))
	}
	notes := p.notesShown()
	for len(lines) < p.h-len(notes) {
		lines = append(lines, "")
	}
	for _, n := range notes {
		lines = append(lines, st.Cut.Render("  "+markdown.OneLine(n, max(1, p.w-2*margin))))
	}
	return lines, x
}

// mostColumn is the widest column of labels of most lists; what is said about a longer label stands further right.
const mostColumn = 18

// labels is how wide the column of labels is where there is room, and how wide without what may follow a label.
// Choices with nothing said about them have no part in it.
func (p *Model) labels() (width, bare int) {
	for i := range p.choices {
		if c := &p.choices[i]; c.About != "" {
			width, bare = max(width, c.width()), max(bare, theme.Width(c.Label))
		}
	}
	most := cmp.Or(p.Column, mostColumn)
	return min(width, most), min(bare, most)
}

// column is how wide the column of labels is.
func (p *Model) column() int {
	width, bare := p.labels()
	switch {
	case p.Wraps:
		return min(width, p.w/3)
	case p.w >= p.wide:
		return width
	}
	return min(max(bare, min(width, p.w/4)), p.w/2)
}

// width is how many cells the label takes, with what may follow it.
func (c *Choice) width() int {
	if c.Args == "" {
		return theme.Width(c.Label)
	}
	return theme.Width(c.Label) + 1 + theme.Width(c.Args)
}

// line draws a line of a choice. What is said about it gives way to its label, and both to its right end.
func (p *Model) line(st theme.Styles, r row, column int) string {
	m := p.shown[r.at]
	ground, bar, label, args, about := lipgloss.NewStyle(), " ", st.Strong.Bold(false), st.Muted, st.Muted
	if r.at == p.at {
		ground, about = st.Selected, st.Text
		bar = st.Seen.Inherit(ground).Render("▌")
		label, args, about = st.Strong.Inherit(ground), args.Inherit(ground), about.Inherit(ground)
	}
	match := st.Match.Inherit(ground)
	room, right, from := p.room(m), p.right(m), column+gap
	if r.more {
		right = ""
	}
	text := painted(r.label, m.label, room, label, match)
	if c := p.choices[m.choice]; c.Args != "" && !r.more {
		if left := max(column, theme.Width(text)+1+leastArgs) - theme.Width(text) -
			1; theme.Width(text)+1+left <= room {
			text += ground.Render(" ") + painted(theme.Part{Text: c.Args}, nil, left, args, match)
		}
	}
	if r.about.Text != "" && room >= from+leastAbout {
		text += ground.Render(strings.Repeat(" ", max(min(2, from), from-theme.Width(text))))
		text += painted(r.about, m.about, room-theme.Width(text), about, match)
	}
	tail := painted(theme.Part{Text: right}, m.right, theme.Width(right), about, match)
	blank := strings.Repeat(" ", max(0, p.end()-2*margin-theme.Width(text)-theme.Width(tail)))
	line := bar + ground.Render(" ") + text + ground.Render(blank) + tail
	return theme.Fit(line+ground.Render(strings.Repeat(" ", max(0, p.w-theme.Width(line)))), p.w)
}

// painted is a part of a text in at most w cells, with the bytes of the text that a filter found marked.
func painted(p theme.Part, hits []int, w int, style, match lipgloss.Style) string {
	if p.Text == "" {
		return ""
	}
	short := markdown.OneLine(p.Text, max(1, w))
	first, _ := slices.BinarySearch(hits, p.From)
	here := make([]int, 0, len(hits)-first)
	for _, at := range hits[first:] {
		here = append(here, at-p.From)
	}
	return theme.Paint(short, style, theme.HitSpans(p.Text, 0, len(short), here, match))
}
