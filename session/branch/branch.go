// Package branch holds the messages of one branch of a conversation. Of each message it keeps in some tens of bytes
// what is asked of all of them, such as its role and its tokens. What only a few are asked for, such as the text, it
// reads from the store by pages, of which it keeps those that were used last.
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

	Siblings  uint16 // how many messages share its parent, itself included
	role      uint8  // an index of roles
	status    uint8  // an index of statuses
	Counted   bool   // Tokens are in the store
	Alone     bool   // it is sent without the conversation before it
	Faulty    bool   // its turn failed behind it
	Reasoning bool   // it has reasoning
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

// chunk is how many rows are stored together: so many are copied where one of them changes.
const chunk = 256

// Branch is the messages of a branch in order, each younger than the one before. It is a value: no method changes what
// another goroutine reads. The zero Branch is empty.
type Branch struct {
	chunks []*[chunk]Row
	n      int
	pages  *Pages
}

// New is an empty branch whose messages are read through pages.
func New(pages *Pages) Branch { return Branch{pages: pages} }

// Of is a branch of messages that no store has: they stay in memory.
func Of(messages ...store.Message) Branch { return New(held()).With(messages...) }

// Len is how many messages there are.
func (b Branch) Len() int { return b.n }

// Row is what is known of message i, from 0.
func (b Branch) Row(i int) Row { return *b.row(i) }

func (b Branch) row(i int) *Row {
	if i < 0 || i >= b.n {
		panic("branch: there is no such message")
	}
	return &b.chunks[i/chunk][i%chunk]
}

// ID is the id of message i.
func (b Branch) ID(i int) int64 { return b.row(i).ID }

// Role is who speaks message i.
func (b Branch) Role(i int) history.Role { return b.row(i).Role() }

// IDs are the ids of the messages in order.
func (b Branch) IDs() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := 0; i < b.n && yield(b.ID(i)); i++ {
		}
	}
}

// Find is the index of a message, or where it would be.
func (b Branch) Find(id int64) (at int, there bool) {
	at = sort.Search(b.n, func(i int) bool { return b.row(i).ID >= id })
	return at, at < b.n && b.row(at).ID == id
}

// First is the branch of the first n messages.
func (b Branch) First(n int) Branch {
	b.chunks, b.n = b.chunks[:(n+chunk-1)/chunk:(n+chunk-1)/chunk], n
	return b
}

// With is the branch with more messages at its end. They are in the store, or the branch is one of Of.
func (b Branch) With(messages ...store.Message) Branch {
	if len(messages) == 0 {
		return b
	}
	if b.pages == nil {
		b.pages = held()
	}
	rows := make([]Row, len(messages))
	for i := range messages {
		rows[i] = b.pages.row(&messages[i])
	}
	b.pages.add(messages)
	return b.withRows(rows)
}

func (b Branch) withRows(rows []Row) Branch {
	b.chunks = slices.Clone(b.chunks)
	for i := range rows {
		switch at := b.n + i; {
		case at%chunk == 0:
			b.chunks = append(b.chunks, new([chunk]Row))
		case i == 0:
			last := *b.chunks[at/chunk] // another branch may go on from here too
			b.chunks[at/chunk] = &last
		}
		b.chunks[(b.n+i)/chunk][(b.n+i)%chunk] = rows[i]
	}
	b.n += len(rows)
	return b
}

// Behind is the branch with older messages in front, which are another branch read through the same pages.
func (b Branch) Behind(older Branch) Branch {
	rows := make([]Row, b.n)
	for i := range rows {
		rows[i] = *b.row(i)
	}
	return older.withRows(rows)
}

// Change is the branch with other rows: change may write to those that row returns.
func (b Branch) Change(change func(row func(i int) *Row)) Branch {
	before := b
	b.chunks = slices.Clone(b.chunks)
	change(func(i int) *Row {
		before.row(i) // panics where there is none
		if at := i / chunk; b.chunks[at] == before.chunks[at] {
			rows := *b.chunks[at]
			b.chunks[at] = &rows
		}
		return b.row(i)
	})
	return b
}

