package branch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"winnow/session/store"
)

const (
	pageSize  = 32               // messages that are read together to get one of them
	chunkSize = 256              // messages that are read together to get all of them
	mostKept  = 6 << 20          // bytes of the cached messages
	readTime  = 10 * time.Second // time limit for a page, because the caller waits for it
)

// pages reads the messages of branches and caches some of them. It is safe for concurrent use.
type pages struct {
	tokenizer string
	read      func(ctx context.Context, ids []int64) ([]store.Message, error)

	mu       sync.Mutex
	kept     map[int][]store.Message // by number: page n begins with message n*pageSize of one of the branches
	size     int                     // approximate size of kept in bytes
	unstored map[int64]store.Message // messages that are not stored anywhere else; nil if read has all of them
}

// inMemory returns pages for messages that are not stored anywhere else.
func inMemory() *pages {
	p := &pages{kept: map[int][]store.Message{}, unstored: map[int64]store.Message{}}
	p.read = func(_ context.Context, ids []int64) ([]store.Message, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		list := make([]store.Message, len(ids))
		for i, id := range ids {
			list[i] = p.unstored[id]
		}
		return list, nil
	}
	return p
}

// add takes new messages. Those of a store are read again when they are needed.
func (p *pages) add(messages []store.Message) {
	if p.unstored == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range messages {
		p.unstored[m.ID] = m
	}
}

// forget empties the cache.
func (p *pages) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.kept)
	p.size = 0
}

// message returns message i of a branch.
func (p *pages) message(b Branch, i int) (store.Message, error) {
	number, at := i/pageSize, i%pageSize
	p.mu.Lock()
	list := p.kept[number]
	p.mu.Unlock()
	if at < len(list) && list[at].ID == b.ID(i) {
		return list[at], nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	list, err := p.readRange(ctx, b, number*pageSize, min(number*pageSize+pageSize, b.Len()))
	if err != nil {
		return store.Message{}, err
	}
	p.keep(number, list)
	return list[at], nil
}

// keep caches a page. If the cache is full, all other pages are dropped.
func (p *pages) keep(number int, list []store.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size += sizeOf(list) - sizeOf(p.kept[number])
	if p.size > mostKept {
		clear(p.kept)
		p.size = sizeOf(list)
	}
	p.kept[number] = list
}

// sizeOf returns the approximate size of messages in bytes.
func sizeOf(messages []store.Message) (n int) {
	for i := range messages {
		m := &messages[i]
		n += 512 + len(m.Content) + len(m.Reasoning) + len(m.Remains) + 2*len(m.Extra)
		for _, c := range m.ToolCalls {
			n += len(c.Arguments) + len(c.Replay)
		}
		for _, part := range m.Parts {
			n += len(part.Text) + len(part.Data)
		}
	}
	return n
}

// readRange reads the messages of a branch in the half-open range of indexes.
func (p *pages) readRange(ctx context.Context, b Branch, from, to int) ([]store.Message, error) {
	return p.readIDs(ctx, from, slices.Collect(Branch{rows: b.rows[from:to]}.IDs()))
}

// readIDs reads messages; from is the index of the first, for errors.
func (p *pages) readIDs(ctx context.Context, from int, ids []int64) ([]store.Message, error) {
	list, err := p.read(ctx, ids)
	if err == nil && !slices.EqualFunc(list, ids, func(m store.Message, id int64) bool { return m.ID == id }) {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read messages %d to %d of the conversation: %w", from+1, from+len(ids), err)
	}
	return list, nil
}

// withRowTokens returns a message with the token count of its row.
func (p *pages) withRowTokens(m store.Message, row Row) store.Message {
	m.Tokens = int(row.Tokens)
	if p.unstored == nil && row.Tokens > 0 {
		m.Tokenizer = p.tokenizer
	}
	return m
}
