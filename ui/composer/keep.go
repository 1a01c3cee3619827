package composer

import (
	"context"
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
)

// A draft is written down this long after it changed: what a crash costs at most. A large one costs a
// write of all its text, and waits longer.
const (
	keepTime      = 500 * time.Millisecond
	keepLargeTime = 5 * time.Second
	largeDraft    = 256 << 10 // bytes
)

// keeper writes drafts down. Commands run at the same time: of two drafts the newer one stays.
type keeper struct {
	mu     sync.Mutex
	newest int
}

// save writes the draft number n down, unless a newer one is written already.
func (k *keeper) save(ctx context.Context, db *store.Store, n int, session string, d store.Draft) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n < k.newest {
		return nil
	}
	k.newest = n
	return db.SaveDraft(ctx, session, d)
}

// disk is what is known of the draft on disk.
type disk struct {
	*keeper
	made     int  // drafts that were given to the keeper
	changes  int  // of the text, when the last one was
	kept     int  // the newest that is on disk
	due      bool // the next one is on its way
	loads    int  // times that a session's draft was asked for
	restored int  // changes of the text when a session's draft was brought back
}

// keptMsg says that the draft with this number is on disk.
type keptMsg struct{ number int }

// keepDueMsg says that the draft has rested.
type keepDueMsg struct{}

func (keptMsg) composerMsg()    {}
func (keepDueMsg) composerMsg() {}

// Saved says that the draft is on disk as it is.
func (c *Model) Saved() bool {
	return c.disk.kept == c.disk.made && c.disk.changes == c.Area.Changes()
}

// KeepSoon has the draft written down in a moment, where it has changed.
func (c *Model) KeepSoon() tea.Cmd {
	if c.disk.due || c.disk.changes == c.Area.Changes() {
		return nil
	}
	c.disk.due = true
	rest := keepTime
	if c.bytes() > largeDraft {
		rest = keepLargeTime
	}
	return tea.Tick(rest, func(time.Time) tea.Msg { return keepDueMsg{} })
}

func (c *Model) keepDue() tea.Cmd {
	c.disk.due = false
	if c.At != 0 || c.disk.changes == c.Area.Changes() {
		return nil // a prompt that is looked at is no draft yet
	}
	return c.Keep()
}

// Keep writes the unsent draft down. A chat that has not begun has a draft as well. Until a message that was sent is
// stored, the draft on disk is the message; while another session is opened, what is typed is not this one's.
func (c *Model) Keep() tea.Cmd {
	db, id := c.Home, c.Session
	if db == nil || db.ReadOnly() || c.Temporary || c.Closed || c.sent != nil || c.left != nil {
		return nil
	}
	c.disk.made++
	c.disk.changes = c.Area.Changes()
	k, n, d := c.disk.keeper, c.disk.made, c.unsent()
	return c.Run(func(ctx context.Context) tea.Msg {
		if err := k.save(ctx, db, n, id, d); err != nil {
			return failedMsg{err}
		}
		return keptMsg{n}
	})
}

// KeepAtEnd writes down what is unsent when winnow is left, and a message that was sent and is not stored. Of two
// texts, and of one that was typed for a session that never came, one goes to the prompts.
func (c *Model) KeepAtEnd() (faults []error) {
	var prompt tea.Cmd
	switch {
	case c.sent != nil && !c.Empty():
		prompt = c.KeepPrompt(c.sent.kept)
	case c.left != nil:
		prompt = c.KeepPrompt(c.Kept())
	}
	c.GiveBack()
	for _, keep := range []tea.Cmd{prompt, c.Keep()} {
		if keep == nil {
			continue
		}
		if msg, ok := keep().(failedMsg); ok {
			faults = append(faults, msg.err)
		}
	}
	return faults
}

// draftMsg is a session's draft that was never sent.
type draftMsg struct {
	load  int // the request that it answers
	draft store.Draft
}

func (draftMsg) composerMsg() {}

// Load reads the draft that the session was left with.
func (c *Model) Load() tea.Cmd {
	c.disk.loads++
	db, id, n := c.Home, c.Session, c.disk.loads
	if db == nil {
		return nil
	}
	return c.Run(func(ctx context.Context) tea.Msg {
		draft, err := db.Draft(ctx, id)
		if err != nil {
			return failedMsg{fmt.Errorf("read the draft: %w", err)}
		}
		return draftMsg{n, draft}
	})
}

// draftRead brings a session's unsent draft back and says so. It goes into the composer of the session that
// it was written in. Nothing goes into a new chat, or in front of what was typed since: the arrow keys recall
// it there.
func (c *Model) draftRead(msg draftMsg) tea.Cmd {
	if msg.load != c.disk.loads || c.Closed {
		return nil
	}
	var kept tea.Cmd
	switch {
	case msg.draft.Hash() == store.Draft{}.Hash(), msg.draft.Hash() == c.Unsent().Hash():
	case c.Session != "" && c.Empty():
		kept = c.readFiles(c.Restore(msg.draft))
		c.disk.changes, c.disk.restored = c.Area.Changes(), c.Area.Changes()
		c.Say("Your unsent draft in this chat was restored; " + c.Keys.First(keymap.Stop) + " clears it.")
	default:
		from := "in this chat"
		if c.Session == "" {
			from = "in a chat without a message"
		}
		c.Remember(msg.draft)
		c.Emit(event.News{
			Text: "You have an unsent draft " + from + "; " + c.Keys.First(keymap.Older) + " recalls it: " +
				markdown.Truncate(PromptLabel(msg.draft), 60, "…"),
		})
		kept = tea.Sequence(c.KeepPrompt(msg.draft), c.Keep())
	}
	asked := c.Files
	c.Files = nil
	if len(asked) > 0 && !c.Empty() {
		c.Area.Insert(" ")
	}
	c.Emit(Changed{})
	return tea.Batch(kept, c.attach(asked))
}

// Restored says that the draft is the one that the session was left with.
func (c *Model) Restored() bool { return !c.Empty() && c.disk.restored == c.Area.Changes() }

// bytes is about how large the draft is.
func (c *Model) bytes() int {
	n := c.Area.Len()
	for _, p := range c.Chips {
		n += len(p.Text)
		if p.Part != nil && p.Path == "" {
			n += len(p.Part.Data) // it is kept with the draft
		}
	}
	return n
}