// LastUser is the index of the user's newest message, -1 for none.
func (b Branch) LastUser() int {
	at := b.n - 1
	for at >= 0 && b.Role(at) != history.User {
		at--
	}
	return at
}

// Calls says that a message calls tools.
func (b Branch) Calls() bool {
	for i := range b.n {
		if b.row(i).Calls > 0 {
			return true
		}
	}
	return false
}

// Forget reads the messages anew when they are asked for: the store has something else now.
func (b Branch) Forget() { b.pages.forget() }

// Message reads message i. The page that it is on is read from the store where that was not kept.
func (b Branch) Message(i int) (store.Message, error) {
	row := b.row(i)
	m, err := b.pages.message(b, i)
	if err != nil {
		return store.Message{}, err
	}
	return b.pages.as(m, row), nil
}

// ByID reads the message with an id. It is not there where the branch has no such message.
func (b Branch) ByID(id int64) (m store.Message, there bool, err error) {
	at, there := b.Find(id)
	if there {
		m, err = b.Message(at)
	}
	return m, there, err
}

// Each reads the messages from one index to before another, in order, until f returns an error. It takes no place among
// the pages that are kept.
func (b Branch) Each(ctx context.Context, from, to int, f func(i int, m store.Message) error) error {
	return b.Pieces(ctx, from, to, func(from int, messages []store.Message) error {
		for i, m := range messages {
			if err := f(from+i, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pieces is Each for many messages at a time, the first of which has the index from.
func (b Branch) Pieces(ctx context.Context, from, to int, f func(from int, messages []store.Message) error) error {
	for ; from < to; from += piece {
		list, err := b.pages.some(ctx, b, from, min(from+piece, to))
		if err != nil {
			return err
		}
		for i := range list {
			list[i] = b.pages.as(list[i], b.row(from+i))
		}
		if err := f(from, list); err != nil {
			return err
		}
	}
	return nil
}

// Load reads the messages with these ids, which become the end of the branch. f is called with the branch up to the
// messages that were read last, the first of which has the index from, and returns the branch to go on from. Its error
// ends the loading.
func (b Branch) Load(
	ctx context.Context, ids []int64, f func(loaded Branch, from int, messages []store.Message) (Branch, error),
) (Branch, error) {
	for some := range slices.Chunk(ids, piece) {
		list, err := b.pages.fetch(ctx, b.n, some)
		if err != nil {
			return b, err
		}
		from := b.n
		b = b.With(list...)
		for i := range list {
			list[i] = b.pages.as(list[i], b.row(from+i))
		}
		if f != nil {
			if b, err = f(b, from, list); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// All reads all messages.
func (b Branch) All(ctx context.Context) ([]store.Message, error) { return b.Between(ctx, 0, b.n) }

// Between reads the messages from one index to before another.
func (b Branch) Between(ctx context.Context, from, to int) ([]store.Message, error) {
	list := make([]store.Message, 0, to-from)
	err := b.Each(ctx, from, to, func(_ int, m store.Message) error {
		list = append(list, m)
		return nil
	})
	return list, err
}

// row is what is known of a message.
func (p *Pages) row(m *store.Message) Row {
	r := Row{
		ID: m.ID, Request: m.Request, Created: m.CreatedMS, Size: int32(min(len(m.Content), math.MaxInt32)),
		Calls: int32(len(m.ToolCalls)), Seq: int32(m.Seq),
		Siblings: uint16(min(m.Siblings, math.MaxUint16)), role: uint8(max(0, slices.Index(roles[:], m.Role))),
		status: uint8(max(0, slices.Index(statuses[:], m.Status))),
		Alone:  m.Alone, Faulty: m.Fault != "", Reasoning: m.Reasoning != "",
	}
	if p.read == nil || m.Tokenizer == p.tokenizer {
		r.Tokens, r.Counted = int32(min(m.Tokens, math.MaxInt32)), true
	}
	return r
}
