package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	flags "flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store/recovery"
	"winnow/session/store/sqlite"
)

// sound is a history before it is damaged: its files, and what they hold.
type sound struct {
	files    map[string][]byte // by what follows the name: "", -wal, -shm
	messages map[string]bool   // fingerprints of all messages
	sessions int
	pages    map[int64]map[uint32]bool // which pages of the file each message stands on
	prints   map[int64]string          // the fingerprint of each message
}

// speak fills a history: branches, calls, parts, long texts, requests, and everything beside.
func speak(t testing.TB, s *Store, sessions int) {
	t.Helper()
	ctx := context.Background()
	random := rand.New(rand.NewSource(int64(sessions)))
	for i := range sessions {
		session, last := begin(t, s, fmt.Sprint("session ", i), chatter(random, 40))
		must(t, "tag", s.SetTags(ctx, session.ID, "tag"))
		for j := range 3 + 2*i {
			m := says(session.ID, last.ID, history.Assistant, chatter(random, 1+random.Intn(200)))
			if j%4 == 1 {
				m.Content = strings.Repeat(chatter(random, 300), 1+random.Intn(8))
			}
			if j%3 == 0 {
				m.ToolCalls = []history.ToolCall{{ID: fmt.Sprint("call_", i, j), Name: "look", Arguments: `{"at": "` + chatter(random, 5) + `"}`}}
			}
			m = add(t, s, m)
			_, err := s.AddRequest(ctx, Request{Session: session.ID, Turn: j + 1, User: last.ID, Plan: &Verdicts{
				Added:   []history.Added{{Text: chatter(random, 100)}},
				Entries: []history.Entry{{ID: last.ID, Disposition: history.Kept, Cause: history.Cause{Text: chatter(random, 3)}}},
			}})
			must(t, "put a request", err)
			next := says(session.ID, m.ID, history.User, chatter(random, 60))
			if j%5 == 2 {
				next.Parts = []history.Part{{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: []byte(chatter(random, 1500))}}
			}
			last = add(t, s, next)
			if j%6 == 3 {
				add(t, s, says(session.ID, m.ID, history.User, "otherwise: "+chatter(random, 30)))
			}
		}
		must(t, "flag", flag(ctx, s, last.ID, history.Pin))
		must(t, "draft", s.SaveDraft(ctx, session.ID, Draft{Text: chatter(random, 20)}))
		must(t, "prompt", s.AddPrompt(ctx, session.ID, Draft{Text: chatter(random, 20)}))
	}
}

func chatter(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(strings.Repeat(string(rune('a'+random.Intn(26))), 1+random.Intn(7)))
		b.WriteByte(' ')
	}
	return b.String()
}

// makeSound stores conversations. With open, the files are those of a program that died: the newest
// messages stand in the journal.
func makeSound(t testing.TB, open bool) sound {
	t.Helper()
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{Now: noon().now})
	must(t, "open", err)
	speak(t, s, 6)
	if open {
		_, err := s.full.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		must(t, "checkpoint", err)
		speak(t, s, 3)
	}
	out := sound{files: map[string][]byte{}, messages: map[string]bool{}, prints: map[int64]string{}}
	must(t, "read everything", s.view(context.Background(), "read", func(tx *sql.Tx) error {
		if err := tx.QueryRow("SELECT count(*) FROM sessions").Scan(&out.sessions); err != nil {
			return err
		}
		return eachMessage(context.Background(), tx, func(m Message) error {
			if m.Damaged {
				t.Fatalf("message %d is damaged before anything was", m.ID)
			}
			out.messages[printOf(m)] = true
			out.prints[m.ID] = printOf(m)
			return nil
		})
	}))
	if !open {
		must(t, "close", s.Close())
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if b, err := os.ReadFile(path + end); err == nil {
			out.files[end] = b
		}
	}
	if open {
		must(t, "close", s.Close())
	}
	out.pages = pagesOf(t, out.files)
	return out
}

// printOf is a message's fingerprint, taken from what the store serves.
func printOf(m Message) string {
	var parts [][]byte
	for _, p := range m.Parts {
		sum := sha256.Sum256(bytesOf(p))
		parts = append(parts, sum[:])
	}
	return string(fingerprint(m, parts))
}

// recorder notes which pages of a file are read.
type recorder struct {
	io.ReaderAt
	size int64
	seen map[uint32]bool
}

func (r *recorder) ReadAt(b []byte, at int64) (int, error) {
	if len(b) == int(r.size) {
		r.seen[uint32(at/r.size)+1] = true
	}
	return r.ReaderAt.ReadAt(b, at)
}

