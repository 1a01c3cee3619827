package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/settings"
	"winnow/session/store"
	_ "winnow/session/store/storetest"
	"winnow/ui/app"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// desk is a session on disk, and a queue whose commands run when the test says so.
type desk struct {
	t       rapid.TB
	deps    session.Deps
	session *session.Session
	queue   *Model
	waiting []tea.Cmd // commands that have not run
	sending int64     // the id of the message that a turn tries to send
	leaf    int64
}

func newStore(t *testing.T) *store.Store {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func newDesk(t rapid.TB, db *store.Store) *desk {
	d := &desk{t: t}
	policy, err := history.Preset("balanced")
	d.must(err)
	row, first, err := db.BeginSession(context.Background(), store.Session{}, store.Message{
		Message: history.Message{Role: history.User, Content: "first"},
	})
	d.must(err)
	d.leaf, d.deps = first.ID, session.Deps{
		Store: db, Global: settings.Global{Policy: policy}, Count: func(text string) int { return len(text) },
		Models: new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: "http://127.0.0.1:1/v1", DefaultModel: "m"}),
	}
	d.open(row.ID)
	return d
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// open is the next start of the program: of the one before nothing is left but the file, whose queue is read.
func (d *desk) open(id string) {
	s, err := session.Open(context.Background(), d.deps, id, "here/m")
	d.must(err)
	say := func(string) tea.Cmd { return nil }
	d.session, d.waiting, d.sending = s, nil, 0
	shared := &app.Shared{ProgramContext: context.Background, Say: say, Fail: say}
	d.queue = New(&app.Context{Shared: shared, Session: s})
	d.later(d.queue.Load())
	for len(d.waiting) > 0 {
		d.run(0)
	}
}

func (d *desk) later(cmd tea.Cmd) {
	if cmd != nil {
		d.waiting = append(d.waiting, cmd)
	}
}

// run runs one of the waiting commands.
func (d *desk) run(i int) {
	cmd := d.waiting[i]
	d.waiting = slices.Delete(d.waiting, i, i+1)
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		d.waiting = append(d.waiting, msg...)
	case app.Then:
		d.later(msg())
	}
}

// stored stores the message that is being sent, as its turn does.
func (d *desk) stored(text string) {
	m, err := d.deps.Store.AppendMessage(context.Background(), store.Message{
		Session: d.session.Info().ID, Parent: d.leaf, Queued: d.sending, Message: history.Message{
			Role: history.User, Content: text,
		},
	})
	d.must(err)
	d.leaf = m.ID
}

// sent are the messages of the conversation behind its first one.
func (d *desk) sent() (texts []string) {
	branch, err := d.deps.Store.Branch(context.Background(), d.leaf, 0)
	d.must(err)
	for _, m := range branch[1:] {
		texts = append(texts, m.Content)
	}
	return texts
}

func (d *desk) queued() []string {
	var texts []string
	for _, it := range d.queue.items {
		texts = append(texts, it.Text)
	}
	return texts
}

