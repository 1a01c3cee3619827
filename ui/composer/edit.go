package composer

import (
	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// edit is an earlier message whose text is in the composer.
type edit struct {
	message int64   // 0 for none
	name    string  // of the message, in a sentence
	before  Drafted // the message as it stands
	kept    Writing // the draft that was there before
}

// Editing is the earlier message that is being edited, 0 for none.
func (c *Model) Editing() int64 { return c.edit.message }

// EditingName is what the earlier message is called in a sentence, "" for none.
func (c *Model) EditingName() string { return c.edit.name }

// Edit takes an earlier message into the composer. The draft waits meanwhile.
func (c *Model) Edit(message int64, name, text string, files []history.Part) {
	kept := c.Writing
	if c.edit.message != 0 {
		kept = c.edit.kept
	}
	c.edit = edit{message: message, name: name, kept: kept}
	c.SetWith(text, files)
	c.edit.before = c.Drafted() // as the composer has it
}

// EndEdit gives the draft back that was there before the edit.
func (c *Model) EndEdit() {
	if c.edit.message != 0 {
		c.resume(c.edit.kept)
		c.edit = edit{}
	}
}

// LeaveEdit ends an edit that was not sent. It can be recalled where it changed something.
func (c *Model) LeaveEdit() {
	left := theme.UpperFirst(c.edit.name) + " is unchanged."
	if !c.unchanged() && !c.Empty() {
		c.Remember(c.Kept())
		left += " " + c.Keys.First(keymap.Older) + " recalls the edit."
	}
	c.EndEdit()
	c.Say(left)
}

// unchanged says that the edit is the message as it stands.
func (c *Model) unchanged() bool { return c.Drafted().Same(c.edit.before) }

// unsent is the draft to keep while the session is left: the edit where it was changed, and then the draft from before
// it can be recalled; else that one.
func (c *Model) unsent() store.Draft {
	switch {
	case c.edit.message == 0:
		return c.Unsent()
	case c.unchanged():
		return c.edit.kept.Kept()
	}
	c.Remember(c.edit.kept.Kept())
	return c.Kept()
}

// left is the draft of a session that is being left for another one, which is not there yet. What is typed meanwhile
// is for that one.
type left struct {
	writing Writing
	edit    edit
}

// Leave empties the composer for the session that is being opened.
func (c *Model) Leave() {
	if c.left != nil {
		return
	}
	c.left = &left{c.Writing, c.edit}
	if c.At != 0 {
		c.Remember(c.own.Kept())
	}
	c.edit = edit{}
	c.Set("")
}

// Leaving says that another session is being opened.
func (c *Model) Leaving() bool { return c.left != nil }

// Arrive goes on in another session, with what was typed for it. What was in the composer of the one that is left can
// be recalled where that session does not keep it itself: in a chat that has not begun, and behind an edit.
func (c *Model) Arrive() {
	if l := c.left; l != nil {
		if c.Session == "" {
			c.Remember(l.writing.Kept())
		}
		if l.edit.message != 0 {
			c.Remember(l.edit.kept.Kept())
		}
	}
	if c.edit.message != 0 {
		c.Remember(c.edit.kept.Kept())
	}
	c.left, c.edit, c.sent = nil, edit{}, nil
	if c.Empty() {
		c.disk.changes = c.Area.Changes() // the new session's draft is read first
	}
}

// Stay gives the composer back what was in it, because no other session came. What was typed meanwhile can be
// recalled.
func (c *Model) Stay() {
	l := c.left
	if l == nil {
		return
	}
	typed := c.Kept()
	c.left, c.edit = nil, l.edit
	if l.writing.Shown() == "" && l.edit.message == 0 {
		return
	}
	c.resume(l.writing)
	c.Remember(typed)
}
