package session

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/record"
	"winnow/session/store"
)

func TestTurnSavesAsksAndSaves(t *testing.T) {
	b := newBench(t, says("Hel", "lo."), says("Again."))
	s := b.begin()
	events := completed(t, s.Send(t.Context(), say("Hi there")))
	var kinds []string
	for _, e := range events {
		switch e.(type) {
		case Stored:
			kinds = append(kinds, "stored")
		case Titled:
			kinds = append(kinds, "titled")
		case Planned:
			kinds = append(kinds, "planned")
		case Delta:
			kinds = append(kinds, "delta")
		case Answered:
			kinds = append(kinds, "answered")
		case Finished:
			kinds = append(kinds, "finished")
		}
	}
	kinds = slices.Compact(kinds) // as many deltas as the answer came in
	if got, want := strings.Join(kinds, " "), "stored titled planned delta answered finished"; got != want {
		t.Errorf("events came as %q, want %q", got, want)
	}
	again, err := drain(s.Send(t.Context(), say("And now?")))
	if err != nil {
		t.Fatalf("the second turn failed: %v", err)
	}
	for i, turn := range [][]Event{events, again} {
		got := only[Answered](turn)[0].Receipt
		if messages := 2*i + 1; got.Turn != i+1 || got.Sent() != messages || got.Stored != messages {
			t.Errorf("the receipt of turn %d says turn %d, saw %d of %d; want %d of %d", i+1, got.Turn, got.Sent(),
				got.Stored, messages, messages)
		}
	}
	wantTranscript(t, b.open(s.Info().ID).Messages(),
		"user: Hi there\nassistant: Hello.\nuser: And now?\nassistant: Again.\n")
	if got := b.open(s.Info().ID).Info(); got.Title != "Hi there" || got.Turns != 2 || got.Messages != 4 {
		t.Errorf("the row says title %q, %d turns, %d messages; want Hi there, 2, 4", got.Title,
			got.Turns, got.Messages)
	}
}

// A draft's files are previewed as they are sent, kept with the message, and read again. A message may
// be nothing but its files.
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

func TestStopKeepsWhatArrived(t *testing.T) {
	sent := make(chan struct{})
	b := newBench(t, hangs(sent, "Once upon ", "a time"))
	s := b.begin()
	ctx, stop := context.WithCancel(t.Context())
	events := s.Send(ctx, say("Tell me a story"))
	<-sent
	text := ""
	for e := range events {
		if d, ok := e.(Delta); ok {
			if text += d.Text; text == "Once upon a time" {
				stop()
			}
		}
		if f, ok := e.(Finished); ok && f.Err != nil {
			t.Errorf("a stop is not an error, got %v", f.Err)
		}
	}
	stop()
	wantTranscript(t, b.open(s.Info().ID).Messages(),
		"user: Tell me a story\nassistant: Once upon a time (interrupted)\n")
	records, _ := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
	if len(records) != 1 || records[0].End != "stopped" {
		t.Errorf("the record says %+v, want end stopped", records)
	}
}

func TestBrokenConnectionKeepsWhatArrivedAndSaysSo(t *testing.T) {
	b := newBench(t, breaks("Half an ans"))
	s := b.begin()
	_, err := drain(s.Send(t.Context(), say("Go on")))
	if err == nil {
		t.Error("the connection broke, and nobody said so")
	}
	wantTranscript(t, b.open(s.Info().ID).Messages(), "user: Go on\nassistant: Half an ans (interrupted)\n")
}

func TestRefusalLeavesTheMessageAndRegenerateAsksAgain(t *testing.T) {
	b := newBench(t,
		refuses(401, `{"error":{"message":"Incorrect API key provided: sk-test","code":"invalid_api_key"}}`),
		says("Now it works."))
	s := b.begin()
	_, err := drain(s.Send(t.Context(), say("Anyone there?")))
	if !errors.Is(err, llm.Auth) {
		t.Errorf("got %v, want llm.Auth", err)
	}
	if err != nil && strings.Contains(err.Error(), "sk-test") {
		t.Errorf("the sentence shows the key: %v", err)
	}
	wantTranscript(t, s.Messages(), "user: Anyone there?\n")
	completed(t, s.Regenerate(t.Context(), 0, ""))
	wantTranscript(t, b.open(s.Info().ID).Messages(), "user: Anyone there?\nassistant: Now it works.\n")
}

