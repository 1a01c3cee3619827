// Package composer is what is being written: a text with chips in it for long pastes and files, the prompts that
// were sent before, and the paths that complete a command. It sends nothing, and what it has to read it is given.
package composer

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/composer/editor"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A paste above these becomes a chip, and so does a text of the user's editor above the third.
const (
	chipLines   = 20
	chipBytes   = 2000
	editedBytes = 100_000
)

// Model is the draft: a text with chips in it, and the prompts sent before.
type Model struct {
	Writing
	Looks   editor.Looks
	made    int            // chips made so far
	pasted  int            // of them pastes, for their names
	Ratio   float64        // the server's tokens per counted token, 0 unknown
	Prompts []store.Prompt // sent before, or cleared in this window, the newest first
	Read    int64          // the highest id among those from the history
	At      int            // the prompt shown, 0 is the draft itself
	Own     Writing        // the draft while a prompt is shown
}

// New is an empty composer.
func New() Model {
	return Model{Writing: Writing{editor.New(), map[int]Chip{}}}
}

// Restyle gives it its styles.
func (c *Model) Restyle(st theme.Styles) {
	c.Looks = editor.Looks{Text: st.Text, Inset: st.Accent, Selected: st.Chosen}
}

// Resize gives the area a width in cells and the most lines it may take.
func (c *Model) Resize(width, most int) { c.Area.Resize(width, most) }

// Lines is how many lines the draft takes.
func (c *Model) Lines() int { return c.Area.Height() }

// Bytes is about how large the draft is.
func (c *Model) Bytes() int {
	n := c.Area.Len()
	for _, p := range c.Chips {
		n += len(p.Text)
	}
	return n
}

// Empty says that nothing is written.
func (c *Model) Empty() bool { return c.Area.Empty() }

// Set replaces the draft. A long text becomes a chip.
func (c *Model) Set(text string) {
	c.Area.Reset()
	c.Chips, c.At = map[int]Chip{}, 0
	c.Paste(text)
}

// Rewrite replaces the draft's text by one that was written elsewhere. The files stay, in front of it.
func (c *Model) Rewrite(text string) {
	var files []int
	for _, number := range c.Area.All() {
		if c.Chips[number].isFile() {
			files = append(files, number)
		}
	}
	c.Area.Reset()
	c.At = 0
	for _, number := range files {
		c.Area.InsertInset(number, c.Chips[number].Label)
		c.Area.Insert(" ")
	}
	text = unixLines(text)
	if len(text) > editedBytes {
		c.fold(text)
		return
	}
	c.Write(text)
}

// unixLines is a text whose lines end as they do here.
func unixLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// Paste puts a text at the cursor, a long one as a chip. Control characters of a short one are
// made visible, and so is what is sent; a chip keeps its bytes.
func (c *Model) Paste(text string) {
	text = unixLines(text)
	lines := strings.Count(text, "\n") + 1
	if lines <= chipLines && len(text) <= chipBytes {
		c.Write(text)
		return
	}
	c.fold(text)
}

// Write puts a text at the cursor as it would be typed. Tabs stay what they are.
func (c *Model) Write(text string) {
	pieces := strings.Split(text, "\t")
	for i, piece := range pieces {
		pieces[i] = markdown.Visible(piece)
	}
	c.Area.Insert(strings.Join(pieces, "\t"))
}

// Update is a key or a paste for the text. Text of more than one character is typing, whatever it spells.
func (c Model) Update(msg tea.Msg) Model {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		c.Paste(msg.Content)
	case tea.KeyPressMsg:
		n, ok := c.Area.Before()
		switch {
		case utf8.RuneCountInString(msg.Text) > 1:
			c.Write(msg.Text)
		case ok && msg.Keystroke() == "backspace" && c.Chips[n].isFile() && c.Chips[n].Text != "":
			c.Instead(&c.Writing, n, nil) // a dragged file is its path again
		default:
			c.Area.Press(msg)
		}
	}
	return c
}

// OnFirst says whether the cursor is on the draft's first line as wrapped.
func (c *Model) OnFirst() bool { return c.Area.OnFirst() }

// OnLast says whether it is on the last one.
func (c *Model) OnLast() bool { return c.Area.OnLast() }

// Show shows a prompt sent before by its place, 0 for the draft, which waits meanwhile. It returns the
// chips whose files have to be read.
func (c *Model) Show(at int, d store.Draft) (files []int) {
	if c.At == 0 {
		c.Own = c.Writing
	}
	if at > 0 {
		files = c.Restore(d)
	} else {
		c.Resume(c.Own)
	}
	c.At = at
	return files
}

// Resume goes on with something that was written.
func (c *Model) Resume(w Writing) {
	c.Area.Become(w.Area)
	c.Chips, c.Own, c.At = w.Chips, Writing{}, 0
}

// Remember puts a draft in front of the prompts sent before. The prompt that is shown stays.
func (c *Model) Remember(d store.Draft) {
	if strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 {
		return
	}
	p := store.Prompt{Head: d, Size: len(d.Text), Hash: d.Hash()}
	shown := p.Hash
	if c.At > 0 {
		shown = c.Prompts[c.At-1].Hash
	}
	c.Prompts = slices.Insert(slices.DeleteFunc(slices.Clone(c.Prompts), func(o store.Prompt) bool { return o.Hash == p.Hash }), 0, p)
	if c.At > 0 {
		c.At = 1 + slices.IndexFunc(c.Prompts, func(o store.Prompt) bool { return o.Hash == shown })
	}
}

// Recall takes in prompts of the history that it has not read before, the newest first. Those that are
// known stay in their order, with what was only written here; those of other windows come where they
// stood among them.
func (c *Model) Recall(stored []store.Prompt) {
	at := map[[sha256.Size]byte]int{}
	for i, p := range c.Prompts {
		at[p.Hash] = i
	}
	var all []store.Prompt
	next := 0
	for _, p := range stored {
		c.Read = max(c.Read, p.ID)
		i, known := at[p.Hash]
		switch {
		case !known:
			at[p.Hash] = -1
			all = append(all, p)
		case i >= next:
			c.Prompts[i] = p // the text can be read from the history now
			all = append(all, c.Prompts[next:i+1]...)
			next = i + 1
		}
	}
	c.Prompts = append(all, c.Prompts[next:]...)
}
