package session

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

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

// A server that refuses the tool calls of a conversation, or may do so, is asked once more with them as text, which is
// said. From then on, in a new run of the program too, they leave as text at once.
func TestToolCallsThatAreRefusedAreSentAsText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		text   string
		named  bool // the server says that it is the tool calls
	}{
		{400, "Unterminated string starting at: line 1 column 9 (char 8)", true},
		{422, "No tool output found for function call call_1.", true},
		{403, "Missing tool call name", true},
		{500, "Internal server error", false},
	} {
		b := newBench(t)
		b.once()
		b.refusesCalls(c.status, `{"error":{"message":"`+c.text+`"}}`)
		s := b.open(b.withToolHistory(`{"path": "a`))
		events, err := drain(s.Send(t.Context(), say("and in b?")))
		if err != nil || b.requests() != 2 || !holdsCalls(b.body(1)) || holdsCalls(b.body(2)) ||
			!strings.Contains(b.body(2), "[called read") {
			t.Fatalf("%s: %v, %d requests\n%s", c.text, err, b.requests(), strings.Join(b.bodies, "\n"))
		}
		shown := only[Notice](events)
		if len(shown) != 1 || !strings.Contains(shown[0].Text, "asking once more with them as text") ||
			c.named == strings.Contains(shown[0].Text, "may be the reason") {
			t.Errorf("%s: said %q, want one notice of the second request", c.text, shown)
		}
		b.deps.Models = new(llm.Catalog).With(b.deps.Models.Endpoints()[0]) // as in a new run
		for n, s := range []*Session{s, b.open(s.Info().ID)} {
			if _, err := drain(s.Send(t.Context(), say("and in c?"))); err != nil || b.requests() != n+3 {
				t.Errorf("%s: the next turn ended with %v after %d requests, want %d", c.text, err, b.requests(), n+3)
			}
		}
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
