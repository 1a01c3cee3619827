// Package queue is the messages that the user has finished while an answer arrives: in which order they are sent, when
// the next one may be, and which of them are on disk. It sends nothing: its parent asks for the next message when a
// turn has ended, and says what became of it.
package queue

import (
	"context"
	"errors"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/theme"
)

// Model is the queue of one session. Its zero value is empty and belongs to no session.
type Model struct {
	event.Queue

	session *session.Session
	run     func(func(context.Context) tea.Msg) tea.Cmd // makes a command whose context ends with it
	items   []item                                      // in the order in which they are sent
	added   int                                         // items so far
	sending int                                         // the number of the item that a turn tries to send, 0 for none
	held    bool                                        // nothing is sent before the user says so
	disk    *disk
}

// item is a queued message.
type item struct {
	store.Queued
	number int // in this program, from 1
	state  state
}

// state is how an item stands on disk.
type state int

const (
	unsaved state = iota // its session is not on disk yet
	saving               // it is on its way
	saved
	failed // it could not be saved: it is sent from memory
)

// Ready is the event that the next message can be sent, which could not be before because it was still being saved.
type Ready struct{}

// Restored is the event that so many messages were read that had been left in the session's queue.
type Restored struct{ Messages int }

// Msg is what a command of a queue brings back. It is for the queue of one session.
type Msg interface{ of() *session.Session }

type (
	loadedMsg struct {
		session *session.Session
		queue   []store.Queued
		err     error
	}
	savedMsg struct {
		session *session.Session
		number  int
		id      int64
		err     error
	}
	removedMsg struct {
		session *session.Session
		err     error
	}
)

func (m loadedMsg) of() *session.Session  { return m.session }
func (m savedMsg) of() *session.Session   { return m.session }
func (m removedMsg) of() *session.Session { return m.session }

// Open makes it the queue of another session, and reads what was left in that.
func (q *Model) Open(s *session.Session, run func(func(context.Context) tea.Msg) tea.Cmd) tea.Cmd {
	*q = Model{session: s, run: run, added: q.added, disk: &disk{ids: map[int]int64{}}}
	if s.Info().ID == "" {
		return nil
	}
	return q.do(func(ctx context.Context, _ *disk) tea.Msg {
		left, err := s.Store().Queue(ctx, s.Info().ID)
		return loadedMsg{s, left, err}
	})
}

// Update takes what a command brought. What is for the queue of another session is dropped.
func (q Model) Update(msg Msg) (Model, tea.Cmd) {
	if msg.of() != q.session {
		return q, nil
	}
	switch msg := msg.(type) {
	case loadedMsg:
		q.loaded(msg)
	case savedMsg:
		q.wasSaved(msg)
	case removedMsg:
		if msg.err != nil {
			q.SayError(theme.Sentence(msg.err))
		}
	}
	return q, nil
}

// loaded puts what was left in the session in front of what was queued since. The user may have forgotten it: it
// waits for a word.
func (q *Model) loaded(msg loadedMsg) {
	if msg.err != nil {
		q.SayError(theme.Sentence(msg.err))
		return
	}
	var left []item
	for _, m := range msg.queue {
		q.added++
		left = append(left, item{m, q.added, saved})
		q.disk.know(q.added, m.ID)
	}
	if len(left) == 0 {
		return
	}
	q.items, q.held = append(left, q.items...), true
	q.Emit(Restored{len(left)})
}

// wasSaved notes that an item is on disk, or why it is not.
func (q *Model) wasSaved(msg savedMsg) {
	i := q.index(msg.number)
	switch {
	case i < 0: // it was taken back meanwhile
	case msg.err != nil:
		q.items[i].state = failed
		q.SayError("The queued message could not be saved: " + theme.Sentence(msg.err))
	default:
		q.items[i].state, q.items[i].ID = saved, msg.id
	}
	if i == 0 {
		q.Emit(Ready{})
	}
}

func (q *Model) index(number int) int {
	return slices.IndexFunc(q.items, func(it item) bool { return it.number == number })
}

// Add puts a message at the end of the queue.
func (q *Model) Add(m store.Queued) tea.Cmd {
	q.added++
	q.items = append(slices.Clip(q.items), item{m, q.added, unsaved})
	return q.Save()
}

// Save saves the items that are not on disk yet, where the session is.
func (q *Model) Save() tea.Cmd {
	if q.session == nil || q.session.Info().ID == "" {
		return nil
	}
	var cmds []tea.Cmd
	for i, it := range q.items {
		if it.state != unsaved {
			continue
		}
		q.items[i].state = saving
		s := q.session
		cmds = append(cmds, q.do(func(ctx context.Context, d *disk) tea.Msg {
			stored, err := s.Store().Enqueue(ctx, s.Info().ID, it.Queued)
			if err == nil {
				d.ids[it.number] = stored.ID
			}
			return savedMsg{s, it.number, stored.ID, err}
		}))
	}
	return tea.Batch(cmds...)
}

