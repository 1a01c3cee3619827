package composer

import (
	"slices"
	"strings"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/composer/editor"
)

// draftChip stands in a draft for something longer: a pasted text, or a file.
type draftChip struct {
	label string
	Text  string        // a pasted text; while a file is read that was dragged, its path as it was pasted
	path  string        // where the file is; "" for a paste and for a file without a place of its own
	Part  *history.Part // the file; nil for a paste, and while the file is read
}

// Label is what the draft shows.
func (c *draftChip) Label() string { return c.label }

func (c *draftChip) isFile() bool { return c.Part != nil || c.path != "" }

// reading reports whether the file is still being read.
func (c *draftChip) reading() bool { return c.Part == nil && c.path != "" }

// draft is what is written: a text with chips in it, of a new message, or of an edit.
type draft struct {
	Editor        editor.Editor
	editedID      int64  // the earlier message that it becomes another version of, 0 for a new message
	promptNumber  int    // which of the earlier prompts is looked at, counted from 1; 0 for none
	startRevision int    // changes of the text when the edit or the prompt was put into it
	suspended     *draft // waits until the edit is over, or the look at the prompts; nil for none, it has none behind it
}

func blank() draft { return draft{Editor: editor.New()} }

// changed reports whether an edit or a prompt is another text than it was.
func (d *draft) changed() bool { return d.suspended != nil && d.startRevision != d.Editor.Revision() }

// Empty reports whether nothing is written.
func (d *draft) Empty() bool { return d.Editor.Empty() }

// chips are the chips of the draft in order.
func (d *draft) chips() (list []*draftChip) {
	for _, inset := range d.Editor.All() {
		if chip, ok := inset.(*draftChip); ok {
			list = append(list, chip)
		}
	}
	return list
}

// DisplayText is the draft as the screen has it, chips as labels.
func (d *draft) DisplayText() string {
	var b strings.Builder
	for text := range d.Editor.All() {
		b.WriteString(text)
	}
	return b.String()
}

// Text is the text as it is sent, pastes in full. A file is in it as its name, unless it stands in front of all text:
// then it leaves nothing, and neither do the blanks around it.
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
				text = "\n" + text // What was written before a paste is no part of its first line.
			}
		}
		if front = front && strings.TrimSpace(text) == ""; !front || !files {
			b.WriteString(text)
		}
	}
	return b.String()
}

// files are the files of the draft in order. They are never nil: an edit without files takes the earlier ones away.
func (d *draft) files() []history.Part {
	files := []history.Part{}
	for _, chip := range d.chips() {
		if chip.Part != nil {
			files = append(files, *chip.Part)
		}
	}
	return files
}

// LoadingFiles reports whether a file of the draft is still being read.
func (d *draft) LoadingFiles() bool { return slices.ContainsFunc(d.chips(), (*draftChip).reading) }

// stored is the draft as it is kept: its text with the pastes, where its chips stand, and the files that have no path.
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
