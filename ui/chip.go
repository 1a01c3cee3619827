package ui

import (
	"fmt"
	"strings"
)

// chip is what stands in the draft for something longer: a pasted text. The draft shows its label.
type chip struct{ label, text string }

// fold puts a text at the cursor as a chip.
func (c *composer) fold(text string) {
	c.pasted++
	c.put(chip{
		label: fmt.Sprintf("[paste %d: %s, %s, ~%s tokens]", c.pasted, plural(strings.Count(text, "\n")+1, "line"), size(len(text)), thousands(len(text)/4)),
		text:  text,
	})
}

// put puts a chip at the cursor.
func (c *composer) put(p chip) {
	c.made++
	c.chips[c.made] = p
	c.area.InsertInset(c.made, p.label)
}

// shown is the draft as the screen has it, chips as labels.
func (c *composer) shown() string {
	var b strings.Builder
	for text := range c.area.All() {
		b.WriteString(text)
	}
	return b.String()
}

// text is the draft as it is sent, chips in full.
func (c *composer) text() string {
	var b strings.Builder
	for text, number := range c.area.All() {
		if number != 0 {
			text = c.chips[number].text
		}
		b.WriteString(text)
	}
	return b.String()
}

// open is the chip to look at: the one nearest to the cursor on its line, else the first of the draft.
func (c *composer) open() (chip, bool) {
	if number, ok := c.area.Near(); ok {
		return c.chips[number], true
	}
	for _, number := range c.area.All() {
		if number != 0 {
			return c.chips[number], true
		}
	}
	return chip{}, false
}
