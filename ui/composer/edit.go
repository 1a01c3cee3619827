package composer

import (
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Editing is the earlier message that is being edited, 0 for none, and what it is called in a sentence.
func (c *Model) Editing() (message int64, name string) { return c.edit, c.name }

// Edit takes an earlier message into the composer. The draft waits meanwhile.
func (c *Model) Edit(message int64, name, text string, files []history.Part) {
	behind := c.next(c.draft)
	c.SetWith(text, files)
	c.draft = draft{Area: c.Area, edit: message, name: name, began: c.Area.Changes(), behind: &behind}
}

// next is the draft that comes in the place of the one on the screen: the one behind an edit or a prompt, else another.
func (c *Model) next(other draft) draft {
	if c.behind == nil {
		return other
	}
	last := c.behind
	for last.behind != nil {
		last = last.behind
	}
	return *last
}

// EndEdit gives the draft back that was there before the edit.
func (c *Model) EndEdit() {
	if c.edit != 0 {
		c.resume(c.next(blank()))
	}
}

// LeaveEdit ends an edit that was not sent. It can be recalled where it changed something.
func (c *Model) LeaveEdit() tea.Cmd {
	said := theme.UpperFirst(c.name) + " is unchanged."
	if c.changed() && !c.Empty() {
		c.Remember(c.packed())
		said += " " + c.Keys.First(keymap.ListUp) + " recalls the edit."
	}
	c.EndEdit()
	return c.Say(said)
}

// Leave keeps the draft and empties the composer for the session that is being opened.
func (c *Model) Leave() tea.Cmd {
	if c.leaving = c.leaving || c.ReadOnly; c.leaving {
		return nil // what was typed in a session of another window goes along
	}
	keep := c.Keep()
	if d := c.next(c.draft); keep == nil || c.Info.ID == "" {
		c.Remember(d.packed()) // the session does not bring it back
	}
	c.leaving = true
	c.resume(blank())
	return keep
}

// Yield gives the session's stored draft back, which is that of the window that has it. What was typed here stays.
func (c *Model) Yield() {
	if c.disk.kept == c.Area.Changes() {
		c.Set("")
	}
}

// Leaving reports whether another session is being opened.
func (c *Model) Leaving() bool { return c.leaving }

// Arrive goes on in another session, with what was typed for it.
func (c *Model) Arrive() {
	c.leaving, c.sent = false, nil
	if c.Empty() {
		c.disk.kept = c.Area.Changes() // the new session's draft is read first
	}
}

// Stay reads the draft again, because no other session came. What was typed meanwhile can be recalled.
func (c *Model) Stay() tea.Cmd {
	if !c.leaving {
		return nil
	}
	c.leaving = false
	c.Clear()
	return c.Load()
}

// Drafted is the draft as it is sent.
func (c *Model) Drafted() session.Draft {
	return session.Draft{Text: c.Text(), Files: c.files(), Instead: c.edit}
}

// Next is the draft as the next request is planned with it: a command is not sent.
func (c *Model) Next() session.Draft {
	d := c.Drafted()
	if c.IsCommand(d.Text) {
		return session.Draft{Files: []history.Part{}}
	}
	return d
}

// Sent is a draft that has left the composer. It comes back only if it cannot be stored.
type Sent struct {
	session.Draft
	Leaf   int64       // the newest message when it was sent
	prompt store.Draft // for the arrow keys
	draft  *draft      // as it stood in the composer; nil where a command made it
}

// Take takes the draft out of the composer, to be sent behind a message. What is typed from now on is the next draft.
func (c *Model) Take(leaf int64) *Sent {
	taken := c.draft
	taken.prompt, taken.behind = 0, nil
	sent := &Sent{Draft: c.Drafted(), Leaf: leaf, prompt: c.packed(), draft: &taken}
	c.resume(c.next(blank()))
	c.Remember(sent.prompt)
	return sent
}

// Commanded is what a command sends behind a message: as it was typed, and the text of the message.
func Commanded(typed, text string, leaf int64) *Sent {
	return &Sent{Draft: session.Draft{Text: text}, Leaf: leaf, prompt: store.Draft{Text: typed}}
}

// Hold keeps a draft that is being sent until it is stored; nil for none.
func (c *Model) Hold(s *Sent) { c.sent = s }

// Sending is the draft that was sent and is not stored yet, nil for none.
func (c *Model) Sending() *Sent { return c.sent }

// Superseded reports whether the draft that was sent could not come back: the next one is in its place already.
func (c *Model) Superseded() bool { return c.sent != nil && c.sent.Instead == 0 && !c.Empty() }

// Stored says that the draft that was sent is on disk: its prompt is written down, and then the draft after it.
func (c *Model) Stored() tea.Cmd {
	sent := c.sent
	if c.sent = nil; sent == nil {
		return nil
	}
	return tea.Batch(c.keepPrompt(sent.prompt), c.KeepSoon())
}

// GiveBack puts a draft back that was sent and could not be stored. One that was begun meanwhile stays: then the arrow
// keys recall the other.
func (c *Model) GiveBack() {
	sent := c.sent
	c.sent = nil
	switch {
	case sent == nil:
	case sent.Instead != 0:
		behind := c.draft
		c.resume(*sent.draft)
		c.behind = &behind
	case !c.Empty():
	case sent.draft == nil:
		c.Set(sent.prompt.Text)
	default:
		c.resume(*sent.draft)
	}
}
