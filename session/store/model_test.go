package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// model is what a store should hold, kept in the plainest way: a list of sessions with lists of
// messages. The last used session is the last of the list.
type model struct {
	sessions []*modelSession
	lastID   int64
}

type modelSession struct {
	id                        string
	title, from               string
	leaf                      int64
	pinned, archived, deleted bool
	messages                  []*modelMessage
	draft                     string
}

type modelMessage struct {
	id, parent int64
	seq        int
	role       history.Role
	content    string
	calls      int
	status     history.Status
	store      int // which store streams it, -1 for none
	flag       history.Flag
	remedy     history.Remedy
}

func (m *modelSession) find(id int64) *modelMessage {
	i := slices.IndexFunc(m.messages, func(x *modelMessage) bool { return x.id == id })
	if i < 0 {
		return nil
	}
	return m.messages[i]
}

func (m *model) use(s *modelSession) {
	i := slices.Index(m.sessions, s)
	m.sessions = append(slices.Delete(m.sessions, i, i+1), s)
}

// branch returns the ids from the beginning to leaf.
func (m *modelSession) branch(leaf int64) []int64 {
	out := []int64{}
	for leaf != 0 {
		out = append(out, leaf)
		leaf = m.find(leaf).parent
	}
	slices.Reverse(out)
	return out
}

func (m *modelSession) siblings(parent int64) []int64 {
	out := []int64{}
	for _, x := range m.messages {
		if x.parent == parent {
			out = append(out, x.id)
		}
	}
	return out
}

func (m *modelSession) turns() int {
	n := 0
	for _, x := range m.messages {
		if x.role == history.User {
			n++
		}
	}
	return n
}

// machine drives two stores on one file and a model beside them.
type machine struct {
	model
	path   string
	stores [2]*Store
}

func (x *machine) open(t *rapid.T, i int) {
	s, err := Open(context.Background(), x.path, Options{Now: noon().now})
	if err != nil {
		t.Fatalf("open store %d: %v", i, err)
	}
	x.stores[i] = s
}

func (x *machine) any(t *rapid.T) (int, *Store) {
	i := rapid.IntRange(0, 1).Draw(t, "store")
	return i, x.stores[i]
}

func (x *machine) session(t *rapid.T) *modelSession {
	if len(x.sessions) == 0 {
		t.Skip("no session")
	}
	return rapid.SampledFrom(x.sessions).Draw(t, "session")
}

// message draws a message of a session, 0 for none.
func (m *modelSession) message(t *rapid.T) int64 {
	i := rapid.IntRange(0, len(m.messages)).Draw(t, "message")
	if i == 0 {
		return 0
	}
	return m.messages[i-1].id
}

func text(t *rapid.T) string {
	return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "text"))
}

var roles = []history.Role{history.User, history.Assistant, history.Tool, history.System, "oracle"}

func (x *machine) added(t *rapid.T, s *modelSession, m Message, store int) {
	if m.ID <= x.lastID {
		t.Fatalf("message %d has an id that was used before (%d)", m.ID, x.lastID)
	}
	x.lastID = m.ID
	s.messages = append(s.messages, &modelMessage{
		id: m.ID, parent: m.Parent, seq: len(s.messages) + 1, role: m.Role, content: m.Content,
		calls: len(m.ToolCalls), status: m.Status, store: store,
	})
	s.leaf = m.ID
	if m.Role == history.User {
		s.draft = ""
	}
	x.use(s)
}

func (x *machine) begin(t *rapid.T) {
	_, s := x.any(t)
	title := rapid.StringN(0, 5, 10).Draw(t, "title")
	session, m, err := s.Begin(context.Background(), Session{Title: title}, says("", 0, rapid.SampledFrom(roles).Draw(t,
		"role"), text(t)))
	if err != nil {
		t.Fatal(err)
	}
	n := &modelSession{id: session.ID, title: title}
	x.sessions = append(x.sessions, n)
	x.added(t, n, m, -1)
}

