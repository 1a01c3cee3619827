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
	respCompleted = `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":20,"cache_write_tokens":5},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":39}}}`
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
		{404, "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?"},
		{400, "Function tools with reasoning_effort are not supported for gpt-5.2 in /v1/chat/completions. Please use /v1/responses instead."},
		{400, "Function tools with reasoning_effort are not supported for gpt-5.2 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'."},
		{400, "This model must be used with the Responses API."},
	} {
		refuse := step{status: test.status, say: []string{fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":"model","code":null}}`, test.refusal)}}
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
		wantText(t, "body", server.bodies[1], `{"model":"gpt-5.2","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}],`+
			`"tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object","properties":{}},"strict":false}],`+
			`"max_output_tokens":500,"reasoning":{"effort":"low"},"include":["reasoning.encrypted_content"],"store":false,"stream":true}`)
		fresh := NewClient(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
		fresh.Learn("gpt-5.2", c.Learned("gpt-5.2"))
		wantText(t, "body of a client that knows it", bodyOf(t, fresh, offering()), server.bodies[1])
		if fresh.Wire("another") != ChatWire {
			t.Errorf("%s: another model is asked over %s", test.refusal, fresh.Wire("another"))
		}
	}
}

// wireOfModel is a configuration that names the wire of one model.
func wireOfModel(e *Endpoint, model string, w Wire) []ModelSettings {
	return []ModelSettings{{Match: ExactModel(e.Name, model), Wire: w}}
}

func TestAConfiguredWireStays(t *testing.T) {
	t.Parallel()
	refuse := func(status int, text string) step {
		return step{status: status, say: []string{fmt.Sprintf(`{"error":{"message":%q}}`, text)}}
	}
	chat := script(refuse(400, "Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses instead."), chunks(delta("Hello"), "[DONE]"))
	if _, _, err := heard(chat.client(func(e *Endpoint) { e.Wire = ChatWire }), offering()); err != nil || chat.paths() != "/chat/completions /chat/completions" || !strings.Contains(chat.bodies[1], `"reasoning_effort":"none"`) {
		t.Errorf("with wire openai: %v, %s, %v", err, chat.paths(), chat.bodies)
	}
	only := script(refuse(404, "This model is only supported in v1/responses and not in v1/chat/completions."))
	if _, _, err := heard(only.client(func(e *Endpoint) { e.Models = wireOfModel(e, "gpt-5.2", ChatWire) }), hello()); err == nil || only.times() != 1 || !strings.Contains(err.Error(), "only supported in v1/responses") {
		t.Errorf("with wire openai of the model: %v after %d requests", err, only.times())
	}
	none := script(refuse(404, "Not Found"))
	if _, _, err := heard(none.client(overResponses), hello()); err == nil || none.times() != 1 || !strings.Contains(err.Error(), "has no Responses API (404)") {
		t.Errorf("with wire responses: %v after %d requests", err, none.times())
	}
	both := script(said(respHello, respCompleted)).client(func(e *Endpoint) { e.Wire, e.Models = ResponsesWire, wireOfModel(e, "gpt-5.2", AutoWire) })
	if both.Wire("gpt-5.2") != ChatWire || both.Wire("another") != ResponsesWire {
		t.Errorf("auto over responses: %s and %s", both.Wire("gpt-5.2"), both.Wire("another"))
	}
}

func TestAServerWithoutTheResponsesAPIIsAskedOverChatCompletionsAgain(t *testing.T) {
	t.Parallel()
	for _, gone := range []step{
		{status: 404, say: []string{`{"detail":"Not Found"}`}},
		{status: 405, say: []string{`{"detail":"Method Not Allowed"}`}},
		{status: 404, header: map[string]string{"Content-Type": "text/html"}, say: []string{`<html><title>404 Not Found</title></html>`}},
		{status: 400, say: []string{`{"error":{"message":"The requested model 'gpt-5.2' cannot be used with the Responses API."}}`}},
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
	if _, _, err := heard(c, hello()); err == nil || server.paths() != "/chat/completions /responses /chat/completions" {
		t.Errorf("a server that refuses both: %v after %s", err, server.paths())
	}
	// A model that is not known is no missing API.
	unknown := script(step{status: 404, say: []string{`{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`}})
	if _, _, err := heard(unknown.client(func(e *Endpoint) { e.Known.Wire = ResponsesWire }), hello()); err == nil || unknown.times() != 1 {
		t.Errorf("an unknown model: %v after %s", err, unknown.paths())
	}
}

func TestAnswersOverTheResponsesAPI(t *testing.T) {
	t.Parallel()
	server := script(said(respCreated,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"<&>","summary":[{"type":"summary_text","text":"Hm."}]}}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"I look."}`,
		`{"type":"response.output_item.done","output_index":2,"item":{"id":"rs_2","type":"reasoning","encrypted_content":"two","summary":[]}}`,
		`{"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"read"}}`,
		`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{\"a\":"}`,
		`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"1}"}`,
		`{"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"read","arguments":"{\"a\":1}"}}`,
		respCompleted))
	c := server.client(overResponses)
	got, reply, err := heard(c, offering())
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, "events", got, `(Hm.)I look.[0 call_1 read ][0   {"a":][0   1}]<30 20 9 4>|tool_calls done`)
	wantText(t, "extra", string(reply.Finished.Extra), `{"message":{"responses_reasoning":[{"id":"rs_1","type":"reasoning","encrypted_content":"<&>","summary":[{"type":"summary_text","text":"Hm."}]}]},`+
		`"tool_calls":{"0":{"responses_reasoning":[{"id":"rs_2","type":"reasoning","encrypted_content":"two","summary":[]}]}}}`)

	r := offering()
	r.Messages = append(r.Messages, keptAnswer(c.Origin(r.Model)), history.Message{Role: history.Tool, ToolCallID: "call_1", Content: "ok"})
	body := bodyOf(t, c, r)
	for _, want := range []string{`{"type":"reasoning","encrypted_content":"e<&>"},{"type":"message","role":"assistant"`, `{"type":"reasoning","encrypted_content":"f"},{"type":"function_call","call_id":"call_1","name":"read","arguments":"{}"}`} {
		if !strings.Contains(body, want) {
			t.Errorf("the body %s\nlacks %s", body, want)
		}
	}
	chat := script(chunks("[DONE]")).client()
	for what, client := range map[string]*Client{"another model": c, "Chat Completions": chat} {
		other := r
		if client == c {
			other.Model = "another"
		}
		if body := bodyOf(t, client, other); strings.Contains(body, "encrypted_content\":") || strings.Contains(body, "responses_") {
			t.Errorf("%s gets the reasoning: %s", what, body)
		}
	}
	c.Learn(r.Model, Learned{Profile: history.Profile{NoReplay: true}})
	if body := bodyOf(t, c, r); strings.Contains(body, `"encrypted_content":`) {
		t.Errorf("a server that refuses its reasoning gets it: %s", body)
	}
}

