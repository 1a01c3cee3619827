package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// lineHit is a part of a line, in cells, that a search found.
type lineHit struct{ line, from, to int }

// hitsIn are what the search finds in the lines of a block's text. What is wrapped is found where a line ends in the
// place of a blank.
func (c *Model) hitsIn(b *block) []lineHit {
	if b.pattern == c.Search.pattern {
		return b.found
	}
	b.pattern, b.found = c.Search.pattern, nil
	if b.pattern == nil {
		return nil
	}
	text := ansi.Strip(strings.Join(b.lines[b.from:b.to], "\n"))
	spans, begin := b.pattern.FindAllStringIndex(text, -1), 0
	for n, line := range strings.Split(text, "\n") {
		for _, span := range spans {
			from, to := max(0, span[0]-begin), min(len(line), span[1]-begin)
			if from < to {
				cells := ansi.StringWidth(line[:from])
				b.found = append(b.found, lineHit{b.from + n, cells, cells + ansi.StringWidth(line[from:to])})
			}
		}
		begin += len(line) + 1
	}
	return b.found
}

// showHit selects the message that the user is at, unfolds it and scrolls its first match onto the screen, to a third
// from the top where it was not on it.
func (c *Model) showHit() {
	i, ok := c.index(c.Search.at())
	if !ok || !c.ready() {
		return
	}
	c.selectRow(i)
	b := c.block(i)
	line := min(b.to, len(b.lines)-1) // the line that stands for what is not shown
	if found := c.hitsIn(b); len(found) > 0 {
		line = found[0].line
	}
	last, y := c.rowAt(c.height - 1)
	if at := (place{i, line, 0}); at.before(place{c.top, c.line, 0}) || (place{last, y, 0}).before(at) {
		c.top, c.line = i, max(0, line-c.height/3)
		c.arrive()
	}
	c.Screen.Moved()
}

// markHits marks the hits in a line of row i.
func (c *Model) markHits(text string, i, line int) string {
	style := c.Themes.Styles.Found
	if c.Search.at() == c.id(i) {
		style = c.Themes.Styles.Hit
	}
	var ranges []lipgloss.Range
	for _, h := range c.hitsIn(c.block(i)) {
		if h.line == line {
			ranges = append(ranges, lipgloss.NewRange(h.from, h.to, style))
		}
	}
	if len(ranges) == 0 {
		return text
	}
	return lipgloss.StyleRanges(text, ranges...)
}