// pagesOf finds the pages of the file that each message needs, its calls and parts included.
func pagesOf(t testing.TB, files map[string][]byte) map[int64]map[uint32]bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	must(t, "write", os.WriteFile(path, files[""], 0o600))
	f, err := os.Open(path)
	must(t, "open", err)
	defer f.Close()
	im, err := recovery.OpenImage(f)
	must(t, "read", err)
	rec := &recorder{ReaderAt: f, size: int64(im.Size), seen: map[uint32]bool{}}
	im.File = rec
	shapes := recovery.Tables()
	out := map[int64]map[uint32]bool{}
	need := func(message int64, pages map[uint32]bool) {
		if out[message] == nil {
			out[message] = map[uint32]bool{}
		}
		for p := range pages {
			out[message][p] = true
		}
	}
	attachments := map[int64]map[uint32]bool{}
	hung := map[int64][]int64{} // the attachments of each message
	must(t, "walk", im.Each(context.Background(), func(page uint32, c recovery.Cell) error {
		pages := map[uint32]bool{page: true}
		for p := range rec.seen {
			if c.Values != nil {
				pages[p] = true
			}
		}
		clear(rec.seen)
		for _, s := range shapes {
			if !s.Fits(c.Values) {
				continue
			}
			number := func(name string) int64 {
				n, _ := c.Values[slices.IndexFunc(s.Columns, func(c recovery.Column) bool { return c.Name == name })].(int64)
				return n
			}
			switch s.Name {
			case "messages":
				need(c.ID, pages)
			case "tool_calls":
				need(number("message"), pages)
			case "parts":
				need(number("message"), pages)
				hung[number("message")] = append(hung[number("message")], number("attachment"))
			case "attachments":
				attachments[c.ID] = pages
			}
		}
		return nil
	}))
	for message, all := range hung {
		for _, a := range all {
			need(message, attachments[a])
		}
	}
	return out
}

// harm is one way to damage a history: it changes the files and returns the pages of the file that
// it touched, nil for not known.
type harm struct {
	name string
	do   func(random *rand.Rand, files map[string][]byte) (touched map[uint32]bool)

	exact bool // it makes no number wrong: it removes them
}

func harms() []harm {
	onPages := func(b []byte, random *rand.Rand, n int, f func(page []byte)) map[uint32]bool {
		touched := map[uint32]bool{}
		for range n {
			p := random.Intn(len(b) / 4096)
			touched[uint32(p+1)] = true
			f(b[p*4096 : (p+1)*4096])
		}
		return touched
	}
	return []harm{
		{"flipped bytes", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			touched := map[uint32]bool{}
			for range 1 + random.Intn(64) {
				at := random.Intn(len(files[""]))
				files[""][at] ^= byte(1 + random.Intn(255))
				touched[uint32(at/4096)+1] = true
			}
			return touched
		}, false},
		{"flipped bytes at the beginning", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			for range 1 + random.Intn(8) {
				files[""][random.Intn(120)] ^= byte(1 + random.Intn(255))
			}
			return map[uint32]bool{1: true}
		}, false},
		{"cut short", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			long := len(files[""])
			n := random.Intn(long)
			files[""] = files[""][:n]
			touched := map[uint32]bool{}
			for p := n / 4096; p < long/4096; p++ {
				touched[uint32(p+1)] = true
			}
			return touched
		}, true},
		{"cut within the first page", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			files[""] = files[""][:1+random.Intn(4096)]
			return nil
		}, false},
		{"pages of zeros", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			return onPages(files[""], random, 1+random.Intn(10), func(p []byte) { clear(p) })
		}, true},
		{"pages of noise", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			return onPages(files[""], random, 1+random.Intn(10), func(p []byte) { random.Read(p) })
		}, false},
		{"a header of zeros", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			clear(files[""][:100])
			return map[uint32]bool{1: true}
		}, true},
		{"a first page of zeros", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			clear(files[""][:4096])
			return map[uint32]bool{1: true}
		}, true},
		{"swapped pages", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			n := len(files[""]) / 4096
			a, b := random.Intn(n), random.Intn(n)
			kept := append([]byte{}, files[""][a*4096:(a+1)*4096]...)
			copy(files[""][a*4096:(a+1)*4096], files[""][b*4096:(b+1)*4096])
			copy(files[""][b*4096:(b+1)*4096], kept)
			return map[uint32]bool{uint32(a + 1): true, uint32(b + 1): true}
		}, false},
		{"an empty file", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			files[""] = nil
			return nil
		}, false},
		{"zeros alone", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			clear(files[""])
			return nil
		}, false},
	}
}

