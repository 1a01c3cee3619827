package store

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// chatProgram runs turns of a conversation with streamed answers, on a store of its own.
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
	session, last, err := s.BeginSession(ctx, Session{Title: args[1]}, says("", 0, history.User, "turn 0"))
	for i := 0; i < turns && err == nil; i++ {
		if i > 0 {
			last, err = s.AppendMessage(ctx, says(session.ID, last.ID, history.User, fmt.Sprint("turn ", i)))
		}
		if err == nil {
			last, err = s.StartAnswer(ctx, says(session.ID, last.ID, history.Assistant, ""))
		}
		for j := 0; j < 20 && err == nil; j++ {
			last.Content = streamedText(j * j * 37)
			err = s.SavePartialAnswer(ctx, last.ID, last.Content, streamedText(j))
		}
		if err == nil {
			last.Status = history.Complete
			last, err = s.FinishAnswer(ctx, last, Request{})
		}
	}
	return errors.Join(err, s.Close())
}

// streamedText returns the first n bytes of a fixed text. Every length gives a different text.
func streamedText(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.String()[:n]
}

// chats runs several chat programs on one file at the same time.
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
	list, err := s.Sessions(context.Background(), SessionFilter{})
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
