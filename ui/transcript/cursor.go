package transcript

import (
	"fmt"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Newer is how many messages end below the screen, 0 while the transcript stays at its end.
func (c *Model) Newer() int { return c.list.Newer() }

// Enter shows the cursor where it is, or on the last message on the screen.
func (c *Model) Enter() { c.list.MoveCursor(0) }

// Leave takes the cursor away.
func (c *Model) Leave() { c.list.ClearCursor() }

// Selected is the message under the cursor; for the item of a tool call it is the message with the call.
func (c *Model) Selected() (store.Message, bool) {
	id, ok := c.list.Cursor()
	if !ok {
		return store.Message{}, false
	}
	if message, is := c.owner[id]; is {
		id = message
	}
	return c.Message(id)
}

// Gist is what a message is known by in a list, "" for one that is not in memory.
func (c *Model) Gist(id int64) string {
	if m, ok := c.Message(id); ok {
		return Gist(m)
	}
	return ""
}

// RequestOf is the request that made the selected message, and the number of its turn, 0 as long as that is not
// read; for a question it is the one that answered it first, for a failure the one that failed. Without a selection
// it is the last answer's.
func (c *Model) RequestOf() (id int64, turn int, ok bool) {
	if f, on := c.Failed(); on {
		return f.Request, f.Turn, f.Request != 0
	}
	m, ok := c.Selected()
	if !ok {
		m, ok = c.lastAnswer()
	}
	for i := c.indexOf(m.ID); ok && i < c.Messages.Len(); i++ {
		r := c.Messages.Row(i)
		if r.Request != 0 && r.Role() == history.Assistant {
			return r.Request, c.Receipts[r.Request].Turn, true
		}
		if r.Role() == history.User && r.ID != m.ID {
			break
		}
	}
	return 0, 0, false
}

// Last is the newest message.
func (c *Model) Last() (store.Message, bool) {
	if c.Messages.Len() == 0 {
		return store.Message{}, false
	}
	return c.At(c.Messages.Len() - 1), true
}

// lastAnswer is the newest answer with a text.
func (c *Model) lastAnswer() (store.Message, bool) {
	for i := c.Messages.Len() - 1; i >= 0; i-- {
		if r := c.Messages.Row(i); r.Role() == history.Assistant && r.Size > 0 {
			return c.At(i), true
		}
	}
	return store.Message{}, false
}

// Scroll moves by lines.
func (c *Model) Scroll(n int) { c.list.Scroll(n) }

// Step moves the cursor by messages.
func (c *Model) Step(n int) { c.list.MoveCursor(n) }

// Page moves by pages.
func (c *Model) Page(n int) { c.list.Page(n) }

// Bottom follows the end.
func (c *Model) Bottom() { c.list.Bottom() }

// First selects the first message.
func (c *Model) First() { c.list.MoveCursor(-c.list.Len()); c.list.Top() }

// Newest selects the last message and follows the end.
func (c *Model) Newest() { c.list.MoveCursor(c.list.Len()); c.list.Bottom() }

// GoTo selects a message.
func (c *Model) GoTo(id int64) bool { return c.list.SetCursor(id) }

// ScrollTo scrolls a message to the top of the screen.
func (c *Model) ScrollTo(id int64) { c.list.GoTo(id) }

// Boundary selects the first message that the model still sees, and says whether there is one
// that it does not see any more.
func (c *Model) Boundary() bool {
	id, _, _ := seenFrom(c.Plan)
	return c.GoTo(id)
}

// fromStart says how much of the conversation is sent where nothing falls out of it at its beginning.
func (c *Model) fromStart() string {
	counts := store.TallyOf(c.Plan.Entries)
	out, cut := counts.Stored-counts.Sent(), counts.Cut
	var less []string
	if out > 0 {
		less = append(less, theme.PluralOf(out, "message is not sent", "messages are not sent"))
	}
	if cut > 0 {
		less = append(less, theme.PluralOf(cut, "message is cut", "messages are cut"))
	}
	if len(less) == 0 {
		return "Nothing is dropped: the model sees the whole chat."
	}
	return "The model sees the chat from its start; " + theme.InWords(less) + "."
}

// Expand unfolds the item under the cursor, and says whether it had anything to unfold.
func (c *Model) Expand() bool {
	id, ok := c.list.Cursor()
	it, there := c.list.Item(id)
	switch {
	case !ok || !there:
		return false
	case it.Fold || c.list.cut(id):
		c.list.Toggle(id)
	case it.Reasoning != "":
		c.list.ToggleReasoning(id)
	default:
		return false
	}
	return true
}

// ToggleReasoning unfolds all reasoning or folds it, and says which.
func (c *Model) ToggleReasoning() bool {
	c.ShowReasoning(!c.list.thinking)
	return c.list.thinking
}

// ShowReasoning unfolds all reasoning or folds it.
func (c *Model) ShowReasoning(shown bool) { c.list.ShowReasoning(shown) }

// OneVersion says that a message has no other version, and which message near it has.
func (c *Model) OneVersion(of int64) string {
	text := theme.UpperFirst(c.NumbersOf(of)) + " has one version"
	at, ok := c.Index(of)
	if !ok {
		return text + "."
	}
	before, after := at-1, at+1
	for before >= 0 || after < c.Messages.Len() {
		for _, i := range []int{before, after} {
			if i >= 0 && i < c.Messages.Len() && c.Messages.Row(i).Siblings > 1 {
				near := c.Messages.Row(i)
				return fmt.Sprintf("%s; %s has %d.", text, c.NumbersOf(near.ID), near.Siblings)
			}
		}
		before, after = before-1, after+1
	}
	return text + ", and so has every other: " + c.Keys.First(keymap.Edit) + " and " + c.Keys.First(keymap.Again) +
		" make another."
}
