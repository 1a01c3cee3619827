package composer

import (
	"bytes"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
)

// Drafted is what the next request is planned with beside the conversation. Its Files are never nil: an edit without a
// file takes the earlier ones away.
type Drafted session.Draft

// Same says that two drafts plan the same.
func (d Drafted) Same(o Drafted) bool {
	return d.Text == o.Text && d.Instead == o.Instead && slices.EqualFunc(d.Files, o.Files, sameFile)
}

func sameFile(a, b history.Part) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Text == b.Text && bytes.Equal(a.Data, b.Data)
}

// Drafted is the draft as it is sent.
func (c *Model) Drafted() Drafted {
	return Drafted{Text: c.Text(), Files: c.files(), Instead: c.edit.message}
}

// Next is the draft as the next request is planned with it: a command is not sent.
func (c *Model) Next() Drafted {
	d := c.Drafted()
	if c.IsCommand(d.Text) {
		return Drafted{Files: []history.Part{}}
	}
	return d
}

// Sent is a draft that has left the composer. It comes back only if it cannot be stored.
type Sent struct {
	Drafted
	Leaf    int64       // the newest message when it was sent
	kept    store.Draft // for the arrow keys
	writing *Writing    // as it stood in the composer; nil where a command made it
	edit    edit        // the edit that it was
}

// Take takes the draft out of the composer, to be sent behind a message. What is typed from now on is the next draft.
func (c *Model) Take(leaf int64) *Sent {
	writing := c.Writing
	sent := &Sent{Drafted: c.Drafted(), Leaf: leaf, kept: c.Kept(), writing: &writing, edit: c.edit}
	next := blank()
	switch {
	case c.edit.message != 0:
		next = c.edit.kept
	case c.At != 0:
		next = c.own // what was typed before an earlier prompt was recalled
	}
	c.edit = edit{}
	c.resume(next)
	c.Remember(sent.kept)
	return sent
}

// Commanded is what a command sends behind a message: as it was typed, and the text of the message.
func Commanded(typed, text string, leaf int64) *Sent {
	return &Sent{Drafted: Drafted{Text: text}, Leaf: leaf, kept: store.Draft{Text: typed}}
}

// Hold keeps a draft that is being sent until it is stored; nil for none.
func (c *Model) Hold(s *Sent) { c.sent = s }

// Sending is the draft that was sent and is not stored yet, nil for none.
func (c *Model) Sending() *Sent { return c.sent }

// Superseded says that the draft that was sent could not come back: the next draft is in its place already.
func (c *Model) Superseded() bool { return c.sent != nil && c.sent.Instead == 0 && !c.Empty() }

// Stored says that the draft that was sent is on disk: its prompt is written down, and then the draft after it.
func (c *Model) Stored() tea.Cmd {
	sent := c.sent
	if c.sent = nil; sent == nil {
		return nil
	}
	return tea.Batch(c.KeepPrompt(sent.kept), c.KeepSoon())
}

// GiveBack puts a draft back that was sent and could not be stored. A draft that was begun meanwhile stays: then the
// arrow keys recall the other.
func (c *Model) GiveBack() {
	sent := c.sent
	c.sent = nil
	switch {
	case sent == nil:
	case sent.edit.message != 0:
		kept := c.Writing
		c.edit = sent.edit
		c.edit.kept = kept
		c.resume(*sent.writing)
	case !c.Empty():
	case sent.writing == nil:
		c.Restore(sent.kept)
	default:
		c.resume(*sent.writing)
	}
}
