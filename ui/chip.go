package ui

import (
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/editor"
	"winnow/ui/theme"
)

// chip is what stands in the draft for something longer: a pasted text, or a file. The draft shows its
// label.
type chip struct {
	label string
	text  string        // a pasted text; of a file, the path as it was pasted
	path  string        // where the file is; "" for a paste and for a file of an earlier message
	sum   string        // of the file's bytes
	part  *history.Part // the file; nil for a paste, and while the file is read
}

// isFile says that the chip is a file, or will be one when it is read.
func (p chip) isFile() bool { return p.part != nil || p.path != "" }

// reading says that the file is still being read.
func (p chip) reading() bool { return p.part == nil && p.path != "" }

// writing is what is being written: a text, and the chips in it by their number.
type writing struct {
	area  editor.Editor
	chips map[int]chip
}

// fold puts a text at the cursor as a chip.
func (c *composer) fold(text string) {
	c.pasted++
	c.put(chip{
		label: fmt.Sprintf("[paste %d: %s, %s, ~%s tokens]", c.pasted, theme.Plural(strings.Count(text, "\n")+1, "line"), theme.Size(len(text)), theme.Thousands(c.tokens(len(text)/4))),
		text:  text,
	})
}

// tokens is a counted number of tokens as the server counts them.
func (c *composer) tokens(counted int) int { return history.Sum{Ratio: c.ratio}.Tokens(counted) }

// put puts a chip at the cursor and returns its number.
func (c *composer) put(p chip) int {
	c.made++
	c.chips[c.made] = p
	c.area.InsertInset(c.made, p.label)
	return c.made
}

// hang puts a file of an earlier message at the cursor.
func (c *composer) hang(part history.Part) {
	c.put(chip{label: theme.FileLabel(part, c.tokens(part.Tokens)), part: &part})
}

// setWith replaces the draft by a message: its files as chips, and its text behind them.
func (c *composer) setWith(text string, files []history.Part) {
	c.set("")
	for _, part := range files {
		c.hang(part)
		c.area.Insert(" ")
	}
	c.paste(text)
}

// leaveChips takes everything out of the draft but its chips.
func (c *composer) leaveChips() {
	var chips []chip
	for _, number := range c.area.All() {
		if number != 0 {
			chips = append(chips, c.chips[number])
		}
	}
	c.set("")
	for _, p := range chips {
		c.put(p)
		c.area.Insert(" ")
	}
}

// shown is the draft as the screen has it, chips as labels.
func (w *writing) shown() string {
	var b strings.Builder
	for text := range w.area.All() {
		b.WriteString(text)
	}
	return b.String()
}

// text is the text of the draft as it is sent, pastes in full. A file is in it as its name; the files
// in front of all text are not in it.
func (w *writing) text() string {
	var b strings.Builder
	front, files := true, false
	for text, number := range w.area.All() {
		p := w.chips[number]
		switch {
		case number == 0 && front && strings.TrimSpace(text) == "":
		case front && p.isFile() && (p.part != nil || p.text == ""):
			files = true
			b.Reset()
			continue
		case front && files:
			front = false
			b.Reset()
		default:
			front = false
		}
		switch {
		case number == 0:
			b.WriteString(text)
		case p.part != nil:
			b.WriteString(p.part.Name)
		default:
			b.WriteString(p.text)
		}
	}
	if front && files {
		return ""
	}
	return b.String()
}

// drafted is the draft as it is sent: its text, and its files in order.
func (w *writing) drafted() drafted {
	d := drafted{text: w.text(), files: []history.Part{}}
	for _, number := range w.area.All() {
		if p := w.chips[number]; p.part != nil {
			d.files = append(d.files, *p.part)
		}
	}
	return d
}

// unread are the chips whose files are still being read.
func (w *writing) unread() []int {
	var all []int
	for _, number := range w.area.All() {
		if w.chips[number].reading() {
			all = append(all, number)
		}
	}
	return all
}

// kept is the draft as it is kept: all of its text, and what of it is folded. A file of an earlier
// message is not kept, because it has no path.
func (w *writing) kept() store.Draft {
	var b strings.Builder
	var d store.Draft
	for text, number := range w.area.All() {
		p := w.chips[number]
		from := b.Len()
		switch {
		case number == 0:
			b.WriteString(text)
		case p.isFile() && p.path == "":
		case p.isFile():
			d.Folds = append(d.Folds, store.Fold{From: from, To: from, Path: p.path, Sum: p.sum})
		default:
			b.WriteString(p.text)
			d.Folds = append(d.Folds, store.Fold{From: from, To: b.Len()})
		}
	}
	d.Text = b.String()
	return d
}

// restore replaces the draft by one that was kept, and returns the chips whose files have to be read.
func (c *composer) restore(d store.Draft) []int {
	if len(d.Folds) == 0 {
		c.set(d.Text)
		return nil
	}
	c.set("")
	var files []int
	at := 0
	for _, f := range d.Folds {
		c.write(d.Text[at:f.From])
		if f.Path == "" {
			c.fold(d.Text[f.From:f.To])
		} else {
			files = append(files, c.put(chip{label: readingLabel(f.Path), path: f.Path, sum: f.Sum}))
		}
		at = f.To
	}
	c.write(d.Text[at:])
	return files
}

// open is the chip to look at: the one nearest to the cursor on its line, else the first of the draft.
func (w *writing) open() (chip, bool) {
	if number, ok := w.area.Near(); ok {
		return w.chips[number], true
	}
	for _, number := range w.area.All() {
		if number != 0 {
			return w.chips[number], true
		}
	}
	return chip{}, false
}
