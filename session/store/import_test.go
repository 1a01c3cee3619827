package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

// said is a message from a file.
func said(role history.Role, text string) Message {
	return Message{Message: history.Message{Role: role, Content: text, Status: history.Imported, CreatedMS: 1000}}
}

// imported imports messages, one behind the other, as a session.
func imported(ctx context.Context, s *Store, row Session, messages ...Message) (Session, error) {
	c := Conversation{Session: row, Leaf: -1}
	for _, m := range messages {
		c.Add(m)
	}
	out, err := s.Import(ctx, c, ImportOptions{})
	return out.Session, err
}

// conversationOf is a conversation of messages written as "label<parent: text", the parent empty for the first.
// Labels that begin with u are the user's.
func conversationOf(origin string, messages ...string) Conversation {
	c := Conversation{Session: Session{Source: "chatgpt", Origin: origin, Title: origin}, Leaf: -1}
	place := map[string]int{"": -1}
	for _, m := range messages {
		head, text, _ := strings.Cut(m, ": ")
		label, parent, _ := strings.Cut(head, "<")
		u := ImportedMessage{Message: said(history.Assistant, text), After: place[parent]}
		if label[0] == 'u' {
			u.Role = history.User
		}
		u.Label, place[label] = label, len(c.Messages)
		c.Messages = append(c.Messages, u)
	}
	return c
}

// treeOf tells what a session holds: every message behind the one before it, with a star at the end of the active
// branch.
func treeOf(t *testing.T, s *Store, session string) (tree string) {
	t.Helper()
	must(t, "read the tree", s.reads.QueryRow(`
		SELECT group_concat(coalesce(p.content || '>', '') || m.content || iif(m.id = s.leaf, '*', ''), ', '
			ORDER BY p.content, m.content)
		FROM sessions s
		JOIN messages m ON m.session = s.n
		LEFT JOIN messages p ON p.id = m.parent
		WHERE s.id = ?`, session).Scan(&tree))
	return tree
}

func TestImportStoresABranchedConversation(t *testing.T) {
	s := newStore(t)
	begin(t, s, "today's", "hi")
	c := conversationOf("c1", "u1: hi", "a1<u1: ho", "a2<u1: hu", "u2<a1: and now?")
	c.Session.Created, c.Session.Updated = time.UnixMilli(1000), time.UnixMilli(2000)
	c.Messages[1].Excluded, c.Leaf = true, 2
	ctx := context.Background()
	out, err := s.Import(ctx, c, ImportOptions{DryRun: true})
	if err != nil || !out.New || out.Added != 4 {
		t.Errorf("a trial gives %+v, %v", out, err)
	}
	if all, err := s.Sessions(ctx, Filter{}); err != nil || len(all) != 1 {
		t.Errorf("a trial left %v, %v", all, err)
	}
	out, err = s.Import(ctx, c, ImportOptions{})
	got := out.Session
	if err != nil || !out.New || out.Added != 4 || got.Source != "chatgpt" || got.Origin != "c1" || got.Messages != 4 ||
		got.Turns != 2 || !got.Created.Equal(time.UnixMilli(1000)) || !got.Updated.Equal(time.UnixMilli(2000)) {
		t.Errorf("Import returns %+v, %v", out, err)
	}
	if tree, want := treeOf(t, s, got.ID), "hi, hi>ho, hi>hu*, ho>and now?"; tree != want {
		t.Errorf("the session holds %s, want %s", tree, want)
	}
	decided, err := s.Decisions(ctx, got.ID)
	must(t, "read the flags", err)
	excluded := []string{}
	for id := range decided.Flags {
		excluded = append(excluded, read(t, s, id).Content)
	}
	if !slices.Equal(excluded, []string{"ho"}) {
		t.Errorf("excluded are %q, want the first answer", excluded)
	}
	// It stands in the list where it was used last there.
	if last, err := lastUsed(s); err != nil || last.Title != "today's" {
		t.Errorf("the session used last is %q, %v", last.Title, err)
	}
}

// A conversation that is imported again is one session: what is new in the file is added, nothing is taken away, and
// the active branch stays where the user is.
func TestAnImportAddsWhatIsNew(t *testing.T) {
	type step struct {
		file  string // its messages, one a line
		added int
		tree  string
	}
	for name, steps := range map[string][]step{
		"the same again": {
			{"u1: hi\na1<u1: ho", 2, "hi, hi>ho*"},
			{"u1: hi\na1<u1: ho", 0, "hi, hi>ho*"},
		},
		"a later export, and then an older one": {
			{"u1: hi\na1<u1: ho", 2, "hi, hi>ho*"},
			{"u1: hi\na1<u1: ho\na2<u1: hu\nu2<a2: more", 2, "hi, hi>ho, hi>hu, hu>more*"},
			{"u1: hi", 0, "hi, hi>ho, hi>hu, hu>more*"},
		},
		"a message that changed": {
			{"u1: hi\na1<u1: half", 2, "hi, hi>half*"},
			{"u1: hi\na1<u1: whole\nu2<a1: thanks", 2, "hi, hi>half, hi>whole, whole>thanks*"},
			{"u1: hi\na1<u1: whole\nu2<a1: thanks", 0, "hi, hi>half, hi>whole, whole>thanks*"},
		},
		"the user went on here": {
			{"u1: hi\na1<u1: ho", 2, "hi, hi>ho*"},
			{"here", 0, "hi, hi>ho, ho>here*"},
			{"u1: hi\na1<u1: ho\nu2<a1: there", 1, "hi, hi>ho, ho>here*, ho>there"},
		},
	} {
		s := newStore(t)
		var row Session
		for i, step := range steps {
			if step.file == "here" {
				add(t, s, says(row.ID, row.Leaf, history.User, "here"))
			} else {
				out, err := s.Import(t.Context(), conversationOf("c1", strings.Split(step.file, "\n")...), ImportOptions{})
				if err != nil || out.New != (i == 0) || out.Added != step.added || i > 0 && out.Session.ID != row.ID {
					t.Errorf("%s: import %d returns %+v, %v", name, i, out, err)
				}
				row = out.Session
			}
			if got := treeOf(t, s, row.ID); got != step.tree {
				t.Errorf("%s: after step %d the session holds %s, want %s", name, i, got, step.tree)
			}
		}
		other, err := s.Import(t.Context(), conversationOf("c2", steps[0].file), ImportOptions{})
		if err != nil || !other.New {
			t.Errorf("%s: another conversation of the same words: %+v, %v", name, other, err)
		}
	}
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
		if out, err := imported(c.ctx, s, Session{}, c.messages...); err == nil {
			t.Errorf("%s: the import gives %+v", name, out)
		}
		sessions, messages := countOf(t, s, "SELECT count(*) FROM sessions"), countOf(t, s, "SELECT count(*) FROM messages")
		if sessions != 1 || messages != 1 {
			t.Errorf("%s left %d sessions and %d messages, want the one that was there", name, sessions, messages)
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
		row, err := imported(t.Context(), s, Session{Origin: origin, Created: ahead, Updated: ahead}, m)
		if err != nil || row.Updated.After(c.t) || row.Created.After(c.t) {
			t.Errorf("with the origin %q it is imported as %+v, %v", origin, row, err)
		}
	}
}