// keptAnswer is an answer with a call and its reasoning.
func keptAnswer(from history.Origin) history.Message {
	return history.Message{
		Role: history.Assistant, Content: "I look.", Origin: from, Replay: `{"responses_reasoning":[{"type":"reasoning","encrypted_content":"e<&>"}]}`,
		ToolCalls: []history.ToolCall{{ID: "call_1", Name: "read", Arguments: "{", Replay: `{"responses_reasoning":[{"type":"reasoning","encrypted_content":"f"}]}`}},
	}
}

func TestFailuresOverTheResponsesAPI(t *testing.T) {
	t.Parallel()
	failed := func(code, text string) string {
		return fmt.Sprintf(`{"type":"response.failed","response":{"status":"failed","error":{"code":%q,"message":%q}}}`, code, text)
	}
	for _, test := range []struct {
		name  string
		steps []step
		want  string // what was heard
		kind  ErrorKind
		times int
	}{
		{"a limit before the first word is waited for", []step{said(respCreated, failed("rate_limit_exceeded", "Rate limit reached for gpt-5.2. Please try again in 1ms.")), said(respHello, respCompleted)}, "{try 2 of 3}Hello<30 20 9 4>|stop done", "", 2},
		{"so is a failing server", []step{said(respCreated, failed("server_error", "An error occurred")), said(respHello, respCompleted)}, "{try 2 of 3}Hello<30 20 9 4>|stop done", "", 2},
		{"a request that is too long", []step{said(respCreated, failed("context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."))}, "", Overflow, 1},
		{"no credit", []step{said(respCreated, failed("insufficient_quota", "You exceeded your current quota"))}, "", Payment, 1},
		{"an invalid prompt", []step{said(respCreated, failed("invalid_prompt", "Invalid prompt: we have limited access"))}, "", BadRequest, 1},
		{"an error event", []step{said(respCreated, `{"type":"error","code":"invalid_request_error","message":"No tool output found for function call call_1.","param":null}`)}, "", BadRequest, 1},
		{"a failure after the first word is not repeated", []step{said(respCreated, respHello, failed("server_error", "An error occurred"))}, "Hello", Server, 1},
		{"a cut stream", []step{{say: said(respCreated, respHello).say, end: "cut"}}, "Hello| cut", Broken, 1},
		{"a stream without an end", []step{said(respCreated, respHello)}, "Hello| no-done", "", 1},
		{"an answer in one piece", []step{{say: []string{`{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}]}`}}}, "Hello|stop done", "", 1},
		{"a web page", []step{{say: []string{"<html><title>Sign in</title></html>"}}}, "", BadStream, 1},
		{"nothing", []step{said(`{"type":"response.in_progress","response":{}}`)}, "", BadStream, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := script(test.steps...)
			got, _, err := heard(server.client(overResponses), hello())
			wantText(t, "heard", got, test.want)
			if (err == nil) != (test.kind == "") || err != nil && !errors.Is(err, test.kind) || server.times() != test.times {
				t.Errorf("%v after %d requests, want %q after %d", err, server.times(), test.kind, test.times)
			}
		})
	}
}

