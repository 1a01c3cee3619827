package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"winnow/history"
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

// chatProgram has turns of a conversation, each with a streamed answer, on a store of its own. It says what was stored,
// after it was: a line each.
func chatProgram(args []string) error {
	ctx := context.Background()
	turns, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	session, last, err := s.Begin(ctx, Session{Title: args[1]}, says("", 0, history.User, "turn 0"))
	stored := func(what string, size int) {
		if err == nil {
			fmt.Println(what, last.ID, size)
		}
	}
	for i := 0; i < turns && err == nil; i++ {
		if i > 0 {
			last, err = s.Append(ctx, says(session.ID, last.ID, history.User, fmt.Sprint("turn ", i)))
		}
		stored("user", 0)
		if err == nil {
			last, err = s.StartAnswer(ctx, says(session.ID, last.ID, history.Assistant, ""))
		}
		stored("start", 0)
		size := 0
		for j := 0; j < 20 && err == nil; j++ {
			size = j * j * 37
			err = s.Checkpoint(ctx, last.ID, streamedText(size), streamedText(j))
			stored("check", size)
		}
		if err == nil {
			last.Content, last.Status = streamedText(size), history.Complete
			var r Request
			if r, err = s.AddRequest(ctx, Request{Session: session.ID, Turn: i + 1}); err == nil {
				last, err = s.FinishAnswer(ctx, last, r)
			}
		}
		stored("done", size)
	}
	return errors.Join(err, s.Close())
}

// streamed text at a length; every length is recognised.
func streamedText(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.String()[:n]
}

// chats lets programs chat on one file at the same time until they are done.
func chats(t *testing.T, path string, programs, turns int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range programs {
		cmd, out := run(t, "chat", path, fmt.Sprint("chat ", i), strconv.Itoa(turns))
		wg.Go(func() {
			if _, err := io.Copy(io.Discard, out); errors.Join(err, cmd.Wait()) != nil {
				t.Errorf("program %d failed", i)
			}
		})
	}
	wg.Wait()
}

func TestEightProgramsOnOneFile(t *testing.T) {
	path := newPath(t)
	const turns = 6
	chats(t, path, 8, turns)
	s := openAt(t, path, Options{})
	list, err := s.Sessions(context.Background(), Filter{})
	if err != nil || len(list) != 8 {
		t.Errorf("%d conversations are stored, %v, want 8", len(list), err)
	}
	for _, session := range list {
		messages, err := s.Branch(context.Background(), session.Leaf, 0)
		must(t, "read", err)
		if len(messages) != 2*turns || session.Messages != 2*turns || session.Turns != turns {
			t.Errorf("%s: a branch of %d, %d messages, %d turns; want %d turns", session.Title, len(messages),
				session.Messages, session.Turns, turns)
		}
		for i, m := range messages {
			want := fmt.Sprint("turn ", i/2)
			if i%2 == 1 {
				want = streamedText(19 * 19 * 37)
			}
			if m.Content != want || m.Status != history.Complete || m.Seq != i+1 {
				t.Errorf("%s: message %d is %q %s, want %q complete", session.Title, i, m.Content, m.Status, want)
			}
		}
	}
	if n := s.Notices(); len(n) > 0 {
		t.Errorf("the notices are %q, want none", n)
	}
	if c, err := s.Check(context.Background()); err != nil || !c.Sound() {
		t.Errorf("the check says %+v, %v", c, err)
	}
}

// acknowledged is the last thing a killed program said about a message.
type acknowledged struct {
	what string
	size int
}

// killed runs chatProgram, kills it after about lines acknowledgements and returns all of them.
func killed(t *testing.T, path, title string, lines int) map[int64]acknowledged {
	t.Helper()
	cmd, out := run(t, "chat", path, title, "1000")
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
		if n := countOf(t, s, "SELECT count(*) FROM messages WHERE status = 'streaming'"); n > 0 {
			t.Errorf("%d answers of killed programs are still streaming", n)
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
	// Of an answer that was cut more may have been stored than was acknowledged, even all of it.
	sound := m.Status == history.Complete || m.Status == history.Interrupted
	switch text := streamedText(len(m.Content)); a.what {
	case "user":
		sound = strings.HasPrefix(m.Content, "turn ") && m.Status == history.Complete
	case "done":
		sound = m.Status == history.Complete && m.Content == text && len(text) == a.size && m.Request != 0
	default:
		sound = sound && m.Content == text && len(text) >= a.size
	}
	if err != nil || m.Damaged || !sound {
		t.Errorf("message %d, acknowledged as %s with %d bytes, is %s, damaged %v, with %d: %.60q, %v", id, a.what,
			a.size, m.Status, m.Damaged, len(m.Content), m.Content, err)
	}
}
