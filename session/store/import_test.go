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

// The clock of the other program may be far ahead. That of the file does not follow it.
func TestImportOfAClockFarAhead(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	ahead := c.t.AddDate(80, 0, 0)
	for _, origin := range []string{"", "c1"} {
		m := said(history.User, "hello")
		m.CreatedMS = ahead.UnixMilli()
		row, err := imported(s, Session{Origin: origin, Created: ahead, Updated: ahead}, m)
		if err != nil || row.Updated.After(c.t) || row.Created.After(c.t) {
			t.Errorf("with the origin %q it is imported as %+v, %v", origin, row, err)
		}
	}
}
