package session

import (
	"context"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// reader is a conversation that holds no texts: it reads those that it needs again from the branch. It is used with the
// planner's lock held, or before the planner has it.
type reader struct {
	*history.Conversation
	tokens
	branch branch.Branch // what was appended, with the tokens that the conversation has of it
	fault  error         // of a message that could not be read again
}

// newReader returns a reader that has read nothing.
func (t tokens) newReader() *reader {
	r := &reader{tokens: t}
	r.Conversation = history.NewConversation(r.message, t.counter)
	return r
}

// message is message at as it was appended.
func (r *reader) message(at int) (history.Message, error) {
	m, err := r.branch.Message(at)
	if err != nil {
		r.fault = err
		return history.Message{}, err
	}
	if m.Tokens == 0 && m.Content != "" && r.guess != nil {
		m.Tokens = r.guess(m.Content)
	}
	return m.Message, nil
}

// failed says that there is no reader, or that it could not read a message again: then it makes no plan any more.
func (r *reader) failed() bool { return r == nil || r.fault != nil }

// recount takes counts of messages that were read with a guess, by their indexes, and removes them from fresh.
func (r *reader) recount(fresh map[int]int) {
	if len(fresh) == 0 {
		return
	}
	r.Recount(fresh)
	r.branch = r.branch.Change(func(row func(i int) *branch.Row) {
		for at, n := range fresh {
			row(at).Tokens = int32(n)
		}
	})
	clear(fresh)
}

// feeding hands messages of a branch to a reader. A little text without a count is counted at once; for more of it
// a guess has to do, so that nobody waits.
type feeding struct {
	tokens
	reader *reader
	counts bool // texts without a count are counted
}

// feed begins to hand over messages that have so many bytes of text without a count.
func (t tokens) feed(reader *reader, uncounted int) feeding {
	return feeding{t, reader, t.counter != nil && uncounted <= countAtOnce}
}

// append hands over the messages from one index to before another, and returns the branch with what was counted.
func (t tokens) append(to *reader, b branch.Branch, from, end int) (branch.Branch, error) {
	size := 0
	for i := from; i < end; i++ {
		if r := b.Row(i); r.Tokens == 0 {
			size += int(r.Size)
		}
	}
	counted, f := b, t.feed(to, size)
	err := b.Pieces(context.Background(), from, end, func(from int, messages []store.Message) (err error) {
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
	f.reader.branch = b
	return b, f.reader.Append(list...)
}
