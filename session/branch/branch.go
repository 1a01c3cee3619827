// Package branch holds the messages of one branch of a conversation. It keeps a small row for every message, with what
// is needed of all of them, such as the role and the number of tokens. The messages themselves are read from the store
// in pages, some of which are cached.
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

// Row is what is known about a message without reading it from the store.
type Row struct {
	ID      int64
	Request int64 // the request that it answers, 0 for none
	Created int64 // Unix milliseconds, 0 if unknown
	Tokens  int32 // of its text by the current tokenizer, 0 if not counted
	Size    int32 // bytes of its text
	Calls   int32 // number of tool calls
	Seq     int32 // its number in the conversation, from 1, across all branches

	Siblings   uint16 // number of messages with the same parent, including itself
	role       uint8  // index into roles
	status     uint8  // index into statuses
	SentAlone  bool   // it is sent without the conversation before it
	TurnFailed bool   // a turn failed after it
	Reasoning  bool   // it has reasoning
}

// The roles and statuses of rows. Any other is "" in a row; such messages are kept but never sent.
var (
	roles    = [...]history.Role{"", history.System, history.User, history.Assistant, history.Tool}
	statuses = [...]history.Status{
		"", history.Complete, history.Streaming, history.Interrupted, history.Failed, history.Quarantined,
		history.Imported,
	}
)

// Role returns the author of the message, "" if unknown.
func (r Row) Role() history.Role { return roles[r.role] }

// Status says whether the message arrived completely.
func (r Row) Status() history.Status { return statuses[r.status] }

// Branch is a list of messages, each newer than the one before. It is a value: no method changes what another goroutine
// sees. The zero Branch is empty and keeps its messages in memory.
type Branch struct {
	rows  []Row
	pages *pages
}

// New returns an empty branch that uses read to get messages by their ids. Token counts of other tokenizers are
// ignored.
func New(tokenizer string, read func(ctx context.Context, ids []int64) ([]store.Message, error)) Branch {
	return Branch{pages: &pages{tokenizer: tokenizer, read: read, kept: map[int][]store.Message{}}}
}

// Len returns the number of messages.
func (b Branch) Len() int { return len(b.rows) }

// Row returns the row of message i, from 0.
func (b Branch) Row(i int) Row { return b.rows[i] }

// ID returns the id of message i.
func (b Branch) ID(i int) int64 { return b.rows[i].ID }

// Role returns the author of message i.
func (b Branch) Role(i int) history.Role { return b.rows[i].Role() }

// IDs yields the ids of the messages in order.
func (b Branch) IDs() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := 0; i < len(b.rows) && yield(b.rows[i].ID); i++ {
		}
	}
}

// Find returns the index of a message, or where it would be inserted.
func (b Branch) Find(id int64) (at int, there bool) {
	at = sort.Search(len(b.rows), func(i int) bool { return b.rows[i].ID >= id })
	return at, at < len(b.rows) && b.rows[at].ID == id
}

// First returns the branch of the first n messages.
func (b Branch) First(n int) Branch { return Branch{b.rows[:n:n], b.pages} }

// Append returns the branch with more messages at its end. They must already be stored, unless the branch began as a
// zero Branch.
func (b Branch) Append(messages ...store.Message) Branch {
	if b.pages == nil {
		b.pages = inMemory()
	}
	b.pages.add(messages)
	b.rows = slices.Grow(slices.Clip(b.rows), len(messages)) // another branch may share these rows
	for i := range messages {
		b.rows = append(b.rows, b.pages.row(&messages[i]))
	}
	return b
}

// WithOlder returns the branch with older messages in front. older must read messages the same way.
func (b Branch) WithOlder(older Branch) Branch {
	return Branch{slices.Concat(older.rows, b.rows), older.pages}
}

// UpdateRows returns the branch with its rows changed by change.
func (b Branch) UpdateRows(change func(rows []Row)) Branch {
	b.rows = slices.Clone(b.rows)
	change(b.rows)
	return b
}

// LastOf returns the index of the newest message of a role, or -1.
func (b Branch) LastOf(role history.Role) int {
	at := len(b.rows) - 1
	for at >= 0 && b.Role(at) != role {
		at--
	}
	return at
}

// DropCache makes later calls read messages from the store again, because it has changed.
func (b Branch) DropCache() { b.pages.forget() }

// Message reads message i. If its page is not cached, the whole page is read from the store.
func (b Branch) Message(i int) (store.Message, error) {
	m, err := b.pages.message(b, i)
	if err != nil {
		return m, err
	}
	return b.pages.withRowTokens(m, b.rows[i]), nil
}

// ByID reads the message with an id. there is false if the branch has no such message.
func (b Branch) ByID(id int64) (m store.Message, there bool, err error) {
	at, there := b.Find(id)
	if there {
		m, err = b.Message(at)
	}
	return m, there, err
}

// Each calls f with each message in the half-open range of indexes, until f fails. It does not fill the cache.
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

// EachChunk is like Each, but calls f with many messages at a time; from is the index of the first.
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

// Load reads the messages with these ids and appends them to the branch. If f is not nil, it is called with each chunk
// that was read, and may count tokens.
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

// Slice reads the messages in the half-open range of indexes.
func (b Branch) Slice(ctx context.Context, from, to int) ([]store.Message, error) {
	list := make([]store.Message, 0, to-from)
	err := b.EachChunk(ctx, from, to, func(_ int, messages []store.Message) error {
		list = append(list, messages...)
		return nil
	})
	return list, err
}

// HistoryMessages returns the messages without what only the store needs.
func HistoryMessages(messages []store.Message) []history.Message {
	list := make([]history.Message, len(messages))
	for i := range messages {
		list[i] = messages[i].Message
	}
	return list
}

// row returns the row of a message.
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
