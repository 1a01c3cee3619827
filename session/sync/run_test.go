package sync

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
	_ "winnow/session/store/storetest"
)

// machine is a history with the folder that it shares.
type machine struct {
	t   *testing.T
	s   *store.Store
	dir string
}

func newMachine(t *testing.T, dir string) *machine {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "winnow", "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &machine{t, s, dir}
}

func (m *machine) sync() Result {
	m.t.Helper()
	out, err := Run(m.t.Context(), m.s, Options{Dir: m.dir})
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

func (m *machine) begin(text string) (store.Session, store.Message) {
	m.t.Helper()
	session, first, err := m.s.Begin(m.t.Context(), store.Session{Title: text}, store.Message{Message: history.Message{Role: history.User, Content: text}})
	if err != nil {
		m.t.Fatal(err)
	}
	return session, first
}

func (m *machine) say(session string, parent int64, role history.Role, text string) store.Message {
	m.t.Helper()
	out, err := m.s.Append(m.t.Context(), store.Message{Session: session, Parent: parent, Message: history.Message{Role: role, Content: text}})
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// branch is what stands on the active branch of a session.
func (m *machine) branch(id string) string {
	m.t.Helper()
	row, err := m.s.Session(m.t.Context(), id)
	if err != nil {
		m.t.Fatal(err)
	}
	ids, err := m.s.BranchIDs(m.t.Context(), row.Leaf)
	if err != nil {
		m.t.Fatal(err)
	}
	all, err := m.s.MessagesWith(m.t.Context(), ids)
	if err != nil {
		m.t.Fatal(err)
	}
	var texts []string
	for _, one := range all {
		texts = append(texts, one.Content)
	}
	return strings.Join(texts, " | ")
}

func (m *machine) want(id, want string) {
	m.t.Helper()
	if got := m.branch(id); got != want {
		m.t.Errorf("the branch is %q, want %q", got, want)
	}
}

func leaf(t *testing.T, m *machine, id string) int64 {
	row, err := m.s.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return row.Leaf
}

func TestAChatGoesOnOnAnotherMachine(t *testing.T) {
	dir := t.TempDir()
	a, b := newMachine(t, dir), newMachine(t, dir)
	b.begin("something else")
	chat, first := a.begin("hello")
	a.say(chat.ID, first.ID, history.Assistant, "hi")
	a.sync()
	if out := b.sync(); out.Received != 2 || out.Sessions != 1 {
		t.Errorf("b received %+v", out)
	}
	b.want(chat.ID, "hello | hi")
	b.say(chat.ID, leaf(t, b, chat.ID), history.User, "how are you")
	b.sync()
	a.sync()
	a.want(chat.ID, "hello | hi | how are you")
	for _, m := range []*machine{a, b} {
		if out := m.sync(); out.Sent != 0 || out.Received != 0 {
			t.Errorf("a sync with nothing new did %+v", out)
		}
	}
	segments, _ := filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	if len(segments) != 3 {
		t.Errorf("there are %d segments, want 3", len(segments))
	}
}
