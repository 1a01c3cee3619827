package session

import (
	"bytes"
	"encoding/json"
	"errors"
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
	"winnow/session/store"
)

var update = flag.Bool("update", false, "write what is made of the records in testdata/replay")

// The recorded requests of testdata/replay/turns.txtar replay to the bytes that were sent, with the verdicts of their
// records. What changes those bytes changes the version of the rules.
func TestRecordsReplay(t *testing.T) {
	f := readRecordFile(t)
	s := f.store()
	for _, turn := range f.turns() {
		got, err := s.Records().Replay(t.Context(), turn, 0)
		if err != nil {
			t.Fatalf("replay turn %d: %v", turn, err)
		}
		if !got.Proven || string(got.Body) != f.sent(turn) {
			t.Errorf("turn %d is proven: %t (%s), and its bytes are\n%s\nwhere\n%s\nwere sent",
				turn, got.Proven, got.Doubt, got.Body, f.sent(turn))
		}
		f.want(turn, "verdicts", verdictsText(got.Verdicts))
	}
	f.save()
}

// recordFile is a conversation with records of its requests.
type recordFile struct {
	t       *testing.T
	archive *txtar.Archive
}

var recordPath = filepath.Join("testdata", "replay", "turns.txtar")

func readRecordFile(t *testing.T) recordFile {
	t.Helper()
	a, err := txtar.ParseFile(recordPath)
	if err != nil {
		t.Fatal(err)
	}
	return recordFile{t: t, archive: a}
}

// save writes what want put into the file.
func (f recordFile) save() {
	f.t.Helper()
	if !*update {
		return
	}
	if err := os.WriteFile(recordPath, txtar.Format(f.archive), 0o644); err != nil {
		f.t.Fatal(err)
	}
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
func (f recordFile) store() *Session {
	f.t.Helper()
	b := newBench(f.t)
	then := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	st, err := store.Open(f.t.Context(), filepath.Join(f.t.TempDir(), "winnow.db"),
		store.Options{Now: func() time.Time { return then }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { st.Close() })
	const session = "01a2104e-a76b-7f13-80f4-4a15c2c44a33"
	var users []int64
	_, err = st.Apply(f.t.Context(), func(take func(store.Line) error) error {
		err := take(store.Line{Session: &store.Session{ID: session, Endpoint: "test", Model: "m"}})
		id := int64(0) // the records name the messages from 1 on
		for line := range strings.Lines(f.text("conversation")) {
			role, content, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
			content = expand(content)
			m := store.Message{Parent: id, Message: history.Message{
				ID: id + 1, Role: history.Role(role), Content: content, Status: history.Complete,
				CreatedMS: then.UnixMilli(), Tokens: b.deps.Count(content),
			}}
			if id++; role == "user" {
				users = append(users, id)
			}
			err = errors.Join(err, take(store.Line{Message: &m}))
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, turn := range f.turns() {
		var options bytes.Buffer
		if err := json.Compact(&options, []byte(f.text(fmt.Sprintf("turn %d options", turn)))); err != nil {
			f.t.Fatal(err)
		}
		var verdicts history.Plan
		if err := json.Unmarshal([]byte(f.text(fmt.Sprintf("turn %d plan", turn))), &verdicts); err != nil {
			f.t.Fatal(err)
		}
		_, err := st.AddRequest(f.t.Context(), store.Request{
			Session: session, Turn: turn, User: users[turn-1], Purpose: store.ForAnswer, Created: then,
			Endpoint: "test", Model: "m", Options: options.String(), Rules: history.Rules, End: store.EndDone,
			BodyHash: hash([]byte(f.sent(turn))), Plan: &verdicts,
		})
		if err != nil {
			f.t.Fatal(err)
		}
	}
	b.deps.Store = st
	return b.open(session)
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
func verdictsText(v history.Plan) string {
	var b strings.Builder
	for _, e := range v.Entries {
		fmt.Fprintf(&b, "%d %s %s, %d tokens: %s\n", e.Index+1, e.Role, e.Disposition, e.TokensAfter,
			e.Cause.Sentence())
	}
	fmt.Fprintf(&b, "%d tokens in all\n", v.Sum.Total)
	return b.String()
}
