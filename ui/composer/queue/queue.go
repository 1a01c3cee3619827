// Package queue holds the messages that the user has finished while an answer is still arriving: their order, whether
// the next one may be sent, and which are on disk. Sending is up to its parent, which asks for the next message after a
// turn and reports what became of it.
package queue

import (
	"context"
	"errors"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Model is the queue of one session.
type Model struct {
	// SendNext is called when the next message has been saved: until then it could not be sent.
	SendNext func() tea.Cmd

	ctx     *app.Context
	items   []*item // in the order of sending
	sending *item   // the item that a turn is sending, nil for none
	paused  bool    // nothing is sent until the user resumes
}

// item is a queued message.
type item struct {
	store.QueuedMessage
	saving bool  // it is being saved
	id     int64 // in the store, 0 for none; only steps of InOrder use it while it is being saved
}

// unsaved reports whether the message is in memory only: the session is not on disk yet, or saving failed.
func (it *item) unsaved() bool { return !it.saving && it.id == 0 }

// New returns an empty queue.
func New(ctx *app.Context) *Model { return &Model{ctx: ctx} }

// sessionID is the session's id, "" until it is on disk.
func (q *Model) sessionID() string { return q.ctx.Session.Info().ID }

// Load reads the queue that was left in the session and puts it before newer messages. The queue is then paused,
// because the user may have forgotten it.
func (q *Model) Load() tea.Cmd {
	if q.sessionID() == "" {
		return nil
	}
	var left []store.QueuedMessage
	return q.ctx.InOrder(func(ctx context.Context) (err error) {
		left, err = q.ctx.Session.Store().Queue(ctx, q.sessionID())
		return err
	}, func(err error) tea.Cmd {
		var items []*item
		for _, m := range left {
			items = append(items, &item{QueuedMessage: m, id: m.ID})
		}
		q.items, q.paused = append(items, q.items...), q.paused || len(items) > 0
		return tea.Batch(q.ctx.ReportError(err), q.ctx.Say(q.PausedNotice()))
	})
}

// Add appends a message to the queue.
func (q *Model) Add(m store.QueuedMessage) tea.Cmd {
	q.items = append(q.items, &item{QueuedMessage: m})
	return q.Save()
}

// Save saves the items that are not on disk yet, if the session is.
func (q *Model) Save() tea.Cmd {
	if q.sessionID() == "" {
		return nil
	}
	var cmds []tea.Cmd
	for _, it := range q.items {
		if it.unsaved() && it != q.sending { // an item that is being sent from memory would be sent twice
			it.saving = true
			cmds = append(cmds, q.ctx.InOrder(func(ctx context.Context) error { return q.save(ctx, it) },
				func(err error) tea.Cmd { return q.saved(it, err) }))
		}
	}
	return tea.Batch(cmds...)
}

// save stores an item.
func (q *Model) save(ctx context.Context, it *item) error {
	stored, err := q.ctx.Session.Store().Enqueue(ctx, q.sessionID(), it.QueuedMessage)
	it.id = stored.ID
	return err
}

// saved is called when an item has been saved, or could not be.
func (q *Model) saved(it *item, err error) (said tea.Cmd) {
	it.saving, it.ID = false, it.id
	if err != nil {
		said = q.ctx.Fail("The queued message could not be saved: " + theme.Sentence(err))
	}
	if len(q.items) > 0 && q.items[0] == it && q.SendNext != nil {
		return tea.Batch(said, q.SendNext())
	}
	return said
}

// SaveAtExit saves what is not on disk when the program ends.
func (q *Model) SaveAtExit(ctx context.Context) (err error) {
	if q.sessionID() == "" {
		return nil
	}
	err = q.ctx.Flush(ctx)
	for _, it := range q.items {
		if it.id == 0 {
			err = errors.Join(err, q.save(ctx, it))
		}
	}
	return err
}

// Len is the number of queued messages.
func (q *Model) Len() int { return len(q.items) }

// Paused reports whether the queue waits for the user.
func (q *Model) Paused() bool { return q.paused && len(q.items) > 0 }

// PausedNotice says that the queue is paused, "" if it is not.
func (q *Model) PausedNotice() string {
	if q.Paused() {
		return "The queue is paused."
	}
	return ""
}

// Next returns the message to be sent now, if there is one. The caller reports its fate with MessageStored and
// TurnEnded.
func (q *Model) Next() (store.QueuedMessage, bool) {
	if len(q.items) == 0 || q.paused || q.sending != nil || q.items[0].saving {
		return store.QueuedMessage{}, false
	}
	q.sending = q.items[0]
	return q.sending.QueuedMessage, true
}

// Sending reports whether a turn is sending a message of the queue that is not stored yet.
func (q *Model) Sending() bool { return q.sending != nil }

// MessageStored removes the message that is being sent from the queue, because it is in the chat now. It does nothing
// if the stored message did not come from the queue.
func (q *Model) MessageStored() {
	if q.sending != nil {
		q.items, q.sending = q.items[1:], nil
	}
}

// TurnEnded is called at the end of a turn. If the turn failed, the queue is paused.
func (q *Model) TurnEnded(well bool) {
	if !well || q.sending != nil {
		q.paused = len(q.items) > 0
	}
	q.sending = nil
}

// Resume continues a paused queue.
func (q *Model) Resume() { q.paused = false }

// TakeBack removes the newest message from a queue that is not empty, so that it can be edited as the draft. It fails
// for a message that is being sent; cmd says so.
func (q *Model) TakeBack() (m store.QueuedMessage, cmd tea.Cmd, ok bool) {
	last := len(q.items) - 1
	it := q.items[last]
	if it == q.sending {
		return m, q.ctx.Fail("This message is being sent already."), false
	}
	q.items = q.items[:last]
	if it.unsaved() {
		return it.QueuedMessage, nil, true
	}
	return it.QueuedMessage, q.ctx.InOrder(func(ctx context.Context) error {
		if it.id == 0 {
			return nil // saving it failed
		}
		return q.ctx.Session.Store().ReturnToDraft(ctx, q.sessionID(), it.id)
	}, q.ctx.ReportError), true
}

// DraftLabel returns a draft on one line, with its files at the beginning.
func DraftLabel(d store.Draft) string {
	label := ""
	for _, f := range d.Folds {
		switch {
		case f.Path != "":
			label += "[" + filepath.Base(f.Path) + "] "
		case f.From == f.To:
			label += "[file] "
		}
	}
	return markdown.OneLine(label+d.Text, 400)
}

// maxLines is the height of the queue above the draft.
const maxLines = 3

// View draws the queue in at most so many lines of w cells: the messages in order, and how many more there are.
func (q *Model) View(st theme.Styles, w, most int) (lines []string) {
	row := func(head, text string) {
		lines = append(lines, theme.Fit(st.You.Render("▌ ")+st.Muted.Render(head)+text, w))
	}
	most = min(most, maxLines)
	for i, it := range q.items {
		switch left := len(q.items) - i; {
		case i >= most:
			return lines
		case i > 0 && i == most-1 && left > 1:
			row("and "+theme.Thousands(left)+" more", "")
		case it == q.sending:
			row("sending ", DraftLabel(it.Draft))
		case q.paused:
			row("waits   ", DraftLabel(it.Draft))
		default:
			row("queued  ", DraftLabel(it.Draft))
		}
	}
	return lines
}
