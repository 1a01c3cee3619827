package session

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"winnow/session/store"
)

// Another answer that does not come leaves the branch that was there, here and in the store.
func TestNoOtherAnswerLeavesTheBranch(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), refuses(http.StatusBadRequest, `{"error":{"message":"no"}}`),
		says("Uno."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	drain(s.Send(t.Context(), say("Second")))
	first := s.Messages()[0].ID
	info, want := s.Info(), transcript(s.Messages())
	if _, err := drain(s.Regenerate(t.Context(), first, "")); err == nil {
		t.Fatal("the server refused, and there is no error")
	}
	wantTranscript(t, s.Messages(), want)
	if row := stored(t, b, s); s.Info().Leaf != info.Leaf || row.Leaf != info.Leaf {
		t.Errorf("the leaf is %d, stored as %d, want %d", s.Info().Leaf, row.Leaf, info.Leaf)
	}
	if _, err := s.Preview(say("And?")); err != nil {
		t.Errorf("plan the next request: %v", err)
	}
	completed(t, s.Regenerate(t.Context(), first, ""))
	wantTranscript(t, s.Messages(), "user: First\nassistant: Uno.\n")
}

func TestVersionsComeRound(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Uno."), says("Un."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	drain(s.Send(t.Context(), say("Second")))
	one, second := s.Messages()[1].ID, s.Messages()[2].ID
	drain(s.Regenerate(t.Context(), one, ""))
	uno := s.Messages()[1].ID
	drain(s.Regenerate(t.Context(), one, ""))
	un := s.Messages()[1].ID
	for _, test := range []struct {
		from int64
		by   int
		want Version
		says string
	}{
		{un, 1, Version{one, 1, 3}, "user: First\nassistant: One.\nuser: Second\nassistant: Two.\n"},
		{one, 1, Version{uno, 2, 3}, "user: First\nassistant: Uno.\n"},
		{uno, 1, Version{un, 3, 3}, "user: First\nassistant: Un.\n"},
		{un, -1, Version{uno, 2, 3}, "user: First\nassistant: Uno.\n"},
		{uno, -1, Version{one, 1, 3}, "user: First\nassistant: One.\nuser: Second\nassistant: Two.\n"},
		{one, -1, Version{un, 3, 3}, "user: First\nassistant: Un.\n"},
		{un, -5, Version{one, 1, 3}, "user: First\nassistant: One.\nuser: Second\nassistant: Two.\n"},
	} {
		got, err := s.SwitchVersion(t.Context(), test.from, test.by)
		if err != nil || got != test.want {
			t.Errorf("%d versions on from %d: %+v, %v; want %+v", test.by, test.from, got, err, test.want)
		}
		wantTranscript(t, s.Messages(), test.says)
		at := s.Messages()[1]
		if at.ID != got.Message || at.Sibling != got.Nth || at.Siblings != got.Of {
			t.Errorf("the message is %d, %d of %d; want %+v", at.ID, at.Sibling, at.Siblings, got)
		}
	}
	if _, err := s.SwitchVersion(t.Context(), second, 1); !errors.Is(err, ErrOneVersion) {
		t.Errorf("the other version of a message that has none: %v, want ErrOneVersion", err)
	}
	if _, err := s.SwitchVersion(t.Context(), 999, 1); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the other version of a message that is not there: %v, want ErrNotFound", err)
	}
}

// The plan of an edit is the plan of the request that then leaves.
func TestPreviewOfAnEdit(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Three."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	drain(s.Send(t.Context(), say("Second")))
	second := s.Messages()[2]
	whole, err := s.Preview(say("And?"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Preview(Draft{Instead: second.ID, Text: "Otherwise"})
	if err != nil {
		t.Fatal(err)
	}
	body, err := s.Try(t.Context(), Settings{}).Body(plan)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Preview(say("And?")); err != nil || !reflect.DeepEqual(again.Messages, whole.Messages) {
		t.Errorf("the next request is\n%+v (%v), want still\n%+v", again.Messages, err, whole.Messages)
	}
	for of, want := range map[int64]error{s.Messages()[1].ID: ErrNotYours, 999: store.ErrNotFound} {
		if _, err := s.Preview(Draft{Instead: of, Text: "Otherwise"}); !errors.Is(err, want) {
			t.Errorf("the plan of an edit of message %d: %v, want %v", of, err, want)
		}
	}
	completed(t, s.Send(t.Context(), Draft{Instead: second.ID, Text: "Otherwise"}))
	if got := b.body(3); string(body) != got || strings.Contains(got, "Second") {
		t.Errorf("the request was\n%s\nwant as planned\n%s", got, body)
	}
}
