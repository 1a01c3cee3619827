package store

import (
	"context"
	"testing"

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
