package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// toolRefusals are texts with which servers refuse the tool calls of a conversation.
var toolRefusals = []string{
	"Expecting ',' delimiter: line 1 column 54 (char 53)",
	"Expecting value: line 1 column 1 (char 0)",
	"Unterminated string starting at: line 1 column 9 (char 8)",
	"Extra data: line 1 column 3 (char 2)",
	"Invalid \\\\escape: line 1 column 12 (char 11)",
	"Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 55",
	"Missing tool call name",
	"invalid tool call arguments",
	"Value looks like object, but can't find closing '}' symbol",
	"unexpected end of JSON input",
	"EOF while parsing a string at line 1 column 54",
	"Can only get item pairs from a mapping.",
	"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The " +
		"following tool_call_ids did not have response messages: call_1",
	"messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
	"Invalid 'messages[1].tool_calls[0].id': string too long.",
	"tool_use ids were found without tool_result blocks immediately after: toolu_1.",
	"unexpected `tool_use_id` found in `tool_result` blocks: toolu_1",
	"`tool_use` ids must be unique",
	"messages.2.content: toolUse blocks contain duplicate Ids: call_0",
	"Not the same number of function calls and responses",
	"Unexpected role 'tool' after role 'user'",
	"Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
	"Function call is missing a thought_signature in functionCall parts.",
	"No tool output found for function call call_1.",
	"No tool call found for function call output with call_id call_1.",
	"Message has tool role, but there was no previous assistant message with a tool call!",
	"Only user, assistant and system roles are supported!",
}

// withToolHistory stores a conversation with a tool call and its result and gives its id.
func (b *bench) withToolHistory(arguments string) string {
	b.t.Helper()
	ctx := context.Background()
	row, m, err := b.deps.Store.Begin(ctx, store.Session{Endpoint: "test", Model: "m", Title: "tools"},
		store.Message{Message: history.Message{Role: history.User, Content: "what is in a?", Status: history.Complete}})
	for _, next := range []history.Message{
		{Role: history.Assistant, ToolCalls: []history.ToolCall{{ID: "call_1", Name: "read", Arguments: arguments}}},
		{Role: history.Tool, ToolCallID: "call_1", Content: "apples"},
		{Role: history.Assistant, Content: "There are apples in it."},
	} {
		if err != nil {
			b.t.Fatal(err)
		}
		next.Status = history.Complete
		m, err = b.deps.Store.Append(ctx, store.Message{Session: row.ID, Parent: m.ID, Message: next})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return row.ID
}

// holdsCalls says that the body of a request holds tool calls or a result.
func holdsCalls(body string) bool {
	return strings.Contains(body, `"tool_calls"`) || strings.Contains(body, `"role":"tool"`)
}

// refusesCalls answers, but for requests with tool calls, which it refuses.
func (b *bench) refusesCalls(status int, body string) {
	step := func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		asked := b.bodies[len(b.bodies)-1]
		b.mu.Unlock()
		if holdsCalls(asked) {
			refuses(status, body)(w, r)
			return
		}
		says("Plums.")(w, r)
	}
	for range 12 {
		b.steps = append(b.steps, step)
	}
}

// once makes the scripted server's requests fail at once where they would be tried again.
func (b *bench) once() {
	e := b.deps.Models.Endpoints()[0]
	e.Tries = 1
	b.deps.Models = new(llm.Catalog).With(e)
}

// errorBody is an error text in one of the shapes of servers.
func errorBody(rng *rand.Rand, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf([]string{
		`{"error":{"message":%s,"type":"BadRequestError","code":400}}`,
		`{"object":"error","message":%s}`,
		`{"error":%s}`,
		`{"detail":%s}`,
		`[{"error":{"message":%s,"status":"INVALID_ARGUMENT"}}]`,
	}[rng.IntN(5)], quoted)
}

