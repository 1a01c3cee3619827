package session

import (
	"context"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// newReader is a conversation that nothing is read of.
func (t tokens) newReader() *history.Conversation { return history.Read(nil, t.counter) }

// feeding hands messages of a branch to a reader. A little text without a count is counted at once; for more of it
// a guess has to do, so that nobody waits.
type feeding struct {
	tokens
	reader *history.Conversation
	counts bool // texts without a count are counted
}

// feed begins to hand over messages that have so many bytes of text without a count.
func (t tokens) feed(reader *history.Conversation, uncounted int) feeding {
	return feeding{t, reader, t.counter != nil && uncounted <= countAtOnce}
}

// append hands over the messages from one index to before another, and returns the branch with what was counted.
func (t tokens) append(to *history.Conversation, b branch.Branch, from, end int) (branch.Branch, error) {
	size := 0
	for i := from; i < end; i++ {
		if r := b.Row(i); r.Tokens == 0 {
			size += int(r.Size)
		}
	}
	counted, f := b, t.feed(to, size)
	err := b.Pieces(context.Background(), from, end, func(from int, messages []store.Message) error {
		var err error
		counted, err = f.take(counted, from, messages)
		return err
	})
	return counted, err
}

// take hands over messages, the first of which has an index on the branch.
func (f *feeding) take(b branch.Branch, from int, messages []store.Message) (branch.Branch, error) {
	list := historyOf(messages)
	b = b.Change(func(row func(i int) *branch.Row) {
		for i := range list {
			m := &list[i]
			if m.Tokens != 0 || m.Content == "" {
				continue
			}
			if f.counts {
				m.Tokens = f.counter(m.Content)
				row(from + i).Tokens = int32(m.Tokens)
			} else if f.guess != nil {
				m.Tokens = f.guess(m.Content)
			}
		}
	})
	f.reader.Append(list...)
	return b, nil
}
