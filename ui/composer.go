package ui

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/editor"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A paste above these becomes a chip, and so does a text of the user's editor above the third.
const (
	chipLines   = 20
	chipBytes   = 2000
	editedBytes = 100_000
)

// composer is the draft: a text with chips in it, and the prompts sent before.
type composer struct {
	writing
	looks   editor.Looks
	made    int            // chips made so far
	pasted  int            // of them pastes, for their names
	ratio   float64        // the server's tokens per counted token, 0 unknown
	prompts []store.Prompt // sent before, or cleared in this window, the newest first
	read    int64          // the highest id among those from the history
	at      int            // the prompt shown, 0 is the draft itself
	own     writing        // the draft while a prompt is shown
}

func newComposer() composer {
	return composer{writing: writing{editor.New(), map[int]chip{}}}
}

func (c *composer) restyle(st theme.Styles) {
	c.looks = editor.Looks{Text: st.Text, Inset: st.Accent, Selected: st.Chosen}
}

// resize gives the area a width in cells and the most lines it may take.
func (c *composer) resize(width, most int) { c.area.Resize(width, most) }

// lines is how many lines the draft takes.
func (c *composer) lines() int { return c.area.Height() }

// bytes is about how large the draft is.
func (c *composer) bytes() int {
	n := c.area.Len()
	for _, p := range c.chips {
		n += len(p.text)
	}
	return n
}

func (c *composer) empty() bool { return c.area.Empty() }

// set replaces the draft. A long text becomes a chip.
func (c *composer) set(text string) {
	c.area.Reset()
	c.chips, c.at = map[int]chip{}, 0
	c.paste(text)
}

// rewrite replaces the draft's text by one that was written elsewhere. The files stay, in front of it.
func (c *composer) rewrite(text string) {
	var files []int
	for _, number := range c.area.All() {
		if c.chips[number].isFile() {
			files = append(files, number)
		}
	}
	c.area.Reset()
	c.at = 0
	for _, number := range files {
		c.area.InsertInset(number, c.chips[number].label)
		c.area.Insert(" ")
	}
	text = unixLines(text)
	if len(text) > editedBytes {
		c.fold(text)
		return
	}
	c.write(text)
}

// unixLines is a text whose lines end as they do here.
func unixLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// paste puts a text at the cursor, a long one as a chip. Control characters of a short one are
// made visible, and so is what is sent; a chip keeps its bytes.
func (c *composer) paste(text string) {
	text = unixLines(text)
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
	if n, ok := c.area.Before(); ok && msg.Keystroke() == "backspace" && c.chips[n].isFile() && c.chips[n].text != "" {
		c.instead(&c.writing, n, nil) // a dragged file is its path again
		return nil
	}
	c.area.Press(msg)
	return nil
}

// onFirst and onLast say whether the cursor is on the draft's first or last line as wrapped.
func (c *composer) onFirst() bool { return c.area.OnFirst() }
func (c *composer) onLast() bool  { return c.area.OnLast() }

// show shows a prompt sent before by its place, 0 for the draft, which waits meanwhile. It returns the
// chips whose files have to be read.
func (c *composer) show(at int, d store.Draft) (files []int) {
	if c.at == 0 {
		c.own = c.writing
	}
	if at > 0 {
		files = c.restore(d)
	} else {
		c.resume(c.own)
	}
	c.at = at
	return files
}

// resume goes on with something that was written.
func (c *composer) resume(w writing) {
	c.area.Become(w.area)
	c.chips, c.own, c.at = w.chips, writing{}, 0
}

// remember puts a draft in front of the prompts sent before. The prompt that is shown stays.
func (c *composer) remember(d store.Draft) {
	if strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 {
		return
	}
	p := store.Prompt{Head: d, Size: len(d.Text), Hash: d.Hash()}
	shown := p.Hash
	if c.at > 0 {
		shown = c.prompts[c.at-1].Hash
	}
	c.prompts = slices.Insert(slices.DeleteFunc(slices.Clone(c.prompts), func(o store.Prompt) bool { return o.Hash == p.Hash }), 0, p)
	if c.at > 0 {
		c.at = 1 + slices.IndexFunc(c.prompts, func(o store.Prompt) bool { return o.Hash == shown })
	}
}

// recall takes in prompts of the history that it has not read before, the newest first. Those that are
// known stay in their order, with what was only written here; those of other windows come where they
// stood among them.
func (c *composer) recall(stored []store.Prompt) {
	at := map[[sha256.Size]byte]int{}
	for i, p := range c.prompts {
		at[p.Hash] = i
	}
	var all []store.Prompt
	next := 0
	for _, p := range stored {
		c.read = max(c.read, p.ID)
		i, known := at[p.Hash]
		switch {
		case !known:
			at[p.Hash] = -1
			all = append(all, p)
		case i >= next:
			c.prompts[i] = p // the text can be read from the history now
			all = append(all, c.prompts[next:i+1]...)
			next = i + 1
		}
	}
	c.prompts = append(all, c.prompts[next:]...)
}
