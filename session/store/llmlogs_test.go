package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
)

// logsOf makes a database of SQL.
func logsOf(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "logs.db")
	db, err := sql.Open("sqlite3", path)
	must(t, "open", err)
	defer db.Close()
	_, err = db.Exec(script)
	must(t, "make the logs", err)
	return path
}

// TestLogsFixtures reads the database of each fixture and compares what is made of it.
func TestLogsFixtures(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "llm", "*.txtar"))
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("a fixture is SQL and what is wanted of it: %v", err)
			}
			logs, err := OpenLogs(context.Background(), logsOf(t, string(archive.Files[0].Data)))
			must(t, "open the logs", err)
			defer logs.Close()
			got := toldLogs(t, logs)
			if *update {
				archive.Files[1].Data = []byte(got)
				must(t, "write the fixture", os.WriteFile(path, txtar.Format(archive), 0o600))
			}
			if want := string(archive.Files[1].Data); got != want {
				t.Errorf("reading gives\n%swant\n%s", got, want)
			}
		})
	}
}

// toldLogs reads all conversations, wants the store to take them, and tells what they are.
func toldLogs(t *testing.T, logs *Logs) string {
	t.Helper()
	s := newStore(t)
	var b strings.Builder
	for {
		talk, odd, err := logs.Next(context.Background())
		if err == io.EOF {
			return b.String()
		}
		must(t, "read", err)
		fmt.Fprintf(&b, "conversation %s: %q\n", talk.Session.Origin, talk.Session.Title)
		for i, m := range talk.Messages {
			behind := "-"
			if m.Behind >= 0 {
				behind = talk.Messages[m.Behind].Label
			}
			leaf := ""
			if i == talk.Leaf {
				leaf = ", leaf"
			}
			at := "no time"
			if m.CreatedMS != 0 {
				at = time.UnixMilli(m.CreatedMS).UTC().Format("2006-01-02T15:04:05.999")
			}
			fmt.Fprintf(&b, "%s < %s %s%s %s %s: %q\n", m.Label, behind, m.Role, leaf, at, m.Model, m.Content)
			if m.Reasoning != "" {
				fmt.Fprintf(&b, "  thought: %q\n", m.Reasoning)
			}
			for _, call := range m.ToolCalls {
				fmt.Fprintf(&b, "  calls: %q %s %s\n", call.ID, call.Name, call.Arguments)
			}
			if m.Role == history.Tool {
				fmt.Fprintf(&b, "  answers: %q of %s\n", m.ToolCallID, m.Name)
			}
			for _, p := range m.Parts {
				fmt.Fprintf(&b, "  part: %s %s %s %q%q\n", p.Kind, p.Name, p.MediaType, p.Text, p.Data)
			}
			if m.Extra != nil {
				fmt.Fprintf(&b, "  kept: %s\n", m.Extra)
			}
		}
		for _, what := range odd {
			fmt.Fprintf(&b, "odd: %s\n", what)
		}
		out, err := s.Bring(context.Background(), talk)
		must(t, "bring", err)
		again, err := s.Bring(context.Background(), talk)
		must(t, "bring again", err)
		if out.Added != len(talk.Messages) || again.Added != 0 {
			t.Errorf("%d of %d messages are brought, then %d", out.Added, len(talk.Messages), again.Added)
		}
	}
}

func TestDatabaseThatIsNotOfLLMSaysSo(t *testing.T) {
	path := logsOf(t, `CREATE TABLE threads (id TEXT, topic TEXT); CREATE TABLE messages (id INTEGER)`)
	if _, err := OpenLogs(context.Background(), path); !errors.Is(err, ErrNotLogs) {
		t.Errorf("another program's database: %v", err)
	}
	text, err := os.ReadFile(path)
	must(t, "read", err)
	must(t, "cut", os.WriteFile(path, text[:len(text)/2], 0o600))
	if _, err := OpenLogs(context.Background(), path); err == nil {
		t.Error("half a database is opened")
	}
	if _, err := OpenLogs(context.Background(), path+".gone"); !errors.Is(err, os.ErrNotExist) && err == nil {
		t.Errorf("no database: %v", err)
	}
}

// TestLogsAreReadBesideTheirProgram leaves a write-ahead log beside the database, as llm does while it
// runs, and wants what stands in it.
func TestLogsAreReadBesideTheirProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs.db")
	db, err := sql.Open("sqlite3", path+"?_journal_mode=WAL")
	must(t, "open", err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE responses (id TEXT PRIMARY KEY, prompt TEXT, response TEXT, conversation_id TEXT);
		INSERT INTO responses VALUES ('r', 'hi', 'ho', 'c')`)
	must(t, "write", err)
	logs, err := OpenLogs(context.Background(), path)
	must(t, "open the logs", err)
	defer logs.Close()
	talk, _, err := logs.Next(context.Background())
	if err != nil || len(talk.Messages) != 2 || logs.Count() != 1 {
		t.Errorf("read %+v, %v", talk, err)
	}
	_, err = db.Exec(`INSERT INTO responses VALUES ('r2', 'more', 'yes', 'c')`)
	must(t, "write on", err)
}

// TestDamagedLogsNeverPanic flips bytes of a database and cuts it. Whatever is left of it is read or is an
// error, and reading ends.
func TestDamagedLogsNeverPanic(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "llm", "tools.txtar"))
	must(t, "read the fixture", err)
	whole, err := os.ReadFile(logsOf(t, string(archive.Files[0].Data)))
	must(t, "read", err)
	path := filepath.Join(t.TempDir(), "damaged.db")
	random := rand.New(rand.NewPCG(1, 2))
	opened, read := 0, 0
	const tries = 150
	for range tries {
		text := bytes.Clone(whole)
		for range 1 + random.IntN(40) {
			text[100+random.IntN(len(text)-100)] ^= byte(1 + random.IntN(255))
		}
		if random.IntN(4) == 0 {
			text = text[:random.IntN(len(text))]
		}
		must(t, "write", os.WriteFile(path, text, 0o600))
		logs, err := OpenLogs(context.Background(), path)
		if err != nil {
			continue
		}
		opened++
		for i := 0; ; i++ {
			_, _, err := logs.Next(context.Background())
			if err == io.EOF {
				break
			}
			if err == nil {
				read++
			}
			if i > 1000 {
				t.Fatal("the logs have no end")
			}
		}
		logs.Close()
	}
	if opened == 0 || opened == tries || read == 0 {
		t.Errorf("of %d damaged databases %d opened, and %d conversations were read", tries, opened, read)
	}
}
