package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/sqlite"
	_ "winnow/session/store/storetest"
)

// TestMain runs the test binary as one of the helper programs of some tests.
func TestMain(m *testing.M) {
	program, ok := programs[os.Getenv("WINNOW_STORE_TEST_PROGRAM")]
	if !ok {
		os.Exit(m.Run())
	}
	if err := program(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// programs maps names to the helper programs.
var programs = map[string]func(args []string) error{
	"chat":   chatProgram,
	"nobody": nobodyProgram,
	"hold":   holdProgram,
}

// clock is a time that tests control.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func (c *clock) add(d time.Duration) { c.t = c.t.Add(d) }

func noon() *clock { return &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }

func newPath(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "winnow", "winnow.db")
}

func openAt(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, o)
	if err != nil {
		t.Fatalf("Open(%s): %v", path, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close(%s): %v", path, err)
		}
	})
	return s
}

func newStore(t testing.TB) *Store {
	t.Helper()
	return openAt(t, newPath(t), Options{Now: noon().now})
}

// says returns a message of a session with the given parent.
func says(session string, parent int64, role history.Role, text string) Message {
	return Message{
		Message: history.Message{Role: role, Content: text},
		Session: session,
		Parent:  parent,
	}
}

func begin(t testing.TB, s *Store, title, text string) (Session, Message) {
	t.Helper()
	session, message, err := s.BeginSession(context.Background(), Session{Title: title}, says("", 0, history.User, text))
	if err != nil {
		t.Fatalf("Begin(%q, %q): %v", title, text, err)
	}
	return session, message
}

func add(t testing.TB, s *Store, m Message) Message {
	t.Helper()
	out, err := s.AppendMessage(context.Background(), m)
	if err != nil {
		t.Fatalf("Append(%s %.40q behind %d): %v", m.Role, m.Content, m.Parent, err)
	}
	return out
}

// messageOf reads one message.
func messageOf(s *Store, id int64) (Message, error) {
	return inTx(context.Background(), s.view, "read the message", func(t *tx) Message { return message(t, id) })
}

func read(t testing.TB, s *Store, id int64) Message {
	t.Helper()
	m, err := messageOf(s, id)
	if err != nil {
		t.Fatalf("Message(%d): %v", id, err)
	}
	return m
}

func sessionOf(t testing.TB, s *Store, id string) Session {
	t.Helper()
	out, err := s.Session(context.Background(), id)
	if err != nil {
		t.Fatalf("Session(%q): %v", id, err)
	}
	return out
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// nobodyProgram opens a history as a user who may not write it, and prints the outcome.
func nobodyProgram(args []string) error {
	s, err := Open(context.Background(), args[0], Options{})
	if err != nil {
		os.Stdout.WriteString("error: " + err.Error())
		return nil
	}
	defer s.Close()
	all, err := s.Sessions(context.Background(), SessionFilter{})
	if err != nil {
		return err
	}
	os.Stdout.WriteString(strings.Join(s.Notices(), " ") + "\n" + all[0].Title + "\n")
	if err := (window{Store: s}).Rename(context.Background(), all[0].ID, "x", "user"); err != nil {
		os.Stdout.WriteString(err.Error())
	}
	return nil
}

// flag sets the flag of one message.
func flag(ctx context.Context, s *Store, message int64, f history.Flag) error {
	_, err := s.SetFlags(ctx, map[int64]history.Flag{message: f})
	return err
}

// insertMessage stores a message in the session with key n.
func insertMessage(t *tx, n int64, m Message, owner string) {
	m.session, m.owner = n, owner
	m.storeParts(t.putAttachment)
	t.put("INSERT INTO messages", m.columns(), "")
	m.index(t)
}

// indexAll adds all missing messages to the search index.
func indexAll(t fatal, s *Store) {
	for left := int64(1); left > 0; {
		var err error
		if left, err = s.IndexSome(context.Background()); err != nil {
			t.Fatalf("index some: %v", err)
		}
	}
}

// anything returns a T with random fields, texts from the generator, and zero times.
func anything[T any](t *rapid.T, text *rapid.Generator[string]) T {
	return rapid.MakeCustom[T](rapid.MakeConfig{
		Kinds: map[reflect.Kind]*rapid.Generator[any]{
			reflect.String: text.AsAny(), reflect.Int: rapid.IntRange(0, 2).AsAny(),
			reflect.Int64: rapid.Int64Range(0, 2).AsAny(),
		},
		Types: map[reflect.Type]*rapid.Generator[any]{
			reflect.TypeFor[time.Time](): rapid.Just(time.Time{}).AsAny(),
			reflect.TypeFor[history.Cause](): rapid.SampledFrom([]history.Cause{
				{},
				{Text: `"`},
				{Text: `","n":7}`},
				{Text: "<&>\u2028"},
				{Code: history.CauseGap, Want: 2},
				{Code: history.CauseOverBudget, Want: 2, Have: 1},
				{Code: history.CauseOverChars, Want: 1},
			}).AsAny(),
		},
	}).Draw(t, "anything")
}

// listOf returns the values of a query with one column.
func listOf[T any](t fatal, s *Store, query string, args ...any) []T {
	read := sqlite.WithoutTx(context.Background(), s.reads)
	all := sqlite.List[T](read, query, args...)
	if read.Err != nil {
		t.Fatalf("%s: %v", query, read.Err)
	}
	return all
}