// TestAConversationSurvivesAServerThatRefusesItsToolCalls tries every text with random statuses, and
// texts that say nothing with the statuses that servers fail with: the question is answered, the second
// request is said, and from then on, in a new run of the program too, tool calls leave as text at once.
func TestAConversationSurvivesAServerThatRefusesItsToolCalls(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 1))
	b := newBench(t)
	b.once()
	try := func(status int, text string) {
		b.bodies, b.steps = nil, nil
		body := errorBody(rng, text)
		b.refusesCalls(status, body)
		endpoint := b.deps.Models.Endpoints()[0]
		b.deps.Models = new(llm.Catalog).With(endpoint) // A new client: what the last one learned is gone.
		if err := b.deps.Store.Learn(t.Context(), endpoint.BaseURL, "m", func(l *store.Learned) { *l = store.Learned{} }); err != nil {
			t.Fatal(err)
		}
		s := b.open(b.withToolHistory([]string{`{"path":"a"}`, `{"path": "a`, `"123"`, `{'a'`}[rng.IntN(4)]))
		events, err := drain(s.Send(t.Context(), say("and in b?")))
		if err != nil {
			t.Fatalf("%d %s: the turn ended with %v", status, body, err)
		}
		if b.requests() != 2 || !holdsCalls(b.body(1)) || holdsCalls(b.body(2)) || !strings.Contains(b.body(2),
			"[called read") {
			t.Fatalf("%d %s: %d requests\n%s", status, body, b.requests(), strings.Join(b.bodies, "\n"))
		}
		shown := only[Notice](events)
		known := slices.Contains(toolRefusals, text)
		if len(shown) != 1 || !strings.Contains(shown[0].Text, "asking once more with them as text") ||
			known == strings.Contains(shown[0].Text, "may be the reason") {
			t.Fatalf("%d %s: said %q, want one notice of the second request", status, body, shown)
		}
		if _, err := drain(s.Send(t.Context(), say("and in c?"))); err != nil || b.requests() != 3 {
			t.Fatalf("%d %s: the next turn ended with %v after %d requests, want 3", status, body, err, b.requests())
		}
		b.deps.Models = new(llm.Catalog).With(endpoint)
		again := b.open(s.Info().ID)
		if _, err := drain(again.Send(t.Context(), say("and in d?"))); err != nil || b.requests() != 4 {
			t.Fatalf("%d %s: the next run's turn ended with %v after %d requests, want 4", status, body,
				err, b.requests())
		}
	}
	statuses := []int{400, 422, 404, 403, 500, 501, 502, 503}
	for i, text := range toolRefusals {
		try(statuses[i%len(statuses)], text)
		try(statuses[rng.IntN(len(statuses))], text)
	}
	for range 12 {
		text := []string{"Internal server error", "bad request", "x", "Unprocessable Entity: schema"}[rng.IntN(4)]
		try([]int{400, 422, 500, 502}[rng.IntN(4)], text)
	}
}

// TestAServerThatRefusesToolCallsAsTextTooIsNotAskedAThirdTime: the error says what to do, and when the
// server is well again the conversation goes on.
func TestAServerThatRefusesToolCallsAsTextTooIsNotAskedAThirdTime(t *testing.T) {
	t.Parallel()
	parser := refuses(500, `{"error":{"message":"Expecting ',' delimiter: line 1 column 54 (char 53)"}}`)
	b := newBench(t, parser, parser, parser, says("Pears."))
	s := b.open(b.withToolHistory(`{"path":"a"}`))
	_, err := drain(s.Send(t.Context(), say("and in b?")))
	if err == nil || b.requests() != 2 {
		t.Fatalf("got %v after %d requests, want an error after 2", err, b.requests())
	}
	for _, want := range []string{"line 1 column 54", "refused the tool calls", "/repair", "tool_history"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if fault := (*llm.Error)(nil); !errors.As(err, &fault) || fault.Status != 500 {
		t.Errorf("%v is no error of the server", err)
	}
	if _, err = drain(s.Regenerate(t.Context(), 0, "")); err == nil || b.requests() != 3 ||
		!strings.Contains(err.Error(), "/repair") {
		t.Errorf("asked again: %v after %d requests, want an error after 3", err, b.requests())
	}
	if _, err = drain(s.Regenerate(t.Context(), 0, "")); err != nil || !holdsCalls(b.body(4)) {
		t.Errorf("a server that is well again: %v, request %s", err, b.body(4))
	}
}

// TestStrictRecoveryAsksOnceOnly: nothing is sent in another form where the user wants no repair.
func TestStrictRecoveryAsksOnceOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, refuses(400, `{"error":{"message":"Expecting value: line 1 column 1 (char 0)"}}`))
	b.deps.Policy.Recovery = history.RecoverStrict
	s := b.open(b.withToolHistory(`{"path":"a"}`))
	_, err := drain(s.Send(t.Context(), say("and in b?")))
	if err == nil || b.requests() != 1 || !strings.Contains(err.Error(),
		"does not accept the tool calls in this conversation (400)") || !strings.Contains(err.Error(),
		`tool_history = "text"`) {
		t.Errorf("got %v after %d requests, want an error with the way out after 1", err, b.requests())
	}
}

