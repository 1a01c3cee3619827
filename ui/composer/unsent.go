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

// Editing is the earlier message that is being edited, 0 for none.
func (c *Model) Editing() (message int64) { return c.edit }

// Edit takes an earlier message into the composer. The draft waits meanwhile.
func (c *Model) Edit(message int64, text string, files []history.Part) {
	behind := c.next(c.draft)
	c.restore(store.Draft{Text: text, Parts: files})
	c.draft = draft{Area: c.Area, edit: message, began: c.Area.Changes(), behind: &behind}
}

// next is the draft that comes in the place of the one on the screen: the one behind an edit or a prompt, else another.
func (c *Model) next(other draft) draft {
	if c.behind == nil {
		return other
	}
	return *c.behind
}

// resume goes on with something that was written.
func (c *Model) resume(d draft) {
	c.Area.Become(d.Area)
	d.Area = c.Area
	c.draft = d
}

// EndEdit gives the draft back that was there before the edit.
func (c *Model) EndEdit() {
	if c.edit != 0 {
		c.resume(c.next(blank()))
	}
}

// LeaveEdit ends an edit that was not sent. It can be recalled where it changed something.
func (c *Model) LeaveEdit() tea.Cmd {
	said := "The message is unchanged."
	if c.changed() && !c.Empty() {
		c.Remember(c.packed())
		said += " " + c.Keys.First(keymap.ListUp) + " recalls the edit."
	}
	c.EndEdit()
	return c.Say(said)
}

// Leave keeps the draft and empties the composer for another session.
func (c *Model) Leave() tea.Cmd {
	if c.ReadOnly {
		return nil // what was typed in a session of another window goes along
	}
	keep := c.Keep()
	if d := c.next(c.draft); keep == nil || c.Info.ID == "" {
		c.Remember(d.packed()) // the session does not bring it back
	}
	c.resume(blank())
	c.kept = c.Area.Changes() // the new session's draft is read first
	return keep
}

// Yield gives the session's stored draft back, which is that of the window that has it. What was typed here stays.
func (c *Model) Yield() {
	if c.kept == c.Area.Changes() {
		c.SetDraft("")
	}
}

// Drafted is the draft as it is sent.
func (c *Model) Drafted() session.Draft {
	return session.Draft{Text: c.Text(), Files: c.files(), Replaces: c.edit}
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
	Leaf  int64 // the newest message when it was sent
	draft draft // as it stood in the composer
}

// Take takes the draft out of the composer, to be sent behind a message. What is typed from now on is the next draft.
func (c *Model) Take(leaf int64) *Sent {
	sent := &Sent{Draft: c.Drafted(), Leaf: leaf, draft: c.draft}
	sent.draft.prompt, sent.draft.behind = 0, nil
	c.resume(c.next(blank()))
	c.Remember(sent.draft.packed())
	return sent
}

// Commanded is what a command sends behind a message: as it was typed, and the text of the message.
func Commanded(typed, text string, leaf int64) *Sent {
	d := blank()
	d.Area.Insert(typed)
	return &Sent{Draft: session.Draft{Text: text}, Leaf: leaf, draft: d}
}

// Superseded reports whether the draft that was sent could not come back: the next one is in its place already.
func (c *Model) Superseded() bool { return c.Sending != nil && c.Sending.Replaces == 0 && !c.Empty() }

// Stored says that the draft that was sent is on disk: its prompt is written down, and then the draft after it.
func (c *Model) Stored() tea.Cmd {
	sent := c.Sending
	if c.Sending = nil; sent == nil {
		return nil
	}
	return tea.Batch(c.keepPrompt(sent.draft.packed()), c.KeepSoon())
}

// GiveBack puts a draft back that was sent and could not be stored. One that was begun meanwhile stays: then the arrow
// keys recall the other.
func (c *Model) GiveBack() {
	sent, now := c.Sending, c.next(c.draft)
	c.Sending = nil
	switch {
	case sent != nil && sent.Replaces != 0:
		if c.changed() {
			c.Remember(c.packed()) // a prompt
		}
		c.resume(sent.draft)
		c.behind = &now
	case sent != nil && c.Empty():
		c.resume(sent.draft)
	}
}

// keepTime is how long after a change a draft is written down: what a crash costs at most.
const keepTime = 500 * time.Millisecond

