package sync

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
	_ "winnow/session/store/storetest"
)

// machine is a history with its synced folder.
type machine struct {
	t   *testing.T
	s   *store.Store
	dir string
}

func newMachine(t *testing.T, dir string) *machine {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "winnow", "winnow.db"), store.Options{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return &machine{t, s, dir}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) sync() Result {
	m.t.Helper()
	return m.syncWith("")
}

// segments returns the paths of the segments in a synced folder.
func segments(dir string) (paths []string) {
	paths, _ = filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	return paths
}

func (m *machine) begin(text string) (store.Session, store.Message) {
	m.t.Helper()
	session, first, err := m.s.BeginSession(m.t.Context(), store.Session{Title: text}, says("", 0, history.User, text))
	must(m.t, err)
	return session, first
}

func (m *machine) say(session string, parent int64, role history.Role, text string) store.Message {
	m.t.Helper()
	out, err := m.s.AppendMessage(m.t.Context(), says(session, parent, role, text))
	must(m.t, err)
	return out
}

// branch returns the messages of the active branch of a session.
func (m *machine) branch(id string) string {
	m.t.Helper()
	row, err := m.s.Session(m.t.Context(), id)
	must(m.t, err)
	ids, err := m.s.BranchIDs(m.t.Context(), id, row.Leaf)
	must(m.t, err)
	all, err := m.s.MessagesByID(m.t.Context(), ids)
	must(m.t, err)
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
	must(t, err)
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
	written := segments(dir)
	if len(written) != 3 {
		t.Errorf("there are %d segments, want 3", len(written))
	}
}

// A chat that is open on one machine notices that a message was excluded on another.
func TestAnExclusionReachesAnOpenChat(t *testing.T) {
	dir := t.TempDir()
	a, b := newMachine(t, dir), newMachine(t, dir)
	chat, first := a.begin("a secret")
	a.sync()
	b.sync()
	open, err := b.s.Session(t.Context(), chat.ID)
	must(t, err)
	_, err = a.s.SetFlags(t.Context(), map[int64]history.Flag{first.ID: history.Exclude})
	must(t, err)
	a.sync()
	b.sync()
	now, err := b.s.Session(t.Context(), chat.ID)
	must(t, err)
	decided, err := b.s.UserDecisions(t.Context(), chat.ID)
	if err != nil || now.Changes == open.Changes || decided.Flags[first.ID] != history.Exclude {
		t.Errorf("changes %d, before %d; flags %v, %v", now.Changes, open.Changes, decided.Flags, err)
	}
}

// A machine keeps its folder when its host is renamed, so that a purge reaches everything it ever wrote.
func TestARenamedHostIsTheSameMachine(t *testing.T) {
	dir := t.TempDir()
	a, b := newMachine(t, dir), newMachine(t, dir)
	chat, first := a.begin("zephyrtoken")
	a.sync()
	if _, err := a.s.Sync().Join(t.Context(), "another-name"); err != nil { // the next sync finds another one
		t.Fatal(err)
	}
	a.say(chat.ID, first.ID, history.Assistant, "an answer")
	a.sync()
	if machines, _ := filepath.Glob(filepath.Join(dir, "*")); len(machines) != 1 { // only one has written
		t.Errorf("the folder has %q, want one folder of the renamed machine", machines)
	}
	b.sync()
	b.want(chat.ID, "zephyrtoken | an answer")
	must(t, b.s.Purge(t.Context(), chat.ID))
	for range 2 {
		b.sync()
		a.sync()
	}
	for _, m := range []*machine{a, b} {
		if _, err := m.s.Session(t.Context(), chat.ID); err == nil {
			t.Error("a machine has the purged chat")
		}
	}
	for _, path := range segments(dir) {
		if bytes.Contains(segmentText(t, path), []byte("zephyrtoken")) {
			t.Errorf("%s holds what was purged", path)
		}
	}
}

// segmentText returns the content of a plain segment.
func segmentText(t *testing.T, path string) (all []byte) {
	t.Helper()
	s, err := openSegment(path)
	must(t, err)
	defer s.Close()
	_, err = readSegment(s, nil, func(l store.Line) error {
		text, err := json.Marshal(l)
		all = append(all, text...)
		return err
	})
	must(t, err)
	return all
}

func TestManySmallSegmentsAreFolded(t *testing.T) {
	dir := t.TempDir()
	a, b := newMachine(t, dir), newMachine(t, dir)
	chat, last := a.begin("turn 0")
	want := "turn 0"
	for turn := range maxSmall + 6 {
		text := fmt.Sprint("turn ", turn+1)
		last = a.say(chat.ID, last.ID, history.User, text)
		want += " | " + text
		a.sync()
	}
	b.sync()
	b.want(chat.ID, want)
	if files, _ := filepath.Glob(filepath.Join(dir, "*", "*.seg")); len(files) > maxSmall {
		t.Errorf("the folder has %d files after folding", len(files))
	}
}
