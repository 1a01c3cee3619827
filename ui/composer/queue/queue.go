// Package queue is the messages that the user has finished while an answer arrives: in which order they are sent, when
// the next one may be, and which of them are on disk. It sends nothing: its parent asks for the next message when a
// turn has ended, and says what became of it.
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
	// Ready sends the next message, where that may be: it could not be sent before because it was still being saved.
	SendNext func() tea.Cmd

	ctx     *app.Context
	items   []*item // in the order in which they are sent
	sending *item   // that a turn tries to send, nil for none
	paused  bool    // nothing is sent before the user says so
}

// item is a queued message.
type item struct {
	store.QueuedMessage
	saving bool  // it is on its way to the disk
	id     int64 // on disk, 0 where it is not; only what is done in order reads and writes it while it is being saved
}

// unsaved reports whether the message is in memory alone: its session is not on disk yet, or could not take it.
func (it *item) unsaved() bool { return !it.saving && it.id == 0 }

// New is an empty queue.
func New(ctx *app.Context) *Model { return &Model{ctx: ctx} }

// sessionID is the session's, "" as long as it is not on disk.
func (q *Model) sessionID() string { return q.ctx.Session.Info().ID }

// Load reads what was left in the session, and puts it in front of what was queued since. The user may have forgotten
// it: it waits for a word.
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

// Add puts a message at the end of the queue.
func (q *Model) Add(m store.QueuedMessage) tea.Cmd {
	q.items = append(q.items, &item{QueuedMessage: m})
	return q.Save()
}

// Save saves the items that are not on disk yet, where the session is.
func (q *Model) Save() tea.Cmd {
	if q.sessionID() == "" {
		return nil
	}
	var cmds []tea.Cmd
	for _, it := range q.items {
		if it.unsaved() && it != q.sending { // one that is being sent from memory would be sent twice
			it.saving = true
			cmds = append(cmds, q.ctx.InOrder(func(ctx context.Context) error { return q.save(ctx, it) },
				func(err error) tea.Cmd { return q.saved(it, err) }))
		}
	}
	return tea.Batch(cmds...)
}

// save writes an item down.
func (q *Model) save(ctx context.Context, it *item) error {
	stored, err := q.ctx.Session.Store().Enqueue(ctx, q.sessionID(), it.QueuedMessage)
	it.id = stored.ID
	return err
}

// saved notes that an item is on disk, or why it is not.
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

// SaveAtExit writes down what is not on disk when the program ends and its commands are done.
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

// Len is how many messages wait.
func (q *Model) Len() int { return len(q.items) }

// Paused reports whether nothing of the queue is sent before the user says so.
func (q *Model) Paused() bool { return q.paused && len(q.items) > 0 }

// PausedNotice says that the queue waits for the user, "" where it does not.
func (q *Model) PausedNotice() string {
	if q.Paused() {
		return "The queue is paused."
	}
	return ""
}

// Next is the message that is to be sent now, if there is one. What becomes of it is told by Stored and Ended.
func (q *Model) Next() (store.QueuedMessage, bool) {
	if len(q.items) == 0 || q.paused || q.sending != nil || q.items[0].saving {
		return store.QueuedMessage{}, false
	}
	q.sending = q.items[0]
	return q.sending.QueuedMessage, true
}

// Sending reports whether a turn tries to send a message of the queue, which is not stored yet.
func (q *Model) Sending() bool { return q.sending != nil }

// MessageStored says that the message that is being sent is in the conversation now. Where none is being sent, the message
// that was stored did not come from the queue.
func (q *Model) MessageStored() {
	if q.sending != nil {
		q.items, q.sending = q.items[1:], nil
	}
}

// TurnEnded says that a turn is over. After one that did not end well the queue waits for the user.
func (q *Model) TurnEnded(well bool) {
	if !well || q.sending != nil {
		q.paused = len(q.items) > 0
	}
	q.sending = nil
}

// Resume has the queue go on that waited for the user.
func (q *Model) Resume() { q.paused = false }

// TakeBack takes the newest message out of the queue, which must have one, to be written on: then it is the draft on
// disk. A message that is being sent stays, which the command says then.
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
			return nil // it could not be saved
		}
		return q.ctx.Session.Store().ReturnToDraft(ctx, q.sessionID(), it.id)
	}, q.ctx.ReportError), true
}

// DraftLabel is a draft on one line. Its files are named in front.
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

// maxLines is how many lines the queue takes above the draft.
const maxLines = 3

// View draws the queue in at most so many lines of w cells: the messages in the order in which they are sent, and how
// many more there are.
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
