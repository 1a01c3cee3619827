package transcript

import (
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// hits are what a search finds in the lines of a block.
type hits struct {
	pattern *regexp.Regexp // that they were found with
	list    []lineHit
	spans   int // how many hits there are: one may go over several lines
}

// lineHit is a part of a line, in cells, that a hit covers.
type lineHit struct{ line, from, to, nth int }

// hitsIn are the hits in the lines of a block's text. What is wrapped is found where a line ends in the place of a
// blank.
func (c *Model) hitsIn(b *block) *hits {
	if b.hits.pattern == c.Search.pattern {
		return &b.hits
	}
	b.hits = hits{pattern: c.Search.pattern}
	if b.hits.pattern == nil {
		return &b.hits
	}
	text := ansi.Strip(strings.Join(b.lines[b.from:b.to], "\n"))
	spans := b.hits.pattern.FindAllStringIndex(text, -1)
	b.hits.spans = len(spans)
	begin := 0 // of the line
	for n, line := range strings.Split(text, "\n") {
		for nth, span := range spans {
			if from, to := max(0, span[0]-begin), min(len(line), span[1]-begin); from < to {
				b.hits.list = append(b.hits.list, lineHit{
					b.from + n, ansi.StringWidth(line[:from]), ansi.StringWidth(line[:to]), nth,
				})
			}
		}
		begin += len(line) + 1
	}
	return &b.hits
}

// shownAt is which of the shown hits of row i the user is at, -1 for none. Markdown may show fewer than the text has,
// such as none of those in a link's address: then it is the last one.
func (c *Model) shownAt(i int) int {
	h, ok := c.hit()
	if !ok || c.Messages.ID(h.message) != c.rows[i].id {
		return -1
	}
	b := c.block(i)
	if spans := c.hitsIn(b).spans; h.nth < spans || b.more == 0 {
		return min(h.nth, spans-1)
	}
	return -1
}

// showHit selects the message of the user's hit, unfolds it and scrolls the hit onto the screen.
func (c *Model) showHit() {
	h, ok := c.hit()
	if !ok {
		return
	}
	i, there := c.index(c.Messages.ID(h.message))
	if !there || !c.ready() {
		return
	}
	c.selectRow(i)
	b, at := c.block(i), c.shownAt(i)
	line := min(b.to, len(b.lines)-1) // the line that stands for what is not shown
	for _, shown := range c.hitsIn(b).list {
		if shown.nth == at {
			line = shown.line
			break
		}
	}
	c.reach(i, line)
	c.Screen.Moved()
}

// reach scrolls a line of row i onto the screen, to a third from the top where it was not on it.
func (c *Model) reach(i, line int) {
	y := line - c.line
	for k := c.top; k < i && y < c.height; k++ {
		y += c.heightOf(k)
	}
	if i < c.top || y < 0 || y >= c.height {
		c.top, c.line = i, max(0, line-c.height/3)
		c.arrive()
	}
}

// markHits marks the hits in a line of row i.
func (c *Model) markHits(text string, i, line int) string {
	var ranges []lipgloss.Range
	for _, h := range c.hitsIn(c.block(i)).list {
		if h.line != line {
			continue
		}
		style := c.Themes.Styles.Found
		if h.nth == c.shownAt(i) {
			style = c.Themes.Styles.Hit
		}
		ranges = append(ranges, lipgloss.NewRange(h.from, h.to, style))
	}
	if len(ranges) == 0 {
		return text
	}
	return lipgloss.StyleRanges(text, ranges...)
}
