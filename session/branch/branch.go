// Package branch holds the messages of one branch of a conversation. Of each message it keeps in some tens of bytes
// what is asked of all of them, such as its role and its tokens. What only a few are asked for, such as the text, it
// reads from the store by pages, of which it keeps some.
package branch

import (
	"context"
	"iter"
	"math"
	"slices"
	"sort"

	"winnow/history"
	"winnow/session/store"
)

// Row is what is known of a message without reading it.
type Row struct {
	ID      int64
	Request int64 // the request that asked for it, 0 for none
	Created int64 // when it was said, Unix milliseconds, 0 for unknown
	Tokens  int32 // of its text by the tokenizer in use, 0 where they are not counted
	Size    int32 // bytes of its text
	Calls   int32 // tool calls
	Seq     int32 // its place in the conversation, from 1, counting every branch

	Siblings   uint16 // how many messages share its parent, itself included
	role       uint8  // an index of roles
	status     uint8  // an index of statuses
	SentAlone  bool   // it is sent without the conversation before it
	TurnFailed bool   // its turn failed behind it
	Reasoning  bool   // it has reasoning
}

// The roles and the statuses of rows. What else a message has is "" in its row: it is kept, and never sent.
var (
	roles    = [...]history.Role{"", history.System, history.User, history.Assistant, history.Tool}
	statuses = [...]history.Status{
		"", history.Complete, history.Streaming, history.Interrupted, history.Failed, history.Quarantined,
		history.Imported,
	}
)

// Role is who speaks, "" for somebody unknown.
func (r Row) Role() history.Role { return roles[r.role] }

// Status is how whole the message is.
func (r Row) Status() history.Status { return statuses[r.status] }

// Branch is the messages of a branch in order, each younger than the one before. It is a value: no method changes what
// another goroutine reads. The zero Branch is empty.
type Branch struct {
	rows  []Row
	pages *pages
}

// New is an empty branch whose messages are read by their ids. Counts of another tokenizer are left out.
func New(tokenizer string, read func(ctx context.Context, ids []int64) ([]store.Message, error)) Branch {
	return Branch{pages: &pages{tokenizer: tokenizer, read: read, kept: map[int][]store.Message{}}}
}

// Len is how many messages there are.
func (b Branch) Len() int { return len(b.rows) }

// Row is what is known of message i, from 0.
func (b Branch) Row(i int) Row { return b.rows[i] }

// ID is the id of message i.
func (b Branch) ID(i int) int64 { return b.rows[i].ID }

// Role is who speaks message i.
func (b Branch) Role(i int) history.Role { return b.rows[i].Role() }

// IDs are the ids of the messages in order.
func (b Branch) IDs() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := 0; i < len(b.rows) && yield(b.rows[i].ID); i++ {
		}
	}
}

// Find is the index of a message, or where it would be.
func (b Branch) Find(id int64) (at int, there bool) {
	at = sort.Search(len(b.rows), func(i int) bool { return b.rows[i].ID >= id })
	return at, at < len(b.rows) && b.rows[at].ID == id
}

// First is the branch of the first n messages.
func (b Branch) First(n int) Branch { return Branch{b.rows[:n:n], b.pages} }

// With is the branch with more messages at its end. They are in the store, or the branch is one of Of.
func (b Branch) Append(messages ...store.Message) Branch {
	if b.pages == nil {
		b.pages = inMemory()
	}
	b.pages.add(messages)
	b.rows = slices.Grow(slices.Clip(b.rows), len(messages)) // another branch may go on from here too
	for i := range messages {
		b.rows = append(b.rows, b.pages.row(&messages[i]))
	}
	return b
}

// Behind is the branch with older messages in front, which are another branch read through the same pages.
func (b Branch) WithOlder(older Branch) Branch {
	return Branch{slices.Concat(older.rows, b.rows), older.pages}
}

// Change is the branch with its rows as change leaves them.
func (b Branch) UpdateRows(change func(rows []Row)) Branch {
	b.rows = slices.Clone(b.rows)
	change(b.rows)
	return b
}

