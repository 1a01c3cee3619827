package store

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// nextStep is a step as a later winnow may have it.
func nextStep(t testing.TB) sqlite.Step {
	return sqlite.Step{Number: len(allSteps(t)) + 1, Name: "moods.sql", SQL: "CREATE TABLE moods (id INTEGER PRIMARY KEY, mood TEXT NOT NULL) STRICT;"}
}

func allSteps(t testing.TB) []sqlite.Step {
	t.Helper()
	all, err := steps()
	must(t, "read the steps", err)
	return all
}

func TestStepsAreNumberedWithoutAGap(t *testing.T) {
	for i, s := range allSteps(t) {
		if s.Number != i+1 {
			t.Errorf("step %d of the schema is %s", i+1, s.Name)
		}
	}
}

// storePrecious stores one message in a file and returns it.
func storePrecious(t *testing.T, path string) Message {
	t.Helper()
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	_, first := begin(t, s, "", "precious")
	must(t, "close", s.Close())
	return first
}

func TestMigrationCopiesTheFileFirst(t *testing.T) {
	path := newPath(t)
	first := storePrecious(t, path)

	s, err := open(context.Background(), path, Options{Now: noon().now}, append(allSteps(t), nextStep(t)))
	must(t, "migrate", err)
	defer s.Close()
	if got := read(t, s, first.ID).Content; got != "precious" {
		t.Errorf("content after the migration is %q", got)
	}
	if _, err := s.full.Exec("INSERT INTO moods (mood) VALUES ('fine')"); err != nil {
		t.Errorf("the new table is not there: %v", err)
	}
	copied := fmt.Sprintf("%s.schema-%d-20261121-120000.bak", path, len(allSteps(t)))
	if got := strings.Join(s.Notices(), " "); !strings.Contains(got, copied) {
		t.Errorf("notices are %q, want them to name %s", got, copied)
	}
	info, err := os.Stat(copied)
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("the copy: %v, %v; want mode 0600", info, err)
	}
	old := openAt(t, copied, Options{ReadOnly: true})
	if got := read(t, old, first.ID).Content; got != "precious" {
		t.Errorf("content of the copy is %q", got)
	}
	if left, _ := filepath.Glob(path + "*.new-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNewFileIsNotCopied(t *testing.T) {
	path := newPath(t)
	s, err := open(context.Background(), path, Options{}, append(allSteps(t), nextStep(t)))
	must(t, "open", err)
	defer s.Close()
	if left, _ := filepath.Glob(path + "*.bak*"); len(left) > 0 || len(s.Notices()) > 0 {
		t.Errorf("a new file came with copies %v and notices %q", left, s.Notices())
	}
}

func TestFailedStepLeavesTheFileAsItWas(t *testing.T) {
	path := newPath(t)
	first := storePrecious(t, path)

	broken := sqlite.Step{Number: len(allSteps(t)) + 1, Name: "broken.sql", SQL: "CREATE TABLE moods (mood TEXT); DELETE FROM messages; CREATE TABLE sessions (x)"}
	if s, err := open(context.Background(), path, Options{}, append(allSteps(t), broken)); err == nil {
		s.Close()
		t.Fatal("a broken step was applied")
	}
	s := openAt(t, path, Options{})
	if got := read(t, s, first.ID).Content; got != "precious" {
		t.Errorf("content after a failed step is %q, want precious", got)
	}
	var tables int
	must(t, "count", s.reads.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'moods'").Scan(&tables))
	if tables != 0 {
		t.Error("half of a failed step stayed")
	}
}

func TestReadingOnlyDoesNotMigrate(t *testing.T) {
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	must(t, "close", s.Close())
	s, err = open(context.Background(), path, Options{ReadOnly: true}, append(allSteps(t), nextStep(t)))
	if err == nil {
		s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "written by an older winnow") {
		t.Errorf("an old file opened for reading only = %v, want a sentence about the older winnow", err)
	}
}

// openAtOnce lets eight programs open a file that lacks a step at the same time.
func openAtOnce(t *testing.T, path string) {
	t.Helper()
	errs := make(chan error)
	for range 8 {
		go func() {
			s, err := open(context.Background(), path, Options{}, append(allSteps(t), nextStep(t)))
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Errorf("Open beside others: %v", err)
		}
	}
}

func TestManyOpenANewFileAtOnce(t *testing.T) {
	path := newPath(t)
	openAtOnce(t, path)
}

func TestManyMigrateAFileAtOnce(t *testing.T) {
	path := newPath(t)
	first := storePrecious(t, path)
	openAtOnce(t, path)
	copies, _ := filepath.Glob(path + ".schema-*")
	if len(copies) == 0 {
		t.Fatal("there is no copy")
	}
	for _, copied := range copies {
		old, err := open(context.Background(), copied, Options{ReadOnly: true}, allSteps(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, old, first.ID).Content; got != "precious" || len(old.Notices()) > 0 {
			t.Errorf("the copy %s holds %q and says %q", copied, got, old.Notices())
		}
		must(t, "close", old.Close())
	}
}

// goldenFile makes the database that testdata holds as SQL. It is what schema 1 wrote on the day it
// was released, and is never written again.
func goldenFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, "read", err)
	path := filepath.Join(t.TempDir(), "winnow.db")
	db, err := sql.Open("sqlite3", path)
	must(t, "open", err)
	defer db.Close()
	_, err = db.Exec(string(text))
	must(t, "make the golden file", err)
	return path
}