// TestStrictRecoveryOfADamagedHistorySendsNothing: the error says what is wrong, that nothing was sent, and
// what to do; the user's message is stored.
func TestStrictRecoveryOfADamagedHistorySendsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.deps.Policy.Recovery = history.RecoverStrict
	s := b.open(b.withToolHistory(`{"path": "a`))
	_, err := drain(s.Send(t.Context(), say("and in b?")))
	want := `nothing was sent: message 2 is damaged in its tool_calls.arguments (C1): the arguments of a ` +
		`tool call are not valid JSON; recovery = "strict" refuses that. /repair (or winnow repair ID) shows the ` +
		`damage; recovery = "repair" under [context] sends it repaired`
	if err == nil || err.Error() != want || b.requests() != 0 {
		t.Errorf("got %v after %d requests, want %s", err, b.requests(), want)
	}
	if list := s.Messages(); list[len(list)-1].Content != "and in b?" {
		t.Errorf("the last message is %q", list[len(list)-1].Content)
	}
}

// TestToolCallsAreTriedAgainAsTheyAreAfterAWeek: what a refusal taught does not hold for ever. A server that
// still refuses gets them as text for another week, one that takes them from then on as they are.
func TestToolCallsAreTriedAgainAsTheyAreAfterAWeek(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.once()
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	b.deps.Now = func() time.Time { return now }
	b.refusesCalls(400, `{"error":{"message":"Expecting value: line 1 column 1 (char 0)"}}`)
	id := b.withToolHistory(`{"path":"a"}`)
	endpoint := b.deps.Models.Endpoints()[0]
	turn := func(days int, repaired bool, requests int, native bool, want ...string) {
		t.Helper()
		now = now.Add(time.Duration(days) * 24 * time.Hour)
		if repaired {
			b.steps = nil
			for range 20 {
				b.steps = append(b.steps, says("Plums."))
			}
		}
		before := b.requests()
		b.deps.Models = new(llm.Catalog).With(endpoint) // A new run of the program.
		events, err := drain(b.open(id).Send(t.Context(), say("and then?")))
		if err != nil || b.requests()-before != requests {
			t.Fatalf("day %d: %v after %d requests, want %d", days, err, b.requests()-before, requests)
		}
		if got := holdsCalls(b.body(b.requests())); got != native {
			t.Errorf("the last request holds tool calls: %v, want %v", got, native)
		}
		shown := only[Notice](events)
		if len(shown) != len(want) {
			t.Fatalf("said %q, want %q", shown, want)
		}
		for i, w := range want {
			if !strings.Contains(shown[i].Text, w) {
				t.Errorf("said %q, want %q in it", shown[i].Text, w)
			}
		}
	}
	asText := "asking once more with them as text"
	turn(0, false, 2, false, asText)
	turn(6, false, 1, false)
	turn(2, false, 2, false, asText)
	turn(6, false, 1, false)
	turn(2, true, 1, true)
	turn(1, true, 1, true)
}
