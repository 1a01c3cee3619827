package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/tool"
)

// said is a stream of the Responses API.
func said(events ...string) step {
	s := chunks(events...)
	for i, e := range events {
		var kind struct{ Type string }
		_ = json.Unmarshal([]byte(e), &kind)
		s.say[i] = "event: " + kind.Type + "\n" + s.say[i]
	}
	return s
}

const (
	respCreated   = `{"type":"response.created","response":{"status":"in_progress"}}`
	respHello     = `{"type":"response.output_text.delta","output_index":0,"delta":"Hello"}`
	respCompleted = `{"type":"response.completed","response":{"status":"completed","usage":{` +
		`"input_tokens":30,"input_tokens_details":{"cached_tokens":20,"cache_write_tokens":5},` +
		`"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":39}}}`
)

func overResponses(e *Endpoint) { e.Wire = ResponsesWire }

// paths are where the requests of a server went.
func (s *scripted) paths() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, req := range s.asked {
		list = append(list, strings.TrimPrefix(req.URL.Path, "/v1"))
	}
	return strings.Join(list, " ")
}

// offering is a request that a model may call a tool for.
func offering() Request {
	r := hello()
	r.Tools, r.Effort, r.MaxTokens = []tool.Tool{{Name: "read", Description: "Reads."}}, "low", 500
	return r
}

func TestARefusalThatNamesTheResponsesAPILeadsThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status  int
		refusal string
	}{
		{404, "This model is only supported in v1/responses and not in v1/chat/completions."},
		{404, "This is not a chat model and thus not supported in the v1/chat/completions endpoint. " +
			"Did you mean to use v1/completions?"},
		{400, "Function tools with reasoning_effort are not supported for gpt-5.2 in /v1/chat/completions. " +
			"Please use /v1/responses instead."},
		{400, "Function tools with reasoning_effort are not supported for gpt-5.2 in /v1/chat/completions. " +
			"To use function tools, use /v1/responses or set reasoning_effort to 'none'."},
		{400, "This model must be used with the Responses API."},
	} {
		refuse := step{status: test.status, say: []string{fmt.Sprintf(
			`{"error":{"message":%q,"type":"invalid_request_error","param":"model","code":null}}`, test.refusal,
		)}}
		server := script(refuse, said(respCreated, respHello, respCompleted))
		c := server.client(tries(1)) // Another format is not another try.
		var waited []Waiting
		for event, err := range c.Stream(t.Context(), offering()) {
			if err != nil {
				t.Errorf("%s: %v", test.refusal, err)
			}
			if w, ok := event.(Waiting); ok {
				waited = append(waited, w)
			}
		}
		if len(waited) != 1 || waited[0].Changed != "over the Responses API" || waited[0].Err.Kind != BadRequest {
			t.Errorf("%s: said %+v", test.refusal, waited)
		}
		wantText(t, "paths", server.paths(), "/chat/completions /responses")
		wantText(t, "learned", strings.Join(c.Learned("gpt-5.2").Ways(), ", "), "over the Responses API")
		wantText(t, "body", server.bodies[1], `{"include":["reasoning.encrypted_content"],`+
			`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}],`+
			`"max_output_tokens":500,"model":"gpt-5.2","reasoning":{"effort":"low"},"store":false,"stream":true,`+
			`"tools":[{"description":"Reads.","name":"read","parameters":{"type":"object","properties":{}},`+
			`"strict":false,"type":"function"}]}`)
		fresh := NewClient(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
		fresh.Learn("gpt-5.2", c.Learned("gpt-5.2"))
		wantText(t, "body of a client that knows it", bodyOf(t, fresh, offering()), server.bodies[1])
		if fresh.Wire("another") != ChatWire {
			t.Errorf("%s: another model is asked over %s", test.refusal, fresh.Wire("another"))
		}
	}
}

