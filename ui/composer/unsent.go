package composer

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/composer/queue"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
)

// EditedMessage is the earlier message that is being edited, 0 for none.
func (c *Model) EditedMessage() (message int64) { return c.editedID }

// EditMessage takes an earlier message into the composer. The draft waits meanwhile.
func (c *Model) EditMessage(message int64, text string, files []history.Part) {
	behind := c.suspendedOr(c.draft)
	c.restore(store.Draft{Text: text, Parts: files})
	c.draft = draft{Editor: c.Editor, editedID: message, startRevision: c.Editor.Revision(), suspended: &behind}
}

// suspendedOr is the draft that comes in the place of the one on the screen: the one behind an edit or a prompt, else another.
func (c *Model) suspendedOr(other draft) draft {
	if c.suspended == nil {
		return other
	}
	return *c.suspended
}

// replaceDraft goes on with something that was written.
func (c *Model) replaceDraft(d draft) {
	c.Editor.TakeFrom(d.Editor)
	d.Editor = c.Editor
	c.draft = d
}

// EndEdit gives the draft back that was there before the edit.
func (c *Model) EndEdit() {
	if c.editedID != 0 {
		c.replaceDraft(c.suspendedOr(blank()))
	}
}

// CancelEdit ends an edit that was not sent. It can be recalled where it changed something.
func (c *Model) CancelEdit() tea.Cmd {
	said := "The message is unchanged."
	if c.changed() && !c.Empty() {
		c.RememberPrompt(c.stored())
		said += " " + c.Keys.First(keymap.ListUp) + " recalls the edit."
	}
	c.EndEdit()
	return c.Say(said)
}

// LeaveSession keeps the draft and empties the composer for another session.
func (c *Model) LeaveSession() tea.Cmd {
	if c.ReadOnly {
		return nil // what was typed in a session of another window goes along
	}
	keep := c.SaveDraft()
	if d := c.suspendedOr(c.draft); keep == nil || c.Info.ID == "" {
		c.RememberPrompt(d.stored()) // the session does not bring it back
	}
	c.replaceDraft(blank())
	c.savedRevision = c.Editor.Revision() // the new session's draft is read first
	return keep
}

// DropStoredDraft gives the session's stored draft back, which is that of the window that has it. What was typed here stays.
func (c *Model) DropStoredDraft() {
	if c.savedRevision == c.Editor.Revision() {
		c.SetDraft("")
	}
}

// CurrentDraft is the draft as it is sent.
func (c *Model) CurrentDraft() session.Draft {
	return session.Draft{Text: c.Text(), Files: c.files(), Replaces: c.editedID}
}

// DraftToPlan is the draft as the next request is planned with it: a command is not sent.
func (c *Model) DraftToPlan() session.Draft {
	d := c.CurrentDraft()
	if c.IsCommand(d.Text) {
		return session.Draft{Files: []history.Part{}}
	}
	return d
}

// SentDraft is a draft that has left the composer. It comes back only if it cannot be stored.
type SentDraft struct {
	session.Draft
	Leaf  int64 // the newest message when it was sent
	draft draft // as it stood in the composer
}

// TakeDraft takes the draft out of the composer, to be sent behind a message. What is typed from now on is the next draft.
func (c *Model) TakeDraft(leaf int64) *SentDraft {
	sent := &SentDraft{Draft: c.CurrentDraft(), Leaf: leaf, draft: c.draft}
	sent.draft.promptNumber, sent.draft.suspended = 0, nil
	c.replaceDraft(c.suspendedOr(blank()))
	c.RememberPrompt(sent.draft.stored())
	return sent
}

// CommandDraft is what a command sends behind a message: as it was typed, and the text of the message.
func CommandDraft(typed, text string, leaf int64) *SentDraft {
	d := blank()
	d.Editor.Insert(typed)
	return &SentDraft{Draft: session.Draft{Text: text}, Leaf: leaf, draft: d}
}

// Superseded reports whether the draft that was sent could not come back: the next one is in its place already.
func (c *Model) Superseded() bool { return c.Sending != nil && c.Sending.Replaces == 0 && !c.Empty() }

// SentStored says that the draft that was sent is on disk: its prompt is written down, and then the draft after it.
func (c *Model) SentStored() tea.Cmd {
	sent := c.Sending
	if c.Sending = nil; sent == nil {
		return nil
	}
	return tea.Batch(c.savePrompt(sent.draft.stored()), c.SaveSoon())
}

// ReturnSent puts a draft back that was sent and could not be stored. One that was begun meanwhile stays: then the arrow
// keys recall the other.
func (c *Model) ReturnSent() {
	sent, now := c.Sending, c.suspendedOr(c.draft)
	c.Sending = nil
	switch {
	case sent != nil && sent.Replaces != 0:
		if c.changed() {
			c.RememberPrompt(c.stored()) // a prompt
		}
		c.replaceDraft(sent.draft)
		c.suspended = &now
	case sent != nil && c.Empty():
		c.replaceDraft(sent.draft)
	}
}

// saveDelay is how long after a change a draft is written down: what a crash costs at most.
const saveDelay = 500 * time.Millisecond

// SaveSoon has the draft written down in a moment, where it has changed.
func (c *Model) SaveSoon() tea.Cmd {
	if c.saveScheduled || c.savedRevision == c.Editor.Revision() {
		return nil
	}
	c.saveScheduled = true
	return tea.Tick(saveDelay, func(time.Time) tea.Msg {
		return app.Then(func() tea.Cmd {
			c.saveScheduled = false
			if c.promptNumber != 0 || c.savedRevision == c.Editor.Revision() {
				return nil // a prompt that is looked at is no draft yet
			}
			return c.SaveDraft()
		})
	})
}

