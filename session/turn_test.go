package session

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
)

// The files of a draft are previewed as they are sent, stored with the message, and read again. A message may consist
// of files only.
func TestTurnSendsItsFiles(t *testing.T) {
	b := newBench(t, says("A dot."), says("The same."))
	s := b.begin()
	files := []history.Part{
		{Kind: history.TextPart, Name: "notes.txt", MediaType: "text/plain", Text: "one\xfftwo", Tokens: 3},
		{Kind: history.ImagePart, Name: "dot.png", MediaType: "image/png", Data: []byte("PNG"), Tokens: 85},
	}
	for i, draft := range []string{"", "And this?"} {
		plan, err := s.Preview(say(draft, files...))
		if err != nil {
			t.Fatal(err)
		}
		body, err := s.Try(context.Background(), Settings{}).Body(plan)
		if err != nil {
			t.Fatal(err)
		}
		completed(t, s.Send(t.Context(), say(draft, files...)))
		if got := b.body(i + 1); got != string(body) {
			t.Errorf("the preview is\n%s\nand what was sent\n%s", body, got)
		}
	}
	again := b.open(s.Info().ID)
	for i := 0; i < 4; i += 2 {
		if got := again.Messages()[i].Parts; !reflect.DeepEqual(got, files) {
			t.Errorf("message %d holds %+v, want %+v", i, got, files)
		}
	}
	if got := again.Info().Title; got != "notes.txt" {
		t.Errorf("the title is %q, want the name of the first file", got)
	}
}

func TestCloseSavesWithoutAReader(t *testing.T) {
	sent := make(chan struct{})
	b := newBench(t, hangs(sent, strings.Split(strings.Repeat("word ", 300), " ")...))
	s := b.begin()
	events := s.Send(t.Context(), say("Many words"))
	<-events // the rest is not read, so the channel fills
	if err := s.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
	got := b.open(s.Info().ID).Messages()
	if len(got) == 0 || got[0].Content != "Many words" {
		t.Errorf("the conversation is %s", transcript(got))
	}
}

func TestLongConversationOpensAtItsEndAndLoadsTheRest(t *testing.T) {
	b := newBench(t)
	s := b.open(b.imported(450, numbered).ID)
	if got := len(s.Messages()); got != firstRead {
		t.Errorf("open read %d messages, want %d", got, firstRead)
	}
	if _, err := s.Preview(say("hi")); !errors.Is(err, ErrLoading) {
		t.Errorf("the preview of half a conversation says %v, want ErrLoading", err)
	}
	if err := s.LoadOlder(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(s.Messages()); got != 450 {
		t.Errorf("now there are %d messages, want 450", got)
	}
	plan, err := s.Preview(say("hi"))
	if err != nil || plan.Sum.Stored != 450 {
		t.Errorf("the preview knows %d messages (%v), want 450", plan.Sum.Stored, err)
	}
}

func TestUnwritableStoreKeepsNothingAndNamesTheCause(t *testing.T) {
	b := newBench(t)
	s := b.begin()
	b.deps.Store.Close()
	events, err := drain(s.Send(t.Context(), say("Hello")))
	if err == nil {
		t.Fatal("the message could not be stored, and nobody said so")
	}
	if got := only[MessageStored](events); len(got) != 0 {
		t.Errorf("the composer was told to let go: %v", got)
	}
	if b.requests() != 0 {
		t.Errorf("%d requests left before the message was stored", b.requests())
	}
}
