package store

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// run starts the test binary as one of the programs.
func run(t *testing.T, program string, args ...string) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	self, err := os.Executable()
	must(t, "find the test binary", err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "WINNOW_STORE_TEST_PROGRAM="+program)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, "pipe", err)
	must(t, "start", cmd.Start())
	return cmd, out
}

// chat has turns of a conversation, each with a streamed answer, on a store of its own.
func chat(path, title string, turns int) error {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	session, last, err := s.Begin(ctx, Session{Title: title}, says("", 0, history.User, "turn 0"))
	if err != nil {
		return errors.Join(err, s.Close())
	}
	for i := range turns {
		if i > 0 {
			last, err = s.Append(ctx, says(session.ID, last.ID, history.User, fmt.Sprint("turn ", i)))
		}
		if err == nil {
			last, err = s.StartAnswer(ctx, says(session.ID, last.ID, history.Assistant, ""))
		}
		for j := 0; j < 3 && err == nil; j++ {
			err = s.Checkpoint(ctx, last.ID, strings.Repeat("x", j), "")
		}
		if err == nil {
			last.Content, last.Status = fmt.Sprint("answer ", i), history.Complete
			last, err = s.FinishAnswer(ctx, last, Request{Session: session.ID, Turn: i + 1})
		}
		if err == nil {
			_, err = s.Branch(ctx, last.ID, 10)
		}
		if err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}

func chatProgram(args []string) error {
	turns, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	return chat(args[0], args[1], turns)
}

// checkChats reads every conversation that chat wrote and compares it with what chat says.
func checkChats(t *testing.T, path string, chats, turns int) {
	t.Helper()
	s := openAt(t, path, Options{})
	list, err := s.Sessions(context.Background(), Filter{})
	must(t, "list", err)
	if len(list) != chats {
		t.Errorf("%d conversations are stored, want %d", len(list), chats)
	}
	for _, session := range list {
		messages, err := s.Branch(context.Background(), session.Leaf, 0)
		must(t, "read", err)
		if len(messages) != 2*turns || session.Messages != 2*turns || session.Turns != turns {
			t.Errorf("%s: a branch of %d, %d messages, %d turns; want %d, %d, %d",
				session.Title, len(messages), session.Messages, session.Turns, 2*turns, 2*turns, turns)
			continue
		}
		for i, m := range messages {
			want := fmt.Sprint("turn ", i/2)
			if i%2 == 1 {
				want = fmt.Sprint("answer ", i/2)
			}
			if m.Content != want || m.Status != history.Complete || m.Seq != i+1 {
				t.Errorf("%s: message %d is %q %s, want %q complete", session.Title, i, m.Content, m.Status, want)
			}
		}
	}
	if n := s.Notices(); len(n) > 0 {
		t.Errorf("the notices are %q, want none", n)
	}
	must(t, "check", s.view(context.Background(), "check", doing(func(tx *sql.Tx) error {
		wrong, err := complaints(context.Background(), tx, "integrity_check")
		if len(wrong) > 0 {
			t.Errorf("integrity_check says %q", wrong)
		}
		return err
	})))
}

func TestEightProgramsOnOneFile(t *testing.T) {
	path := newPath(t)
	const turns = 12
	var programs []*exec.Cmd
	for i := range 8 {
		cmd, _ := run(t, "chat", path, fmt.Sprint("chat ", i), strconv.Itoa(turns))
		programs = append(programs, cmd)
	}
	for i, cmd := range programs {
		if err := cmd.Wait(); err != nil {
			t.Errorf("program %d: %v", i, err)
		}
	}
	checkChats(t, path, 8, turns)
}

// streamed text at a length; every length is recognised.
func streamedText(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.String()[:n]
}

// streamProgram chats for ever and says what was acknowledged, after it was: a line each.
func streamProgram(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	text := says("", 0, history.User, "user of "+args[1])
	session, last, err := s.Begin(ctx, Session{Title: args[1]}, text)
	if err != nil {
		return err
	}
	for round := 0; ; round++ {
		if round > 0 {
			last, err = s.Append(ctx, says(session.ID, last.ID, history.User, text.Content))
			if err != nil {
				return err
			}
		}
		fmt.Println("user", last.ID, 0)
		if last, err = s.StartAnswer(ctx, says(session.ID, last.ID, history.Assistant, "")); err != nil {
			return err
		}
		fmt.Println("start", last.ID, 0)
		size := 0
		for j := range 20 {
			size = j * j * 37
			if err := s.Checkpoint(ctx, last.ID, streamedText(size), streamedText(j)); err != nil {
				return err
			}
			fmt.Println("check", last.ID, size)
		}
		last.Content, last.Status = streamedText(size), history.Complete
		if last, err = s.FinishAnswer(ctx, last, Request{Session: session.ID, Turn: round + 1}); err != nil {
			return err
		}
		fmt.Println("done", last.ID, size)
	}
}

// acknowledged is the last thing a killed program said about a message.
type acknowledged struct {
	what string
	size int
}

// killed runs streamProgram, kills it after about lines acknowledgements and returns all of them.
func killed(t *testing.T, path, title string, lines int) map[int64]acknowledged {
	t.Helper()
	cmd, out := run(t, "stream", path, title)
	got := map[int64]acknowledged{}
	in := bufio.NewScanner(out)
	for n := 1; in.Scan(); n++ {
		var a acknowledged
		var id int64
		if _, err := fmt.Sscan(in.Text(), &a.what, &id, &a.size); err != nil {
			break // the last line was cut by the kill
		}
		got[id] = a
		if n == lines {
			must(t, "kill", cmd.Process.Kill())
		}
	}
	cmd.Wait() // always an error: it was killed
	if len(got) == 0 {
		t.Fatalf("%s acknowledged nothing", title)
	}
	return got
}

func TestKilledProgramLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	kills := 25
	if n, err := strconv.Atoi(os.Getenv("WINNOW_KILLS")); err == nil {
		kills = n
	}
	seed := rand.Int63()
	random := rand.New(rand.NewSource(seed))
	path := newPath(t)
	all := map[int64]acknowledged{}
	cut := 0
	for i := range kills {
		lines := 1 + random.Intn(90)
		for id, a := range killed(t, path, fmt.Sprint("run ", i), lines) {
			all[id] = a
		}
		s, err := Open(context.Background(), path, Options{})
		must(t, "open after a kill", err)
		cut += len(s.Notices())
		for id, a := range all {
			checkAcknowledged(t, s, id, a)
		}
		var streaming int
		must(t, "count", s.reads.QueryRow("SELECT count(*) FROM messages WHERE status = 'streaming'").Scan(&streaming))
		if streaming > 0 {
			t.Errorf("%d answers of killed programs are still streaming", streaming)
		}
		must(t, "close", s.Close())
		if t.Failed() {
			t.Fatalf("seed %d, kill %d after %d lines", seed, i, lines)
		}
	}
	if cut == 0 {
		t.Errorf("none of %d kills met a streaming answer; seed %d", kills, seed)
	}
}