// SaveDraft writes the unsent draft down: an edit or a prompt that was changed, and then the draft from before it can be
// recalled; else that one. A chat that has not begun has a draft as well. Until a message that was sent is stored, the
// draft on disk is the message.
func (c *Model) SaveDraft() tea.Cmd {
	db, id := c.Session.Store(), c.Info.ID
	if db == nil || db.ReadOnly() || c.Session.Temporary() || c.ReadOnly || c.Sending != nil {
		return nil
	}
	c.savedRevision = c.Editor.Revision()
	before := c.suspendedOr(c.draft)
	d := before.stored()
	if c.changed() {
		c.RememberPrompt(d)
		d = c.stored()
	}
	return c.InOrder(func(ctx context.Context) error { return db.SaveDraft(ctx, id, d) }, c.ReportError)
}

// SaveAtExit writes down what is unsent when the program ends, and a message that was sent and is not stored. Of two
// texts one goes to the prompts.
func (c *Model) SaveAtExit(ctx context.Context) error {
	if c.Sending != nil && !c.Empty() {
		c.savePrompt(c.Sending.draft.stored())
	}
	c.ReturnSent()
	c.SaveDraft()
	return errors.Join(c.Flush(ctx), c.Queue.SaveAtExit(ctx))
}

// LoadDraft reads the draft that the session was left with.
func (c *Model) LoadDraft() tea.Cmd {
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
		cmd := tea.Batch(c.ReportError(err), c.draftLoaded(d))
		files := c.Files // that the program was started with
		if c.Files = nil; len(files) > 0 && !c.Empty() {
			c.Editor.Insert(" ")
		}
		return tea.Batch(cmd, c.attach(files...))
	})
}

// draftLoaded brings a session's unsent draft back and says so. Nothing goes into a new chat, or in front of what was typed
// since: the arrow keys recall it there.
func (c *Model) draftLoaded(d store.Draft) tea.Cmd {
	switch {
	case d.Hash() == store.Draft{}.Hash(), d.Hash() == c.stored().Hash():
		return nil
	case c.Info.ID != "" && c.Empty():
		read := c.restore(d)
		c.savedRevision = c.Editor.Revision()
		return tea.Batch(read, c.Say("Your unsent draft in this chat was restored; "+c.Keys.First(keymap.Stop)+
			" clears it."))
	}
	c.RememberPrompt(d)
	c.Callbacks.SetNotice("You have an unsent draft; " + c.Keys.First(keymap.ListUp) + " recalls it: " +
		markdown.Truncate(queue.DraftLabel(d), 60, "…"))
	return tea.Batch(c.savePrompt(d), c.SaveDraft())
}

// maxPrompts is how many of the prompts sent before are in reach.
const maxPrompts = 10_000

// isBlank reports whether a draft holds nothing that is worth keeping.
func isBlank(d store.Draft) bool { return strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 }

// RememberPrompt puts a draft in front of the prompts sent before.
func (c *Model) RememberPrompt(d store.Draft) {
	if isBlank(d) {
		return
	}
	c.prompts = slices.DeleteFunc(c.prompts, func(p store.Draft) bool { return p.Hash() == d.Hash() })
	c.prompts = slices.Insert(c.prompts, 0, d)
}

// LoadPrompts reads the prompts of the history. They stand behind those that were written here meanwhile.
func (c *Model) LoadPrompts() tea.Cmd {
	db := c.Deps.Store
	if db == nil {
		return nil
	}
	var all []store.Draft
	return c.InOrder(func(ctx context.Context) (err error) {
		all, err = db.Prompts(ctx, maxPrompts)
		return err
	}, func(err error) tea.Cmd {
		c.prompts = append(c.prompts, all...)
		return c.ReportError(err)
	})
}

// savePrompt writes a prompt down for the arrow keys.
func (c *Model) savePrompt(d store.Draft) tea.Cmd {
	db, id := c.Session.Store(), c.Info.ID
	if db == nil || db.ReadOnly() || isBlank(d) {
		return nil
	}
	return c.InOrder(func(ctx context.Context) error { return db.AddPrompt(ctx, id, d) }, c.ReportError)
}

// stepPrompt goes a step to an older prompt or a newer one, or says that there is none.
func (c *Model) stepPrompt(step int, none string) tea.Cmd {
	to, own := c.promptNumber+step, c.suspendedOr(c.draft)
	if to < 0 || to > len(c.prompts) {
		return c.Say(none)
	}
	c.Callbacks.SetNotice("")
	if to == 0 {
		c.replaceDraft(own)
		return nil
	}
	cmd := c.restore(c.prompts[to-1])
	c.promptNumber, c.startRevision, c.suspended = to, c.Editor.Revision(), &own
	return cmd
}

// listPrompts lists the prompts sent before.
func (c *Model) listPrompts() tea.Cmd {
	var items []list.Item
	prompts := slices.Clone(c.prompts) // a draft that is read meanwhile comes in front of them
	for i, p := range prompts {
		items = append(items, list.Item{Label: queue.DraftLabel(p), Value: strconv.Itoa(i)})
	}
	o := list.Options{Title: "prompts", Placeholder: "Find an earlier prompt", ChooseHint: "put in the draft"}
	c.Callbacks.OpenList(list.New(c.Context, o, items...), func(value string) tea.Cmd {
		c.Callbacks.Focus()
		i, _ := strconv.Atoi(value)
		return c.restore(prompts[i])
	})
	return nil
}