func TestAServerWithoutTheResponsesAPIIsAskedOverChatCompletionsAgain(t *testing.T) {
	t.Parallel()
	for _, gone := range []step{
		{status: 404, say: []string{`{"detail":"Not Found"}`}},
		{status: 405, say: []string{`{"detail":"Method Not Allowed"}`}},
		{
			status: 404, header: map[string]string{"Content-Type": "text/html"},
			say: []string{`<html><title>404 Not Found</title></html>`},
		},
		{status: 400, say: []string{
			`{"error":{"message":"The requested model 'gpt-5.2' cannot be used with the Responses API."}}`,
		}},
	} {
		server := script(gone, chunks(delta("Hello"), "[DONE]"))
		c := server.client(func(e *Endpoint) { e.Known.Wire = ResponsesWire })
		got, _, err := heard(c, hello())
		if err != nil {
			t.Errorf("%v: %v", gone.say, err)
		}
		wantText(t, "events", got, "{try 2 of 3}Hello| done")
		wantText(t, "paths", server.paths(), "/responses /chat/completions")
		wantText(t, "learned", strings.Join(c.Learned("gpt-5.2").Ways(), ", "), "over Chat Completions")
	}
	// Two refusals that point at each other end.
	server := script(step{status: 404, say: []string{`{"error":{"message":"only supported in v1/responses"}}`}})
	c := server.client()
	_, _, err := heard(c, hello())
	if err == nil || server.paths() != "/chat/completions /responses /chat/completions" {
		t.Errorf("a server that refuses both: %v after %s", err, server.paths())
	}
	// A model that is not known is no missing API.
	unknown := script(step{status: 404, say: []string{
		`{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`,
	}})
	c = unknown.client(func(e *Endpoint) { e.Known.Wire = ResponsesWire })
	if _, _, err := heard(c, hello()); err == nil || unknown.times() != 1 {
		t.Errorf("an unknown model: %v after %s", err, unknown.paths())
	}
}

func TestReasoningOfTheResponsesAPIGoesBackOverItAlone(t *testing.T) {
	t.Parallel()
	c := script(said(respCompleted)).client(overResponses)
	r := offering()
	r.Messages = append(r.Messages, keptAnswer(c.Origin(r.Model)), keptResult())
	body := bodyOf(t, c, r)
	for _, want := range []string{
		`{"type":"reasoning","encrypted_content":"e<&>"},{"type":"message","role":"assistant"`,
		`{"type":"reasoning","encrypted_content":"f"},` +
			`{"type":"function_call","call_id":"call_1","name":"read","arguments":"{}"}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the body %s\nlacks %s", body, want)
		}
	}
	chat := script(chunks("[DONE]")).client()
	if body := bodyOf(t, chat, r); strings.Contains(body, "encrypted_content\":") || strings.Contains(body, "responses_") {
		t.Errorf("Chat Completions gets the reasoning: %s", body)
	}
}

// keptAnswer is an answer with a call and its reasoning.
func keptAnswer(from history.Origin) history.Message {
	return history.Message{
		Role: history.Assistant, Content: "I look.", Origin: from,
		Replay: `{"responses_reasoning":[{"type":"reasoning","encrypted_content":"e<&>"}]}`,
		ToolCalls: []history.ToolCall{{
			ID: "call_1", Name: "read", Arguments: "{}",
			Replay: `{"responses_reasoning":[{"type":"reasoning","encrypted_content":"f"}]}`,
		}},
	}
}

// keptResult is the result of the call of keptAnswer.
func keptResult() history.Message {
	return history.Message{Role: history.Tool, ToolCallID: "call_1", Content: "ok"}
}

func TestReasoningThatIsRefusedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{
		"{\"error\":{\"message\":\"Item with id 'rs_1' not found. " +
			"Items are not persisted when `store` is set to false.\"}}",
		`{"error":{"message":"The encrypted content for item rs_1 could not be verified. ` +
			`Reason: Encrypted content could not be decrypted or parsed.","code":"invalid_encrypted_content"}}`,
		`{"error":{"message":"Item 'rs_1' of type 'reasoning' was provided without its required following item."}}`,
		`{"error":{"message":"Item 'fc_1' of type 'function_call' was provided ` +
			`without its required 'reasoning' item: 'rs_1'."}}`,
	} {
		status := 400
		if strings.Contains(refusal, "not found") {
			status = 404
		}
		server := script(step{status: status, say: []string{refusal}})
		c := server.client(func(e *Endpoint) { e.Known.Wire = ResponsesWire })
		r := hello()
		r.Messages = append(r.Messages, keptAnswer(c.Origin(r.Model)), keptResult())
		var fault *Error
		if _, _, err := heard(c, r); !errors.As(err, &fault) || !fault.Replan || !c.Profile(r.Model).NoReplay {
			t.Errorf("%s: %v, profile %+v", refusal, err, c.Profile(r.Model))
		}
		plain := script(step{status: 400, say: []string{refusal}})
		if _, _, err := heard(plain.client(overResponses), hello()); !errors.As(err, &fault) || fault.Replan {
			t.Errorf("%s: of a request without reasoning: %v asks for another plan", refusal, err)
		}
	}
}
