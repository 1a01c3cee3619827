package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

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
		u.Label = label
		place[label] = len(c.Messages)
		c.Messages = append(c.Messages, u)
	}
	return c
}

func merge(t *testing.T, s *Store, c Conversation) ImportResult {
	t.Helper()
	out, err := s.Import(context.Background(), c, ImportOptions{})
	must(t, "import", err)
	return out
}

// treeOf tells what a session holds: every message with that before it, and the active branch.
func treeOf(t interface{ Fatalf(string, ...any) }, s *Store, session string) string {
	rows, err := s.reads.Query(`
		SELECT m.label, coalesce(p.label || nullif('', p.label), ''), m.content, m.id = s.leaf
		FROM sessions s
		JOIN messages m ON m.session = s.n
		LEFT JOIN messages p ON p.id = m.parent
		WHERE s.id = ?
		ORDER BY m.label, m.content`, session)
	if err != nil {
		t.Fatalf("read the tree: %v", err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var label, parent, content string
		var leaf bool
		if err := rows.Scan(&label, &parent, &content, &leaf); err != nil {
			t.Fatalf("read the tree: %v", err)
		}
		fmt.Fprintf(&b, "%s<%s: %s", label, parent, content)
		if leaf {
			b.WriteString(" (leaf)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestImportStoresABranchedConversation(t *testing.T) {
	s := newStore(t)
	begin(t, s, "today's", "hi")
	c := conversationOf("c1", "u1: hi", "a1<u1: ho", "a2<u1: hu", "u2<a1: and now?")
	c.Session.Created, c.Session.Updated = time.UnixMilli(1000), time.UnixMilli(2000)
	c.Messages[1].Excluded, c.Leaf = true, 2
	out := merge(t, s, c)
	if !out.New || out.Added != 4 {
		t.Errorf("Import returns %+v", out)
	}
	got := out.Session
	if got.Source != "chatgpt" || got.Origin != "c1" || got.Messages != 4 || got.Turns != 2 ||
		!got.Created.Equal(time.UnixMilli(1000)) || !got.Updated.Equal(time.UnixMilli(2000)) {
		t.Errorf("the session is %+v", got)
	}
	if want := "a1<u1: ho\na2<u1: hu (leaf)\nu1<: hi\nu2<a1: and now?\n"; treeOf(t, s, got.ID) != want {
		t.Errorf("the session holds\n%swant\n%s", treeOf(t, s, got.ID), want)
	}
	decided, err := s.Decisions(context.Background(), got.ID)
	must(t, "flags", err)
	flags := decided.Flags
	if len(flags) != 1 || !slices.Contains(slices.Collect(mapValues(flags)), history.Exclude) {
		t.Errorf("the flags are %v, want the first answer excluded", flags)
	}
	// It stands in the list where it was used last there.
	if last, err := lastUsed(s); err != nil || last.Title != "today's" {
		t.Errorf("the session used last is %q, %v", last.Title, err)
	}
}

func mapValues[K comparable, V any](m map[K]V) func(func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestMergeAddsWhatIsNew(t *testing.T) {
	s := newStore(t)
	first := merge(t, s, conversationOf("c1", "u1: hi", "a1<u1: ho"))
	if again := merge(t, s, conversationOf("c1", "u1: hi", "a1<u1: ho")); again.New || again.Added != 0 ||
		!reflect.DeepEqual(again.Session, first.Session) {
		t.Errorf("the same again: %+v, want\n%+v", again, first)
	}
	grown := merge(t, s, conversationOf("c1", "u1: hi", "a1<u1: ho", "a2<u1: hu", "u2<a2: more"))
	if grown.New || grown.Added != 2 || grown.Session.ID != first.Session.ID || grown.Session.Messages != 4 ||
		grown.Session.Turns != 2 {
		t.Errorf("a later export: %+v", grown)
	}
	if want := "a1<u1: ho\na2<u1: hu\nu1<: hi\nu2<a2: more (leaf)\n"; treeOf(t, s, first.Session.ID) != want {
		t.Errorf("the session holds\n%swant\n%s", treeOf(t, s, first.Session.ID), want)
	}
	// An export of before adds nothing and takes nothing away.
	if back := merge(t, s, conversationOf("c1", "u1: hi")); back.Added != 0 || back.Session.Leaf != grown.Session.Leaf {
		t.Errorf("an older export: %+v", back)
	}
	// Another conversation of the same words is another one.
	if other := merge(t, s, conversationOf("c2", "u1: hi", "a1<u1: ho")); !other.New {
		t.Errorf("another conversation: %+v", other)
	}
}

func TestMergeKeepsBothTextsOfAMessageThatChanged(t *testing.T) {
	s := newStore(t)
	merge(t, s, conversationOf("c1", "u1: hi", "a1<u1: half an ans"))
	later := conversationOf("c1", "u1: hi", "a1<u1: half an answer", "u2<a1: thanks")
	out := merge(t, s, later)
	if out.Added != 2 {
		t.Errorf("Import returns %+v, want two messages added", out)
	}
	branch, err := s.Branch(context.Background(), out.Session.Leaf, 0)
	must(t, "read", err)
	if len(branch) != 3 || branch[1].Content != "half an answer" || branch[1].Siblings != 2 {
		t.Errorf("the branch is %+v", branch)
	}
	if again := merge(t, s, later); again.Added != 0 {
		t.Errorf("the same again adds %d", again.Added)
	}
}

func TestMergeGoesOnWhereTheUserWentOn(t *testing.T) {
	s := newStore(t)
	first := merge(t, s, conversationOf("c1", "u1: hi", "a1<u1: ho"))
	mine := add(t, s, says(first.Session.ID, first.Session.Leaf, history.User, "asked here"))
	out := merge(t, s, conversationOf("c1", "u1: hi", "a1<u1: ho", "u2<a1: asked there", "a2<u2: said there"))
	if out.Added != 2 || out.Session.Leaf != mine.ID {
		t.Errorf("Import returns %+v, want the active branch to stay at %d", out, mine.ID)
	}
	if want := "<a1: asked here (leaf)\na1<u1: ho\na2<u2: said there\nu1<: hi\nu2<a1: asked there\n"; treeOf(t, s,
		first.Session.ID) != want {
		t.Errorf("the session holds\n%swant\n%s", treeOf(t, s, first.Session.ID), want)
	}
	// Where the user went back to the other program's branch, it goes on there.
	must(t, "switch", s.Update(context.Background(), first.Session.ID,
		func(row *Session) { row.Leaf = first.Session.Leaf }))
	merge(t, s, conversationOf("c1", "u1: hi", "a1<u1: ho", "u2<a1: asked there", "a2<u2: said there",
		"u3<a2: and here"))
	if !strings.Contains(treeOf(t, s, first.Session.ID), "u3<a2: and here (leaf)") {
		t.Errorf("the session holds\n%s", treeOf(t, s, first.Session.ID))
	}
}

func TestImportThatIsStoppedLeavesNothing(t *testing.T) {
	s := newStore(t)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := s.Import(ctx, conversationOf("c1", "u1: hi"), ImportOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Import ends with %v", err)
	}
	out, err := s.Import(context.Background(), conversationOf("c1", "u1: hi"), ImportOptions{DryRun: true})
	if err != nil || !out.New || out.Added != 1 {
		t.Errorf("a trial gives %+v, %v", out, err)
	}
	if all, err := s.Sessions(context.Background(), Filter{}); err != nil || len(all) > 0 {
		t.Errorf("a stopped import and a trial left %v, %v", all, err)
	}
}
