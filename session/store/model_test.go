package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// machine is two stores on one file and, beside them, what they should hold.
type machine struct {
	path     string
	stores   [2]*Store
	sessions []*modelSession  // the one used last is the last
	streams  map[int64]*Store // which store streams a message
	newest   int64            // the newest message
}

type modelSession struct {
	Session
	messages []Message
	decided  UserDecisions
	draft    string
}

// message draws a message of a session, nil for none.
func (in *modelSession) message(t *rapid.T) *Message {
	i := rapid.IntRange(0, len(in.messages)).Draw(t, "message")
	if i == 0 {
		return nil
	}
	return &in.messages[i-1]
}

// id draws the id of a message of a session, 0 for none.
func (in *modelSession) id(t *rapid.T) int64 {
	if m := in.message(t); m != nil {
		return m.ID
	}
	return 0
}

// branch is what Branch should return of the messages up to the leaf.
func (in *modelSession) branch() (all []Message) {
	for id := in.Leaf; id != 0; id = all[0].Parent {
		m := in.messages[slices.IndexFunc(in.messages, func(m Message) bool { return m.ID == id })]
		m.Siblings, m.Sibling = 0, 0
		for _, other := range in.messages {
			if other.Parent == m.Parent {
				m.Siblings++
				if other.ID <= m.ID {
					m.Sibling++
				}
			}
		}
		all = slices.Insert(all, 0, m)
	}
	return all
}

func text(t *rapid.T) string {
	return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "text"))
}

var roles = []history.Role{history.User, history.Assistant, history.Tool, history.System, "oracle"}

func role(t *rapid.T) history.Role { return rapid.SampledFrom(roles).Draw(t, "role") }

func (x *machine) open(i int) (err error) {
	x.stores[i], err = Open(context.Background(), x.path, Options{Now: noon().now})
	return err
}

func (x *machine) use(in *modelSession) {
	x.sessions = append(slices.DeleteFunc(x.sessions, func(s *modelSession) bool { return s == in }), in)
}

// added notes a message that was stored in a session.
func (x *machine) added(in *modelSession, m Message, err error) error {
	if err != nil || m.ID <= x.newest {
		return fmt.Errorf("message %d is stored behind %d: %w", m.ID, x.newest, err)
	}
	x.newest, in.Leaf = m.ID, m.ID
	in.messages = append(in.messages, m)
	if in.Messages++; m.Role == history.User {
		in.Turns, in.draft = in.Turns+1, ""
	}
	x.use(in)
	return nil
}

// answer writes to any message through any store: only the one that streams it may.
func (x *machine) answer(t *rapid.T, s *Store, in *modelSession, write func(m *Message) error) error {
	m := in.message(t)
	if m == nil || x.streams[m.ID] != s {
		if m == nil {
			m = &Message{}
		}
		other := *m
		if err := write(&other); !errors.Is(err, ErrNotStreamed) {
			return fmt.Errorf("message %d, which is not streamed there, was written: %w", m.ID, err)
		}
		return nil
	}
	return write(m)
}

// operations are what is done to a session through one of the stores, and to the model of it.
func (x *machine) operations(ctx context.Context) map[string]func(t *rapid.T, s *Store, in *modelSession) error {
	return map[string]func(t *rapid.T, s *Store, in *modelSession) error{
		"begin": func(t *rapid.T, s *Store, _ *modelSession) error {
			row, m, err := s.BeginSession(ctx, Session{Title: text(t)}, says("", 0, role(t), text(t)))
			row.Messages, row.Turns = 0, 0
			return x.added(&modelSession{Session: row, decided: UserDecisions{
				map[int64]history.Flag{}, map[int64]history.Remedy{},
			}}, m, err)
		},
		"append": func(t *rapid.T, s *Store, in *modelSession) error {
			m := says(in.ID, in.id(t), role(t), text(t))
			m.ToolCalls = make([]history.ToolCall, rapid.IntRange(0, 2).Draw(t, "calls"))
			m, err := s.AppendMessage(ctx, m)
			return x.added(in, m, err)
		},
		"start": func(t *rapid.T, s *Store, in *modelSession) error {
			m, err := s.StartAnswer(ctx, says(in.ID, in.id(t), history.Assistant, ""))
			x.streams[m.ID] = s
			return x.added(in, m, err)
		},
		"checkpoint": func(t *rapid.T, s *Store, in *modelSession) error {
			return x.answer(t, s, in, func(m *Message) error {
				m.Content = text(t)
				return s.SavePartialAnswer(ctx, m.ID, m.Content, "")
			})
		},
		"finish": func(t *rapid.T, s *Store, in *modelSession) error {
			return x.answer(t, s, in, func(m *Message) error {
				end := says(in.ID, m.Parent, history.Assistant, text(t))
				end.ID, end.Status, end.ToolCalls = m.ID, history.Interrupted, make([]history.ToolCall, 1)
				_, err := s.FinishAnswer(ctx, end, Request{})
				if m.Content, m.Status, m.ToolCalls = end.Content, end.Status, end.ToolCalls; err == nil {
					delete(x.streams, m.ID)
					x.use(in)
				}
				return err
			})
		},
		"reopen": func(t *rapid.T, s *Store, _ *modelSession) error { // which interrupts what it streams
			for _, in := range x.sessions {
				for i := range in.messages {
					if m := &in.messages[i]; x.streams[m.ID] == s {
						m.Status = history.Interrupted
						delete(x.streams, m.ID)
					}
				}
			}
			return errors.Join(s.Close(), x.open(slices.Index(x.stores[:], s)))
		},
		"rename": func(t *rapid.T, s *Store, in *modelSession) error {
			title, from := text(t), rapid.SampledFrom([]TitleSource{TitleAuto, TitleUser}).Draw(t, "from")
			if from == TitleUser || in.TitleFrom != TitleUser {
				in.Title, in.TitleFrom = title, from
			}
			return window{Store: s}.Rename(ctx, in.ID, title, from)
		},
		"update": func(t *rapid.T, s *Store, in *modelSession) error {
			in.Pinned, in.Archived = rapid.Bool().Draw(t, "pinned"), rapid.Bool().Draw(t, "archived")
			in.Leaf = in.id(t)
			return s.UpdateSession(ctx, in.ID, func(row *Session) {
				row.Pinned, row.Archived, row.Leaf = in.Pinned, in.Archived, in.Leaf
			})
		},
		"delete": func(_ *rapid.T, s *Store, in *modelSession) error {
			in.Deleted = noon().t
			return window{Store: s}.Delete(ctx, in.ID)
		},
		"restore": func(_ *rapid.T, s *Store, in *modelSession) error {
			in.Deleted = Session{}.Deleted
			return window{Store: s}.Restore(ctx, in.ID)
		},
		"draft": func(t *rapid.T, s *Store, in *modelSession) error {
			in.draft = text(t)
			return s.SaveDraft(ctx, in.ID, Draft{Text: in.draft})
		},
		"flag": func(t *rapid.T, s *Store, in *modelSession) error {
			m, f := in.messages[0].ID, rapid.SampledFrom([]history.Flag{"", history.Pin, history.Exclude}).Draw(t, "flag")
			if in.decided.Flags[m] = f; f == "" {
				delete(in.decided.Flags, m)
			}
			return flag(ctx, s, m, f)
		},
		"remedy": func(t *rapid.T, s *Store, in *modelSession) error {
			m, r := in.messages[0].ID, rapid.SampledFrom(history.Remedies()).Draw(t, "remedy")
			if in.decided.Remedies[m] = r; r == history.SendRepaired {
				delete(in.decided.Remedies, m)
			}
			return s.SetRemedies(ctx, r, m)
		},
		"purge": func(_ *rapid.T, s *Store, in *modelSession) error {
			if len(x.sessions) == 1 {
				return nil
			}
			x.sessions = slices.DeleteFunc(x.sessions, func(o *modelSession) bool { return o == in })
			return s.Purge(ctx, in.ID)
		},
	}
}

