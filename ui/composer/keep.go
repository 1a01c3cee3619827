package composer

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
)

// keepTime is how long after a change a draft is written down: what a crash costs at most.
const keepTime = 500 * time.Millisecond

// disk is what is known of the draft on disk.
type disk struct {
	kept int  // changes of the text when it was last written down
	due  bool // it is going to be written down
}

// KeepSoon has the draft written down in a moment, where it has changed.
func (c *Model) KeepSoon() tea.Cmd {
	if c.disk.due || c.disk.kept == c.Area.Changes() {
		return nil
	}
	c.disk.due = true
	return tea.Tick(keepTime, func(time.Time) tea.Msg {
		return app.Then(func() tea.Cmd {
			c.disk.due = false
			if c.prompt != 0 || c.disk.kept == c.Area.Changes() {
				return nil // a prompt that is looked at is no draft yet
			}
			return c.Keep()
		})
	})
}

// Keep writes the unsent draft down. A chat that has not begun has a draft as well. Until a message that was sent is
// stored, the draft on disk is the message; while another session is opened, what is typed is not this one's.
func (c *Model) Keep() tea.Cmd {
	db, id := c.Session.Store(), c.Info.ID
	if db == nil || db.ReadOnly() || c.Session.Temporary() || c.ReadOnly || c.sent != nil || c.leaving {
		return nil
	}
	c.disk.kept = c.Area.Changes()
	d := c.unsent()
	return c.InOrder(func(ctx context.Context) error { return db.SaveDraft(ctx, id, d) }, c.failed)
}

// unsent is the draft to keep while its session is left: an edit or a prompt that was changed, and then the draft from
// before it can be recalled; else that one.
func (c *Model) unsent() store.Draft {
	before := c.next(c.draft)
	if c.changed() {
		c.Remember(before.packed())
		return c.packed()
	}
	return before.packed()
}

// KeepAtEnd writes down what is unsent when the program ends, and a message that was sent and is not stored. Of two
// texts, and of one that was typed for a session that never came, one goes to the prompts.
func (c *Model) KeepAtEnd(ctx context.Context) error {
	switch {
	case c.sent != nil && !c.Empty():
		c.keepPrompt(c.sent.prompt)
	case c.leaving:
		c.keepPrompt(c.packed())
	}
	c.GiveBack()
	c.Keep()
	return errors.Join(c.Finish(ctx), c.Waiting.KeepAtEnd(ctx))
}

// Load reads the draft that the session was left with.
func (c *Model) Load() tea.Cmd {
	s, id := c.Session, c.Info.ID
	if s.Store() == nil {
		return nil
	}
	var d store.Draft
	return c.InOrder(func(ctx context.Context) (err error) {
		d, err = s.Store().Draft(ctx, id)
		return err
	}, func(err error) tea.Cmd {
		if c.Session != s || c.ReadOnly {
			return nil
		}
		return tea.Batch(c.failed(err), c.loaded(d), c.attachFirst())
	})
}

// loaded brings a session's unsent draft back and says so. Nothing goes into a new chat, or in front of what was typed
// since: the arrow keys recall it there.
func (c *Model) loaded(d store.Draft) tea.Cmd {
	switch {
	case d.Hash() == store.Draft{}.Hash(), d.Hash() == c.packed().Hash():
		return nil
	case c.Info.ID != "" && c.Empty():
		read := c.restore(d)
		c.disk.kept = c.Area.Changes()
		return tea.Batch(read, c.Say("Your unsent draft in this chat was restored; "+c.Keys.First(keymap.Stop)+
			" clears it."))
	}
	from := "in this chat"
	if c.Info.ID == "" {
		from = "in a chat without a message"
	}
	c.Remember(d)
	c.Screen.News("You have an unsent draft " + from + "; " + c.Keys.First(keymap.ListUp) + " recalls it: " +
		markdown.Truncate(promptLabel(d), 60, "…"))
	return tea.Batch(c.keepPrompt(d), c.Keep())
}

// attachFirst hangs the files on the draft that the program was started with.
func (c *Model) attachFirst() tea.Cmd {
	files := c.Files
	c.Files = nil
	if len(files) > 0 && !c.Empty() {
		c.Area.Insert(" ")
	}
	return c.attach(files)
}
