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
	page     = 32               // messages that are read together where one of them is asked for
	piece    = 256              // messages that are read together where all of them are asked for
	mostKept = 6 << 20          // bytes of texts in the pages that are kept
	readTime = 10 * time.Second // a page that takes longer is not read: whoever asks for one waits for it
)

// Pages read the messages of branches and keep the pages that were used last. They are safe for several goroutines.
type Pages struct {
	tokenizer string
	read      func(ctx context.Context, ids []int64) ([]store.Message, error) // nil where all messages are in own

	mu   sync.Mutex
	kept map[int]*kept // by number: page n begins with message n*page
	size int           // bytes of all that is kept
	uses int
	own  map[int64]store.Message // messages that no store has
}

// kept is a page in memory, of one of the branches that it may be of.
type kept struct {
	messages []store.Message
	size     int
	used     int
}

// NewPages returns pages of messages that read reads by their ids. Counts of another tokenizer are left out.
func NewPages(tokenizer string, read func(ctx context.Context, ids []int64) ([]store.Message, error)) *Pages {
	return &Pages{tokenizer: tokenizer, read: read, kept: map[int]*kept{}}
}

func held() *Pages { return &Pages{own: map[int64]store.Message{}} }

// add takes messages that have just come. Those of a store are read again when they are asked for.
func (p *Pages) add(messages []store.Message) {
	if p.read != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range messages {
		p.own[m.ID] = m
	}
}

// forget drops what is kept.
func (p *Pages) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.kept)
	p.size = 0
}

// message is message i of a branch.
func (p *Pages) message(b Branch, i int) (store.Message, error) {
	id := b.row(i).ID
	if p.read == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.own[id], nil
	}
	number, at := i/page, i%page
	p.mu.Lock()
	if k := p.kept[number]; k != nil && at < len(k.messages) && k.messages[at].ID == id {
		p.uses++
		k.used = p.uses
		p.mu.Unlock()
		return k.messages[at], nil
	}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	list, err := p.some(ctx, b, number*page, min(number*page+page, b.n))
	if err != nil {
		return store.Message{}, err
	}
	p.keep(number, list)
	return list[at], nil
}

// keep keeps a page, and drops those that were not used for the longest time where there are too many.
func (p *Pages) keep(number int, list []store.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(number)
	p.uses++
	k := &kept{messages: list, used: p.uses}
	for i := range list {
		k.size += sizeOf(&list[i])
	}
	p.kept[number] = k
	for p.size += k.size; p.size > mostKept && len(p.kept) > 1; {
		oldest := number
		for n, k := range p.kept {
			if k.used < p.kept[oldest].used {
				oldest = n
			}
		}
		p.drop(oldest)
	}
}

func (p *Pages) drop(number int) {
	if k := p.kept[number]; k != nil {
		p.size -= k.size
		delete(p.kept, number)
	}
}

// sizeOf is about how many bytes a message takes.
func sizeOf(m *store.Message) int {
	n := 512 + len(m.Content) + len(m.Reasoning) + len(m.Remains) + 2*len(m.Extra)
	for _, c := range m.ToolCalls {
		n += len(c.Arguments) + len(c.Replay)
	}
	for _, part := range m.Parts {
		n += len(part.Text) + len(part.Data)
	}
	return n
}

// some are the messages of a branch from one index to before another.
func (p *Pages) some(ctx context.Context, b Branch, from, to int) ([]store.Message, error) {
	ids := make([]int64, 0, to-from)
	for i := from; i < to; i++ {
		ids = append(ids, b.ID(i))
	}
	if p.read != nil {
		return p.fetch(ctx, from, ids)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]store.Message, 0, len(ids))
	for _, id := range ids {
		list = append(list, p.own[id])
	}
	return list, ctx.Err()
}

// fetch reads messages from the store, the first of which has the index from.
func (p *Pages) fetch(ctx context.Context, from int, ids []int64) ([]store.Message, error) {
	list, err := p.read(ctx, ids)
	if err == nil && !slices.EqualFunc(list, ids, func(m store.Message, id int64) bool { return m.ID == id }) {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read messages %d to %d of the conversation: %w", from+1, from+len(ids), err)
	}
	return list, nil
}

// as is a message with the tokens of its row.
func (p *Pages) as(m store.Message, row *Row) store.Message {
	m.Tokens = int(row.Tokens)
	if p.read != nil && row.Counted {
		m.Tokenizer = p.tokenizer
	}
	return m
}
