// Package transcript shows the messages of a chat from top to bottom, each with its verdict: what the model sees of it.
// It also holds the search, the selection, and the flags that the user sets on messages. Only the rows on the screen
// are rendered, so drawing a frame costs the same for ten messages as for a hundred thousand.
package transcript

import (
	"cmp"
	"math"
	"strings"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/markdown"
)

// Hooks are what the transcript asks of its parent.
type Hooks struct {
	CursorMoved func() // called when the transcript itself moved the cursor
	ClearNotice func() // removes the notice that covers the search status

	ShowsPast  func() bool // reports whether the verdicts are those of a request that was sent
	ShowsTrial func() bool // reports whether they are those of a What-if trial
}

// Model is the transcript of one chat.
type Model struct {
	*app.Context
	Hooks Hooks
	page

	Messages       branch.Branch
	Receipts       map[int64]record.Receipt // by request id
	Plan           history.Plan             // the verdicts on show: one entry for each message, in order
	NextPlan       history.Plan             // of the next request
	EditedID       int64                    // the message that is being edited, 0 for none
	AnsweringModel string                   // short name, for a streaming answer

	failed    map[int64]record.FailedTurn // failures seen in this window, by the id of the message before them
	answer    *answer                     // nil for none
	firstRead int                         // index of the first message of Plan that the server can have read; 0 is all
	allWhole  bool                        // Plan sends every message whole
	boundary  boundary

	Search   Search
	selected map[int64]bool
	undo     []*action // since the chat was opened, the newest last
	codeOf   string    // the code blocks from which one was copied last
	codes    int       // how many times in a row
}

// streamingID is the id of the streaming answer until it is stored. It is greater than every message id, because the
// answer is the last row.
const streamingID = math.MaxInt64

// answer is the newest answer of this window: streaming, stored, or ended without being stored. Its stream is kept
// after storing, until the next resize, so that the text is not rendered twice.
type answer struct {
	*markdown.Stream                 // renders the text
	id               int64           // streamingID, or the id of the stored message
	reasoning        strings.Builder // streamed as well
	unsaved          bool            // its turn ended without storing it
	grew             bool            // it grew since the last frame
}

// streaming reports whether the last row is an answer that is not a stored message yet.
func (c *Model) streaming() bool { return c.answer != nil && c.answer.id == streamingID }

// Reset shows the messages of another chat, without receipts and verdicts.
func (c *Model) Reset(messages branch.Branch) {
	c.Receipts, c.failed, c.Plan = map[int64]record.Receipt{}, map[int64]record.FailedTurn{}, history.Plan{}
	c.cursor = 0
	c.SetBranch(messages)
}

// SetBranch shows another branch of the chat. It clears the selection and everything else that belongs to the previous
// branch. Verdicts on messages that both branches share stay until the next plan.
func (c *Model) SetBranch(messages branch.Branch) {
	cursor := c.cursor
	c.ClearSelection()
	c.expanded, c.boundary, c.answer, c.EditedID = map[int64]bool{}, boundary{}, nil, 0
	c.blocks = map[int64]*block{}
	c.followEnd = true
	c.show(messages)
	if cursor != 0 && !c.GoTo(cursor) {
		c.SelectLast()
	}
	c.SetPlan(c.Plan, c.firstRead)
}

// show replaces the messages and keeps what is on the screen in place.
func (c *Model) show(messages branch.Branch) {
	top := c.id(c.top)
	c.Messages, c.dragged = messages, dragged{}
	clear(c.blocks)
	if i, ok := c.index(top); ok {
		c.top = i
	}
	c.clamp()
}

// Prepend adds the older messages, which opening a chat skips at first, and the receipts of the answers.
func (c *Model) Prepend(all branch.Branch, receipts map[int64]record.Receipt) {
	c.addReceipts(receipts)
	messages := c.Messages
	if messages.Len() > 0 {
		if older, there := all.Find(messages.ID(0)); there && older > 0 {
			messages = messages.WithOlder(all.First(older))
		}
	}
	c.show(messages)
}

// addReceipts adds receipts that were read from the store. It does not replace receipts, because a request may have
// been answered since the store was read.
func (c *Model) addReceipts(stored map[int64]record.Receipt) {
	for id, r := range stored {
		if _, here := c.Receipts[id]; !here {
			c.Receipts[id] = r
		}
	}
}

// Refresh shows what another window changed in the store: sibling numbers, and messages after the last one. The screen
// stays in place, unless it was following the end and follow is set.
func (c *Model) Refresh(
	messages branch.Branch, receipts map[int64]record.Receipt, follow bool,
) {
	c.addReceipts(receipts)
	last := c.Messages.Len() - 1
	if last >= 0 {
		if _, there := messages.Find(c.Messages.ID(last)); !there {
			c.SetBranch(messages)
			return
		}
	}
	c.followEnd = c.followEnd && (follow || messages.Len() == last+1)
	c.show(messages)
}