func TestWhatAModelRefusesOverTheResponsesAPIIsLeftOut(t *testing.T) {
	t.Parallel()
	warm := 0.7
	r := offering()
	r.Temperature = &warm
	for _, test := range []struct{ refusal, gone, there, learned string }{
		{"Encrypted content is not supported with this model.", "encrypted_content", `"effort":"low"`, "without asking for encrypted reasoning"},
		{"Unsupported parameter: 'temperature' is not supported with this model.", "temperature", `"include"`, "without temperature"},
		{"Unsupported parameter: 'reasoning.effort' is not supported with this model.", "effort", `"include"`, "without reasoning_effort"},
		{"Unsupported value: 'low' is not supported with this model. Supported values are: 'medium' and 'high'. (reasoning.effort)", `"low"`, `"effort":"medium"`, "with reasoning_effort medium, high alone"},
		{"Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 400, but got 500 instead.", `:500`, `"max_output_tokens":400`, "for a reply of at most 400 tokens"},
	} {
		server := script(step{status: 400, say: []string{fmt.Sprintf(`{"error":{"message":%q}}`, test.refusal)}}, said(respHello, respCompleted))
		c := server.client(overResponses)
		if _, _, err := heard(c, r); err != nil || server.times() != 2 {
			t.Errorf("%s: %v after %d requests", test.refusal, err, server.times())
			continue
		}
		wantText(t, "learned", strings.Join(c.Learned(r.Model).Ways(), ", "), test.learned)
		if !strings.Contains(server.bodies[0], test.gone) || strings.Contains(server.bodies[1], test.gone) || !strings.Contains(server.bodies[1], test.there) {
			t.Errorf("%s: sent %s", test.refusal, server.bodies[1])
		}
	}
	// A limit below the least one that is taken becomes that.
	short := r
	short.MaxTokens = 5
	if body := bodyOf(t, script(said(respCompleted)).client(overResponses), short); !strings.Contains(body, `"max_output_tokens":16,`) {
		t.Errorf("a reply of 5 tokens is asked for as %s", body)
	}
	// The effort that tools needed over Chat Completions is not asked for here.
	c := script(said(respCompleted)).client(overResponses, func(e *Endpoint) { e.Known.NoToolEffort = true })
	if body := bodyOf(t, c, r); !strings.Contains(body, `"effort":"low"`) {
		t.Errorf("what the other format requires lowers the effort: %s", body)
	}
}

func TestReasoningThatIsRefusedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{
		"{\"error\":{\"message\":\"Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.\"}}",
		`{"error":{"message":"The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.","code":"invalid_encrypted_content"}}`,
		`{"error":{"message":"Item 'rs_1' of type 'reasoning' was provided without its required following item."}}`,
		`{"error":{"message":"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'."}}`,
	} {
		status := 400
		if strings.Contains(refusal, "not found") {
			status = 404
		}
		server := script(step{status: status, say: []string{refusal}})
		c := server.client(func(e *Endpoint) { e.Known.Wire = ResponsesWire })
		r := hello()
		r.Messages = append(r.Messages, keptAnswer(c.Origin(r.Model)), history.Message{Role: history.Tool, ToolCallID: "call_1", Content: "ok"})
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
