package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// wantProven replays a request and fails unless its bytes are those that the server got.
func wantProven(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Session, turn, nth int, want string,
) Replayed {
	t.Helper()
	got, err := s.Replay(context.Background(), turn, nth)
	if err != nil {
		t.Fatalf("replay turn %d.%d: %v", turn, nth, err)
	}
	if !got.Proven || got.Doubt != "" || string(got.Body) != want {
		t.Fatalf("turn %d.%d is proven: %t (%s); it is\n%s\nand the server got\n%s", turn, nth, got.Proven, got.Doubt, got.Body, want)
	}
	if kept := got.Verdicts; !reflect.DeepEqual(kept.Entries, plain(got.Plan.Entries)) || kept.Sum != got.Plan.Sum {
		t.Fatalf("turn %d.%d was decided as\n%+v\nand is decided now as\n%+v", turn, nth, kept, got.Plan)
	}
	return got
}

func TestReplayGivesTheBytesOfEveryRequest(t *testing.T) {
	long := strings.Repeat("A long answer that a small window does not hold twice. ", 40)
	b := newBench(t, says(long), calls("c1", "add", `{"a":1,"b":2}`), says("Three."), says(long), says("Again."))
	b.deps.Approve, b.deps.Tokenizer = Always, "quarters"
	b.deps.Sampling.MaxTokens, b.deps.Sampling.Effort = 700, "low"
	warm := 0.7
	b.deps.Sampling.Temperature = &warm
	box := adder(t)
	box.Register(llm.Tool{Name: "less", Description: "a < b & \u2028", Parameters: json.RawMessage(`{ "type":"object", "title":"<&>"}`)}, nil)
	b.offer(box)
	s := b.begin()
	drain(s.Send(t.Context(), "Talk at length"))
	s.SetBudget(t.Context(), 1500)
	s.SetFlag(t.Context(), s.Messages()[0].ID, history.Exclude)
	drain(s.Send(t.Context(), "1+2?"))
	s.SetSystem(t.Context(), "Be long.")
	drain(s.Send(t.Context(), "Talk again"))
	drain(s.Regenerate(t.Context()))

	// Everything that decided is another now.
	s.SetPreset(t.Context(), "recent")
	s.SetFlag(t.Context(), s.Messages()[0].ID, "")
	b.deps.Models = llm.NewCatalog(llm.Endpoint{Name: "other", BaseURL: "https://api.openai.com/v1", Window: 999999})
	b.deps.Sampling, b.deps.System = Sampling{MaxTokens: 5}, "Be silent."
	later, err := Open(t.Context(), b.deps, s.Info().ID, "other/m")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for turn, requests := range []int{1, 2, 2} {
		for nth := range requests {
			at++
			got := wantProven(t, later, turn+1, nth+1, b.body(at))
			if got.Nth != nth+1 || got.Of != requests || got.Request.Turn != turn+1 {
				t.Errorf("replay of turn %d.%d says %d.%d of %d", turn+1, nth+1, got.Request.Turn, got.Nth, got.Of)
			}
		}
		if last := wantProven(t, later, turn+1, 0, b.body(at)); last.Nth != requests {
			t.Errorf("without a number it is request %d of turn %d, want the last of %d", last.Nth, turn+1, requests)
		}
	}
	// The first answer to the third turn is on no active branch any more; the request that the
	// second one answered did not hold it, and the messages say so.
	if got := wantProven(t, later, 3, 2, b.body(5)); got.Messages[len(got.Messages)-1].Content != "Talk again" {
		t.Errorf("the branch of the request ends with %q, want the user's message", got.Messages[len(got.Messages)-1].Content)
	}
}

func TestReplayFollowsTheBranchOfTheRecord(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Two, otherwise."), says("Three."))
	s := b.begin()
	drain(s.Send(t.Context(), "First"))
	drain(s.Send(t.Context(), "Second"))
	drain(s.Regenerate(t.Context()))
	drain(s.Send(t.Context(), "Third"))
	// Back to the first answer: the newest turns are on another branch now.
	if err := b.deps.Store.SetLeaf(t.Context(), s.Info().ID, s.Messages()[1].ID); err != nil {
		t.Fatal(err)
	}
	back := b.open(s.Info().ID)
	wantTranscript(t, back.Messages(), "user: First\nassistant: One.\n")
	wantProven(t, back, 2, 1, b.body(2))
	wantProven(t, back, 2, 2, b.body(3))
	got := wantProven(t, back, 3, 0, b.body(4))
	if text := transcript(got.Messages); !strings.Contains(text, "Two, otherwise.") || strings.Contains(text, "Two.\n") {
		t.Errorf("turn 3 was planned from\n%s", text)
	}
}

