package transcript

import (
	"fmt"

	"winnow/history"
	"winnow/session/store"
)

// Position says how far down the list is, where it does not follow its end.
func (c *Chat) Position() string {
	if c.List.Following() {
		return ""
	}
	above, shown, total := c.List.Position()
	if c.List.NewBelow() {
		return "new below ↓"
	}
	return fmt.Sprintf("%d %%", min(100, (above+shown)*100/max(1, total)))
}

// Enter shows the cursor where it is, or on the last message on the screen.
func (c *Chat) Enter() { c.List.MoveCursor(0) }

// Leave takes the cursor away.
func (c *Chat) Leave() { c.List.ClearCursor() }

// Selected is the message under the cursor; a tool call's item stands for its message.
func (c *Chat) Selected() (store.Message, bool) {
	id, ok := c.List.Cursor()
	if !ok {
		return store.Message{}, false
	}
	if message, is := c.owner[id]; is {
		id = message
	}
	i, ok := c.Place[id]
	if !ok {
		return store.Message{}, false
	}
	return c.Messages[i], true
}

// Gist is what a message is known by in a list, "" for one that is not in memory.
func (c *Chat) Gist(id int64) string {
	if i, ok := c.Place[id]; ok {
		return Gist(c.Messages[i])
	}
	return ""
}

// RequestBehind is the request that made the selected message; for a question the one that answered
// it first. Without a selection it is the last answer's.
func (c *Chat) RequestBehind() (int64, bool) {
	m, ok := c.Selected()
	if !ok {
		m, ok = c.LastAnswer()
	}
	for i := c.Place[m.ID]; ok && i < len(c.Messages); i++ {
		if c.Messages[i].Request != 0 && c.Messages[i].Role == history.Assistant {
			return c.Messages[i].Request, true
		}
		if c.Messages[i].Role == history.User && c.Messages[i].ID != m.ID {
			break
		}
	}
	return 0, false
}

// Last is the newest message.
func (c *Chat) Last() (store.Message, bool) {
	if len(c.Messages) == 0 {
		return store.Message{}, false
	}
	return c.Messages[len(c.Messages)-1], true
}

// LastAnswer is the newest answer with a text.
func (c *Chat) LastAnswer() (store.Message, bool) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if m := c.Messages[i]; m.Role == history.Assistant && m.Content != "" {
			return m, true
		}
	}
	return store.Message{}, false
}

// Scroll moves by lines.
func (c *Chat) Scroll(n int) { c.List.Scroll(n) }

// Step moves the cursor by messages.
func (c *Chat) Step(n int) { c.List.MoveCursor(n) }

// Half moves by half pages.
func (c *Chat) Half(n int) { c.List.HalfPage(n) }

// Page moves by pages.
func (c *Chat) Page(n int) { c.List.Page(n) }

// Bottom follows the end.
func (c *Chat) Bottom() { c.List.Bottom() }

// First selects the first message.
func (c *Chat) First() { c.List.MoveCursor(-c.List.Len()); c.List.Top() }

// Newest selects the last message and follows the end.
func (c *Chat) Newest() { c.List.MoveCursor(c.List.Len()); c.List.Bottom() }

// GoTo selects a message.
func (c *Chat) GoTo(id int64) bool { return c.List.SetCursor(id) }

// Boundary selects the first message that the model still sees, and says whether there is one
// that it does not see any more.
func (c *Chat) Boundary() bool {
	id, _, ok := c.seenFrom()
	return ok && c.GoTo(id)
}

// Expand unfolds the item under the cursor, and says whether it had anything to unfold.
func (c *Chat) Expand() bool {
	id, ok := c.List.Cursor()
	it, there := c.List.Item(id)
	switch {
	case !ok || !there:
		return false
	case it.Fold:
		c.List.Toggle(id)
	case it.Reasoning != "":
		c.List.ToggleReasoning(id)
	default:
		return false
	}
	return true
}

// ToggleReasoning unfolds all reasoning or folds it, and says which.
func (c *Chat) ToggleReasoning() bool {
	c.reasoning = !c.reasoning
	for _, m := range c.Messages {
		if m.Reasoning != "" {
			c.List.ToggleReasoning(m.ID)
		}
	}
	if c.Streaming {
		c.List.ToggleReasoning(arriving)
	}
	return c.reasoning
}
