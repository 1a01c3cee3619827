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

// EditedMessage returns the id of the message that is being edited, 0 for none.
func (c *Model) EditedMessage() (message int64) { return c.editedID }

// EditMessage puts an earlier message into the editor. The draft is suspended meanwhile.
func (c *Model) EditMessage(message int64, text string, files []history.Part) {
	behind := c.suspendedOr(c.draft)
	c.restore(store.Draft{Text: text, Parts: files})
	c.draft = draft{
		Editor: c.Editor, editedID: message, startRevision: c.Editor.Revision(), suspended: &behind,
	}
}

// suspendedOr returns the suspended draft, or other if there is none.
func (c *Model) suspendedOr(other draft) draft {
	if c.suspended == nil {
		return other
	}
	return *c.suspended
}

// replaceDraft replaces the draft by another one.
func (c *Model) replaceDraft(d draft) {
	c.Editor.TakeFrom(d.Editor)
	d.Editor = c.Editor
	c.draft = d
}

// EndEdit goes back to the draft from before the edit.
func (c *Model) EndEdit() {
	if c.editedID != 0 {
		c.replaceDraft(c.suspendedOr(blank()))
	}
}

// CancelEdit ends an edit without sending it. A changed edit is remembered as a prompt.
func (c *Model) CancelEdit() tea.Cmd {
	said := "The message is unchanged."
	if c.changed() && !c.Empty() {
		c.RememberPrompt(c.stored())
		said += " " + c.Keys.First(keymap.ListUp) + " recalls the edit."
	}
	c.EndEdit()
	return c.Say(said)
}

// LeaveSession saves the draft and empties the composer for another session.
func (c *Model) LeaveSession() tea.Cmd {
	if c.ReadOnly {
		return nil // the text goes along to the next session
	}
	keep := c.SaveDraft()
	if d := c.suspendedOr(c.draft); keep == nil || c.Info.ID == "" {
		c.RememberPrompt(d.stored()) // no session will restore it
	}
	c.replaceDraft(blank())
	c.savedRevision = c.Editor.Revision() // nothing to save until the new session's draft is read
	return keep
}

// DropStoredDraft removes the session's stored draft from the editor, because it belongs to the window that has the
// session open. Text typed here stays.
func (c *Model) DropStoredDraft() {
	if c.savedRevision == c.Editor.Revision() {
		c.SetDraft("")
	}
}

// CurrentDraft returns the draft as it would be sent.
func (c *Model) CurrentDraft() session.Draft {
	return session.Draft{Text: c.Text(), Files: c.files(), Replaces: c.editedID}
}

// DraftToPlan returns the draft as the next request is planned with it: empty for a command, which is not sent.
func (c *Model) DraftToPlan() session.Draft {
	d := c.CurrentDraft()
	if c.IsCommand(d.Text) {
		return session.Draft{Files: []history.Part{}}
	}
	return d
}

// SentDraft is a draft that was sent. It comes back if it cannot be stored.
type SentDraft struct {
	session.Draft
	Leaf  int64 // id of the newest message when it was sent
	draft draft // as it was in the editor
}

// TakeDraft takes the draft out of the composer for sending after the message leaf. A new draft begins.
func (c *Model) TakeDraft(leaf int64) *SentDraft {
	sent := &SentDraft{Draft: c.CurrentDraft(), Leaf: leaf, draft: c.draft}
	sent.draft.promptNumber, sent.draft.suspended = 0, nil
	c.replaceDraft(c.suspendedOr(blank()))
	c.RememberPrompt(sent.draft.stored())
	return sent
}

// CommandDraft returns what a command sends after the message leaf: text is the message, typed is what comes back if it
// cannot be stored.
func CommandDraft(typed, text string, leaf int64) *SentDraft {
	d := blank()
	d.Editor.Insert(typed)
	return &SentDraft{Draft: session.Draft{Text: text}, Leaf: leaf, draft: d}
}

// Superseded reports whether the sent draft could not come back, because the next one has been begun.
func (c *Model) Superseded() bool { return c.Sending != nil && c.Sending.Replaces == 0 && !c.Empty() }

// SentStored is called when the sent draft is stored: it saves it as a prompt, and then the current draft.
func (c *Model) SentStored() tea.Cmd {
	sent := c.Sending
	if c.Sending = nil; sent == nil {
		return nil
	}
	return tea.Batch(c.savePrompt(sent.draft.stored()), c.SaveSoon())
}

// ReturnSent brings a sent draft back that could not be stored. If another draft has been begun, that one stays and the
// sent one is among the prompts.
func (c *Model) ReturnSent() {
	sent, now := c.Sending, c.suspendedOr(c.draft)
	c.Sending = nil
	switch {
	case sent != nil && sent.Replaces != 0:
		if c.changed() {
			c.RememberPrompt(c.stored())
		}
		c.replaceDraft(sent.draft)
		c.suspended = &now
	case sent != nil && c.Empty():
		c.replaceDraft(sent.draft)
	}
}

