package ui

import (
	"fmt"

	"winnow/history"
	"winnow/session/store"
)

// position says how far down the list is, where it does not follow its end.
func (c *chat) position() string {
	if c.list.Following() {
		return ""
	}
	above, shown, total := c.list.Position()
	if c.list.NewBelow() {
		return "new below ↓"
	}
	return fmt.Sprintf("%d %%", min(100, (above+shown)*100/max(1, total)))
}

// enter shows the cursor where it is, or on the last message on the screen; leave takes it away.
func (c *chat) enter() { c.list.MoveCursor(0) }
func (c *chat) leave() { c.list.ClearCursor() }

// selected is the message under the cursor; a tool call's item stands for its message.
func (c *chat) selected() (store.Message, bool) {
	id, ok := c.list.Cursor()
	if !ok {
		return store.Message{}, false
	}
	if message, is := c.owner[id]; is {
		id = message
	}
	i, ok := c.place[id]
	if !ok {
		return store.Message{}, false
	}
	return c.messages[i], true
}

// gist is what a message is known by in a list, "" for one that is not in memory.
func (c *chat) gist(id int64) string {
	if i, ok := c.place[id]; ok {
		return gist(c.messages[i])
	}
	return ""
}

// requestBehind is the request that made the selected message; for a question the one that answered
// it first. Without a selection it is the last answer's.
func (c *chat) requestBehind() (int64, bool) {
	m, ok := c.selected()
	if !ok {
		m, ok = c.lastAnswer()
	}
	for i := c.place[m.ID]; ok && i < len(c.messages); i++ {
		if c.messages[i].Request != 0 && c.messages[i].Role == history.Assistant {
			return c.messages[i].Request, true
		}
		if c.messages[i].Role == history.User && c.messages[i].ID != m.ID {
			break
		}
	}
	return 0, false
}

func (c *chat) last() (store.Message, bool) {
	if len(c.messages) == 0 {
		return store.Message{}, false
	}
	return c.messages[len(c.messages)-1], true
}

func (c *chat) lastAnswer() (store.Message, bool) {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if m := c.messages[i]; m.Role == history.Assistant && m.Content != "" {
			return m, true
		}
	}
	return store.Message{}, false
}

func (c *chat) scroll(n int) { c.list.Scroll(n) }
func (c *chat) step(n int)   { c.list.MoveCursor(n) }
func (c *chat) half(n int)   { c.list.HalfPage(n) }
func (c *chat) page(n int)   { c.list.Page(n) }
func (c *chat) bottom()      { c.list.Bottom() }

// first selects the first message, newest the last one and follows the end again.
func (c *chat) first()  { c.list.MoveCursor(-c.list.Len()); c.list.Top() }
func (c *chat) newest() { c.list.MoveCursor(c.list.Len()); c.list.Bottom() }

// goTo selects a message.
func (c *chat) goTo(id int64) bool { return c.list.SetCursor(id) }

// boundary selects the first message that the model still sees, and says whether there is one
// that it does not see any more.
func (c *chat) boundary() bool {
	id, _, ok := c.seenFrom()
	return ok && c.goTo(id)
}

// expand unfolds the item under the cursor, and says whether it had anything to unfold.
func (c *chat) expand() bool {
	id, ok := c.list.Cursor()
	it, there := c.list.Item(id)
	switch {
	case !ok || !there:
		return false
	case it.Fold:
		c.list.Toggle(id)
	case it.Reasoning != "":
		c.list.ToggleReasoning(id)
	default:
		return false
	}
	return true
}

// toggleReasoning unfolds all reasoning or folds it, and says which.
func (c *chat) toggleReasoning() bool {
	c.reasoning = !c.reasoning
	for _, m := range c.messages {
		if m.Reasoning != "" {
			c.list.ToggleReasoning(m.ID)
		}
	}
	if c.streaming {
		c.list.ToggleReasoning(arriving)
	}
	return c.reasoning
}