// Last is the index of the newest message of a role, -1 for none.
func (b Branch) LastOf(role history.Role) int {
	at := len(b.rows) - 1
	for at >= 0 && b.Role(at) != role {
		at--
	}
	return at
}

// Forget reads the messages anew when they are asked for: the store has something else now.
func (b Branch) DropCache() { b.pages.forget() }

// Message reads message i. The page that it is on is read from the store where that was not kept.
func (b Branch) Message(i int) (store.Message, error) {
	m, err := b.pages.message(b, i)
	if err != nil {
		return m, err
	}
	return b.pages.withRowTokens(m, b.rows[i]), nil
}

// ByID reads the message with an id. It is not there where the branch has no such message.
func (b Branch) ByID(id int64) (m store.Message, there bool, err error) {
	at, there := b.Find(id)
	if there {
		m, err = b.Message(at)
	}
	return m, there, err
}

// Each calls f with the messages from one index to before another, until f fails. None of them takes a place among the
// pages that are kept.
func (b Branch) Each(ctx context.Context, from, to int, f func(i int, m store.Message) error) error {
	return b.EachChunk(ctx, from, to, func(from int, messages []store.Message) error {
		for i, m := range messages {
			if err := f(from+i, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pieces is Each for many messages at a time, the first of which has the index from.
func (b Branch) EachChunk(ctx context.Context, from, to int, f func(from int, messages []store.Message) error) error {
	for ; from < to; from += chunkSize {
		list, err := b.pages.readRange(ctx, b, from, min(from+chunkSize, to))
		if err != nil {
			return err
		}
		for i := range list {
			list[i] = b.pages.withRowTokens(list[i], b.rows[from+i])
		}
		if err := f(from, list); err != nil {
			return err
		}
	}
	return nil
}

// Load reads the messages with these ids, which become the end of the branch. f is called with each piece of them as
// it is read, and may count their tokens.
func (b Branch) Load(ctx context.Context, ids []int64, f func(messages []store.Message) error) (Branch, error) {
	b.rows = slices.Grow(slices.Clip(b.rows), len(ids))
	for some := range slices.Chunk(ids, chunkSize) {
		list, err := b.pages.readIDs(ctx, len(b.rows), some)
		if err == nil && f != nil {
			err = f(list)
		}
		if err != nil {
			return b, err
		}
		for i := range list {
			b.rows = append(b.rows, b.pages.row(&list[i]))
		}
	}
	return b, nil
}

// All reads all messages.
func (b Branch) All(ctx context.Context) ([]store.Message, error) { return b.Slice(ctx, 0, b.Len()) }

// Between reads the messages from one index to before another.
func (b Branch) Slice(ctx context.Context, from, to int) ([]store.Message, error) {
	list := make([]store.Message, 0, to-from)
	err := b.EachChunk(ctx, from, to, func(_ int, messages []store.Message) error {
		list = append(list, messages...)
		return nil
	})
	return list, err
}

// History is stored messages as a plan reads them.
func HistoryMessages(messages []store.Message) []history.Message {
	list := make([]history.Message, len(messages))
	for i := range messages {
		list[i] = messages[i].Message
	}
	return list
}

// row is what is known of a message.
func (p *pages) row(m *store.Message) Row {
	r := Row{
		ID: m.ID, Request: m.Request, Created: m.CreatedMS, Size: int32(min(len(m.Content), math.MaxInt32)),
		Calls: int32(len(m.ToolCalls)), Seq: int32(m.Seq),
		Siblings: uint16(min(m.Siblings, math.MaxUint16)), role: uint8(max(0, slices.Index(roles[:], m.Role))),
		status:    uint8(max(0, slices.Index(statuses[:], m.Status))),
		SentAlone: m.Alone, TurnFailed: m.Fault != "", Reasoning: m.Reasoning != "",
	}
	if p.unstored != nil || m.Tokenizer == p.tokenizer {
		r.Tokens = int32(min(m.Tokens, math.MaxInt32))
	}
	return r
}
