package composer

import (
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
)

// Enqueue moves the draft to the queue; how has its options.
func (c *Model) Enqueue(how store.QueuedMessage) tea.Cmd {
	switch {
	case c.editedID != 0:
		return c.Fail("An edited message cannot be queued: send it when the answer is complete. Your draft is kept.")
	case c.LoadingFiles():
		return c.Fail("A file of the draft is still loading.")
	}
	sent := c.TakeDraft(0)
	how.Text, how.Parts, how.Draft = sent.Text, sent.Files, sent.draft.stored()
	return tea.Batch(c.EnqueueCommand(how), c.SaveSoon())
}

// EnqueueCommand queues the message of a slash command. The draft of m is the command as typed.
func (c *Model) EnqueueCommand(m store.QueuedMessage) tea.Cmd {
	return tea.Batch(c.Queue.Add(m), c.savePrompt(m.Draft))
}

// takeBack moves the newest queued message back to the draft.
func (c *Model) takeBack() tea.Cmd {
	m, cmd, ok := c.Queue.TakeBack()
	if !ok {
		return cmd
	}
	m.Draft.Parts = m.Parts
	for i := range m.Draft.Folds {
		m.Draft.Folds[i].Path = "" // The file was read when the message was queued.
	}
	read := c.restore(m.Draft)
	return tea.Batch(cmd, read, c.SaveSoon(), c.Say("Moved back to the draft."))
}
