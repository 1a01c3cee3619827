package transcript

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// search is a text that is marked wherever the list shows it.
type search struct {
	finder *finder // nil where there is no search
	at     int64   // the item with the hit that the user is at, 0 for none
	span   Span    // of that hit, in the item's text
	opened []int64 // items that were unfolded to show a hit
}

// lineHit is a part of a line, in cells, that a hit covers.
type lineHit struct{ line, from, to, hit int }

// itemHits are an item's hits by line and cell. They are searched for when the item is drawn.
type itemHits struct {
	list  []lineHit
	spans int    // how many hits there are
	text  []Span // the same in the item's text, blanks left out
	size  int    // code points of the item's text, as far as it is shown
}

// Mark marks a text wherever it is shown; an empty one takes all marks away.
func (m *itemList) Mark(text string) {
	m.search.finder, m.search.at = newFinder(text), 0
	for _, d := range m.cache {
		d.hits = nil
	}
	if m.search.finder.Empty() {
		m.search.finder = nil
		m.refold(m.cursor)
	}
}

// GoToHit selects the item id, unfolds it and scrolls the hit that is this span of its text onto the
// screen. It says whether there is such an item.
func (m *itemList) GoToHit(id int64, s Span) bool {
	i, ok := m.index(id)
	if !ok {
		return false
	}
	m.refold(id)
	if e := m.entry(i); !e.expanded && (e.Fold || m.lookOf(i).cut.cuts > 0) {
		m.search.opened = append(m.search.opened, id)
		m.Toggle(id)
	}
	m.search.at, m.search.span = id, s
	m.selectItem(i)
	if m.ready() {
		m.reach(i, m.hitLine(i))
	}
	return true
}

// refold folds what a search unfolded, except the item keep.
func (m *itemList) refold(keep int64) {
	var still []int64
	for _, id := range m.search.opened {
		if id == keep {
			still = append(still, id)
			continue
		}
		if i, ok := m.index(id); ok && m.entry(i).expanded {
			m.Toggle(id)
		}
	}
	m.search.opened = still
}

// reach scrolls a line of item i onto the screen, to a third from the top where it was not on it.
func (m *itemList) reach(i, line int) {
	y := line - m.line
	for k := m.top; k < i && y < m.height; k++ {
		y += m.measure(k)
	}
	if i >= m.top && y >= 0 && y < m.height {
		return
	}
	m.top, m.line = i, max(0, line-m.height/3)
	m.arrive()
}

// hits are the hits of a drawn item in its lines.
func (m *itemList) hits(d *drawn) *itemHits {
	if d.hits != nil {
		return d.hits
	}
	d.hits = &itemHits{size: utf8.RuneCountInString(d.text)}
	if m.search.finder == nil || d.from == d.to {
		return d.hits
	}
	bare := make([]string, 0, d.to-d.from)
	for _, s := range d.lines[d.from:d.to] {
		bare = append(bare, ansi.Strip(s))
	}
	shown := m.search.finder.squeezed(strings.Join(bare, "\n"))
	d.hits.spans, d.hits.text = len(shown), m.search.finder.squeezed(d.text)
	d.hits.list = hitsInLines(shown, bare, d.from, m.trueHits(d))
	return d.hits
}

// trueHits says which of the shown hits are hits of the text itself; nil for all. Shown lines are
// searched without blanks, so that "in to" is found in "into" too.
func (m *itemList) trueHits(d *drawn) []bool {
	h := d.hits
	if len(h.text) != h.spans {
		return nil
	}
	literal := m.search.finder.In(d.text)
	list := make([]bool, h.spans)
	for k, s := range h.text {
		for len(literal) > 0 && literal[0].To < s.To {
			literal = literal[1:]
		}
		list[k] = len(literal) > 0 && literal[0].From <= s.From
	}
	return list
}

// hitsInLines finds the lines and cells of spans of the lines' common text, whose first line has a number;
// of those spans that are hits, where that is known.
func hitsInLines(spans []Span, lines []string, firstLine int, are []bool) []lineHit {
	var list []lineHit
	first, k := 0, 0 // the code point at which the line begins, and the first span that may reach it
	for line, s := range lines {
		runes := []rune(s)
		for ; k < len(spans) && spans[k].To <= first; k++ {
		}
		for j := k; j < len(spans) && spans[j].From < first+len(runes); j++ {
			if are != nil && !are[j] {
				continue
			}
			from := max(0, spans[j].From-first)
			to := min(len(runes), spans[j].To-first)
			if from < to {
				list = append(list, lineHit{
					firstLine + line, ansi.StringWidth(string(runes[:from])), ansi.StringWidth(string(runes[:to])), j,
				})
			}
		}
		first += len(runes) + 1
	}
	return list
}

// atHit is which of the shown hits of item i the user is at, -1 for none. Markdown may show fewer hits
// than the text has, such as none of those in a link's address: then it is the one next to it.
func (m *itemList) atHit(i int, h *itemHits) int {
	if m.search.at != m.slots[i].ID || h.spans == 0 || m.search.span.From >= h.size {
		return -1
	}
	k := 0
	for k < len(h.text)-1 && h.text[k].From < m.search.span.From {
		k++
	}
	if len(h.text) != h.spans && len(h.text) > 0 {
		k = k * h.spans / len(h.text)
	}
	return min(k, h.spans-1)
}

// hitLine is the line of item i with the hit that the user is at. Where that is not shown as it is
// written it is about there.
func (m *itemList) hitLine(i int) int {
	d := m.drawn(i)
	h := m.hits(d)
	at := m.atHit(i, h)
	for _, s := range h.list {
		if s.hit == at {
			return s.line
		}
	}
	last := max(0, d.below-1)
	if m.search.span.From >= h.size {
		return min(d.to, last) // the line that stands for what is not shown
	}
	return min(d.from+m.search.span.From*(d.to-d.from)/max(1, h.size), last)
}

// markHits marks the hits in a line of item i.
func (m *itemList) markHits(text string, line int, h *itemHits, at int) string {
	var ranges []lipgloss.Range
	for _, s := range h.list {
		if s.line != line {
			continue
		}
		style := m.styles.Found
		if s.hit == at {
			style = m.styles.Hit
		}
		ranges = append(ranges, lipgloss.NewRange(s.from, s.to, style))
	}
	if len(ranges) == 0 {
		return text
	}
	return lipgloss.StyleRanges(text, ranges...)
}