func checkAcknowledged(t *testing.T, s *Store, id int64, a acknowledged) {
	t.Helper()
	m, err := messageOf(s, id)
	if err != nil || m.Damaged {
		t.Errorf("message %d, acknowledged as %s: damaged %v, %v", id, a.what, m.Damaged, err)
		return
	}
	switch a.what {
	case "user":
		if !strings.HasPrefix(m.Content, "user of run") || m.Status != history.Complete {
			t.Errorf("user message %d is %s %q", id, m.Status, m.Content)
		}
	case "done":
		if m.Status != history.Complete || m.Content != streamedText(a.size) || m.Request == 0 {
			t.Errorf("finished answer %d is %s with %d bytes, want complete with %d", id, m.Status, len(m.Content),
				a.size)
		}
	default:
		// More may have been stored than was acknowledged, even all of it.
		if m.Status != history.Interrupted && m.Status != history.Complete {
			t.Errorf("cut answer %d is %s, want interrupted", id, m.Status)
		}
		if len(m.Content) < a.size || m.Content != streamedText(len(m.Content)) {
			t.Errorf("cut answer %d holds %d bytes, acknowledged were %d", id, len(m.Content), a.size)
		}
	}
}

// unsaid is what SQLite says of the search index however sound it is: it compares the index with a copy
// of the words, and winnow keeps none.
const unsaid = "malformed inverted index for FTS4 table main.found"

// complaints runs integrity_check or quick_check and returns what it found wrong, nothing for a sound
// file.
func complaints(ctx context.Context, tx *sql.Tx, check string) ([]string, error) {
	out, err := sqlite.Collect[string](ctx, tx, "PRAGMA "+check)
	return slices.DeleteFunc(out, func(line string) bool { return line == "ok" || line == unsaid }), err
}