func (x *machine) append(t *rapid.T) {
	_, s := x.any(t)
	in := x.session(t)
	m := says(in.id, in.message(t), rapid.SampledFrom(roles).Draw(t, "role"), text(t))
	m.ToolCalls = make([]history.ToolCall, rapid.IntRange(0, 2).Draw(t, "calls"))
	m, err := s.Append(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	x.added(t, in, m, -1)
}

func (x *machine) start(t *rapid.T) {
	i, s := x.any(t)
	in := x.session(t)
	m, err := s.StartAnswer(context.Background(), says(in.id, in.message(t), history.Assistant, ""))
	if err != nil {
		t.Fatal(err)
	}
	x.added(t, in, m, i)
}

// answer checkpoints or finishes any message through any store: only the owner may.
func (x *machine) answer(t *rapid.T) {
	i, s := x.any(t)
	in := x.session(t)
	id := in.message(t)
	m := in.find(id)
	ends := rapid.Bool().Draw(t, "ends")
	says := text(t)
	var err error
	if ends {
		_, err = s.FinishAnswer(context.Background(), Message{
			Message: history.Message{
				ID: id, Role: history.Assistant, Content: says, Status: history.Interrupted,
				ToolCalls: make([]history.ToolCall, 1),
			},
		}, Request{Session: in.id})
	} else {
		err = s.Checkpoint(context.Background(), id, says, "")
	}
	if m == nil || m.store != i {
		if !errors.Is(err, ErrNotStreamed) {
			t.Fatalf("store %d wrote message %d, which it does not stream: %v", i, id, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m.content = says
	if ends {
		m.status, m.store, m.calls = history.Interrupted, -1, 1
		x.use(in)
	}
}

// reopen closes a store, which interrupts what it streams, and opens it again.
func (x *machine) reopen(t *rapid.T) {
	i, s := x.any(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, in := range x.sessions {
		for _, m := range in.messages {
			if m.store == i {
				m.status, m.store = history.Interrupted, -1
			}
		}
	}
	x.open(t, i)
}

func (x *machine) edit(t *rapid.T) {
	_, s := x.any(t)
	in := x.session(t)
	ctx := context.Background()
	var err error
	switch rapid.SampledFrom([]string{
		"rename", "pin", "archive", "delete", "restore", "leaf", "draft", "flag",
		"remedy",
	}).Draw(t, "edit") {
	case "rename":
		title, from := rapid.StringN(0, 5, 10).Draw(t, "title"), rapid.SampledFrom([]string{"auto", "user"}).Draw(t,
			"from")
		err = s.Rename(ctx, in.id, title, TitleSource(from))
		if from == "user" || in.from != "user" {
			in.title, in.from = title, from
		}
	case "pin":
		in.pinned = !in.pinned
		err = s.Update(ctx, in.id, func(row *Session) { row.Pinned = in.pinned })
	case "archive":
		in.archived = !in.archived
		err = s.Update(ctx, in.id, func(row *Session) { row.Archived = in.archived })
	case "delete":
		in.deleted = true
		err = s.Delete(ctx, in.id)
	case "restore":
		in.deleted = false
		err = s.Restore(ctx, in.id)
	case "leaf":
		in.leaf = in.message(t)
		err = s.Update(ctx, in.id, func(row *Session) { row.Leaf = in.leaf })
	case "draft":
		in.draft = text(t)
		err = s.SaveDraft(ctx, in.id, Draft{Text: in.draft})
	case "flag":
		if id := in.message(t); id != 0 {
			in.find(id).flag = rapid.SampledFrom([]history.Flag{"", history.Pin, history.Exclude}).Draw(t, "flag")
			err = flag(ctx, s, id, in.find(id).flag)
		}
	case "remedy":
		r := rapid.SampledFrom(history.Remedies()).Draw(t, "remedy")
		var ids []int64
		for range rapid.IntRange(0, 3).Draw(t, "messages") {
			if id := in.message(t); id != 0 {
				in.find(id).remedy = r
				ids = append(ids, id)
			}
		}
		err = s.SetRemedies(ctx, r, ids...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (x *machine) purge(t *rapid.T) {
	_, s := x.any(t)
	in := x.session(t)
	if err := s.Purge(context.Background(), in.id); err != nil {
		t.Fatal(err)
	}
	x.sessions = slices.DeleteFunc(x.sessions, func(o *modelSession) bool { return o == in })
}

// page reads a branch in pages of a random size, from a random message to its beginning.
func (x *machine) page(t *rapid.T) {
	_, s := x.any(t)
	in := x.session(t)
	leaf := in.message(t)
	size := rapid.IntRange(1, 4).Draw(t, "page")
	got := []int64{}
	for end := leaf; ; {
		page, err := s.Branch(context.Background(), end, size)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		end = page[0].Parent
		ids := []int64{}
		for _, m := range page {
			ids = append(ids, m.ID)
		}
		got = append(ids, got...)
	}
	if want := in.branch(leaf); !reflect.DeepEqual(got, want) {
		t.Fatalf("the branch of %d in pages of %d is %v, want %v", leaf, size, got, want)
	}
}

// check compares everything that can be read with the model.
func (x *machine) check(t *rapid.T) {
	ctx := context.Background()
	s := x.stores[0]
	for _, f := range []Filter{{}, {Trash: true}, {Archived: true}} {
		want := []string{}
		for _, pinned := range []bool{true, false} {
			for _, in := range slices.Backward(x.sessions) {
				if in.pinned == pinned && in.deleted == f.Trash && (f.Trash || in.archived == f.Archived) {
					want = append(want, in.describe())
				}
			}
		}
		list, err := s.Sessions(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, r := range list {
			got = append(got, fmt.Sprintf("%s %q %s leaf %d pinned %v archived %v deleted %v: %d, %d turns",
				r.ID, r.Title, r.TitleFrom, r.Leaf, r.Pinned, r.Archived, !r.Deleted.IsZero(), r.Messages, r.Turns))
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("Sessions(%+v) is\n%q, want\n%q", f, got, want)
		}
	}
	for _, in := range x.sessions {
		x.checkSession(t, in)
	}
}

func (m *modelSession) describe() string {
	return fmt.Sprintf("%s %q %s leaf %d pinned %v archived %v deleted %v: %d, %d turns",
		m.id, m.title, m.from, m.leaf, m.pinned, m.archived, m.deleted, len(m.messages), m.turns())
}

func (x *machine) checkSession(t *rapid.T, in *modelSession) {
	ctx := context.Background()
	s := x.stores[1]
	flags, remedies := map[int64]history.Flag{}, map[int64]history.Remedy{}
	for _, m := range in.messages {
		if m.remedy != history.SendRepaired {
			remedies[m.id] = m.remedy
		}
		if m.flag != "" {
			flags[m.id] = m.flag
		}
	}
	decided := Decisions{Flags: flags, Remedies: remedies}
	if got, err := s.Decisions(ctx, in.id); err != nil || !reflect.DeepEqual(got, decided) {
		t.Fatalf("Decisions = %v, %v; want %v", got, err, decided)
	}
	if got, err := s.Draft(ctx, in.id); err != nil || got.Text != in.draft {
		t.Fatalf("Draft = %q, %v; want %q", got.Text, err, in.draft)
	}
	all, err := s.Messages(ctx, in.id)
	if err != nil || len(all) != len(in.messages) {
		t.Fatalf("Messages returns %d, %v; want %d", len(all), err, len(in.messages))
	}
	for i, m := range in.messages {
		if all[i].ID != m.id || all[i].Parent != m.parent || all[i].Content != m.content {
			t.Fatalf("message %d of all is %d behind %d, %q; want %d behind %d, %q",
				i, all[i].ID, all[i].Parent, all[i].Content, m.id, m.parent, m.content)
		}
	}
	got, err := s.Branch(ctx, in.leaf, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := in.branch(in.leaf)
	if len(got) != len(want) {
		t.Fatalf("the branch of %d is %q, want %v", in.leaf, contents(got), want)
	}
	for i, id := range want {
		m, siblings := in.find(id), in.siblings(in.find(id).parent)
		wants := fmt.Sprintf("%d of %d seq %d %s %s %q calls %d, %d/%d", m.id, m.parent, m.seq, m.role, m.status,
			m.content,
			m.calls, slices.Index(siblings, id)+1, len(siblings))
		g := got[i]
		is := fmt.Sprintf("%d of %d seq %d %s %s %q calls %d, %d/%d", g.ID, g.Parent, g.Seq, g.Role, g.Status,
			g.Content,
			len(g.ToolCalls), g.Sibling, g.Siblings)
		if is != wants {
			t.Fatalf("message is\n%s, want\n%s", is, wants)
		}
	}
}

func TestTwoStoresBehaveAsOneSimpleModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		sub := filepath.Join(dir, fmt.Sprint(n))
		x := &machine{path: filepath.Join(sub, "winnow.db")}
		for i := range x.stores {
			x.open(t, i)
		}
		defer func() {
			for _, s := range x.stores {
				s.Close()
			}
			os.RemoveAll(sub)
		}()
		t.Repeat(map[string]func(*rapid.T){
			"begin": x.begin, "append": x.append, "append again": x.append,
			"start": x.start, "answer": x.answer, "answer again": x.answer,
			"reopen": x.reopen, "edit": x.edit, "purge": x.purge, "page": x.page, "": x.check,
		})
	})
}