// saveDelay is how long after a change the draft is saved, and so how much typing a crash can cost.
const saveDelay = 500 * time.Millisecond

// SaveSoon saves the draft after saveDelay if it has changed.
func (c *Model) SaveSoon() tea.Cmd {
	if c.saveScheduled || c.savedRevision == c.Editor.Revision() {
		return nil
	}
	c.saveScheduled = true
	return tea.Tick(saveDelay, func(time.Time) tea.Msg {
		return app.Then(func() tea.Cmd {
			c.saveScheduled = false
			if c.promptNumber != 0 || c.savedRevision == c.Editor.Revision() {
				return nil // an unchanged prompt is not a draft
			}
			return c.SaveDraft()
		})
	})
}

// SaveDraft saves the unsent draft: a changed edit or prompt (the suspended draft is then among the prompts), else the
// suspended draft or the current one. It saves nothing while a sent message is not stored yet, because that is the
// draft on disk.
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

// SaveAtExit saves the unsent draft and the queue when the program ends. If a sent message is not stored, it is saved
// as the draft; with two texts, one is saved as a prompt.
func (c *Model) SaveAtExit(ctx context.Context) error {
	if c.Sending != nil && !c.Empty() {
		c.savePrompt(c.Sending.draft.stored())
	}
	c.ReturnSent()
	c.SaveDraft()
	return errors.Join(c.Flush(ctx), c.Queue.SaveAtExit(ctx))
}

// LoadDraft reads the draft that was left in the session.
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
		files := c.Files // from the command line
		if c.Files = nil; len(files) > 0 && !c.Empty() {
			c.Editor.Insert(" ")
		}
		return tea.Batch(cmd, c.attach(files...))
	})
}

// draftLoaded restores a session's unsent draft and says so. In a new chat, or if something has been typed, the draft
// is remembered as a prompt instead.
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
	c.Hooks.SetNotice("You have an unsent draft; " + c.Keys.First(keymap.ListUp) + " recalls it: " +
		markdown.Truncate(queue.DraftLabel(d), 60, "…"))
	return tea.Batch(c.savePrompt(d), c.SaveDraft())
}

// maxPrompts is the number of earlier prompts that can be recalled.
const maxPrompts = 10_000

// isBlank reports whether a draft is not worth keeping.
func isBlank(d store.Draft) bool { return strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 }

// RememberPrompt makes a draft the newest prompt.
func (c *Model) RememberPrompt(d store.Draft) {
	if isBlank(d) {
		return
	}
	c.prompts = slices.DeleteFunc(c.prompts, func(p store.Draft) bool { return p.Hash() == d.Hash() })
	c.prompts = slices.Insert(c.prompts, 0, d)
}

// LoadPrompts reads the stored prompts. They come after those of this window.
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

// savePrompt stores a prompt.
func (c *Model) savePrompt(d store.Draft) tea.Cmd {
	db, id := c.Session.Store(), c.Info.ID
	if db == nil || db.ReadOnly() || isBlank(d) {
		return nil
	}
	return c.InOrder(func(ctx context.Context) error { return db.AddPrompt(ctx, id, d) }, c.ReportError)
}

// stepPrompt shows an older or newer prompt, or the notice none if there is none.
func (c *Model) stepPrompt(step int, none string) tea.Cmd {
	to, own := c.promptNumber+step, c.suspendedOr(c.draft)
	if to < 0 || to > len(c.prompts) {
		return c.Say(none)
	}
	c.Hooks.SetNotice("")
	if to == 0 {
		c.replaceDraft(own)
		return nil
	}
	cmd := c.restore(c.prompts[to-1])
	c.promptNumber, c.startRevision, c.suspended = to, c.Editor.Revision(), &own
	return cmd
}

// listPrompts opens a list of the earlier prompts.
func (c *Model) listPrompts() tea.Cmd {
	var items []list.Item
	prompts := slices.Clone(c.prompts) // RememberPrompt may insert another meanwhile
	for i, p := range prompts {
		items = append(items, list.Item{Label: queue.DraftLabel(p), Value: strconv.Itoa(i)})
	}
	o := list.Options{
		Title: "prompts", Placeholder: "Find an earlier prompt", ChooseHint: "put in the draft",
	}
	c.Hooks.OpenList(list.New(c.Context, o, items...), func(value string) tea.Cmd {
		c.Hooks.Focus()
		i, _ := strconv.Atoi(value)
		return c.restore(prompts[i])
	})
	return nil
}
