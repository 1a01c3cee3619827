package composer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/composer/editor"
	"winnow/ui/theme"
)

// Chip is what stands in the draft for something longer: a pasted text, or a file. The draft shows its
// label.
type Chip struct {
	Label string
	Text  string        // a pasted text; of a file, the path as it was pasted
	Path  string        // where the file is; "" for a paste and for a file of an earlier message
	Sum   string        // of the file's bytes
	Part  *history.Part // the file; nil for a paste, and while the file is read
}

// isFile says that the chip is a file, or will be one when it is read.
func (p Chip) isFile() bool { return p.Part != nil || p.Path != "" }

// Reading says that the file is still being read.
func (p Chip) Reading() bool { return p.Part == nil && p.Path != "" }

// Writing is what is being written: a text, and the chips in it by their number.
type Writing struct {
	Area  editor.Editor
	Chips map[int]Chip
}

// fold puts a text at the cursor as a chip.
func (c *Model) fold(text string) {
	c.pasted++
	counted := theme.TokensOf(len(text))
	if c.Count != nil {
		counted = c.Count(text)
	}
	c.put(Chip{
		Label: fmt.Sprintf("[paste %d: %s, %s, ~%s tokens]", c.pasted,
			theme.Plural(strings.Count(text, "\n")+1, "line"),
			theme.Size(len(text)), theme.Thousands(c.Tokens(counted))),
		Text: text,
	})
}

// Tokens is a counted number of tokens as the server counts them.
func (c *Model) Tokens(counted int) int { return history.Sum{Ratio: c.Ratio}.Tokens(counted) }

// put puts a chip at the cursor and returns its number.
func (c *Model) put(p Chip) int {
	c.made++
	c.Chips[c.made] = p
	c.Area.InsertInset(c.made, p.Label)
	return c.made
}

// hang puts a file at the cursor that has no path: one of an earlier message, or an image from the clipboard.
func (c *Model) hang(part history.Part) {
	sum := sha256.Sum256(append([]byte(part.Text), part.Data...))
	c.put(Chip{Label: theme.FileLabel(part, c.Tokens(part.Tokens)), Sum: hex.EncodeToString(sum[:]), Part: &part})
}

// SetWith replaces the draft by a message: its files as chips, and its text behind them.
func (c *Model) SetWith(text string, files []history.Part) {
	c.Set("")
	for _, part := range files {
		c.hang(part)
		c.Area.Insert(" ")
	}
	c.Paste(text)
}

// leaveChips takes everything out of the draft but its chips.
func (c *Model) leaveChips() {
	var chips []Chip
	for _, number := range c.Area.All() {
		if number != 0 {
			chips = append(chips, c.Chips[number])
		}
	}
	c.Set("")
	for _, p := range chips {
		c.put(p)
		c.Area.Insert(" ")
	}
}

// Shown is the draft as the screen has it, chips as labels.
func (w *Writing) Shown() string {
	var b strings.Builder
	for text := range w.Area.All() {
		b.WriteString(text)
	}
	return b.String()
}

// Text is the text of the draft as it is sent, pastes in full. A file is in it as its name; the files
// in front of all text are not in it.
func (w *Writing) Text() string {
	var b strings.Builder
	front, files := true, false
	for text, number := range w.Area.All() {
		p := w.Chips[number]
		switch {
		case number == 0 && front && strings.TrimSpace(text) == "":
		case front && p.isFile() && (p.Part != nil || p.Text == ""):
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
		case p.Part != nil:
			b.WriteString(p.Part.Name)
		default:
			before := b.String()
			if before != "" && !strings.HasSuffix(before, "\n") && before[0] != '/' && !p.isFile() {
				b.WriteString("\n") // What was written before a paste is no part of its first line.
			}
			b.WriteString(p.Text)
		}
	}
	if front && files {
		return ""
	}
	return b.String()
}

// files are the files of the draft in order.
func (w *Writing) files() []history.Part {
	files := []history.Part{}
	for _, number := range w.Area.All() {
		if p := w.Chips[number]; p.Part != nil {
			files = append(files, *p.Part)
		}
	}
	return files
}

// LargestFile is the name of the largest file of the draft, where that takes more than half of the draft.
func (w *Writing) LargestFile() (name string, ok bool) {
	most := 0
	for _, p := range w.files() {
		if p.Tokens > most {
			most, name = p.Tokens, p.Name
		}
	}
	return theme.OneLine(name), 2*most > w.Size()
}

// Size is about how many tokens the draft takes.
func (w *Writing) Size() int {
	n := theme.TokensOf(w.Area.Len())
	for _, p := range w.Chips {
		n += theme.TokensOf(len(p.Text))
		if p.Part != nil {
			n += p.Part.Tokens
		}
	}
	return n
}

// Unread are the chips whose files are still being read. A draft is walked only where there is one.
func (w *Writing) Unread() []int {
	reading := false
	for _, c := range w.Chips {
		reading = reading || c.Reading()
	}
	if !reading {
		return nil
	}
	var all []int
	for _, number := range w.Area.All() {
		if w.Chips[number].Reading() {
			all = append(all, number)
		}
	}
	return all
}

// Kept is the draft as it is kept: all of its text, and what of it is folded. A file of an earlier
// message is not kept, because it has no path.
func (w *Writing) Kept() store.Draft {
	var b strings.Builder
	var d store.Draft
	for text, number := range w.Area.All() {
		p := w.Chips[number]
		from := b.Len()
		switch {
		case number == 0:
			b.WriteString(text)
		case p.isFile() && p.Path == "":
		case p.isFile():
			d.Folds = append(d.Folds, store.Fold{From: from, To: from, Path: p.Path, Sum: p.Sum})
		default:
			b.WriteString(p.Text)
			d.Folds = append(d.Folds, store.Fold{From: from, To: b.Len()})
		}
	}
	d.Text = b.String()
	return d
}

// Unsent is the draft as its session keeps it: as Kept has it, and with the files that have no path.
func (w *Writing) Unsent() store.Draft {
	d := w.packed()
	for _, number := range w.Area.All() {
		if p := w.Chips[number]; p.Part != nil && p.Path == "" {
			d.Parts = append(d.Parts, *p.Part)
		}
	}
	return d
}

// Restore replaces the draft by one that was kept, and returns the chips whose files have to be read.
func (c *Model) Restore(d store.Draft) []int {
	if len(d.Folds) == 0 {
		c.Set(d.Text)
		return nil
	}
	c.Set("")
	var files []int
	at, parts := 0, d.Parts
	for _, f := range d.Folds {
		c.Write(d.Text[at:f.From])
		switch {
		case f.Path == "" && f.From < f.To:
			c.fold(d.Text[f.From:f.To])
		case f.Path == "" && len(parts) > 0:
			c.hang(parts[0])
			parts = parts[1:]
		case f.Path == "":
		default:
			files = append(files, c.put(Chip{Label: readingLabel(f.Path), Path: f.Path, Sum: f.Sum}))
		}
		at = f.To
	}
	c.Write(d.Text[at:])
	return files
}

// Open is the chip to look at: the one nearest to the cursor on its line, else the first of the draft.
func (w *Writing) Open() (Chip, bool) {
	if number := w.Area.Near(); number != 0 {
		return w.Chips[number], true
	}
	for _, number := range w.Area.All() {
		if number != 0 {
			return w.Chips[number], true
		}
	}
	return Chip{}, false
}
