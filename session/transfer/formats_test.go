package transfer

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

var update = flag.Bool("update", false, "write what the fixtures want anew; read the difference")

// fixture is a file of another program and the expected result.
type fixture struct {
	path    string
	archive *txtar.Archive
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	paths, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil || len(paths) < 15 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	var all []fixture
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil || len(archive.Files) < 2 {
			t.Fatalf("%s: a fixture is a file and what is wanted of it: %v", path, err)
		}
		all = append(all, fixture{path, archive})
	}
	return all
}

// source returns the fixture's file: a database made by SQL, a zip archive of several files, or a single file.
func (f fixture) source(t testing.TB) Source {
	t.Helper()
	from := Source{Time: written}
	first := f.archive.Files[0]
	switch {
	case strings.HasSuffix(first.Name, ".sql"):
		from.Path = databaseOf(t, string(first.Data))
		data, err := os.ReadFile(from.Path)
		if err != nil {
			t.Fatal(err)
		}
		from.File = bytes.NewReader(data)
	case len(f.archive.Files) > 2:
		from.File = bytes.NewReader(zipOf(t, f.archive.Files[:len(f.archive.Files)-1]...))
	default:
		from.File = bytes.NewReader(first.Data)
	}
	return from
}

// databaseOf makes a database with SQL.
func databaseOf(t testing.TB, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite3", path)
	if err == nil {
		_, err = db.Exec(script)
		db.Close()
	}
	if err != nil {
		t.Fatalf("make the database: %v", err)
	}
	return path
}

func zipOf(t testing.TB, files ...txtar.File) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, file := range files {
		out, err := w.Create(file.Name)
		if err == nil {
			_, err = out.Write(bytes.TrimSuffix(file.Data, []byte("\n")))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFormats reads the file of each fixture, compares the conversations and the remarks, and imports it twice.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		t.Run(strings.TrimSuffix(strings.Replace(f.path, "/testdata", "", 1), ".txtar"), func(t *testing.T) {
			t.Parallel()
			got := described(t, f.source(t))
			s := newStoreAt(t)
			first, err := importFrom(t, s, f.source(t))
			if err != nil {
				got += fmt.Sprintf("import: %v\n", err)
			}
			for _, im := range first {
				for _, r := range im.Errors {
					got += fmt.Sprintf("%q not imported: %s\n", im.Title, r)
				}
				for _, r := range im.Warnings {
					got += fmt.Sprintf("%q: %s\n", im.Title, r)
				}
			}
			again, _ := importFrom(t, s, f.source(t))
			for _, im := range again {
				if im.Added > 0 || im.Again != (im.Session.ID != "") {
					t.Errorf("the same again adds %d messages to %q", im.Added, im.Title)
				}
			}
			want := &f.archive.Files[len(f.archive.Files)-1]
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(f.path, txtar.Format(f.archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want.Data) {
				t.Errorf("reading gives\n%swant\n%s", got, want.Data)
			}
		})
	}
}

// described reads a file and describes all conversations in it.
func described(t testing.TB, from Source) string {
	t.Helper()
	var b strings.Builder
	f, err := open(t.Context(), from)
	if err != nil {
		return ""
	}
	defer f.close()
	_ = f.read(f.values, func(c conversation.Conversation) error {
		describe(&b, c)
		return nil
	})
	return b.String()
}

func describe(b *strings.Builder, c conversation.Conversation) {
	row := c.Session
	fmt.Fprintf(b, "%s %s %q", row.Source, row.Origin, row.Title)
	for _, part := range []struct {
		name string
		text string
	}{{"system", row.System}, {"model", row.Model}, {"dir", row.Dir}} {
		if part.text != "" {
			fmt.Fprintf(b, " %s %q", part.name, part.text)
		}
	}
	if row.Archived || row.Pinned {
		fmt.Fprintf(b, " archived %v, pinned %v", row.Archived, row.Pinned)
	}
	b.WriteString("\n")
	for i, m := range c.Messages {
		if i == 20 {
			fmt.Fprintf(b, "%d messages\n", len(c.Messages))
			break
		}
		fmt.Fprintf(b, "%d<%d %s %s", i, m.After, m.Role, m.Label)
		if m.Name != "" {
			fmt.Fprintf(b, " of %s", m.Name)
		}
		if m.Status != history.Imported {
			fmt.Fprintf(b, ", %s", m.Status)
		}
		if m.Excluded {
			b.WriteString(", excluded")
		}
		if i == c.Leaf {
			b.WriteString(", leaf")
		}
		if m.CreatedMS != 0 {
			b.WriteString(time.UnixMilli(m.CreatedMS).UTC().Format(" 2006-01-02T15:04:05.999"))
		}
		if m.Content != "" {
			fmt.Fprintf(b, " %s: %q", m.Model, shortened(m.Content))
		}
		b.WriteString("\n")
		if m.Reasoning != "" {
			fmt.Fprintf(b, "  thought: %q\n", m.Reasoning)
		}
		for _, call := range m.ToolCalls {
			fmt.Fprintf(b, "  calls: %q %s %s\n", call.ID, call.Name, call.Arguments)
		}
		if m.ToolCallID != "" {
			fmt.Fprintf(b, "  answers: %q\n", m.ToolCallID)
		}
		for _, p := range m.Parts {
			fmt.Fprintf(b, "  part: %s %s %s %q%q\n", p.Kind, p.Name, p.MediaType, p.Text, p.Data)
		}
	}
}

func shortened(text string) string {
	if r := []rune(text); len(r) > 200 {
		return fmt.Sprintf("%s… of %d", string(r[:60]), len(r))
	}
	return text
}

// importFrom imports a file and returns the reports.
func importFrom(t testing.TB, s *store.Store, from Source) ([]Imported, error) {
	t.Helper()
	var all []Imported
	err := Import(t.Context(), s, from, func(im Imported) { all = append(all, im) })
	return all, err
}

// TestDamagedFilesEnd damages and cuts the files of the fixtures. What is left is imported or reported, without a
// panic.
func TestDamagedFilesEnd(t *testing.T) {
	t.Parallel()
	var files [][]byte
	for _, f := range fixtures(t) {
		from := f.source(t)
		var b bytes.Buffer
		if _, err := b.ReadFrom(from.section(0)); err != nil {
			t.Fatal(err)
		}
		files = append(files, b.Bytes())
	}
	s := newStoreAt(t)
	rapid.Check(t, func(rt *rapid.T) {
		file := bytes.Clone(rapid.SampledFrom(files).Draw(rt, "file"))
		for range rapid.IntRange(1, 8).Draw(rt, "changes") {
			at := rapid.IntRange(0, len(file)-1).Draw(rt, "at")
			file[at] = rapid.SampledFrom([]byte("\x00\xff{}[]\",:0nat")).Draw(rt, "byte")
		}
		file = file[:rapid.IntRange(1, len(file)).Draw(rt, "length")]
		all, err := importFrom(t, s, Source{File: bytes.NewReader(file), Time: written})
		if err == nil && len(all) == 0 {
			rt.Fatalf("%q is imported without a word", file)
		}
	})
}
