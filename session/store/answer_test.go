package store

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

func start(t testing.TB, s *Store, session string, parent int64) Message {
	t.Helper()
	m, err := s.StartAnswer(context.Background(), says(session, parent, history.Assistant, ""))
	if err != nil {
		t.Fatalf("StartAnswer behind %d: %v", parent, err)
	}
	return m
}

func TestAnswerFromStartToFinish(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	request, err := s.AddRequest(ctx, Request{Session: session.ID, Turn: 1, User: first.ID, Prompt: -1})
	must(t, "add request", err)

	begun := says(session.ID, first.ID, history.Assistant, "")
	begun.Request, begun.Endpoint, begun.Model = request.ID, "openai", "gpt-5.2"
	a, err := s.StartAnswer(ctx, begun)
	must(t, "start", err)
	if got := sessionOf(t, s, session.ID); got.Leaf != a.ID || got.Messages != 2 || got.Turns != 1 {
		t.Errorf("while the answer arrives: leaf %d, %d messages, %d turns; want %d, 2, 1", got.Leaf, got.Messages,
			got.Turns, a.ID)
	}
	for _, text := range []string{"", "Hi", "Hi th\x00\xff"} {
		must(t, "checkpoint", s.Checkpoint(ctx, a.ID, text, "so "+text))
		got := read(t, s, a.ID)
		if got.Content != text || got.Reasoning != "so "+text || got.Status != history.Streaming || got.Damaged {
			t.Errorf("after Checkpoint(%q): %q, %q, %s, damaged %v", text, got.Content, got.Reasoning, got.Status,
				got.Damaged)
		}
	}
	must(t, "switch away", s.Update(ctx, session.ID, func(row *Session) { row.Leaf = first.ID }))

	c.add(time.Minute)
	end := a
	end.Status, end.Content, end.Reasoning, end.FinishReason = "", "Hi there", "hm", "tool_calls"
	end.ToolCalls = []history.ToolCall{{ID: "1", Name: "f", Arguments: "{"}}
	end.Parts = []history.Part{{Kind: history.ImagePart, Data: []byte("png")}}
	end.Extra, end.Tokens, end.Tokenizer = `{"a":1}`, 2, "o200k_base"
	request.Prompt, request.End, request.Took = 31, "done", 2*time.Second
	got, err := s.FinishAnswer(ctx, end, request)
	must(t, "finish", err)
	end.Status = history.Complete
	if !reflect.DeepEqual(got, end) {
		t.Errorf("FinishAnswer returns\n%+v, want\n%+v", got, end)
	}
	if stored := read(t, s, a.ID); !reflect.DeepEqual(stored, end) {
		t.Errorf("Message returns\n%+v, want\n%+v", stored, end)
	}
	r, err := s.Requests(ctx, session.ID, RequestFilter{Turn: 1})
	if err != nil || !reflect.DeepEqual(r, []Request{request}) {
		t.Errorf("the receipt is\n%+v, %v, want\n%+v", r, err, request)
	}
	if got := sessionOf(t, s, session.ID); got.Leaf != first.ID || !got.Updated.Equal(c.t) {
		t.Errorf("after the answer: leaf %d, used %v; want %d, as the user set it, and %v", got.Leaf, got.Updated,
			first.ID, c.t)
	}
	if err := s.Checkpoint(ctx, a.ID, "late", ""); !errors.Is(err, ErrNotStreamed) {
		t.Errorf("Checkpoint of a finished answer = %v, want ErrNotStreamed", err)
	}
	if _, err := s.FinishAnswer(ctx, end, Request{}); !errors.Is(err, ErrNotStreamed) {
		t.Errorf("FinishAnswer of a finished answer = %v, want ErrNotStreamed", err)
	}
}

func TestFinishIsOneTransaction(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	a := start(t, s, session.ID, first.ID)
	must(t, "checkpoint", s.Checkpoint(ctx, a.ID, "part", ""))
	a.Content, a.Status = "whole", history.Complete
	a.ToolCalls = []history.ToolCall{{ID: "1"}}
	if _, err := s.FinishAnswer(ctx, a, Request{ID: 99, Session: session.ID}); !errors.Is(err, ErrNotFound) {
		t.Fatalf("FinishAnswer with a request that is not there = %v, want ErrNotFound", err)
	}
	if got := read(t, s, a.ID); got.Content != "part" || got.Status != history.Streaming || got.ToolCalls != nil {
		t.Errorf("half of a failed FinishAnswer is stored: %+v", got)
	}
}

// abandon makes others take a store's owner for dead, as they do at the end of its program.
func abandon(t *testing.T, s *Store) {
	t.Helper()
	must(t, "remove the lock file", os.Remove(s.path+"-live-"+s.owner.Token()))
}

func TestAnswerOfADeadWindowIsInterrupted(t *testing.T) {
	path := newPath(t)
	ctx := context.Background()
	dead := openAt(t, path, Options{})
	session, first := begin(t, dead, "", "hello")
	answer := start(t, dead, session.ID, first.ID)
	must(t, "checkpoint", dead.Checkpoint(ctx, answer.ID, "so f", "hm"))
	abandon(t, dead)

	s := openAt(t, path, Options{})
	if got := read(t, s, answer.ID); got.Status != history.Interrupted || got.Content != "so f" ||
		got.Reasoning != "hm" || got.Damaged {
		t.Errorf("the answer of a dead window is %+v, want interrupted with what arrived", got)
	}
	if n := s.Notices(); len(n) != 1 || !strings.Contains(n[0], "What had arrived is kept") {
		t.Errorf("the notices are %q, want one about the cut answer", n)
	}

	// It was not dead after all: it goes on as if nothing had happened.
	must(t, "checkpoint", dead.Checkpoint(ctx, answer.ID, "so far", "hm"))
	if got := read(t, s, answer.ID); got.Status != history.Streaming || got.Content != "so far" {
		t.Errorf("the answer is %s %q, want streaming %q", got.Status, got.Content, "so far")
	}
}