func TestEmptyAnswerIsAnErrorAndLeavesNoMessage(t *testing.T) {
	b := newBench(t, says())
	s := b.begin()
	_, err := drain(s.Send(t.Context(), say("Say nothing")))
	var fault *llm.Error
	if !errors.As(err, &fault) || err.Error() != "the model answered nothing" {
		t.Errorf("got %v, want that the model answered nothing", err)
	}
	wantTranscript(t, b.open(s.Info().ID).Messages(), "user: Say nothing\n")
}

func TestSecondTurnWhileBusyIsRefusedAndStoresNothing(t *testing.T) {
	sent := make(chan struct{})
	b := newBench(t, hangs(sent, "wait"))
	s := b.begin()
	events := s.Send(t.Context(), say("One"))
	until[Delta](events)
	if _, err := drain(s.Send(t.Context(), say("Two"))); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
	for range events {
	}
	wantTranscript(t, b.open(s.Info().ID).Messages(), "user: One\nassistant: wait (interrupted)\n")
}

func TestCloseSavesWithoutAReader(t *testing.T) {
	sent := make(chan struct{})
	b := newBench(t, hangs(sent, strings.Split(strings.Repeat("word ", 300), " ")...))
	s := b.begin()
	events := s.Send(t.Context(), say("Many words"))
	<-events // stored; nobody reads the rest, so the channel fills
	if err := s.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
	got := b.open(s.Info().ID).Messages()
	if len(got) == 0 || got[0].Content != "Many words" {
		t.Errorf("the conversation is %s", transcript(got))
	}
}

func TestToolLoopEnds(t *testing.T) {
	call := calls("c1", "add", `{"a":1,"b":2}`)
	b := newBench(t, call, call, call)
	b.deps.Approval.Mode, b.deps.MaxRounds = approval.Always, 3
	b.offer(adder(t))
	s := b.begin()
	events, err := drain(s.Send(t.Context(), say("loop")))
	if err == nil || !strings.Contains(err.Error(), "3 times") {
		t.Errorf("got %v, want a sentence with the limit", err)
	}
	// The last request was answered: the failure is the turn's alone.
	over, _ := events[len(events)-1].(Finished)
	if f := over.Failure; f == nil || f.Request != 0 || !strings.Contains(f.What, "3 times") {
		t.Errorf("the failure is %+v, want one of the turn and of no request", f)
	}
	// It is kept behind the last result.
	for what, branch := range map[string][]store.Message{
		"now": s.Messages(), "reopened": b.open(s.Info().ID).Messages(),
	} {
		for i, m := range branch {
			f, failed := record.FailureAfter(m)
			if last := i == len(branch)-1; failed != last || failed && !strings.Contains(f.What, "3 times") {
				t.Errorf("%s, message %d of %d has the failure %+v", what, i+1, len(branch), f)
			}
		}
	}
	if b.requests() != 3 {
		t.Errorf("%d requests, want 3", b.requests())
	}
}

// adder is a toolbox with one tool.
func adder(t *testing.T) *tool.Toolbox {
	t.Helper()
	box := &tool.Toolbox{}
	box.Register(tool.Tool{Name: "add", Description: "adds", Parameters: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, arguments json.RawMessage) (string, error) {
			var n struct{ A, B int }
			if err := json.Unmarshal(arguments, &n); err != nil {
				return "", err
			}
			text, err := json.Marshal(n.A + n.B)
			return string(text), err
		})
	return box
}

func TestLongConversationOpensAtItsEndAndLoadsTheRest(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	row, m, err := b.deps.Store.Begin(ctx, store.Session{Endpoint: "test", Model: "m"},
		store.Message{Message: history.Message{Role: history.User, Content: "0", Status: history.Complete}})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 450; i++ {
		role := history.User
		if i%2 == 1 {
			role = history.Assistant
		}
		m, err = b.deps.Store.Append(ctx, store.Message{
			Session: row.ID, Parent: m.ID, Message: history.Message{Role: role, Content: "x", Status: history.Complete},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s := b.open(row.ID)
	if got := len(s.Messages()); got != firstRead {
		t.Errorf("open read %d messages, want %d", got, firstRead)
	}
	if _, err := s.Preview(say("hi")); !errors.Is(err, ErrLoading) {
		t.Errorf("the preview of half a conversation says %v, want ErrLoading", err)
	}
	if err := s.LoadRest(ctx); err != nil {
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
	if got := only[Stored](events); len(got) != 0 {
		t.Errorf("the composer was told to let go: %v", got)
	}
	if b.requests() != 0 {
		t.Errorf("%d requests left before the message was stored", b.requests())
	}
}
