package session

import (
	"context"
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/approval"
	"winnow/session/store"
)

func TestEditSaysSomethingElseOnABranchOfItsOwn(t *testing.T) {
	b := newBench(t, says("Hello."), calls("c1", "add", `{"a":1,"b":2}`), says("Three."), says("Good."),
		calls("c2", "add", `{"a":2,"b":2}`), says("Four."), says("Good day."), says("Bye."))
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	s := b.begin()
	for _, draft := range []string{"Hi", "What is 1 + 2?", "Thanks"} {
		drain(s.Send(t.Context(), say(draft)))
	}
	const (
		first = "user: Hi\nassistant: Hello.\n"
		three = first + "user: What is 1 + 2?\nassistant:  [add {\"a\":1,\"b\":2}]\ntool: 3\nassistant: " +
			"Three.\nuser: Thanks\nassistant: Good.\n"
		four = first + "user: What is 2 + 2?\nassistant:  [add {\"a\":2,\"b\":2}]\ntool: 4\nassistant: Four.\n"
	)
	wantTranscript(t, s.Messages(), three)
	greeting, question, thanks := s.Messages()[0].ID, s.Messages()[2].ID, s.Messages()[6].ID

	// A message with calls under it.
	events := completed(t, s.Send(t.Context(), Draft{Instead: question, Text: "What is 2 + 2?"}))
	wantTranscript(t, s.Messages(), four)
	everything := only[Stored](events)[0].Message
	if everything.Siblings != 2 || everything.Sibling != 2 || s.Messages()[2].ID != everything.ID {
		t.Errorf("the edited message is %d of %d siblings", everything.Sibling, everything.Siblings)
	}
	if body := b.body(6); !strings.Contains(body, "2 + 2") || strings.Contains(body, "1 + 2") ||
		strings.Contains(body, "Thanks") {
		t.Errorf("the request that answers the edit holds what is on the other branch:\n%s", body)
	}

	// The first message of all.
	completed(t, s.Send(t.Context(), Draft{Instead: greeting, Text: "Good morning"}))
	wantTranscript(t, s.Messages(), "user: Good morning\nassistant: Good day.\n")

	// A message that is not on the active branch.
	completed(t, s.Send(t.Context(), Draft{Instead: thanks, Text: "That was all"}))
	wantTranscript(t, s.Messages(), strings.Replace(three, "user: Thanks\nassistant: Good.\n",
		"user: That was all\nassistant: Bye.\n", 1))
	wantTranscript(t, b.open(s.Info().ID).Messages(), transcript(s.Messages()))

	// All of it is still there, and each branch can be the active one again.
	for _, to := range []struct {
		message int64
		want    string
	}{
		{thanks, three},
		{everything.ID, four},
		{question, strings.Replace(three, "user: Thanks\nassistant: Good.\n", "user: That was all\nassistant: Bye.\n",
			1)},
	} {
		if err := s.Switch(t.Context(), to.message); err != nil {
			t.Fatal(err)
		}
		wantTranscript(t, s.Messages(), to.want)
		wantTranscript(t, b.open(s.Info().ID).Messages(), to.want)
	}
	if info := s.Info(); info.Messages != 16 || info.Turns != 6 {
		t.Errorf("it has %d messages and %d turns, want 16 and 6", info.Messages, info.Turns)
	}
}

