// Package picker is a list to choose from, with a line that filters it: commands, models, themes, personas,
// prompts, forks. It draws choices that it is given and says which one was chosen; what a choice means and how
// its list was made it does not know.
package picker

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Choice is one line of a list.
type Choice struct {
	Label string // what the filter searches
	Right string // at the right end of the line
	Value string // what is chosen
}

// Options are what one list differs in from another.
type Options struct {
	Title   string
	Does    string        // what choosing does, as a hint: "runs"
	Tries   string        // what moving the cursor does already, "" for nothing
	Leaves  string        // what leaving the list does, "" where it just closes
	Also    keymap.Action // closes the list as well, as the key that opened it; "" for none
	Loading bool          // the choices are still being asked for
}

// Model is a list. Its Update returns it as it is after a key, a paste or the mouse.
type Model struct {
	Options
	keys    keymap.Map
	filter  theme.Field
	choices []Choice
	shown   []fuzzy.Match // what the filter leaves, in its order
	at      int
	notes   []string // lines under the list: what could not be listed
	w, h    int
}

// Event is what the parent has to do: nil for nothing.
type Event interface{ event() }

// The events.
type (
	Chosen struct{ Value string }    // the list has done its work
	Closed struct{}                  // nothing was chosen
	Empty  struct{}                  // nothing is there to choose
	NoKey  struct{ tea.KeyPressMsg } // the key means nothing here
)

func (Chosen) event() {}
func (Closed) event() {}
func (Empty) event()  {}
func (NoKey) event()  {}

// New is a list that has nothing in it yet.
func New(keys keymap.Map, o Options) Model { return Model{Options: o, keys: keys} }

// Hints are the keys of the list.
func (p *Model) Hints() []keymap.Hint {
	first := keymap.Hint{Key: "type", What: "to filter"}
	if p.Tries != "" {
		first = p.keys.Hint(p.Tries, keymap.ListUp, keymap.ListDown)
	}
	return []keymap.Hint{first, p.keys.Hint(p.Does, keymap.Choose), p.keys.Hint(cmp.Or(p.Leaves, "closes"), keymap.Back)}
}

// Resize gives the list its size in cells: the line of the filter and the lines below it.
func (p *Model) Resize(w, h int) { p.w, p.h = w, h }

// Fill replaces the choices. The filter stays, and the cursor stays on its value; where that is
// gone, on its line: what a key does next must not move to another place of the list.
func (p *Model) Fill(choices []Choice) {
	old, _ := p.Cursor()
	p.choices, p.Loading = choices, false
	p.refilter()
	p.move(0)
	p.Select(old.Value)
}

// Note puts lines under the list.
func (p *Model) Note(lines ...string) { p.notes = lines }

// Select puts the cursor on the choice with a value, where the list shows it.
func (p *Model) Select(value string) {
	for i, s := range p.shown {
		if p.choices[s.Index].Value == value {
			p.at = i
		}
	}
}

// Cursor is the choice under the cursor.
func (p *Model) Cursor() (Choice, bool) {
	if p.at < 0 || p.at >= len(p.shown) || p.shown[p.at].Index >= len(p.choices) {
		return Choice{}, false
	}
	return p.choices[p.shown[p.at].Index], true
}

// Len is how many choices there are.
func (p *Model) Len() int { return len(p.choices) }

// Shown is how many of them the filter leaves.
func (p *Model) Shown() int { return len(p.shown) }

// Filter is what is typed into the filter line.
func (p *Model) Filter() string { return p.filter.Text }

// Update is a key, a paste, or the mouse, whose place is counted from the corner of the list.
func (p Model) Update(msg tea.Msg) (Model, Event) {
	var e Event
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		e = p.key(msg)
	case tea.PasteMsg:
		before := p.filter.Text
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
	default:
		before := p.filter.Text
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
	first, end := p.onScreen()
	i := first + y - 1
	switch {
	case y < 1 || i >= end:
		return nil
	case i == p.at:
		return p.choose()
	}
	p.move(i - p.at)
	return nil
}

func (p *Model) move(by int) { p.at = max(0, min(p.at+by, len(p.shown)-1)) }

// page is how far a page goes: a line of the page before stays in sight.
func (p *Model) page() int {
	first, end := p.onScreen()
	return max(1, end-first-1)
}

// filtered shows what the filter leaves, the best first, where it is no longer what it was.
func (p *Model) filtered(before string) {
	if p.filter.Text != before {
		p.at = 0
		p.refilter()
	}
}

func (p *Model) refilter() {
	if p.filter.Text == "" {
		p.shown = make([]fuzzy.Match, len(p.choices))
		for i := range p.choices {
			p.shown[i].Index = i
		}
		return
	}
	p.shown = fuzzy.FindFrom(p.filter.Text, labels(p.choices))
}

// labels lets the filter read choices.
type labels []Choice

func (l labels) String(i int) string { return l[i].Label }
func (l labels) Len() int            { return len(l) }

// View draws the list; the cursor stands at column x of the first line.
func (p *Model) View(st theme.Styles) (lines []string, x int) {
	head := " › "
	filter, x := p.filter.View(max(1, p.w-theme.Width(head)))
	x = min(theme.Width(head)+x, max(0, p.w-1))
	lines = append(lines, st.Strong.Render(head)+filter)
	notes := p.notes[:min(len(p.notes), max(0, p.h-2))]
	first, end := p.onScreen()
	for i := first; i < end; i++ {
		lines = append(lines, p.line(st, i))
	}
	switch {
	case p.Loading && len(p.shown) == 0:
		lines = append(lines, st.Muted.Render("   asking …"))
	case len(p.shown) == 0 && p.filter.Text != "":
		lines = append(lines, st.Muted.Render("   nothing matches "+p.filter.Text))
	case len(p.shown) == 0:
		lines = append(lines, st.Muted.Render("   nothing here yet"))
	}
	for len(lines) < p.h-len(notes) {
		lines = append(lines, "")
	}
	for _, n := range notes {
		lines = append(lines, st.Cut.Render(" ! "+markdown.OneLine(n, max(1, p.w-3))))
	}
	return lines, x
}

// onScreen is the part of the list that is drawn.
func (p *Model) onScreen() (first, end int) {
	notes := min(len(p.notes), max(0, p.h-2))
	return theme.Around(p.at, len(p.shown), max(0, p.h-1-notes))
}

func (p *Model) line(st theme.Styles, i int) string {
	c := p.choices[p.shown[i].Index]
	if i == p.at {
		return st.Selected.Render(theme.Spread(" ▸ "+c.Label, c.Right+" ", p.w))
	}
	label := c.Label
	if len(p.shown[i].MatchedIndexes) > 0 {
		label = highlight(st, label, p.shown[i].MatchedIndexes)
	}
	return theme.Spread("   "+label, st.Muted.Render(c.Right)+" ", p.w)
}

// highlight marks the bytes of a label that a filter found.
func highlight(st theme.Styles, label string, at []int) string {
	hit := map[int]bool{}
	for _, i := range at {
		hit[i] = true
	}
	var b strings.Builder
	for i, r := range label {
		if hit[i] {
			b.WriteString(st.Match.Render(string(r)))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