// Add appends a stored message. It replaces an answer that was not stored.
func (c *Model) Add(m store.Message, r record.Receipt) {
	if c.streaming() && c.answer.unsaved {
		c.answer = nil
	}
	if m.Request != 0 && r.Stored+r.Estimate > 0 {
		c.Receipts[m.Request] = r
	}
	c.show(c.Messages.Append(m))
}

// AddDelta appends text and reasoning to the streaming answer, and begins one if there is none.
func (c *Model) AddDelta(text, reasoning string) {
	if !c.streaming() || c.answer.unsaved {
		c.answer = &answer{Stream: markdown.NewStream(c.md), id: streamingID}
	}
	c.answer.Write(text)
	c.answer.reasoning.WriteString(reasoning)
	c.answer.grew = true
	delete(c.blocks, streamingID)
	c.clamp()
}

// AnswerStored replaces the streaming answer by its stored message.
func (c *Model) AnswerStored(m store.Message, r record.Receipt) {
	if c.streaming() && !c.answer.unsaved {
		c.answer.Finish()
		c.answer.id = m.ID
		if c.cursor == streamingID {
			c.cursor = m.ID
		}
	}
	c.Add(m, r)
}

// EndTurn marks an answer that is still streaming as not saved.
func (c *Model) EndTurn() {
	if c.streaming() {
		c.answer.unsaved = true
		c.answer.Finish()
		delete(c.blocks, streamingID)
		c.clamp()
	}
}

// ClearUnread removes the mark "server read … of …" from the receipts of these requests.
func (c *Model) ClearUnread(requests []int64) {
	for _, id := range requests {
		if r, ok := c.Receipts[id]; ok {
			r.Unread = 0
			c.Receipts[id] = r
		}
	}
	clear(c.blocks)
}

// Empty reports whether the chat has no messages.
func (c *Model) Empty() bool { return c.rows() == 0 }

// message returns the message of row i, or the streaming answer as a message. If the store cannot read it, it returns
// the error and a message without text that is marked as damaged.
func (c *Model) message(i int) (store.Message, error) {
	if i == c.Messages.Len() {
		return store.Message{Model: c.AnsweringModel, Message: history.Message{
			ID: streamingID, Role: history.Assistant, Content: c.answer.Text(), Reasoning: c.answer.reasoning.String(),
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

// MessageAt returns message i. One that cannot be read has no text and is marked as damaged.
func (c *Model) MessageAt(i int) store.Message {
	m, _ := c.message(i)
	return m
}

// Message returns the message with an id, if the transcript has it.
func (c *Model) Message(id int64) (store.Message, bool) {
	if i, ok := c.Messages.Find(id); ok {
		return c.MessageAt(i), true
	}
	return store.Message{}, false
}

// MessageAtCursor returns the message under the cursor.
func (c *Model) MessageAtCursor() (store.Message, bool) { return c.Message(c.cursor) }

// LastMessage returns the newest message.
func (c *Model) LastMessage() (store.Message, bool) {
	if c.Messages.Len() == 0 {
		return store.Message{}, false
	}
	return c.MessageAt(c.Messages.Len() - 1), true
}

// lastAnswer returns the newest answer that has text.
func (c *Model) lastAnswer() (store.Message, bool) {
	for i := c.Messages.Len() - 1; i >= 0; i-- {
		if r := c.Messages.Row(i); r.Role() == history.Assistant && r.Size > 0 {
			return c.MessageAt(i), true
		}
	}
	return store.Message{}, false
}

// RequestAtCursor returns the request of the message under the cursor, or of the last answer if there is no cursor: for
// an answer the request that produced it, for a user message the first one that answered it, for a failed turn the one
// that failed. The turn number is 0 until it has been read.
func (c *Model) RequestAtCursor() (id int64, turn int, ok bool) {
	if f, failed := c.failure(c.cursor); failed {
		r, known := c.Receipts[f.Request] // a fork has no requests of before
		return f.Request, cmp.Or(f.Turn, r.Turn), known || f.Turn != 0
	}
	m, ok := c.MessageAtCursor()
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

// Gist returns how a message is shown in a list: its text, or its tool calls if it has none.
func Gist(m store.Message) string { return cmp.Or(m.Content, callText(m.ToolCalls)) }

// ModelName returns a model's name without its provider: gpt-5.2 for openai/gpt-5.2.
func ModelName(model string) string {
	return cmp.Or(markdown.OneLine(model[strings.LastIndexByte(model, '/')+1:], 64), "model")
}
