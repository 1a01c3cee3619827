package session

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

var update = flag.Bool("update", false, "write what is made of the records in testdata/replay")

// The records of every version of the rules can be read. A request replays to the bytes that were sent, or says
// which rules made it.
func TestRecordsOfEveryVersionOfTheRulesReplay(t *testing.T) {
	for version := 1; version <= history.Rules; version++ {
		t.Run(fmt.Sprintf("rules-%d", version), func(t *testing.T) {
			path := filepath.Join("testdata", "replay", fmt.Sprintf("rules-%d.txtar", version))
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatalf("no records of version %d of the rules: %v", version, err)
			}
			f := recordFile{t: t, archive: a}
			s := f.store(version)
			for _, turn := range f.turns() {
				got, err := s.Records().Replay(t.Context(), turn, 0)
				if err != nil {
					t.Fatalf("replay turn %d: %v", turn, err)
				}
				switch differs := fmt.Sprintf("it was made by version %d of the rules", version); {
				case got.Proven && string(got.Body) != f.sent(turn):
					t.Errorf("turn %d is proven, but its bytes are\n%s\nand\n%s\nwere sent", turn, got.Body, f.sent(turn))
				case !got.Proven && !strings.HasPrefix(got.Doubt, differs):
					t.Errorf("turn %d is not proven: %q, want %q", turn, got.Doubt, differs)
				case !got.Proven && version == history.Rules:
					t.Errorf("turn %d is not proven by the rules that made it: %q", turn, got.Doubt)
				}
				f.want(turn, "verdicts", verdictsText(got.Verdicts))
				f.want(turn, "replay", replayText(got))
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// recordFile is a conversation with records of its requests.
type recordFile struct {
	t       *testing.T
	archive *txtar.Archive
}

// section is a file of the archive, nil where it has none of that name.
func (f recordFile) section(name string) *txtar.File {
	for i := range f.archive.Files {
		if f.archive.Files[i].Name == name {
			return &f.archive.Files[i]
		}
	}
	return nil
}

func (f recordFile) text(name string) string {
	f.t.Helper()
	s := f.section(name)
	if s == nil {
		f.t.Fatalf("there is no section %q", name)
	}
	return string(s.Data)
}

// turns are the turns that have a record.
func (f recordFile) turns() []int {
	var list []int
	for _, s := range f.archive.Files {
		if turn, ok := strings.CutSuffix(s.Name, " options"); ok {
			n, err := strconv.Atoi(strings.TrimPrefix(turn, "turn "))
			if err != nil {
				f.t.Fatal(err)
			}
			list = append(list, n)
		}
	}
	return list
}

var repeated = regexp.MustCompile(`\{([^{}"]*)x (\d+)\}`)

// expand writes {text x N} out.
func expand(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(piece string) string {
		part := repeated.FindStringSubmatch(piece)
		n, _ := strconv.Atoi(part[2])
		return strings.Repeat(part[1], n)
	})
}

// sent is the body of a turn's request. The file has each message on a line of its own.
func (f recordFile) sent(turn int) string {
	return expand(strings.ReplaceAll(f.text(fmt.Sprintf("turn %d sent", turn)), "\n", ""))
}

// store stores the conversation with the records and opens it.
func (f recordFile) store(version int) *Session {
	f.t.Helper()
	b := newBench(f.t)
	then := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	st, err := store.Open(f.t.Context(), filepath.Join(f.t.TempDir(), "winnow.db"), store.Options{Now: func() time.Time { return then }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { st.Close() })
	var session store.Session
	var users []int64
	var last store.Message
	for line := range strings.Lines(f.text("conversation")) {
		role, content, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		m := store.Message{Message: history.Message{Role: history.Role(role), Content: expand(content), Status: history.Complete}}
		if m.Tokens = b.deps.Count(m.Content); last.ID == 0 {
			session, last, err = st.Begin(f.t.Context(), store.Session{Endpoint: "test", Model: "m"}, m)
		} else {
			m.Session, m.Parent = session.ID, last.ID
			last, err = st.Append(f.t.Context(), m)
		}
		if err != nil {
			f.t.Fatal(err)
		}
		if last.Role == history.User {
			users = append(users, last.ID)
		}
	}
	packed := map[int64][]byte{}
	for _, turn := range f.turns() {
		var options bytes.Buffer
		if err := json.Compact(&options, []byte(f.text(fmt.Sprintf("turn %d options", turn)))); err != nil {
			f.t.Fatal(err)
		}
		var verdicts *store.Verdicts
		plan := []byte(strings.ReplaceAll(f.text(fmt.Sprintf("turn %d plan", turn)), "\n", ""))
		if version < 5 {
			var err error
			if plan, err = base64.StdEncoding.DecodeString(string(plan)); err != nil {
				f.t.Fatal(err)
			}
		} else if err := json.Unmarshal(plan, &verdicts); err != nil {
			f.t.Fatal(err)
		}
		r, err := st.AddRequest(f.t.Context(), store.Request{
			Session: session.ID, Turn: turn, User: users[turn-1], Purpose: store.ForAnswer, Created: then, Endpoint: "test", Model: "m",
			Options: options.Bytes(), Rules: version, BodyHash: hash([]byte(f.sent(turn))), Plan: verdicts,
		})
		if err != nil {
			f.t.Fatal(err)
		}
		packed[r.ID] = plan
	}
	if b.deps.Store = st; version < 5 {
		b.deps.Store = asSchema13(f.t, st, packed)
	}
	return b.open(session.ID)
}

// asSchema13 brings a history to the schema in which the plan of each request was packed, and opens it again.
func asSchema13(t *testing.T, st *store.Store, packed map[int64][]byte) *store.Store {
	t.Helper()
	path := st.Path()
	err := st.Close()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for id, plan := range packed {
		if _, err := db.Exec(`UPDATE requests SET plan = ? WHERE id = ?`, plan, id); err != nil {
			t.Fatal(err)
		}
	}
	_, err = db.Exec(`
		DROP INDEX requests_usage;
		ALTER TABLE requests DROP COLUMN cache_write_tokens;
		ALTER TABLE requests DROP COLUMN price_source;
		ALTER TABLE requests DROP COLUMN reusable_tokens;
		ALTER TABLE requests DROP COLUMN reusable_us;
		ALTER TABLE requests DROP COLUMN cache_diagnosis;
		ALTER TABLE drafts DROP COLUMN parts;
		ALTER TABLE requests DROP COLUMN fault;
		ALTER TABLE messages DROP COLUMN fault;
		DROP INDEX requests_purpose;
		ALTER TABLE requests DROP COLUMN sum;
		ALTER TABLE requests DROP COLUMN added;
		ALTER TABLE requests DROP COLUMN shortfalls;
		ALTER TABLE requests DROP COLUMN entries;
		ALTER TABLE sessions DROP COLUMN changes;
		ALTER TABLE sessions DROP COLUMN address;
		DROP TABLE tool_permissions;
		DROP TABLE sync_machine;
		DROP TABLE sync_segments;
		DROP TABLE sync_parts;
		DROP TABLE sync_rows;
		DROP TABLE sync_ids;
		DROP TABLE sync_stamps;
		DROP TABLE sync_changes;
		DROP TABLE sync_others;
		DROP TABLE sync_former;
		DROP TABLE sync_purged;
		DROP TABLE sync_lost;
		DROP TABLE queued;
		DROP TABLE verdicts;
		PRAGMA user_version = 13;`)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	if len(again.Notices()) != 1 || !strings.Contains(again.Notices()[0], "converted to a new format") {
		t.Fatalf("it was not migrated: %q", again.Notices())
	}
	return again
}

// want compares a section with what it should be, or writes it.
func (f recordFile) want(turn int, what, text string) {
	f.t.Helper()
	name := fmt.Sprintf("turn %d %s", turn, what)
	s := f.section(name)
	if *update {
		if s == nil {
			f.archive.Files = append(f.archive.Files, txtar.File{Name: name})
			s = &f.archive.Files[len(f.archive.Files)-1]
		}
		s.Data = []byte(text)
		return
	}
	if s == nil || string(s.Data) != text {
		f.t.Errorf("%s is\n%s\nand the file says\n%s", name, text, f.text(name))
	}
}

// verdictsText is what was recorded of each message.
func verdictsText(v store.Verdicts) string {
	var b strings.Builder
	for _, e := range v.Entries.All() {
		fmt.Fprintf(&b, "%d %s %s, %d tokens: %s\n", e.Index+1, e.Role, e.Disposition, e.TokensAfter, e.Cause.Sentence())
	}
	fmt.Fprintf(&b, "%d tokens in all\n", v.Sum.Total)
	return b.String()
}

func replayText(r record.Replayed) string {
	if r.Proven {
		return "the same bytes\n"
	}
	return r.Doubt + "\n"
}