// journalHarms damage the journal of a program that died.
func journalHarms() []harm {
	return []harm{
		{"a journal of noise", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			random.Read(files["-wal"])
			return nil
		}, false},
		{"a cut journal", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			files["-wal"] = files["-wal"][:random.Intn(len(files["-wal"]))]
			return nil
		}, false},
		{"flipped bytes in the journal", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			for range 1 + random.Intn(16) {
				files["-wal"][random.Intn(len(files["-wal"]))] ^= byte(1 + random.Intn(255))
			}
			return nil
		}, false},
		{"no index of the journal", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			delete(files, "-shm")
			return nil
		}, false},
		{"an index of noise", func(random *rand.Rand, files map[string][]byte) map[uint32]bool {
			random.Read(files["-shm"])
			return nil
		}, false},
	}
}

// tally is how the cases of one kind of damage ended.
type tally struct {
	cases, salvaged, whole, stored, saved int
}

var soak = flags.Int("soak", 1, "damage so many times as many files")

func TestDamagedFileNeverStopsTheStart(t *testing.T) {
	t.Parallel()
	closed, open := makeSound(t, false), makeSound(t, true)
	random := rand.New(rand.NewSource(20261122))
	cases := map[string]int{
		"flipped bytes": 20, "flipped bytes at the beginning": 12, "cut short": 14, "pages of zeros": 12, "pages of noise": 12,
		"an empty file": 1, "zeros alone": 1, "a header of zeros": 1, "a first page of zeros": 1, "cut within the first page": 6,
		"swapped pages": 8, "a journal of noise": 3, "a cut journal": 6, "flipped bytes in the journal": 8, "no index of the journal": 1, "an index of noise": 2,
	}
	all := tally{}
	for _, of := range []struct {
		name  string
		sound sound
		harms []harm
	}{
		{"closed", closed, harms()},
		{"died", open, append(harms(), journalHarms()...)},
	} {
		for _, h := range of.harms {
			n := cases[h.name] * *soak
			if len(of.harms) > len(harms()) && len(h.name) > 0 && !strings.Contains(h.name, "journal") && !strings.Contains(h.name, "index") {
				n = max(1, n/4)
			}
			sum := tally{}
			for range n {
				seed := random.Int63()
				if !checkHarm(t, of.sound, h, seed, &sum) {
					t.Fatalf("%s, %s, seed %d", of.name, h.name, seed)
				}
			}
			t.Logf("%-7s %-32s %4d cases, %4d salvaged, %4d saved everything, %5d of %5d messages", of.name, h.name, sum.cases, sum.salvaged, sum.whole, sum.saved, sum.stored)
			all.cases += sum.cases
			all.salvaged += sum.salvaged
			all.whole += sum.whole
			all.saved += sum.saved
			all.stored += sum.stored
		}
	}
	t.Logf("all: %d cases, %d salvaged, %d saved everything, %d of %d messages", all.cases, all.salvaged, all.whole, all.saved, all.stored)
	if all.cases < 120 {
		t.Errorf("%d cases are too few", all.cases)
	}
}

// checkHarm damages a copy of a history, opens it and holds what it finds against the promise.
func checkHarm(t *testing.T, was sound, h harm, seed int64, sum *tally) bool {
	t.Helper()
	random := rand.New(rand.NewSource(seed))
	files := map[string][]byte{}
	for end, b := range was.files {
		files[end] = append([]byte{}, b...)
	}
	touched := h.do(random, files)
	folder, err := os.MkdirTemp("", "winnow-harm-")
	must(t, "make a folder", err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "winnow.db")
	for end, b := range files {
		must(t, "write", os.WriteFile(path+end, b, 0o600))
	}
	clock := clock{noon().t.Add(time.Hour)}
	s, err := Open(context.Background(), path, Options{Now: clock.now})
	if errors.Is(err, ErrOtherBuild) {
		return true // the version in the header was hit, and nothing tells that from a file of another build
	}
	if err != nil {
		t.Errorf("Open: %v", err)
		return false
	}
	defer s.Close()
	if s.ReadOnly() {
		t.Errorf("it is open for reading only: %q", s.Notices())
	}
	served, whole := servedBy(t, s, was)
	sum.cases++
	sum.stored += len(was.prints)
	sum.saved += len(served)
	if whole == len(was.prints) {
		sum.whole++
	}
	if s.salvaged != nil {
		sum.salvaged++
		checkSalvage(t, s, was, files, len(served))
		// Numbers that were damaged may say anything; what is merely missing adds up.
		got := *s.salvaged
		known := got.Sessions == was.sessions && got.Nameless == 0
		if sum := got.Messages + got.LostMessages; h.exact && (sum > len(was.prints) || known && sum != len(was.prints)) {
			t.Errorf("%d messages were saved and %d lost, of %d", got.Messages, got.LostMessages, len(was.prints))
		}
	}
	if len(files["-wal"]) == 0 && touched != nil {
		for id, print := range was.prints {
			if !meets(was.pages[id], touched) && !served[print] {
				m, err := s.Message(context.Background(), id)
				t.Errorf("message %d stands on sound pages and is not there; pages %v; now it is %.100q, damaged %v, %v", id, was.pages[id], m.Content, m.Damaged, err)
			}
		}
	}
	if t.Failed() {
		t.Logf("pages %v were damaged; the notices are %q; %+v", touched, s.Notices(), s.salvaged)
	}
	return !t.Failed()
}