// Len is how many messages wait.
func (q *Model) Len() int { return len(q.items) }

// Held says that nothing of the queue is sent before the user says so.
func (q *Model) Held() bool { return q.held && len(q.items) > 0 }

// KeepAtEnd writes down what is not on disk yet, when the program ends: what its commands did not come to. What has no
// session on disk is returned.
func (q *Model) KeepAtEnd(ctx context.Context) (homeless []store.Queued, err error) {
	if q.session == nil {
		return nil, nil
	}
	for q.disk.waits() {
		q.disk.next(ctx)
	}
	q.disk.mu.Lock()
	defer q.disk.mu.Unlock()
	var faults []error
	for _, it := range q.items {
		_, stored := q.disk.ids[it.number]
		switch {
		case stored:
		case q.session.Info().ID == "":
			homeless = append(homeless, it.Queued)
		default:
			_, err := q.session.Store().Enqueue(ctx, q.session.Info().ID, it.Queued)
			faults = append(faults, err)
		}
	}
	return homeless, errors.Join(faults...)
}

// Next is the message that is to be sent now, if there is one. What becomes of it is told by Stored and Ended.
func (q *Model) Next() (store.Queued, bool) {
	if len(q.items) == 0 || q.held || q.sending != 0 || q.items[0].state == saving {
		return store.Queued{}, false
	}
	q.sending = q.items[0].number
	return q.items[0].Queued, true
}

// Sending says that a turn tries to send a message of the queue, which is not stored yet.
func (q *Model) Sending() bool { return q.sending != 0 }

// Stored says that the message that is being sent is in the conversation now. Where none is being sent, the message
// that was stored did not come from the queue.
func (q *Model) Stored() {
	if q.sending != 0 {
		q.items, q.sending = slices.Clone(q.items[1:]), 0
	}
}

// Ended says that a turn is over. After one that did not end well the queue waits for the user.
func (q *Model) Ended(well bool) {
	if !well || q.sending != 0 {
		q.held = len(q.items) > 0
	}
	q.sending = 0
}

// Release has the queue go on that waited for the user.
func (q *Model) Release() { q.held = false }

// TakeNewest takes the newest message out of the queue, to be written on. A message that is being sent stays.
func (q *Model) TakeNewest() (store.Queued, tea.Cmd, bool) { return q.Take(len(q.items) - 1) }

// Take takes the ith message out of the queue, to be written on.
func (q *Model) Take(i int) (store.Queued, tea.Cmd, bool) { return q.remove(i, true) }

// Remove removes the ith message from the queue.
func (q *Model) Remove(i int) (store.Queued, tea.Cmd, bool) { return q.remove(i, false) }

func (q *Model) remove(i int, keep bool) (store.Queued, tea.Cmd, bool) {
	if i < 0 || i >= len(q.items) || q.items[i].number == q.sending {
		return store.Queued{}, nil, false
	}
	it, s := q.items[i], q.session
	q.items = slices.Delete(slices.Clone(q.items), i, i+1)
	if it.state == unsaved || it.state == failed {
		return it.Queued, nil, true
	}
	return it.Queued, q.do(func(ctx context.Context, d *disk) tea.Msg {
		id, stored := d.ids[it.number]
		if !stored {
			return nil // it could not be saved
		}
		return removedMsg{s, s.Store().Unqueue(ctx, s.Info().ID, id, keep)}
	}), true
}

// do makes a command for the disk.
func (q *Model) do(write func(context.Context, *disk) tea.Msg) tea.Cmd {
	d := q.disk
	d.add(write)
	return q.run(d.next)
}

// disk does one thing after the other: commands run at the same time and in any order, but a message must be saved
// before it can be removed.
type disk struct {
	mu   sync.Mutex
	todo []func(context.Context, *disk) tea.Msg
	ids  map[int]int64 // of the messages on disk, by the number of the item

	adding sync.Mutex // held while todo changes
}

func (d *disk) add(write func(context.Context, *disk) tea.Msg) {
	d.adding.Lock()
	defer d.adding.Unlock()
	d.todo = append(d.todo, write)
}

// next does what was added first.
func (d *disk) next(ctx context.Context) tea.Msg {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.adding.Lock()
	if len(d.todo) == 0 { // KeepAtEnd did it
		d.adding.Unlock()
		return nil
	}
	write := d.todo[0]
	d.todo = d.todo[1:]
	d.adding.Unlock()
	return write(ctx, d)
}

// waits says that something is still to be done.
func (d *disk) waits() bool {
	d.adding.Lock()
	defer d.adding.Unlock()
	return len(d.todo) > 0
}

// know notes the id of an item that was read.
func (d *disk) know(number int, id int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ids[number] = id
}
