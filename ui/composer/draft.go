package composer

import (
	"slices"
	"strings"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/composer/editor"
)

// draftChip is an inset of the draft: a pasted text, or a file.
type draftChip struct {
	label string
	Text  string        // a pasted text; for a dragged file that is being read, the pasted path
	path  string        // of the file; "" for a paste and for a file without a path
	Part  *history.Part // the file; nil for a paste, and while the file is being read
}

// Label returns what the draft shows in place of the chip.
func (c *draftChip) Label() string { return c.label }

func (c *draftChip) isFile() bool { return c.Part != nil || c.path != "" }

// reading reports whether the file is still being read.
func (c *draftChip) reading() bool { return c.Part == nil && c.path != "" }

// draft is a text with chips: a new message, or an edit of an earlier one.
type draft struct {
	Editor        editor.Editor
	editedID      int64  // id of the edited message, 0 for a new message
	promptNumber  int    // which of the earlier prompts is shown, from 1; 0 for none
	startRevision int    // revision at which the edit or prompt was put into the editor
	suspended     *draft // the draft to return to after an edit or prompt, nil for none
}

func blank() draft { return draft{Editor: editor.New()} }

// changed reports whether the user has changed an edit or a prompt.
func (d *draft) changed() bool { return d.suspended != nil && d.startRevision != d.Editor.Revision() }

// Empty reports whether the draft is empty.
func (d *draft) Empty() bool { return d.Editor.Empty() }

// chips returns the chips in order.
func (d *draft) chips() (list []*draftChip) {
	for _, inset := range d.Editor.All() {
		if chip, ok := inset.(*draftChip); ok {
			list = append(list, chip)
		}
	}
	return list
}

// DisplayText returns the draft as it is on the screen, with chips as labels.
func (d *draft) DisplayText() string {
	var b strings.Builder
	for text := range d.Editor.All() {
		b.WriteString(text)
	}
	return b.String()
}

// Text returns the draft as it is sent. Pastes are in full and a file is its name, but files at the beginning leave
// nothing, and neither do spaces around them.
func (d *draft) Text() string {
	var b strings.Builder
	front, files := true, false // only files and blanks so far, and there are files
	for text, inset := range d.Editor.All() {
		chip, ok := inset.(*draftChip)
		switch {
		case ok && chip.isFile() && front:
			files = true
			b.Reset()
			continue
		case ok && chip.Part != nil:
			text = chip.Part.Name
		case ok:
			text = chip.Text
			if s := b.String(); !chip.isFile() && s != "" && !strings.HasSuffix(s, "\n") && s[0] != '/' {
				text = "\n" + text // A paste begins on a line of its own.
			}
		}
		if front = front && strings.TrimSpace(text) == ""; !front || !files {
			b.WriteString(text)
		}
	}
	return b.String()
}

// files returns the files in order. It is never nil, because nil files would leave those of an edited message in place.
func (d *draft) files() []history.Part {
	files := []history.Part{}
	for _, chip := range d.chips() {
		if chip.Part != nil {
			files = append(files, *chip.Part)
		}
	}
	return files
}

// LoadingFiles reports whether a file is still being read.
func (d *draft) LoadingFiles() bool { return slices.ContainsFunc(d.chips(), (*draftChip).reading) }

// stored returns the draft as it is stored: its text with the pastes, the positions of its chips, and the files without
// a path.
func (d *draft) stored() (out store.Draft) {
	var b strings.Builder
	for text, inset := range d.Editor.All() {
		chip, ok := inset.(*draftChip)
		if !ok {
			b.WriteString(text)
			continue
		}
		fold := store.Fold{From: b.Len(), Path: chip.path}
		if !chip.isFile() {
			b.WriteString(chip.Text)
		} else if chip.path == "" {
			out.Parts = append(out.Parts, *chip.Part)
		}
		fold.To = b.Len()
		out.Folds = append(out.Folds, fold)
	}
	out.Text = b.String()
	return out
}