func meets(a, b map[uint32]bool) bool {
	for p := range a {
		if b[p] {
			return true
		}
	}
	return false
}

// servedBy reads all messages as a user does, and returns the fingerprints of those that come
// whole, and how many came in the branch of a session.
func servedBy(t *testing.T, s *Store, was sound) (served map[string]bool, whole int) {
	t.Helper()
	ctx := context.Background()
	served = map[string]bool{}
	note := func(m Message) {
		if m.Damaged {
			if m.Content != "" || m.Reasoning != "" || m.ToolCalls != nil || m.Parts != nil {
				t.Errorf("damaged message %d comes with its text", m.ID)
			}
			return
		}
		if print := printOf(m); !was.messages[print] {
			t.Errorf("message %d is served with %.60q, which nobody said", m.ID, m.Content)
		} else {
			served[print] = true
		}
	}
	list, err := s.Sessions(ctx, Filter{})
	if err != nil && !sqlite.IsDamage(err) {
		t.Errorf("Sessions: %v", err)
	}
	for _, session := range list {
		branch, err := s.Branch(ctx, session.ID, session.Leaf, 0, 0)
		if err != nil && (!sqlite.IsDamage(err) || s.salvaged != nil) {
			t.Errorf("Branch of %s: %v", session.ID, err)
		}
		if s.salvaged != nil && (len(branch) == 0 || branch[0].Parent != 0) {
			t.Errorf("the branch of %q has %d messages and does not lead to its beginning", session.Title, len(branch))
		}
		for _, m := range branch {
			note(m)
		}
	}
	err = s.view(ctx, "read", func(tx *sql.Tx) error { return eachMessage(ctx, tx, func(m Message) error { note(m); return nil }) })
	if err != nil && (!sqlite.IsDamage(err) || s.salvaged != nil) {
		t.Errorf("read all messages: %v", err)
	}
	return served, len(served)
}

// checkSalvage holds the report against the files.
func checkSalvage(t *testing.T, s *Store, was sound, files map[string][]byte, served int) {
	t.Helper()
	got := *s.salvaged
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(got.File + end)
		if err != nil && files[end] != nil || string(b) != string(files[end]) {
			t.Errorf("the file set aside as %s%s is not the damaged one: %d bytes, want %d, %v", got.File, end, len(b), len(files[end]), err)
		}
	}
	text, err := json.Marshal(got)
	must(t, "marshal", err)
	if got.Messages != served {
		t.Errorf("the report says %s, and %d messages are served", text, served)
	}
	if got.Sessions > was.sessions+got.Nameless {
		t.Errorf("the report says %s, of %d sessions", text, was.sessions)
	}
	if n := strings.Join(s.Notices(), " "); !strings.Contains(n, got.File) {
		t.Errorf("the notices are %q and do not name %s", n, got.File)
	}
	for _, query := range []string{"PRAGMA integrity_check(messages)", "PRAGMA integrity_check(sessions)"} {
		if faults, err := sqlite.Collect(context.Background(), s.reads, sqlite.Only[string], query); err != nil || faults[0] != "ok" {
			t.Errorf("%s of the new file: %v, %v", query, faults, err)
		}
	}
	if n, err := sqlite.Collect(context.Background(), s.reads, sqlite.Only[string], "SELECT \"table\" FROM pragma_foreign_key_check"); err != nil || len(n) > 0 {
		t.Errorf("rows hang on nothing in %v, %v", n, err)
	}
}

// The shapes are read from the text of the schema; the database knows better.
func TestShapesAreThoseOfTheSchema(t *testing.T) {
	s := newStore(t)
	for _, shape := range recovery.Tables() {
		for i, c := range shape.Columns {
			var name, kind string
			var must, key bool
			err := s.reads.QueryRow(`SELECT name, type, "notnull", pk FROM pragma_table_info(?) WHERE cid = ?`, shape.Name, i).Scan(&name, &kind, &must, &key)
			if err != nil || name != c.Name || kind != c.Kind || must != c.Must || key != c.Key {
				t.Errorf("column %d of %s is %+v; the database says %s %s, not null %v, key %v, %v", i, shape.Name, c, name, kind, must, key, err)
			}
		}
	}
	have, err := sqlite.Collect(context.Background(), s.reads, sqlite.Only[string], "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	must(t, "list the tables", err)
	if got := len(recovery.Tables()) + len(recovery.Derived); got != len(have) {
		t.Errorf("%d tables have a shape or are made anew; the database has %q", got, have)
	}
}