// KeepSoon has the draft written down in a moment, where it has changed.
func (c *Model) KeepSoon() tea.Cmd {
	if c.keeping || c.kept == c.Area.Changes() {
		return nil
	}
	c.keeping = true
	return tea.Tick(keepTime, func(time.Time) tea.Msg {
		return app.Then(func() tea.Cmd {
			c.keeping = false
			if c.prompt != 0 || c.kept == c.Area.Changes() {
				return nil // a prompt that is looked at is no draft yet
			}
			return c.Keep()
		})
	})
}

// Keep writes the unsent draft down: an edit or a prompt that was changed, and then the draft from before it can be
// recalled; else that one. A chat that has not begun has a draft as well. Until a message that was sent is stored, the
// draft on disk is the message.
func (c *Model) Keep() tea.Cmd {
	db, id := c.Session.Store(), c.Info.ID
	if db == nil || db.ReadOnly() || c.Session.Temporary() || c.ReadOnly || c.Sending != nil {
		return nil
	}
	c.kept = c.Area.Changes()
	before := c.next(c.draft)
	d := before.packed()
	if c.changed() {
		c.Remember(d)
		d = c.packed()
	}
	return c.InOrder(func(ctx context.Context) error { return db.SaveDraft(ctx, id, d) }, c.ReportError)
}

// KeepAtEnd writes down what is unsent when the program ends, and a message that was sent and is not stored. Of two
// texts one goes to the prompts.
func (c *Model) KeepAtEnd(ctx context.Context) error {
	if c.Sending != nil && !c.Empty() {
		c.keepPrompt(c.Sending.draft.packed())
	}
	c.GiveBack()
	c.Keep()
	return errors.Join(c.Flush(ctx), c.Waiting.KeepAtEnd(ctx))
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
		cmd := tea.Batch(c.ReportError(err), c.loaded(d))
		files := c.Files // that the program was started with
		if c.Files = nil; len(files) > 0 && !c.Empty() {
			c.Area.Insert(" ")
		}
		return tea.Batch(cmd, c.attach(files...))
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
		c.kept = c.Area.Changes()
		return tea.Batch(read, c.Say("Your unsent draft in this chat was restored; "+c.Keys.First(keymap.Stop)+
			" clears it."))
	}
	c.Remember(d)
	c.Screen.News("You have an unsent draft; " + c.Keys.First(keymap.ListUp) + " recalls it: " +
		markdown.Truncate(queue.Label(d), 60, "…"))
	return tea.Batch(c.keepPrompt(d), c.Keep())
}

// mostPrompts is how many of the prompts sent before are in reach.
const mostPrompts = 10_000

// nothing reports whether a draft holds nothing that is worth keeping.
func nothing(d store.Draft) bool { return strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 }

// Remember puts a draft in front of the prompts sent before.
func (c *Model) Remember(d store.Draft) {
	if nothing(d) {
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
		all, err = db.Prompts(ctx, mostPrompts)
		return err
	}, func(err error) tea.Cmd {
		c.prompts = append(c.prompts, all...)
		return c.ReportError(err)
	})
}

// keepPrompt writes a prompt down for the arrow keys.
func (c *Model) keepPrompt(d store.Draft) tea.Cmd {
	db, id := c.Session.Store(), c.Info.ID
	if db == nil || db.ReadOnly() || nothing(d) {
		return nil
	}
	return c.InOrder(func(ctx context.Context) error { return db.AddPrompt(ctx, id, d) }, c.ReportError)
}

// walk goes a step to an older prompt or a newer one, or says that there is none.
func (c *Model) walk(step int, none string) tea.Cmd {
	to, own := c.prompt+step, c.next(c.draft)
	if to < 0 || to > len(c.prompts) {
		return c.Say(none)
	}
	c.Screen.News("")
	if to == 0 {
		c.resume(own)
		return nil
	}
	cmd := c.restore(c.prompts[to-1])
	c.prompt, c.began, c.behind = to, c.Area.Changes(), &own
	return cmd
}

// listPrompts lists the prompts sent before.
func (c *Model) listPrompts() tea.Cmd {
	var items []list.Item
	prompts := slices.Clone(c.prompts) // a draft that is read meanwhile comes in front of them
	for i, p := range prompts {
		items = append(items, list.Item{Label: queue.Label(p), Value: strconv.Itoa(i)})
	}
	o := list.Options{Title: "prompts", Prompt: "Find an earlier prompt", Does: "put in the draft"}
	c.Screen.Open(list.New(c.Context, o, items...), func(value string) tea.Cmd {
		c.Screen.Focus()
		i, _ := strconv.Atoi(value)
		return c.restore(prompts[i])
	})
	return nil
}