func TestReplayKnowsWhatTheServerRefused(t *testing.T) {
	b := newBench(t, refuses(400, `{"error":{"message":"Unknown field: stream_options not supported"}}`), says("Fine."), says("Still."))
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), "Hello")); err != nil {
		t.Fatal(err)
	}
	drain(s.Send(t.Context(), "Hello again"))
	if strings.Contains(b.body(2), "stream_options") || !strings.Contains(b.body(1), "stream_options") {
		t.Fatalf("the requests were\n%s\n%s", b.body(1), b.body(2))
	}
	wantProven(t, s, 1, 0, b.body(2))
	wantProven(t, s, 2, 0, b.body(3))
}

func TestReplayAfterARefusalHasBothRequests(t *testing.T) {
	b := newBench(t,
		says(strings.Repeat("long answer ", 400)),
		refuses(400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"request (1300 tokens) exceeds the available context size (1024 tokens), try increasing it","n_prompt_tokens":1300,"n_ctx":1024}}`),
		says("It fits."))
	s := b.begin()
	drain(s.Send(t.Context(), "Talk at length"))
	drain(s.Send(t.Context(), "And?"))
	wantProven(t, s, 2, 1, b.body(2))
	if got := wantProven(t, s, 2, 0, b.body(3)); got.Of != 2 {
		t.Errorf("turn 2 has %d requests, want 2", got.Of)
	}
}

func TestReplaySaysWhereItCannotProve(t *testing.T) {
	b := newBench(t, says("One."))
	s := b.begin()
	drain(s.Send(t.Context(), "First"))
	records, err := b.deps.Store.Requests(t.Context(), s.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	other := func(change func(*store.Request)) Replayed {
		t.Helper()
		r := records[0]
		change(&r)
		if err := b.deps.Store.UpdateRequest(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		got, err := s.Replay(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := other(func(r *store.Request) { r.BodyHash = "00" }); got.Proven || got.Doubt != "its bytes have another hash than the record says" || string(got.Body) != b.body(1) {
		t.Errorf("with another hash: proven %t, %q", got.Proven, got.Doubt)
	}
	if got := other(func(r *store.Request) { r.BodyHash, r.Rules = "00", 999 }); got.Proven || !strings.Contains(got.Doubt, "version 999 of the rules") {
		t.Errorf("with other rules: proven %t, %q", got.Proven, got.Doubt)
	}
	if got := other(func(r *store.Request) { r.BodyHash, r.Tokenizer = "00", "fingers" }); got.Proven || !strings.Contains(got.Doubt, "counted by fingers") {
		t.Errorf("with another tokenizer: proven %t, %q", got.Proven, got.Doubt)
	}
	// A newer version of the rules that gives the same bytes is proof enough.
	if got := other(func(r *store.Request) { r.Rules = 999 }); !got.Proven {
		t.Errorf("the same bytes by other rules are not taken as proven: %q", got.Doubt)
	}
}

func TestReplayOfNothing(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	want := func(turn, nth int, sentence string) {
		t.Helper()
		_, err := s.Replay(t.Context(), turn, nth)
		if missing := (*NoRequestError)(nil); !errors.As(err, &missing) || err.Error() != sentence {
			t.Errorf("replay of turn %d.%d: %v, want %q", turn, nth, err, sentence)
		}
	}
	want(1, 0, "there is no turn 1; this session has 0")
	drain(s.Send(t.Context(), "First"))
	want(2, 0, "there is no turn 2; this session has 1")
	want(0, 0, "there is no turn 0; this session has 1")
	want(1, 2, "turn 1 has no request 2; it has 1")
	if _, err := b.deps.Store.Append(t.Context(), store.Message{Session: s.Info().ID, Parent: s.Info().Leaf, Message: history.Message{Role: history.User, Content: "unsent"}}); err != nil {
		t.Fatal(err)
	}
	s = b.open(s.Info().ID)
	want(2, 0, "nothing was sent in turn 2 of this session")
}

// TestEveryRequestOfAnyConversationReplays talks at random and replays every request that left.
func TestEveryRequestOfAnyConversationReplays(t *testing.T) {
	b := newBench(t)
	b.deps.Approve = Always
	b.offer(adder(t))
	rapid.Check(t, func(rt *rapid.T) {
		s := b.begin()
		b.mu.Lock()
		b.bodies, b.steps = nil, nil
		b.mu.Unlock()
		for range rapid.IntRange(1, 6).Draw(rt, "turns") {
			talk(rt, b, s)
		}
		sent := map[string]string{}
		for _, body := range b.bodies {
			sent[hash([]byte(body))] = body
		}
		later := b.open(s.Info().ID)
		records, err := b.deps.Store.Requests(t.Context(), s.Info().ID)
		if err != nil {
			rt.Fatalf("read the records: %v", err)
		}
		nth := map[int]int{}
		for _, r := range records {
			nth[r.Turn]++
			wantProven(rt, later, r.Turn, nth[r.Turn], sent[r.BodyHash])
		}
	})
}

// talk does one thing that a person does with a conversation.
func talk(rt *rapid.T, b *bench, s *Session) {
	ctx := context.Background()
	answer := says(strings.Repeat(rapid.SampledFrom([]string{"word ", "größer ", "<&>\u2028 ", "\x00x"}).Draw(rt, "answer"), rapid.SampledFrom([]int{1, 40, 900}).Draw(rt, "times")))
	switch rapid.IntRange(0, 8).Draw(rt, "act") {
	case 0:
		s.SetBudget(ctx, rapid.SampledFrom([]int{0, 700, 1500}).Draw(rt, "budget"))
	case 1:
		s.SetPreset(ctx, rapid.SampledFrom([]string{"balanced", "classic", "assistant-first", "recent"}).Draw(rt, "preset"))
	case 2:
		if all := s.Messages(); len(all) > 0 {
			m := all[rapid.IntRange(0, len(all)-1).Draw(rt, "message")]
			s.SetFlag(ctx, m.ID, rapid.SampledFrom([]history.Flag{history.Pin, history.Exclude, ""}).Draw(rt, "flag"))
		}
	case 3:
		if len(s.Messages()) > 0 {
			b.steps = append(b.steps, answer)
			drain(s.Regenerate(ctx))
			return
		}
	case 4:
		b.steps = append(b.steps, calls(fmt.Sprintf("c%d", rapid.IntRange(0, 1).Draw(rt, "id")), "add", rapid.SampledFrom([]string{`{"a":1,"b":2}`, `{"a":1`, ``}).Draw(rt, "arguments")))
	case 5:
		b.steps = append(b.steps, carries)
		drain(s.Send(ctx, "think"))
		return
	case 6:
		b.steps = append(b.steps, breaks("half an ans"))
		drain(s.Send(ctx, "go on"))
		return
	}
	b.steps = append(b.steps, answer)
	drain(s.Send(ctx, rapid.SampledFrom([]string{"Hello?", "What is the word?", strings.Repeat("please ", 200)}).Draw(rt, "question")))
}

// carries answers with reasoning and with keys that only its server knows.
func carries(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	delta(w, map[string]any{"reasoning_content": "hm", "content": "So.", "signature": map[string]any{"of": "hm"}})
	finish(w, "stop", 12, 2)
}

// TestDecisionKeepsEveryOption fails when an option is added that a replay does not know.
func TestDecisionKeepsEveryOption(t *testing.T) {
	var o history.Options
	value := reflect.ValueOf(&o).Elem()
	for i := range value.NumField() {
		fillIn(t, value.Field(i), i+1)
	}
	o.Turn = []history.Message{{ID: 7, Role: history.User, Content: "now"}}
	request := llm.Request{Model: "m", MaxTokens: 3, Effort: "low", Tools: []llm.Tool{{Name: "add", Parameters: json.RawMessage(`{"title":"<&>"}`)}}}
	client := llm.NewClient(llm.Endpoint{Name: "test", BaseURL: "https://me:secret@host.example:8443/v1?key=secret"})
	client.Learn("no-stream-options")
	raw, err := decisionOf(9, o, request, client).json()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "secret") {
		t.Errorf("the record holds a secret: %s", raw)
	}
	d, err := readDecision(store.Request{Options: raw})
	if err != nil {
		t.Fatal(err)
	}
	got := d.options(o.Turn, nil)
	o.Count = nil
	if !reflect.DeepEqual(got, o) {
		t.Errorf("replayed with\n%+v\nwant\n%+v", got, o)
	}
	if d.Leaf != 9 || len(d.Turn) != 1 || d.Turn[0] != 7 || d.Base != "https://host.example:8443/v1" || !reflect.DeepEqual(d.Schemas, request.Tools) {
		t.Errorf("the record says %s", raw)
	}
}

// fillIn gives a field a value that is not its zero.
func fillIn(t *testing.T, v reflect.Value, n int) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Float64:
		v.SetFloat(float64(n) / 3)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(t, v.Field(i), 10*n+i)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(t, v.Elem(), n)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[int64]history.Flag{1: history.Pin}))
	case reflect.Slice, reflect.Func: // the turn and the counter
	default:
		t.Fatalf("an option is of kind %s; say here what it holds", v.Kind())
	}
}
