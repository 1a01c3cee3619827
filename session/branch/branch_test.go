package branch

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
)

var errDisk = errors.New("the disk is gone")

// disk is a store of messages that counts what is read of it.
type disk struct {
	messages map[int64]store.Message
	broken   bool
	reads    int
}

func (d *disk) read(_ context.Context, ids []int64) ([]store.Message, error) {
	d.reads++
	if d.broken {
		return nil, errDisk
	}
	var list []store.Message
	for _, id := range ids {
		if m, ok := d.messages[id]; ok {
			list = append(list, m)
		}
	}
	return list, nil
}

// plain is a branch with what it has to hold.
type plain struct {
	Branch
	messages []store.Message
}

func (p plain) check(t *rapid.T, d *disk) {
	t.Helper()
	if p.Len() != len(p.messages) {
		t.Fatalf("it has %d messages, want %d", p.Len(), len(p.messages))
	}
	lastUser := -1
	for i, want := range p.messages {
		r := p.Row(i)
		if r.ID != want.ID || r.Role() != want.Role || r.Status() != want.Status || int(r.Size) != len(want.Content) ||
			int(r.Tokens) != want.Tokens ||
			int(r.Calls) != len(want.ToolCalls) || r.Request != want.Request || r.SentAlone != want.Alone ||
			r.TurnFailed != (want.Fault != "") {
			t.Fatalf("row %d is %+v, want that of %+v", i, r, want)
		}
		if at, there := p.Find(want.ID); at != i || !there {
			t.Fatalf("message %d is found at %d, %v, want %d", want.ID, at, there, i)
		}
		if want.Role == history.User {
			lastUser = i
		}
	}
	if got := p.LastOf(history.User); got != lastUser {
		t.Fatalf("the last message of the user is %d, want %d", got, lastUser)
	}
	all, err := p.All(t.Context())
	if d.broken && len(p.messages) > 0 {
		if !errors.Is(err, errDisk) {
			t.Fatalf("nothing can be read, and the error is %v", err)
		}
		return
	}
	if err != nil || !slices.EqualFunc(all, p.messages,
		func(a, b store.Message) bool { return reflect.DeepEqual(a, b) }) {
		t.Fatalf("all messages are %+v, %v, want %+v", all, err, p.messages)
	}
}

// TestBranchIsTheListOfItsMessages appends, goes back, forks, counts and loses the disk, on several branches that begin
// alike, and compares each with a slice.
func TestBranchIsTheListOfItsMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := &disk{messages: map[int64]store.Message{}}
		branches := []plain{{Branch: New("t", d.read)}}
		next := int64(1)
		message := func() store.Message {
			m := store.Message{
				Message: history.Message{
					ID: next, Role: roles[1+next%4], Status: statuses[1+next%6],
					Content: strings.Repeat("word ", rapid.IntRange(0, 3).Draw(t, "words")),
				},
				Tokenizer: "t", Request: next % 3, Alone: next%5 == 0, Siblings: 1, Sibling: 1,
			}
			if m.Tokens = int(next % 7); next%11 == 0 {
				m.ToolCalls, m.Fault = []history.ToolCall{{ID: "a", Name: "f"}}, "{}"
			}
			next += rapid.Int64Range(1, 3).Draw(t, "gap")
			d.messages[m.ID] = m
			return m
		}
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			b := &branches[rapid.IntRange(0, len(branches)-1).Draw(t, "branch")]
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0: // some messages more
				var more []store.Message
				for range rapid.IntRange(1, 200).Draw(t, "more") {
					more = append(more, message())
				}
				b.Branch, b.messages = b.Append(more...), append(slices.Clip(b.messages), more...)
			case 1: // another branch that begins as this one
				n := rapid.IntRange(0, b.Len()).Draw(t, "first")
				branches = append(branches, plain{b.First(n), slices.Clone(b.messages[:n])})
			case 2: // one message is counted
				if b.Len() > 0 {
					at := rapid.IntRange(0, b.Len()-1).Draw(t, "counted")
					b.messages = slices.Clone(b.messages)
					b.messages[at].Tokens += 3
					b.Branch = b.UpdateRows(func(rows []Row) { rows[at].Tokens += 3 })
				}
			case 3: // one message is asked for
				if b.Len() > 0 {
					at := rapid.IntRange(0, b.Len()-1).Draw(t, "asked")
					m, err := b.Message(at)
					if !d.broken && (err != nil || !reflect.DeepEqual(m, b.messages[at])) || d.broken && err != nil &&
						!errors.Is(err, errDisk) {
						t.Fatalf("message %d is %+v, %v, want %+v", at, m, err, b.messages[at])
					}
				}
			case 4: // the newest were read first
				n := rapid.IntRange(0, b.Len()).Draw(t, "older")
				newest := b.First(0).Append(b.messages[n:]...)
				for i, m := range b.messages[n:] {
					newest = newest.UpdateRows(func(rows []Row) { rows[i].Tokens = int32(m.Tokens) })
				}
				b.Branch = newest.WithOlder(b.First(n))
			case 5:
				d.broken = !d.broken
			case 6: // all is read anew
				if d.broken {
					continue
				}
				var ids []int64
				for _, m := range b.messages {
					ids = append(ids, m.ID)
				}
				loaded, err := New("t", d.read).Load(t.Context(), ids, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.messages {
					loaded = loaded.UpdateRows(func(rows []Row) { rows[i].Tokens = int32(b.messages[i].Tokens) })
				}
				b.Branch = loaded
			}
			for i := range branches {
				branches[i].check(t, d)
			}
		}
	})
}

// A message that is gone from the store is an error, never another message.
func TestAMessageThatIsGoneIsAnError(t *testing.T) {
	t.Parallel()
	d := &disk{messages: map[int64]store.Message{}}
	b := New("", d.read)
	for i := range 3 {
		m := store.Message{Message: history.Message{ID: int64(i + 1), Role: history.User}}
		d.messages[m.ID] = m
		b = b.Append(m)
	}
	delete(d.messages, 2)
	if m, err := b.Message(2); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the page has %+v, %v; want an error", m, err)
	}
}
