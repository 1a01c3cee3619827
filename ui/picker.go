package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// choice is one line of a picker.
type choice struct {
	label string // what the filter searches
	right string // at the right end of the line
	value string // what is chosen
}

// picker is a list with a filter line.
type picker struct {
	title   string
	hint    string // the keys that work, for the lower line
	filter  theme.Field
	choices []choice
	shown   []fuzzy.Match // what the filter leaves, in its order
	at      int
	notes   []string // lines under the list: what could not be listed
	loading bool
}

// fill replaces the choices. The filter stays, and the cursor stays on its value; where that is
// gone, on its line: what a key does next must not move to another place of the list.
func (p *picker) fill(choices []choice) {
	old, _ := p.chosen()
	p.choices, p.loading = choices, false
	p.refilter()
	p.move(0)
	for i, s := range p.shown {
		if p.choices[s.Index].value == old.value {
			p.at = i
		}
	}
}

// refilter shows what the filter leaves.
func (p *picker) refilter() {
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
type labels []choice

func (l labels) String(i int) string { return l[i].label }
func (l labels) Len() int            { return len(l) }

// chosen is the choice under the cursor.
func (p *picker) chosen() (choice, bool) {
	if p.at < 0 || p.at >= len(p.shown) || p.shown[p.at].Index >= len(p.choices) {
		return choice{}, false
	}
	return p.choices[p.shown[p.at].Index], true
}

func (p *picker) move(by int) { p.at = max(0, min(p.at+by, len(p.shown)-1)) }

// typed is a key for the filter line; it says whether the key was one.
func (p *picker) typed(msg tea.KeyPressMsg) bool {
	before := p.filter.Text
	if !p.filter.Typed(msg) {
		return false
	}
	p.filtered(before)
	return true
}

// paste puts a text into the filter line.
func (p *picker) paste(text string) {
	before := p.filter.Text
	p.filter.Insert(strings.TrimSpace(text))
	p.filtered(before)
}

// filtered shows what the filter leaves, the best first, where it is no longer what it was.
func (p *picker) filtered(before string) {
	if p.filter.Text != before {
		p.at = 0
		p.refilter()
	}
}

// view draws the picker's lines for a box of the given size; the cursor stands at column x of the
// first line.
func (p *picker) view(st theme.Styles, w, h int) (lines []string, x int) {
	head := " › "
	filter, x := p.filter.View(max(1, w-theme.Width(head)))
	x = min(theme.Width(head)+x, max(0, w-1))
	lines = append(lines, st.Accent.Render(head)+filter)
	notes := p.notes[:min(len(p.notes), max(0, h-2))]
	first, end := p.onScreen(h)
	for i := first; i < end; i++ {
		lines = append(lines, p.line(st, i, w))
	}
	switch {
	case p.loading && len(p.shown) == 0:
		lines = append(lines, st.Dim.Render("   asking …"))
	case len(p.shown) == 0 && p.filter.Text != "":
		lines = append(lines, st.Dim.Render("   nothing matches "+p.filter.Text))
	case len(p.shown) == 0:
		lines = append(lines, st.Dim.Render("   nothing here yet"))
	}
	for len(lines) < h-len(notes) {
		lines = append(lines, "")
	}
	for _, n := range notes {
		lines = append(lines, st.Warn.Render(" ! "+markdown.OneLine(n, max(1, w-3))))
	}
	return lines, x
}

// onScreen is the part of the list that is drawn in a height.
func (p *picker) onScreen(h int) (first, end int) {
	notes := min(len(p.notes), max(0, h-2))
	return theme.Around(p.at, len(p.shown), max(0, h-1-notes))
}

// lineAt is the place in the list of what is drawn at y in a height, false where that is none of it.
func (p *picker) lineAt(h, y int) (i int, ok bool) {
	first, end := p.onScreen(h)
	i = first + y - 1
	return i, y >= 1 && i < end
}

func (p *picker) line(st theme.Styles, i, w int) string {
	c := p.choices[p.shown[i].Index]
	if i == p.at {
		return st.Chosen.Render(theme.Spread(" ▸ "+c.label, c.right+" ", w))
	}
	label := c.label
	if len(p.shown[i].MatchedIndexes) > 0 {
		label = highlight(st, label, p.shown[i].MatchedIndexes)
	}
	return theme.Spread("   "+label, st.Dim.Render(c.right)+" ", w)
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
