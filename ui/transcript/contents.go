package transcript

import (
	"winnow/history"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// contents are what the items of the list are made from when they are drawn.
type contents struct {
	Messages branch.Branch
	Receipts map[int64]record.Receipt
	Trails   map[int64]string // where other conversations begin or end, by message

	keys    keymap.Map
	owner   map[int64]int64 // the message of a tool call's item
	callIDs map[int64]int64 // the item of a message's first tool call; those of the others have the numbers below
	calls   int64           // items that are no messages made so far: of tool calls and of failures
}

func newContents(keys keymap.Map) *contents {
	return &contents{
		Receipts: map[int64]record.Receipt{}, keys: keys, owner: map[int64]int64{}, callIDs: map[int64]int64{},
	}
}

// Index is the index of a message in the conversation.
func (c *contents) Index(id int64) (int, bool) {
	if i, there := c.Messages.Find(id); there {
		return i, true
	}
	return 0, false
}

// indexOf is the index of a message that is there.
func (c *contents) indexOf(id int64) int {
	i, _ := c.Index(id)
	return i
}

// At is message i. One that cannot be read comes without its text, as damaged.
func (c *contents) At(i int) store.Message {
	m, err := c.Messages.Message(i)
	if err != nil {
		r := c.Messages.Row(i)
		return store.Message{
			Damaged: true, Request: r.Request, Message: history.Message{
				ID: r.ID, Role: r.Role(), Status: history.Quarantined,
			},
		}
	}
	return m
}

// item is the item of a message, or of a tool call of one.
func (c *contents) item(id int64) Item {
	message, isCall := c.owner[id]
	if !isCall {
		message = id
	}
	i, ok := c.Index(message)
	if !ok {
		return Item{ID: id}
	}
	m, err := c.Messages.Message(i)
	place := int(c.callIDs[message] - id)
	switch {
	case err != nil:
		r := c.Messages.Row(i)
		return Item{
			ID: id, Role: r.Role(), Name: theme.Speaker(r.Role()), Note: Note{
				What: "cannot be read now", Rest: "· " + theme.Sentence(err), Fault: true,
			},
		}
	case isCall && place < len(m.ToolCalls):
		call := m.ToolCalls[place]
		return Item{
			ID: id, Role: history.Assistant, Fold: true, Plain: true, Text: callText(m.ToolCalls[place : place+1]),
			Calls: []Call{callRow(call)},
		}
	}
	return c.Item(m)
}

// slot is the slot of message i, as far as that is known without reading it.
func (c *contents) slot(i int) slot {
	r := c.Messages.Row(i)
	s := slot{ID: r.ID, size: min(r.Size, maxShown), around: 3, user: r.Role() == history.User}
	s.fold = s.user && r.Size > foldedBytes || r.Role() == history.Tool || r.Role() == history.Assistant &&
		r.Size == 0 && r.Calls > 0
	_, receipt := c.Receipts[r.Request]
	noted := r.Status() != history.Complete && r.Status() != history.Imported
	for _, more := range []bool{r.Reasoning, receipt && r.Role() == history.Assistant, c.Trails[r.ID] != "", noted} {
		if more {
			s.around++
		}
	}
	return s
}

// callSlots are the slots of the tool calls of message i, which have items of their own beside its text.
func (c *contents) callSlots(i int) []slot {
	r := c.Messages.Row(i)
	if r.Size == 0 || r.Calls == 0 {
		return nil
	}
	slots := make([]slot, r.Calls)
	c.callIDs[r.ID] = arriving - c.calls - 1
	for k := range slots {
		c.calls++
		c.owner[arriving-c.calls] = r.ID
		slots[k] = slot{ID: arriving - c.calls, around: 3, fold: true}
	}
	return slots
}
