package composer

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/theme"
)

// Enqueue takes the draft out of the composer as a message that is sent later, and keeps it among the prompts. What is
// typed from now on is the next draft.
func (c *Model) Enqueue(how store.Queued) tea.Cmd {
	sent := c.Take(0)
	how.Text, how.Parts, how.Draft = sent.Text, sent.Files, sent.writing.packed()
	return tea.Batch(c.Waiting.Add(how), c.KeepPrompt(sent.kept), c.KeepSoon())
}

// EnqueueCommand queues the message of a command, which was typed as it stands.
func (c *Model) EnqueueCommand(typed string, how store.Queued) tea.Cmd {
	how.Draft = store.Draft{Text: typed}
	return tea.Batch(c.Waiting.Add(how), c.KeepPrompt(how.Draft))
}

// TakeBack puts a queued message into the draft, which is empty.
func (c *Model) TakeBack(m store.Queued) tea.Cmd {
	c.unpack(m)
	c.Emit(Focused{})
	return c.KeepSoon()
}

// packed is a draft as a queued message keeps it: as Kept has it, and with the place of the files that have no path.
func (w *Writing) packed() store.Draft {
	var b strings.Builder
	var d store.Draft
	for text, number := range w.Area.All() {
		p, from := w.Chips[number], b.Len()
		switch {
		case number == 0:
			b.WriteString(text)
			continue
		case !p.isFile():
			b.WriteString(p.Text)
		}
		d.Folds = append(d.Folds, store.Fold{From: from, To: b.Len(), Path: p.Path, Sum: p.Sum})
	}
	d.Text = b.String()
	return d
}

// unpack replaces the draft by a queued message, with the files as they were read when it was queued. Where the folds
// do not name as many files as there are, the files stand in front.
func (c *Model) unpack(m store.Queued) {
	isFile := func(f store.Fold) bool { return f.From == f.To }
	files := 0
	for _, f := range m.Draft.Folds {
		if isFile(f) {
			files++
		}
	}
	if files != len(m.Parts) {
		c.SetWith(m.Text, m.Parts)
		return
	}
	c.Set("")
	at, file := 0, 0
	for _, f := range m.Draft.Folds {
		c.Write(m.Draft.Text[at:f.From])
		if isFile(f) {
			part := m.Parts[file]
			c.put(Chip{Label: theme.FileLabel(part, c.Tokens(part.Tokens)), Path: f.Path, Sum: f.Sum, Part: &part})
			file++
		} else {
			c.fold(m.Draft.Text[f.From:f.To])
		}
		at = f.To
	}
	c.Write(m.Draft.Text[at:])
}

// KeepQueueAtEnd writes down what of the queue is not on disk yet when winnow is left. What was queued in a chat whose
// first message never came to disk is among the prompts.
func (c *Model) KeepQueueAtEnd(ctx context.Context) error {
	homeless, err := c.Waiting.KeepAtEnd(ctx)
	faults := []error{err}
	for _, m := range homeless {
		if c.Home != nil && !c.Temporary {
			faults = append(faults, c.Home.AddPrompt(ctx, "", m.Draft))
		}
	}
	return errors.Join(faults...)
}
