// Package transcript shows a conversation: its messages one below the other, beside each what the model sees of it, the
// search in them, what is selected of them, and the flags that the user gives them. Only what is on the screen is
// rendered, so a frame costs the same for ten messages and for a hundred thousand.
package transcript

import (
	"cmp"
	"maps"
	"math"
	"strings"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/markdown"
)

// Screen is what the transcript has the rest of the screen do.
type Screen struct {
	Moved func() // the cursor went to another message by itself
	Hush  func() // takes the sentence away that stands where the search line is

	Past  func() bool // the request on show was sent
	Trial func() bool // it is one that other settings would send
}

// Model is the transcript.
type Model struct {
	*app.Context
	Screen Screen
	page

	Messages branch.Branch
	Receipts map[int64]record.Receipt // by the request
	Plan     history.Plan             // of the request on show: an entry for each message, in order
	Next     history.Plan             // of the next request
	Edited   int64                    // the message that is being edited, 0 for none
	Name     string                   // the model that answers, in short

	failed    map[int64]record.FailedTurn // why turns failed that were seen here, by the message behind which they did
	answer    *answer                     // the newest one, nil for none
	firstRead int                         // index of the first message that the server can have read of Plan; 0 is all
	quiet     bool                        // all messages of the request on show are whole
	edge      edge

	Search   Search
	selected map[int64]bool
	undo     []*action // the actions since the session was opened; the last one is undone first
	codeOf   string    // the code blocks of the message whose code was copied last
	codes    int       // how many of them were
}

// arriving is the id of the answer that arrives, until the stored message's id replaces it. It is above all others, as
// the answer is the last row.
const arriving = math.MaxInt64

// answer is an answer that arrives, that arrived and was not stored, or that was stored since the last resize: what was
// rendered while it came is not rendered again.
type answer struct {
	*markdown.Stream                 // its text
	id               int64           // arriving, or the id of the message that it became
	reasoning        strings.Builder // arrives as well
	lost             bool            // its turn ended, and it was not stored
	grew             bool            // some of it came since the last frame
}

// arrives reports whether the last row is an answer that is no message yet.
func (c *Model) arrives() bool { return c.answer != nil && c.answer.id == arriving }

// Reset shows other messages.
func (c *Model) Reset(messages branch.Branch) {
	c.Receipts, c.failed, c.Plan = map[int64]record.Receipt{}, map[int64]record.FailedTurn{}, history.Plan{}
	c.cursor = 0
	c.Follow(messages)
}

// Follow shows another branch of the conversation, and forgets what was about the one before. The verdicts on messages
// that both have stay until the next plan.
func (c *Model) Follow(messages branch.Branch) {
	cursor := c.cursor
	c.Unselect()
	c.open, c.edge, c.answer, c.Edited = map[int64]bool{}, edge{}, nil, 0
	c.blocks = map[int64]*block{}
	c.follow = true
	c.show(messages)
	if cursor != 0 && !c.GoTo(cursor) {
		c.Newest()
	}
	c.Judge(c.Plan, c.firstRead)
}

// show shows these messages in the place of those that are there. What is on the screen stays where it is.
func (c *Model) show(messages branch.Branch) {
	top := c.id(c.top)
	c.Messages, c.dragged = messages, dragged{}
	clear(c.blocks)
	if i, ok := c.index(top); ok {
		c.top = i
	}
	c.settle()
}

// Prepend shows the messages that opening a session left out, and the receipts of the answers.
func (c *Model) Prepend(all branch.Branch, receipts map[int64]record.Receipt) {
	maps.Copy(c.Receipts, receipts)
	messages := c.Messages
	if messages.Len() > 0 {
		if older, there := all.Find(messages.ID(0)); there && older > 0 {
			messages = messages.WithOlder(all.First(older))
		}
	}
	c.show(messages)
}

// Reread shows what was changed in the store beside this window: other places among versions, and messages behind the
// last one. What is on the screen stays where it is, unless the end is to stay in sight.
func (c *Model) Reread(messages branch.Branch, receipts map[int64]record.Receipt, follow bool) {
	maps.Copy(c.Receipts, receipts)
	last := c.Messages.Len() - 1
	if last >= 0 {
		if _, there := messages.Find(c.Messages.ID(last)); !there {
			c.Follow(messages)
			return
		}
	}
	c.follow = c.follow && (follow || messages.Len() == last+1)
	c.show(messages)
}