// An edited message keeps the files that came with the earlier one, and the server gets them.
func TestEditKeepsTheFiles(t *testing.T) {
	b := newBench(t, says("Hello."), says("A dog."))
	s := b.begin()
	drain(s.Send(t.Context(), say("Hi")))
	files := []history.Part{
		{Kind: history.ImagePart, MediaType: "image/png", Name: "cat.png", Data: []byte("a picture")},
	}
	row := s.Info()
	seen, err := b.deps.Store.Append(t.Context(), store.Message{
		Session: row.ID, Parent: row.Leaf,
		Message: history.Message{
			Role: history.User, Content: "What is this?", Parts: files, Status: history.Complete,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s = b.open(row.ID)
	completed(t, s.Send(t.Context(), Draft{Instead: seen.ID, Text: "And this?"}))
	edited := b.open(row.ID).Messages()[2]
	if edited.Content != "And this?" || !reflect.DeepEqual(edited.Parts, files) {
		t.Errorf("the edited message is %q with %+v, want the files %+v", edited.Content, edited.Parts, files)
	}
	if body := b.body(2); !strings.Contains(body, base64.StdEncoding.EncodeToString(files[0].Data)) {
		t.Errorf("the request does not hold the picture:\n%s", body)
	}
}

func TestAnswerIsGivenAgainAtAnyTurn(t *testing.T) {
	b := newBench(t, calls("c1", "add", `{"a":1,"b":2}`), says("Three."), says("Fine."), says("It is three."),
		says("Very well."))
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	s := b.begin()
	drain(s.Send(t.Context(), say("1+2?")))
	drain(s.Send(t.Context(), say("How are you?")))
	result, fine := s.Messages()[2].ID, s.Messages()[5].ID
	completed(t, s.Regenerate(t.Context(), result, ""))
	wantTranscript(t, s.Messages(), "user: 1+2?\nassistant: It is three.\n")
	if got := wantProven(t, s, 1, 3, b.body(4)); got.Of != 3 {
		t.Errorf("turn 1 has %d requests, want 3", got.Of)
	}
	completed(t, s.Regenerate(t.Context(), fine, ""))
	wantTranscript(t, s.Messages(), "user: 1+2?\nassistant:  [add {\"a\":1,\"b\":2}]\ntool: 3\nassistant: "+
		"Three.\nuser: How are you?\nassistant: Very well.\n")
	if last := s.Messages()[5]; last.Siblings != 2 || last.Sibling != 2 {
		t.Errorf("the newest answer is %d of %d siblings, want the second of two", last.Sibling, last.Siblings)
	}
}

func TestBranchesThatCannotBe(t *testing.T) {
	b := newBench(t, says("One."), says("Elsewhere."))
	s, other := b.begin(), b.begin()
	if _, err := drain(s.Regenerate(t.Context(), 0, "")); !errors.Is(err, ErrNothingToAnswer) {
		t.Errorf("regenerate before the first message: %v, want ErrNothingToAnswer", err)
	}
	drain(s.Send(t.Context(), say("First")))
	drain(other.Send(t.Context(), say("Other")))
	question, answer, foreign := s.Messages()[0].ID, s.Messages()[1].ID, other.Messages()[0].ID
	info, want := s.Info(), transcript(s.Messages())
	row := stored(t, b, s)
	edit := func(message int64) error {
		_, err := drain(s.Send(t.Context(), Draft{Instead: message, Text: "Otherwise"}))
		return err
	}
	again := func(message int64) error {
		_, err := drain(s.Regenerate(t.Context(), message, ""))
		return err
	}
	change := func(message int64) error { return s.Switch(t.Context(), message) }
	for _, test := range []struct {
		name string
		do   func(int64) error
		of   int64
		want error
	}{
		{"edit an answer", edit, answer, ErrNotYours},
		{"edit what is not there", edit, 999, store.ErrNotFound},
		{"edit a message of another session", edit, foreign, store.ErrNotFound},
		{"regenerate what is not there", again, 999, store.ErrNotFound},
		{"regenerate a message of another session", again, foreign, store.ErrNotFound},
		{"switch to what is not there", change, 999, store.ErrNotFound},
		{"switch to a message of another session", change, foreign, store.ErrNotFound},
		{"switch to where it is", change, question, nil},
	} {
		if err := test.do(test.of); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if now := stored(t, b, s); !reflect.DeepEqual(now, row) || !reflect.DeepEqual(s.Info(), info) {
			t.Errorf("%s left its mark: %+v, was %+v", test.name, now, row)
		}
		wantTranscript(t, s.Messages(), want)
	}
}

func TestNoBranchWhileATurnIsRunning(t *testing.T) {
	sent := make(chan struct{})
	b := newBench(t, says("One."), hangs(sent, "Two"), says("Two."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	question := s.Messages()[0].ID
	ctx, stop := context.WithCancel(t.Context())
	events := s.Send(ctx, say("Second"))
	until[Delta](events)
	for name, do := range map[string]func() error{
		"edit": func() error {
			_, err := drain(s.Send(t.Context(), Draft{Instead: question, Text: "Other"}))
			return err
		},
		"regenerate": func() error { _, err := drain(s.Regenerate(t.Context(), question, "")); return err },
		"switch":     func() error { return s.Switch(t.Context(), question) },
	} {
		if err := do(); !errors.Is(err, ErrBusy) {
			t.Errorf("%s while an answer arrives: %v, want ErrBusy", name, err)
		}
	}
	stop()
	drain(events)
	wantTranscript(t, s.Messages(), "user: First\nassistant: One.\nuser: Second\nassistant: Two (interrupted)\n")
	if err := s.Switch(t.Context(), question); err != nil || s.Now().Busy() {
		t.Errorf("after the turn: %v, busy is %t", err, s.Now().Busy())
	}
}

// stored is the session's row in the store.
func stored(t interface{ Fatalf(string, ...any) }, b *bench, s *Session) store.Session {
	row, err := b.deps.Store.Session(context.Background(), s.Info().ID)
	if err != nil {
		t.Fatalf("read the session: %v", err)
	}
	return row
}
