package store

import (
	"bytes"
	"context"
	"errors"
	flags "flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// sound is a history before it is damaged: its files, and the messages in them.
type sound struct {
	files    map[string][]byte // by suffix of the name: "", -wal, -shm
	messages map[string]bool   // fingerprints of all messages

	backup   []byte          // made when about half of the messages existed
	backedUp map[string]bool // fingerprints of the messages in the backup
}

// speak fills a history with branches, tool calls, parts, long texts, requests, flags, drafts and prompts.
func speak(t testing.TB, s *Store, sessions int) {
	t.Helper()
	ctx := context.Background()
	random := rand.New(rand.NewSource(int64(sessions)))
	for i := range sessions {
		session, last := begin(t, s, fmt.Sprint("session ", i), chatter(random, 40))
		must(t, "tag", s.UpdateSession(ctx, session.ID, func(row *Session) { row.Tags = []string{"tag"} }))
		for j := range 3 + 2*i {
			m := says(session.ID, last.ID, history.Assistant, chatter(random, 1+random.Intn(200)))
			if j%4 == 1 {
				m.Content = strings.Repeat(chatter(random, 300), 1+random.Intn(8))
			}
			if j%3 == 0 {
				m.ToolCalls = []history.ToolCall{{ID: fmt.Sprint(i, j), Name: "look", Arguments: chatter(random, 5)}}
			}
			m = add(t, s, m)
			e := history.Entry{ID: last.ID, Disposition: history.Kept, Cause: history.Cause{Text: chatter(random, 3)}}
			_, err := s.AddRequest(ctx, Request{Session: session.ID, Turn: j + 1, User: last.ID, Plan: &history.Plan{
				Added: []history.AddedText{{Text: chatter(random, 100)}}, Entries: []history.Entry{e},
			}})
			must(t, "put a request", err)
			next := says(session.ID, m.ID, history.User, chatter(random, 60))
			if j%5 == 2 {
				png := []byte(chatter(random, 1500))
				next.Parts = []history.Part{{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: png}}
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

// makeSound makes a history. With open, its files are those of a program that died, with the newest messages in the
// write-ahead log.
func makeSound(t testing.TB, open bool) sound {
	t.Helper()
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{Now: noon().now})
	must(t, "open", err)
	speak(t, s, 6)
	out := sound{files: map[string][]byte{}}
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, "back up", s.Backup(context.Background(), copied))
	out.backup, err = os.ReadFile(copied)
	must(t, "read the backup", err)
	out.backedUp = printsOf(t, s)
	if open {
		_, err := s.durable.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		must(t, "checkpoint", err)
	}
	speak(t, s, 3)
	out.messages = printsOf(t, s)
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
	return out
}

// printsOf returns the fingerprints of all messages.
func printsOf(t testing.TB, s *Store) (all map[string]bool) {
	t.Helper()
	all = map[string]bool{}
	must(t, "read everything", s.view(context.Background(), "read", func(tx *tx) {
		for m := range eachMessage(tx, true, "1") {
			all[printOf(m)] = true
		}
	}))
	return all
}

// printOf computes the fingerprint of a message from the fields that callers see.
func printOf(m Message) string {
	m.storeParts(func(string, []byte) {})
	return string(m.hash)
}

// harms lists the kinds of damage. do changes the files, which are keyed by suffix of the name.
var harms = []struct {
	name    string
	journal bool // it damages the write-ahead log
	do      func(random *rand.Rand, files map[string][]byte)
}{
	{"flipped bytes", false, func(random *rand.Rand, files map[string][]byte) {
		for range 1 + random.Intn(64) {
			files[""][random.Intn(len(files[""]))] ^= byte(1 + random.Intn(255))
		}
	}},
	{"flipped bytes at the beginning", false, func(random *rand.Rand, files map[string][]byte) {
		for range 1 + random.Intn(8) {
			files[""][random.Intn(120)] ^= byte(1 + random.Intn(255))
		}
	}},
	{"pages of noise", false, func(random *rand.Rand, files map[string][]byte) {
		onPages(random, files, func(page []byte) { random.Read(page) })
	}},
	{"pages of zeros", false, func(random *rand.Rand, files map[string][]byte) {
		onPages(random, files, func(page []byte) { clear(page) })
	}},
	{"cut short", false, func(random *rand.Rand, files map[string][]byte) {
		files[""] = files[""][:random.Intn(len(files[""]))]
	}},
	{"a header of zeros", false, func(_ *rand.Rand, files map[string][]byte) { clear(files[""][:100]) }},
	{"a first page of noise", false, func(random *rand.Rand, files map[string][]byte) {
		random.Read(files[""][:4096])
	}},
	{"swapped pages", false, func(random *rand.Rand, files map[string][]byte) {
		a, b := page(random, files), page(random, files)
		kept := bytes.Clone(a)
		copy(a, b)
		copy(b, kept)
	}},
	{"cut within the first page", false, func(random *rand.Rand, files map[string][]byte) {
		files[""] = files[""][:random.Intn(4096)]
	}},
	{"zeros alone", false, func(_ *rand.Rand, files map[string][]byte) { clear(files[""]) }},
	{"a log of noise", true, func(random *rand.Rand, files map[string][]byte) { random.Read(files["-wal"]) }},
	{"a cut log", true, func(random *rand.Rand, files map[string][]byte) {
		files["-wal"] = files["-wal"][:random.Intn(len(files["-wal"]))]
	}},
	{"flipped bytes in the log", true, func(random *rand.Rand, files map[string][]byte) {
		for range 1 + random.Intn(16) {
			files["-wal"][random.Intn(len(files["-wal"]))] ^= byte(1 + random.Intn(255))
		}
	}},
	{"no index of the log", true, func(_ *rand.Rand, files map[string][]byte) { delete(files, "-shm") }},
	{"an index of noise", true, func(random *rand.Rand, files map[string][]byte) { random.Read(files["-shm"]) }},
}

func page(random *rand.Rand, files map[string][]byte) []byte {
	n := random.Intn(len(files[""]) / 4096)
	return files[""][n*4096 : (n+1)*4096]
}

func onPages(random *rand.Rand, files map[string][]byte, damage func(page []byte)) {
	for range 1 + random.Intn(10) {
		damage(page(random, files))
	}
}

// damagedFiles is the number of files that TestDamagedFileNeverStopsTheStart damages:
//
// go test ./session/store -run TestDamagedFileNeverStopsTheStart -v -damaged 500
var damagedFiles = flags.Int("damaged", 16, "how many files to damage at random")

// Opening succeeds whatever is damaged. Every message that can be read is one that was stored, byte for byte; lost
// messages are counted, and messages in a backup are not lost. The damaged file is kept unchanged.
func TestDamagedFileNeverStopsTheStart(t *testing.T) {
	t.Parallel()
	closed, died := makeSound(t, false), makeSound(t, true)
	random := rand.New(rand.NewSource(20261122))
	for i := range *damagedFiles {
		harm := harms[i%len(harms)]
		was, backedUp := closed, i/len(harms)%2 == 0
		if harm.journal || i/len(harms)%4 >= 2 {
			was = died
		}
		seed := random.Int63()
		files := map[string][]byte{}
		for end, b := range was.files {
			files[end] = bytes.Clone(b)
		}
		harm.do(rand.New(rand.NewSource(seed)), files)
		name := fmt.Sprintf("%s (file %d, seed %d, died %v, backup %v)", harm.name, i, seed, len(was.files["-wal"]) > 0,
			backedUp)
		t.Run(name, func(t *testing.T) { startDamaged(t, was, files, backedUp) })
	}
}

// startDamaged opens a damaged history and compares its messages with those that were stored.
func startDamaged(t *testing.T, was sound, files map[string][]byte, backedUp bool) {
	folder := t.TempDir()
	path := filepath.Join(folder, "winnow.db")
	for end, b := range files {
		must(t, "write", os.WriteFile(path+end, b, 0o600))
	}
	if backedUp {
		must(t, "make the folder", os.Mkdir(filepath.Join(folder, "backups"), 0o700))
		name := filepath.Join(folder, "backups", "winnow-20261120.db")
		must(t, "write the backup", os.WriteFile(name, was.backup, 0o600))
	}
	clock := clock{noon().t.Add(time.Hour)}
	s, err := Open(context.Background(), path, Options{Now: clock.now})
	if errors.Is(err, sqlite.ErrOtherBuild) {
		return // the version in the header was hit, which looks like another build
	}
	must(t, "open", err)
	defer s.Close()
	if s.ReadOnly() {
		t.Errorf("it is open for reading only: %q", s.Notices())
	}
	served := servedBy(t, s, was)
	if s.salvaged == nil {
		return
	}
	checkSalvage(t, s, was, files, len(served))
	for print := range was.backedUp {
		if backedUp && !served[print] {
			t.Error("a message that the backup has is lost")
		}
	}
	if t.Failed() {
		t.Logf("the notices are %q", s.Notices())
	}
}

// servedBy reads all messages through the store and returns the fingerprints of the intact ones.
func servedBy(t *testing.T, s *Store, was sound) (served map[string]bool) {
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
	list, err := s.Sessions(ctx, SessionFilter{})
	if err != nil && !sqlite.IsDamaged(err) {
		t.Errorf("Sessions: %v", err)
	}
	for _, session := range list {
		branch, err := s.Branch(ctx, session.Leaf, 0)
		if err != nil && (!sqlite.IsDamaged(err) || s.salvaged != nil) {
			t.Errorf("Branch of %s: %v", session.ID, err)
		}
		if s.salvaged != nil && (len(branch) == 0 || branch[0].Parent != 0) {
			t.Errorf("the branch of %q has %d messages and does not lead to its beginning", session.Title, len(branch))
		}
		for _, m := range branch {
			note(m)
		}
	}
	err = s.view(ctx, "read", func(t *tx) {
		for m := range eachMessage(t, true, "1") {
			note(quarantineDamaged([]Message{m})[0])
		}
	})
	if err != nil && (!sqlite.IsDamaged(err) || s.salvaged != nil) {
		t.Errorf("read all messages: %v", err)
	}
	return served
}

// checkSalvage compares the report of a recovery with the files.
func checkSalvage(t *testing.T, s *Store, was sound, files map[string][]byte, served int) {
	t.Helper()
	got := *s.salvaged
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(got.File + end)
		if err != nil && files[end] != nil || string(b) != string(files[end]) {
			t.Errorf("the file set aside as %s%s is not the damaged one: %d bytes, want %d, %v", got.File, end, len(b),
				len(files[end]), err)
		}
	}
	if got.Messages != served {
		t.Errorf("the report says %+v, and %d messages are served", got, served)
	}
	n := strings.Join(s.Notices(), " ")
	if !strings.Contains(n, got.File) || strings.Contains(n, "There is no chat history here") ||
		got.FromBackup > 0 && !strings.Contains(n, "taken from the backup of 2026-11-20") {
		t.Errorf("the notices of %+v are %q", got, n)
	}
	if c, err := s.Check(context.Background()); err != nil || !c.Sound() {
		t.Errorf("the check of the new file says %+v, %v", c, err)
	}
}
