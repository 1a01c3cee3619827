package llmdb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history/message"
	"winnow/session/store"
)

var update = flag.Bool("update", false, "write what the fixtures want anew; read the difference")

func must(t *testing.T, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

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
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("a fixture is SQL and what is wanted of it: %v", err)
			}
			logs, err := Open(context.Background(), logsOf(t, string(archive.Files[0].Data)))
			must(t, "open the logs", err)
			defer logs.Close()
			got := describeAll(t, logs)
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

// describeAll reads all conversations, wants the store to take them, and tells what they are.
func describeAll(t *testing.T, logs *Reader) string {
	t.Helper()
	s, err := store.Open(context.Background(), store.Memory, store.Options{})
	must(t, "open a store", err)
	defer s.Close()
	var b strings.Builder
	for {
		c, err := logs.Next(context.Background())
		if err == io.EOF {
			return b.String()
		}
		must(t, "read", err)
		fmt.Fprintf(&b, "conversation %s: %q\n", c.Session.Origin, c.Session.Title)
		for i, m := range c.Messages {
			behind := "-"
			if m.After >= 0 {
				behind = c.Messages[m.After].Label
			}
			leaf := ""
			if i == c.Leaf {
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
			if m.Role == message.Tool {
				fmt.Fprintf(&b, "  answers: %q of %s\n", m.ToolCallID, m.Name)
			}
			for _, p := range m.Parts {
				fmt.Fprintf(&b, "  part: %s %s %s %q%q\n", p.Kind, p.Name, p.MediaType, p.Text, p.Data)
			}
			if m.Extra != nil {
				fmt.Fprintf(&b, "  kept: %s\n", m.Extra)
			}
		}
		for _, r := range c.Remarks {
			fmt.Fprintf(&b, "odd: %s\n", r)
		}
		out, err := s.Import(context.Background(), c.Conversation, store.ImportOptions{})
		must(t, "import", err)
		again, err := s.Import(context.Background(), c.Conversation, store.ImportOptions{})
		must(t, "import again", err)
		if out.Added != len(c.Messages) || again.Added != 0 {
			t.Errorf("%d of %d messages are imported, then %d", out.Added, len(c.Messages), again.Added)
		}
	}
}

func TestDatabaseThatIsNotOfLLMSaysSo(t *testing.T) {
	path := logsOf(t, `CREATE TABLE threads (id TEXT, topic TEXT); CREATE TABLE messages (id INTEGER)`)
	if _, err := Open(context.Background(), path); !errors.Is(err, ErrNotLLM) {
		t.Errorf("another program's database: %v", err)
	}
	text, err := os.ReadFile(path)
	must(t, "read", err)
	must(t, "cut", os.WriteFile(path, text[:len(text)/2], 0o600))
	if _, err := Open(context.Background(), path); err == nil {
		t.Error("half a database is opened")
	}
	if _, err := Open(context.Background(), path+".gone"); !errors.Is(err, os.ErrNotExist) && err == nil {
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
	logs, err := Open(context.Background(), path)
	must(t, "open the logs", err)
	defer logs.Close()
	c, err := logs.Next(context.Background())
	if err != nil || len(c.Messages) != 2 || logs.count != 1 {
		t.Errorf("read %+v, %v", c, err)
	}
	_, err = db.Exec(`INSERT INTO responses VALUES ('r2', 'more', 'yes', 'c')`)
	must(t, "write on", err)
}

// TestDamagedLogsNeverPanic flips bytes of a database and cuts it. Whatever is left of it is read or is an
// error, and reading ends.
func TestDamagedLogsNeverPanic(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "tools.txtar"))
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
		logs, err := Open(context.Background(), path)
		if err != nil {
			continue
		}
		opened++
		for i := 0; ; i++ {
			_, err := logs.Next(context.Background())
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