// Whatever happens between two messages, none is lost, sent twice or sent before one that was queued earlier. A crash
// may cost a message only that was not saved yet: of it nobody was told that it is safe.
func TestNothingQueuedIsLostSentTwiceOrReordered(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := newDesk(rt, db)
		var want []string // all that was queued and neither taken back, removed nor lost unsaved
		now := ""         // the message that a turn tries to send
		made := 0
		// What was removed and came back with a crash, where others may have been sent meanwhile.
		undone := map[string]bool{}
		ordered := func(texts []string) []string {
			return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return undone[text] })
		}
		actions := map[string]func(*rapid.T){
			"queue a message": func(*rapid.T) {
				made++
				text := fmt.Sprintf("message %d", made)
				want = append(want, text)
				d.later(d.queue.Add(store.QueuedMessage{Text: text, Draft: store.Draft{Text: text}}))
			},
			"run a command": func(rt *rapid.T) {
				if len(d.waiting) > 0 {
					d.run(rapid.IntRange(0, len(d.waiting)-1).Draw(rt, "which"))
				}
			},
			"begin a turn": func(*rapid.T) {
				if now != "" {
					return
				}
				if m, ok := d.queue.Next(); ok {
					now, d.sending = m.Text, m.ID
				}
			},
			"the message is stored": func(*rapid.T) {
				if d.queue.Sending() {
					d.stored(now)
					d.queue.MessageStored()
				}
			},
			"the turn ends": func(rt *rapid.T) {
				well := rapid.Bool().Draw(rt, "well")
				if now == "" || well && d.queue.Sending() {
					return
				}
				d.queue.TurnEnded(well)
				if now = ""; !well && len(d.queue.items) > 0 && !d.queue.Paused() {
					rt.Fatal("a message may be sent behind a turn that did not end well")
				}
			},
			"the user goes on": func(*rapid.T) { d.queue.Resume() },
			"the last one is taken back": func(rt *rapid.T) {
				if d.queue.Len() == 0 {
					return
				}
				if m, cmd, ok := d.queue.TakeBack(); ok {
					d.later(cmd)
					want = slices.DeleteFunc(want, func(text string) bool { return text == m.Text })
				}
			},
			"the program crashes": func(*rapid.T) {
				if d.queue.Sending() && rapid.Bool().Draw(rt, "after the message came to disk") {
					d.stored(now)
				}
				onDisk := map[string]bool{}
				for _, it := range d.queue.items {
					onDisk[it.Text] = it.id != 0
				}
				for _, text := range d.sent() {
					onDisk[text] = true
				}
				want = slices.DeleteFunc(want, func(text string) bool { return !onDisk[text] })
				removed := slices.Clone(want)
				now = ""
				d.open(d.session.Info().ID)
				for _, text := range d.queued() { // a removal that did not come to disk is undone by the crash
					if !slices.Contains(removed, text) {
						want = append(want, text)
						undone[text] = true
					}
				}
				if d.queue.Len() > 0 && !d.queue.Paused() {
					rt.Fatal("a queue that was left goes on by itself")
				}
			},
			"": func(rt *rapid.T) {
				sent := d.sent()
				if len(slices.Compact(slices.Sorted(slices.Values(sent)))) != len(sent) {
					rt.Fatalf("sent twice: %q", sent)
				}
				if !slices.IsSortedFunc(ordered(sent), byNumber) || !slices.IsSortedFunc(d.queued(), byNumber) {
					rt.Fatalf("reordered: sent %q, queued %q", sent, d.queued())
				}
				all := append(slices.Clone(sent), d.queued()...)
				for _, text := range want {
					if !slices.Contains(all, text) {
						rt.Fatalf("%q is lost: sent %q, queued %q", text, sent, d.queued())
					}
				}
				last, next := ordered(sent), ordered(d.queued())
				if n := len(last); n > 0 && len(next) > 0 && byNumber(last[n-1], next[0]) >= 0 {
					rt.Fatalf("%q is sent and still queued: %q", last[n-1], d.queued())
				}
			},
		}
		rt.Repeat(actions)
	})
}

// byNumber orders texts that differ in the number at their end.
func byNumber(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

func TestAMessageIsSentFromMemoryWhereTheDiskIsFull(t *testing.T) {
	d := newDesk(t, newStore(t))
	d.later(d.queue.Add(store.QueuedMessage{Text: "one"}))
	if _, ok := d.queue.Next(); ok {
		t.Fatal("a message is sent that may come to the queue on disk later, and so twice")
	}
	d.waiting = nil
	d.queue.saved(d.queue.items[0], errors.New("the disk is full"))
	if m, ok := d.queue.Next(); !ok || m.Text != "one" || m.ID != 0 {
		t.Errorf("the next message is %+v, %v; want it from memory", m, ok)
	}
	if d.queue.Add(store.QueuedMessage{Text: "two"}); d.queue.items[0].saving {
		t.Error("a message that is being sent from memory comes to the queue on disk, and is sent twice")
	}
}

func TestWhatWasNotSavedIsSavedAtTheEnd(t *testing.T) {
	d := newDesk(t, newStore(t))
	d.queue.Add(store.QueuedMessage{Text: "one"})
	d.queue.Add(store.QueuedMessage{Text: "two"})
	d.must(d.queue.SaveAtExit(t.Context()))
	d.open(d.session.Info().ID)
	if !slices.Equal(d.queued(), []string{"one", "two"}) {
		t.Errorf("the next start finds %q", d.queued())
	}
}

func TestTheQueueIsDrawn(t *testing.T) {
	var screens uitest.Screens
	q := Model{paused: true, items: []*item{{QueuedMessage: store.QueuedMessage{Draft: store.Draft{
		Text: "Then write a test for it\nwith a dummy server.", Folds: []store.Fold{{Path: "/tmp/plan.txt"}, {}},
	}}}}}
	screens.Add("one, that waits", q.View(theme.Styles{}, 80, 5))
	q.paused = false
	for i := range 4 {
		m := store.QueuedMessage{Draft: store.Draft{Text: fmt.Sprintf("/alone message %d", i+2)}, Cut: i == 1}
		q.items = append(q.items, &item{QueuedMessage: m})
	}
	q.Next()
	screens.Add("five, the first is being sent", q.View(theme.Styles{}, 80, 5))
	screens.Add("five in 40 cells", q.View(theme.Styles{}, 40, 5))
	screens.Add("five in one line", q.View(theme.Styles{}, 40, 1))
	screens.Golden(t)
}