// Add shows one more stored message. It takes the place of an answer that was not stored.
func (c *Model) Add(m store.Message, r record.Receipt) {
	if c.arrives() && c.answer.lost {
		c.answer = nil
	}
	if m.Request != 0 && r.Stored+r.Estimate > 0 {
		c.Receipts[m.Request] = r
	}
	c.show(c.Messages.Append(m))
}

// Stream adds to the answer that arrives.
func (c *Model) Stream(text, reasoning string) {
	if !c.arrives() || c.answer.lost {
		c.answer = &answer{Stream: markdown.NewStream(c.md), id: arriving}
	}
	c.answer.Write(text)
	c.answer.reasoning.WriteString(reasoning)
	c.answer.grew = true
	delete(c.blocks, arriving)
	c.settle()
}

// Answer puts the stored answer in the place of the one that arrived.
func (c *Model) Answer(m store.Message, r record.Receipt) {
	if c.arrives() && !c.answer.lost {
		c.answer.Finish()
		c.answer.id = m.ID
		if c.cursor == arriving {
			c.cursor = m.ID
		}
	}
	c.Add(m, r)
}

// Settle ends a turn: what arrived and was never stored says so.
func (c *Model) Settle() {
	if c.arrives() {
		c.answer.lost = true
		c.answer.Finish()
		delete(c.blocks, arriving)
		c.settle()
	}
}

// Withdraw takes the mark of an unread part from the receipts of some requests.
func (c *Model) Withdraw(requests []int64) {
	for _, id := range requests {
		if r, ok := c.Receipts[id]; ok {
			r.Unread = 0
			c.Receipts[id] = r
		}
	}
	clear(c.blocks)
}

// Empty says that nothing was said yet.
func (c *Model) Empty() bool { return c.rows() == 0 }

// message is the message of row i, and why it cannot be read: then it comes without its text, as damaged. The answer
// that arrives is like a message.
func (c *Model) message(i int) (store.Message, error) {
	if i == c.Messages.Len() {
		return store.Message{Model: c.Name, Message: history.Message{
			ID: arriving, Role: history.Assistant, Content: c.answer.Text(), Reasoning: c.answer.reasoning.String(),
		}}, nil
	}
	m, err := c.Messages.Message(i)
	if err != nil {
		r := c.Messages.Row(i)
		m = store.Message{Damaged: true, Request: r.Request, Message: history.Message{
			ID: r.ID, Role: r.Role(), Status: history.Quarantined,
		}}
	}
	return m, err
}

// At is message i. One that cannot be read comes without its text, as damaged.
func (c *Model) At(i int) store.Message {
	m, _ := c.message(i)
	return m
}

// Message is the message with an id, where the transcript has it.
func (c *Model) Message(id int64) (store.Message, bool) {
	if i, ok := c.Messages.Find(id); ok {
		return c.At(i), true
	}
	return store.Message{}, false
}

// Selected is the message under the cursor.
func (c *Model) Selected() (store.Message, bool) { return c.Message(c.cursor) }

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

// RequestOf is the request that made the selected message, and the number of its turn, 0 as long as that is not read;
// for a question it is the one that answered it first, for a failure the one that failed. Without a selection it is the
// last answer's.
func (c *Model) RequestOf() (id int64, turn int, ok bool) {
	if f, failed := c.failure(c.cursor); failed {
		r, known := c.Receipts[f.Request] // a fork has no requests of before
		return f.Request, cmp.Or(f.Turn, r.Turn), known || f.Turn != 0
	}
	m, ok := c.Selected()
	if !ok {
		m, ok = c.lastAnswer()
	}
	for i, _ := c.Messages.Find(m.ID); ok && i < c.Messages.Len(); i++ {
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

// Gist is what a message is known by in a list: its text, or its calls where it has none.
func Gist(m store.Message) string { return cmp.Or(m.Content, callText(m.ToolCalls)) }

// ModelName is the name of a model without what stands before it: gpt-5.2 of openai/gpt-5.2.
func ModelName(model string) string {
	return cmp.Or(markdown.OneLine(model[strings.LastIndexByte(model, '/')+1:], 64), "model")
}
