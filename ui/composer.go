package ui

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/editor"
	"winnow/ui/markdown"
)

// A paste above these becomes a chip.
const (
	chipLines = 20
	chipBytes = 2000
)

// composer is the draft: a text with chips in it, and the prompts sent before.
type composer struct {
	area    editor.Editor
	looks   editor.Looks
	chips   map[int]chip // by their number in the text
	made    int          // chips made so far
	pasted  int          // of them pastes, for their names
	prompts []string     // sent before, the newest first
	at      int          // the prompt shown, 0 is the draft itself
	own     string       // the draft while a prompt is shown
}

func newComposer() composer {
	return composer{area: editor.New(), chips: map[int]chip{}}
}

func (c *composer) restyle(st styles) {
	c.looks = editor.Looks{Text: st.text, Inset: st.accent, Selected: st.chosen}
}

// resize gives the area a width in cells and the most lines it may take.
func (c *composer) resize(width, most int) { c.area.Resize(width, most) }

// lines is how many lines the draft takes.
func (c *composer) lines() int { return c.area.Height() }

func (c *composer) empty() bool { return c.area.Empty() }

// set replaces the draft. A long text becomes a chip.
func (c *composer) set(text string) {
	c.area.Reset()
	c.chips, c.at = map[int]chip{}, 0
	c.paste(text)
}

// paste puts a text at the cursor, a long one as a chip. Control characters of a short one are
// made visible, and so is what is sent; a chip keeps its bytes.
func (c *composer) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Count(text, "\n") + 1
	if lines <= chipLines && len(text) <= chipBytes {
		c.write(text)
		return
	}
	c.fold(text)
}

// write puts a text at the cursor as it would be typed. Tabs stay what they are.
func (c *composer) write(text string) {
	pieces := strings.Split(text, "\t")
	for i, piece := range pieces {
		pieces[i] = markdown.Visible(piece)
	}
	c.area.Insert(strings.Join(pieces, "\t"))
}

// press is a key for the text area. Text of more than one character is typing, whatever it spells.
func (c *composer) press(msg tea.KeyPressMsg) tea.Cmd {
	if utf8.RuneCountInString(msg.Text) > 1 {
		c.write(msg.Text)
		return nil
	}
	c.area.Press(msg)
	return nil
}

// onFirst and onLast say whether the cursor is on the draft's first or last line as wrapped.
func (c *composer) onFirst() bool { return c.area.OnFirst() }
func (c *composer) onLast() bool  { return c.area.OnLast() }

// older and newer walk the prompts sent before; the draft waits at the near end. They say whether
// there was somewhere to go.
func (c *composer) older() bool { return c.walk(c.at + 1) }
func (c *composer) newer() bool { return c.walk(c.at - 1) }

func (c *composer) walk(to int) bool {
	if to < 0 || to > len(c.prompts) {
		return false
	}
	if c.at == 0 {
		c.own = c.text()
	}
	text := c.own
	if to > 0 {
		text = c.prompts[to-1]
	}
	c.set(text)
	c.at = to
	return true
}

// remember puts a text in front of the prompts sent before.
func (c *composer) remember(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	c.prompts = slices.DeleteFunc(slices.Clone(c.prompts), func(s string) bool { return s == text })
	c.prompts = slices.Insert(c.prompts, 0, text)
	c.at = 0
}
