package composer

import (
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/list"
)

// Enqueue takes the draft out of the composer as a message that is sent later. What is typed from now on is the next
// draft.
func (c *Model) Enqueue(how store.Queued) tea.Cmd {
	switch {
	case c.edit != 0:
		return c.Fail("An edited message cannot be queued: send it when the answer is complete. Your draft is kept.")
	case c.Unread():
		return c.Fail("A file of the draft is still loading.")
	}
	sent := c.Take(0)
	how.Text, how.Parts, how.Draft = sent.Text, sent.Files, sent.draft.packed()
	return tea.Batch(c.Waiting.Add(how), c.keepPrompt(how.Draft), c.KeepSoon())
}

// EnqueueCommand queues the message of a command, which was typed as it stands.
func (c *Model) EnqueueCommand(typed string, how store.Queued) tea.Cmd {
	how.Draft = store.Draft{Text: typed}
	return tea.Batch(c.Waiting.Add(how), c.keepPrompt(how.Draft))
}

// takeBack puts the queued message with a name into the draft.
func (c *Model) takeBack(name string) tea.Cmd {
	if !c.Empty() {
		return c.Fail("Send or clear the draft first.")
	}
	m, cmd, ok := c.Waiting.Take(name, true)
	if !ok {
		return cmd
	}
	m.Draft.Parts = m.Parts
	for i := range m.Draft.Folds {
		m.Draft.Folds[i].Path = "" // The file was read when the message was queued.
	}
	read := c.restore(m.Draft)
	c.Screen.Focus()
	return tea.Batch(cmd, read, c.KeepSoon(), c.Say("Moved back to the draft."))
}

// remove takes the queued message with a name out of the queue, and lists the others again.
func (c *Model) remove(name string) tea.Cmd {
	m, cmd, ok := c.Waiting.Take(name, false)
	if !ok {
		return cmd
	}
	c.Remember(m.Draft)
	if c.Waiting.Len() > 0 {
		c.ListQueue()
	}
	return tea.Batch(cmd, c.Say("Removed; "+c.Keys.First(keymap.ListUp)+" in the draft recalls it."))
}

// ListQueue lists the queued messages, to take one back or to remove it.
func (c *Model) ListQueue() tea.Cmd {
	if c.Waiting.Len() == 0 {
		return c.Say("Nothing is queued. While an answer arrives, " + c.Keys.First(keymap.Send) + " queues a message.")
	}
	o := list.Options{
		Title: "queue", Prompt: "Find a queued message", Does: "take back", Adds: "remove",
	}
	c.Screen.Open(list.New(c.Context, o, c.Waiting.Items()...), c.takeBack, c.remove)
	return nil
}
