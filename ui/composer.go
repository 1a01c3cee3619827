package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/markdown"
)

// A paste above these becomes a chip: the text area lays out all its lines on each key.
const (
	chipLines = 20
	chipBytes = 2000
)

// chip is a long pasted text. The draft shows its label; what is sent is its text.
type chip struct{ label, text string }

// composer is the draft: a text area with chips and the prompts sent before.
type composer struct {
	area    textarea.Model
	chips   []chip
	pasted  int      // chips made so far, for their names
	prompts []string // sent before, the newest first
	at      int      // the prompt shown, 0 is the draft itself
	own     string   // the draft while a prompt is shown
}

func newComposer() composer {
	a := textarea.New()
	a.Prompt = ""
	a.ShowLineNumbers = false
	a.EndOfBufferCharacter = ' '
	a.CharLimit = 0
	a.DynamicHeight = true
	a.MinHeight = 1
	a.MaxHeight = 8
	a.MaxContentHeight = 100_000
	a.SetVirtualCursor(false)
	a.KeyMap = editing()
	a.Focus()
	return composer{area: a}
}

// editing is the text area's own keys without those that winnow gives another meaning.
func editing() textarea.KeyMap {
	k := textarea.DefaultKeyMap()
	off := key.NewBinding()
	k.LineNext = key.NewBinding(key.WithKeys("down"))
	k.LinePrevious = key.NewBinding(key.WithKeys("up"))
	k.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete", "ctrl+d"))
	k.InsertNewline, k.Paste, k.TransposeCharacterBackward = off, off, off
	k.SelectAll, k.CopySelection, k.PageUp, k.PageDown = off, off, off, off
	return k
}

func (c *composer) restyle(st styles) {
	plain := textarea.StyleState{Text: st.text, Placeholder: st.faint, Selection: st.chosen}
	c.area.SetStyles(textarea.Styles{Focused: plain, Blurred: plain})
}

// resize gives the area a width in cells and the most lines it may take.
func (c *composer) resize(width, most int) {
	c.area.MaxHeight = max(1, most)
	c.area.SetWidth(max(1, width))
}

// lines is how many lines the draft takes.
func (c *composer) lines() int { return c.area.Height() }

// shown is the draft as the screen has it, chips as labels.
func (c *composer) shown() string { return c.area.Value() }

func (c *composer) empty() bool { return c.area.Length() == 0 }

// text is the draft as it is sent, chips in full.
func (c *composer) text() string {
	s := c.area.Value()
	for _, p := range c.chips {
		s = strings.Replace(s, p.label, p.text, 1)
	}
	return s
}

// set replaces the draft. A long text becomes a chip.
func (c *composer) set(text string) {
	c.area.Reset()
	c.chips, c.at = nil, 0
	c.paste(text)
}

// paste puts a text at the cursor, a long one as a chip. Control characters of a short one are
// made visible, and so is what is sent; a chip keeps its bytes.
func (c *composer) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Count(text, "\n") + 1
	if lines <= chipLines && len(text) <= chipBytes {
		c.area.InsertString(markdown.Visible(text))
		return
	}
	c.pasted++
	p := chip{
		label: fmt.Sprintf("[paste %d: %s, %s, ~%s tokens]", c.pasted, plural(lines, "line"), size(len(text)), thousands(len(text)/4)),
		text:  text,
	}
	c.chips = append(c.chips, p)
	c.area.InsertString(p.label)
}

// press is a key for the text area. Text of more than one character is typing, whatever it spells.
func (c *composer) press(msg tea.KeyPressMsg) tea.Cmd {
	if utf8.RuneCountInString(msg.Text) > 1 {
		c.area.InsertString(markdown.Visible(msg.Text))
		return nil
	}
	if pressed(msg, c.area.KeyMap.DeleteCharacterBackward) && c.deleteChip() {
		return nil
	}
	var cmd tea.Cmd
	c.area, cmd = c.area.Update(msg)
	return cmd
}

// deleteChip removes the whole chip that ends at the cursor, and says whether there was one.
func (c *composer) deleteChip() bool {
	lines := strings.Split(c.area.Value(), "\n")
	row := c.area.Line()
	if row >= len(lines) {
		return false
	}
	line := []rune(lines[row])
	before := string(line[:min(c.area.Column(), len(line))])
	for i, p := range c.chips {
		if strings.HasSuffix(before, p.label) {
			for range utf8.RuneCountInString(p.label) {
				c.area, _ = c.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
			}
			c.chips = slices.Delete(slices.Clone(c.chips), i, i+1)
			return true
		}
	}
	return false
}

// open is the chip to look at: the one at the cursor's line, else the first.
func (c *composer) open() (chip, bool) {
	s := c.area.Value()
	lines := strings.Split(s, "\n")
	if row := c.area.Line(); row < len(lines) {
		for _, p := range c.chips {
			if strings.Contains(lines[row], p.label) {
				return p, true
			}
		}
	}
	for _, p := range c.chips {
		if strings.Contains(s, p.label) {
			return p, true
		}
	}
	return chip{}, false
}

// onFirst and onLast say whether the cursor is on the draft's first or last line as wrapped.
func (c *composer) onFirst() bool { return c.area.Line() == 0 && c.area.LineInfo().RowOffset == 0 }

func (c *composer) onLast() bool {
	info := c.area.LineInfo()
	return c.area.Line() == c.area.LineCount()-1 && info.RowOffset >= info.Height-1
}

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