func TestGoldenSchema1IsRead(t *testing.T) {
	s := openAt(t, goldenFile(t, "schema1.sql"), Options{Now: noon().now})
	ctx := context.Background()
	list, err := s.Sessions(ctx, Filter{})
	must(t, "list", err)
	if len(list) != 1 || list[0].Title != "Weather" || !reflect.DeepEqual(list[0].Tags, []string{"sky"}) || list[0].Messages != 5 {
		t.Fatalf("sessions are %+v", list)
	}
	messages, err := s.Branch(ctx, list[0].ID, list[0].Leaf, 0, 0)
	must(t, "read the branch", err)
	want := []string{"user complete: Will it rain?", "assistant complete: ", "tool complete: {\"rain\":true}", "assistant interrupted: Yes, tak"}
	got := []string{}
	for _, m := range messages {
		got = append(got, string(m.Role)+" "+string(m.Status)+": "+m.Content)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the branch is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if call := messages[1].ToolCalls; len(call) != 1 || call[0] != (history.ToolCall{ID: "call_1", Name: "weather", Arguments: `{"city": "Oslo",}`}) {
		t.Errorf("the call is %+v", call)
	}
	if messages[0].Siblings != 2 || messages[0].Sibling != 2 {
		t.Errorf("the first message is version %d of %d, want 2 of 2", messages[0].Sibling, messages[0].Siblings)
	}
	asked, err := s.TurnRequests(ctx, list[0].ID, 1)
	if err != nil || len(asked) != 1 || asked[0].Prompt != 12 || asked[0].Cached != -1 || asked[0].Took != 1500*time.Millisecond {
		t.Errorf("the requests are %+v, %v", asked, err)
	}
	if spent, err := s.Spending(ctx, list[0].ID); err != nil || !reflect.DeepEqual(spent, []Spending{{Requests: 1}}) {
		t.Errorf("what the requests cost is %+v, %v; want nothing to say of one", spent, err)
	}
	flags, err := s.Flags(ctx, list[0].ID)
	if err != nil || flags[messages[0].ID] != history.Pin {
		t.Errorf("the flags are %v, %v", flags, err)
	}
	if n := s.Notices(); len(n) != 2 || !strings.Contains(n[0], "converted to a new format") || !strings.Contains(n[1], "An answer was cut off") {
		t.Errorf("the notices are %q, want one about the format and one about the cut answer", n)
	}
}

// Of the requests before schema 19 only those with which a turn ended have failed.
func TestOldFailuresAreThoseThatNothingFollowed(t *testing.T) {
	path := goldenFile(t, "schema18.sql")
	db, err := sql.Open("sqlite3", path)
	must(t, "open", err)
	_, err = db.Exec(`UPDATE requests SET ended = 'failed', error = 'it is "down"' || char(10) || 'body', purpose = ''`)
	must(t, "let all requests fail", err)
	must(t, "close", db.Close())
	s := openAt(t, path, Options{Now: noon().now})
	list, err := s.Sessions(context.Background(), Filter{})
	must(t, "list", err)
	asked, err := s.Requests(context.Background(), list[0].ID)
	must(t, "read", err)
	last := map[int64]int64{}
	for _, r := range asked {
		last[r.User] = r.ID
	}
	for _, r := range asked {
		want := ""
		if last[r.User] == r.ID {
			want = `{"what":"it is \"down\""}`
		}
		if r.Fault != want {
			t.Errorf("request %d of %d has the fault %s, want %s", r.ID, len(asked), r.Fault, want)
		}
	}
}

// schemaText is a file's schema without comments and spacing.
func schemaText(t *testing.T, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	must(t, "open", err)
	defer db.Close()
	rows, err := db.Query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
	must(t, "read the schema", err)
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var text string
		must(t, "scan", rows.Scan(&text))
		lines := bufio.NewScanner(bytes.NewBufferString(text))
		for lines.Scan() {
			line, _, _ := strings.Cut(lines.Text(), "--")
			b.WriteString(strings.Join(strings.Fields(line), " "))
		}
		b.WriteByte('\n')
	}
	must(t, "read the schema", errors.Join(rows.Err()))
	return b.String()
}
