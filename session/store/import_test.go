package store

import (
	"context"
	"reflect"
	"testing"
	"time"

	"winnow/history"
)

// said is a message from a file.
func said(role history.Role, text string) Message {
	return Message{Message: history.Message{Role: role, Content: text, Status: history.Imported, CreatedMS: 1000}}
}

// unnamed is a conversation of messages without labels, one behind the other.
func unnamed(row Session, messages ...Message) Conversation {
	c := Conversation{Session: row, Leaf: -1}
	for _, m := range messages {
		c.Add(m)
	}
	return c
}

// imported imports messages as a session.
func imported(s *Store, row Session, messages ...Message) (Session, error) {
	out, err := s.Import(context.Background(), unnamed(row, messages...), ImportOptions{})
	return out.Session, err
}

func TestImportIsWhatTheMessagesWouldBeOneByOne(t *testing.T) {
	s := newStore(t)
	messages := []Message{
		said(history.System, "Be brief."),
		said(history.User, "hi\x00\xff"),
		{
			Message: history.Message{
				Role: history.Assistant, Label: "m-2", Status: history.Imported, CreatedMS: 2000, Reasoning: "hm",
				ToolCalls: []history.ToolCall{{ID: "c", Name: "f", Arguments: "{"}, {}},
			},
			Extra: []byte(`{"message":{"x":1}}`),
		},
		{Message: history.Message{
			Role: history.Tool, ToolCallID: "c", Status: history.Imported,
			Parts: []history.Part{{Kind: history.ImagePart, MediaType: "image/png", Data: []byte{0, 1}}},
		}},
		{Message: history.Message{Role: "narrator", Content: "x", Status: history.Quarantined}},
		said(history.User, "and now?"),
	}
	created := time.UnixMilli(500).UTC()
	got, err := imported(s, Session{
		Title: "A title", TitleFrom: "user", System: "Be kind.", Dir: "/home/kim",
		Model: "m", Created: created, Tags: []string{"old"},
	}, messages...)
	must(t, "import", err)
	if got.Title != "A title" || got.TitleFrom != "user" || got.System != "Be kind." || got.Dir != "/home/kim" ||
		!got.Created.Equal(created) ||
		!got.Updated.Equal(s.now().Truncate(time.Millisecond)) || got.Messages != 6 || got.Turns != 2 ||
		len(got.Tags) != 1 || len(got.ID) != 36 {
		t.Errorf("the session is %+v", got)
	}
	last, err := lastUsed(s)
	must(t, "Last", err)
	if last.ID != got.ID {
		t.Errorf("the session used last is %s, want the imported one", last.ID)
	}

	// The same one by one, to compare with.
	one, first, err := s.Begin(context.Background(), Session{}, messages[0])
	must(t, "begin", err)
	want := []Message{first}
	for _, m := range messages[1:] {
		m.Session, m.Parent = one.ID, want[len(want)-1].ID
		want = append(want, add(t, s, m))
	}
	branch, err := s.Branch(context.Background(), got.Leaf, 0)
	must(t, "read", err)
	if len(branch) != len(want) {
		t.Fatalf("%d messages are on the branch, want %d", len(branch), len(want))
	}
	parent := int64(0)
	for i, m := range branch {
		w := read(t, s, want[i].ID)
		if m.Parent != parent || m.Session != got.ID {
			t.Errorf("message %d: parent %d in session %s, want %d in %s", i, m.Parent, m.Session, parent, got.ID)
		}
		parent = m.ID
		if m.Role == history.Assistant {
			w.Model, w.Origin.Model = "m", "m"
		}
		w.ID, w.Parent, w.Session = m.ID, m.Parent, m.Session
		if w.CreatedMS != m.CreatedMS && messages[i].CreatedMS != 0 || m.Damaged {
			t.Errorf("message %d: created %d (damaged %v), want %d", i, m.CreatedMS, m.Damaged, w.CreatedMS)
		}
		w.CreatedMS = m.CreatedMS
		if !reflect.DeepEqual(m, w) {
			t.Errorf("message %d is\n%+v, want\n%+v", i, m, w)
		}
	}
	// It can be gone on with.
	add(t, s, says(got.ID, got.Leaf, history.User, "more"))
}

func TestImportIsAllOrNothing(t *testing.T) {
	half := make([]Message, 100)
	for i := range half {
		half[i] = said(history.User, "half")
	}
	coming := said(history.User, "half")
	coming.Status = history.Streaming
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for name, c := range map[string]struct {
		ctx      context.Context
		messages []Message
	}{
		"a stop":       {stopped, half},
		"still coming": {context.Background(), append(half, coming)},
		"no message":   {context.Background(), nil},
	} {
		s := newStore(t)
		begin(t, s, "there before", "hi")
		if out, err := s.Import(c.ctx, unnamed(Session{}, c.messages...), ImportOptions{}); err == nil {
			t.Errorf("%s: the import gives %+v", name, out)
		}
		all, err := s.Sessions(context.Background(), Filter{})
		must(t, "list", err)
		var rows int
		must(t, "count", s.reads.QueryRow("SELECT count(*) FROM messages").Scan(&rows))
		if len(all) != 1 || rows != 1 {
			t.Errorf("%s left %d sessions and %d messages, want the one that was there", name, len(all), rows)
		}
	}
}

func TestImportOfTheSameAgainChangesNothing(t *testing.T) {
	s := newStore(t)
	hi, ho := said(history.User, "hi"), said(history.Assistant, "ho")
	there, err := imported(s, Session{Title: "first", Source: "openai", Origin: "x"}, hi, ho)
	must(t, "import", err)
	// What was said since does not make it another conversation.
	add(t, s, says(there.ID, there.Leaf, history.User, "and now?"))
	for name, c := range map[string]struct {
		row   Session
		again bool
	}{
		"the same":       {Session{Title: "second", Source: "openai", Origin: "x"}, true},
		"another":        {Session{Source: "openai", Origin: "y"}, false},
		"another's":      {Session{Source: "claude", Origin: "x"}, false},
		"without a name": {Session{}, false},
	} {
		out, err := s.Import(context.Background(), unnamed(c.row, hi, ho), ImportOptions{})
		must(t, "import", err)
		if again := !out.New && out.Added == 0 && out.Session.ID == there.ID; again != c.again {
			t.Errorf("%s: imported as %+v, want it found again: %v", name, out, c.again)
		}
	}
	// One in the trash stays there.
	must(t, "delete", s.Delete(context.Background(), there.ID))
	out, err := s.Import(context.Background(), unnamed(there, hi, ho), ImportOptions{})
	if err != nil || out.New || out.Session.Deleted.IsZero() {
		t.Errorf("a conversation that was deleted was imported as %+v, %v", out, err)
	}
}