// check compares what can be read with the model.
func (x *machine) check(t *rapid.T) {
	ctx := context.Background()
	for _, f := range []SessionFilter{{}, {Trash: true}, {Archived: true}} {
		want, got := []string{}, []string{}
		for _, pinned := range []bool{true, false} {
			for _, in := range slices.Backward(x.sessions) {
				deleted := !in.Deleted.IsZero()
				if in.Pinned == pinned && deleted == f.Trash && (f.Trash || in.Archived == f.Archived) {
					want = append(want, in.ID)
				}
			}
		}
		list, err := x.stores[0].Sessions(ctx, f)
		for _, row := range list {
			got = append(got, row.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("Sessions(%+v) is\n%q, %v, want\n%q", f, got, err, want)
		}
	}
	for _, in := range x.sessions {
		s := x.stores[1]
		row, err := s.Session(ctx, in.ID)
		draft, draftErr := s.Draft(ctx, in.ID)
		decided, decidedErr := s.UserDecisions(ctx, in.ID)
		branch, branchErr := s.Branch(ctx, in.Leaf, 0)
		if err := errors.Join(err, draftErr, decidedErr, branchErr); err != nil {
			t.Fatal(err)
		}
		got, want := told(row, draft.Text, decided, branch), told(in.Session, in.draft, in.decided, in.branch())
		if got != want {
			t.Fatalf("the session is\n%swant\n%s", got, want)
		}
	}
}

// told is all of a session that the model knows, as text.
func told(row Session, draft string, decided UserDecisions, branch []Message) string {
	out := fmt.Sprintf("%q %s leaf %d, pinned %v, archived %v, deleted %v, %d messages, %d turns, %q, %v\n", row.Title,
		row.TitleFrom, row.Leaf, row.Pinned, row.Archived, !row.Deleted.IsZero(), row.Messages, row.Turns, draft, decided)
	for _, m := range branch {
		out += fmt.Sprintf("%d behind %d at %d: %s %s %q, %d calls, %d/%d\n", m.ID, m.Parent, m.Seq, m.Role, m.Status,
			m.Content, len(m.ToolCalls), m.Sibling, m.Siblings)
	}
	return out
}

func TestTwoStoresBehaveAsOneSimpleModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		sub := filepath.Join(dir, fmt.Sprint(n))
		x := &machine{path: filepath.Join(sub, "winnow.db"), streams: map[int64]*Store{}}
		check(t, errors.Join(x.open(0), x.open(1)))
		defer func() {
			for _, s := range x.stores {
				s.Close()
			}
			os.RemoveAll(sub)
		}()
		operations := x.operations(context.Background())
		check(t, operations["begin"](t, x.stores[0], nil))
		actions := map[string]func(*rapid.T){"": x.check}
		for name, do := range operations {
			actions[name] = func(t *rapid.T) {
				s, in := rapid.SampledFrom(x.stores[:]).Draw(t, "store"), rapid.SampledFrom(x.sessions).Draw(t, "session")
				check(t, do(t, s, in))
			}
		}
		t.Repeat(actions)
	})
}
