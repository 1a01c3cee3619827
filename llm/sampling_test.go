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

// TestWhatAModelRefusesOfTheSamplingIsLeftOut: each refusal leads to one more request, at once, that leaves
// out or lowers what was refused; a new client that knows the quirk begins with that.
func TestWhatAModelRefusesOfTheSamplingIsLeftOut(t *testing.T) {
	t.Parallel()
	warm, wide := 0.7, 0.9
	full := Request{
		Model: "m", Messages: []history.Message{{Role: history.User, Content: "Hello"}},
		MaxTokens: 32000, Temperature: &warm, TopP: &wide, Effort: "minimal",
	}
	offering := full
	offering.Tools, offering.Effort = []tool.Tool{{Name: "read"}}, ""
	for _, test := range []struct {
		refusal string
		request Request
		sent    string // max_completion_tokens temperature top_p reasoning_effort, - for none
		how     string
	}{
		{"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.", full, "32000 - 0.9 minimal", "without temperature"},
		{"Unsupported parameter: 'temperature' is not supported with this model.", full, "32000 - 0.9 minimal", "without temperature"},
		{"`temperature` is deprecated for this model.", full, "32000 - 0.9 minimal", "without temperature"},
		{"`temperature` and `top_p` cannot both be specified for this model. Please use only one.", full, "32000 0.7 - minimal", "without top_p"},
		{"Unsupported parameter: 'top_p' is not supported with this model.", full, "32000 0.7 - minimal", "without top_p"},
		{"Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', and 'high'.", full, "32000 0.7 0.9 low", "with reasoning_effort low"},
		{"Unrecognized request argument supplied: reasoning_effort", full, "32000 0.7 0.9 -", "without reasoning_effort"},
		{"reasoning_effort: Input should be 'none' or 'high'", full, "32000 0.7 0.9 none", "with reasoning_effort none"},
		{"Function tools with reasoning_effort are not supported for m. To use function tools, set reasoning_effort to 'none'.", offering, "32000 0.7 0.9 none", "with reasoning_effort none"},
		{"max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.", full, "16384 0.7 0.9 minimal", "at most 16,384"},
		{"max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for m", full, "8192 0.7 0.9 minimal", "at most 8,192"},
		{"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", full, "8192 0.7 0.9 minimal", "at most 8,192"},
		{"max_output_tokens: the supported range is from 1 (inclusive) to 16385 (exclusive)", full, "16384 0.7 0.9 minimal", "at most 16,384"},
		{"max_tokens: Extra inputs are not permitted", full, "- 0.7 0.9 minimal", "without a limit"},
	} {
		refuse := func(c string) step {
			text, _ := json.Marshal(test.refusal)
			return step{status: 400, say: []string{fmt.Sprintf(`{"error":{"message":%s,"code":%q}}`, text, c)}}
		}
		server := script(refuse("unsupported_value"), chunks(delta("Hello"), "[DONE]"))
		c := server.client()
		var how []string
		for event, err := range c.Stream(t.Context(), test.request) {
			if err != nil {
				t.Errorf("%s: %v", test.refusal, err)
			}
			if w, ok := event.(Waiting); ok {
				how = append(how, w.Changed)
			}
		}
		if len(how) != 1 || !strings.Contains(how[0], test.how) || server.times() != 2 {
			t.Errorf("%s: %d requests, said %q; want 2 and %q", test.refusal, server.times(), how, test.how)
			continue
		}
		if got := samplingOf(t, server.bodies[1]); got != test.sent {
			t.Errorf("%s: sent %s, want %s", test.refusal, got, test.sent)
		}
		again := script(chunks(delta("Hello"), "[DONE]"))
		if _, _, err := heard(again.client(func(e *Endpoint) { e.Quirks = c.Quirks() }), test.request); err != nil || again.bodies[0] != server.bodies[1] {
			t.Errorf("%s: with its quirks a new client sends %s, want %s", test.refusal, again.bodies[0], server.bodies[1])
		}
		other := test.request
		other.Model = "other"
		if body, _ := c.Body(other); samplingOf(t, string(body)) == test.sent {
			t.Errorf("%s: another model is asked the same: %s", test.refusal, body)
		}
	}
}

// TestAWrongValueTeachesNothing: a refusal of a value, and not of its parameter, changes that request alone, and says
// so. The bodies are those of OpenAI, Anthropic, DeepSeek, Gemini, Mistral and vLLM.
func TestAWrongValueTeachesNothing(t *testing.T) {
	t.Parallel()
	hot, wide := 3.0, 2.0
	r := Request{Model: "m", Messages: hello().Messages, MaxTokens: 32000, Temperature: &hot, TopP: &wide, Effort: "minimal"}
	for _, test := range []struct {
		body string
		sent string // max_completion_tokens temperature top_p reasoning_effort, - for none
		how  string
	}{
		{`{"error":{"message":"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.","type":"invalid_request_error","param":"temperature","code":"decimal_above_max_value"}}`, "32000 2 2 minimal", "with temperature 2, for this request only"},
		{`{"error":{"message":"temperature must be between 0 and 2"}}`, "32000 2 2 minimal", "with temperature 2, for this request only"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"temperature: Input should be less than or equal to 1"}}`, "32000 1 2 minimal", "with temperature 1, for this request only"},
		{`{"error":{"message":"Invalid temperature value, the valid range of temperature is [0, 2.0]","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, "32000 2 2 minimal", "with temperature 2, for this request only"},
		{`[{"error":{"code":400,"message":"Unable to submit request because it has a temperature value of 3 but the supported range is from 0 (inclusive) to 2 (inclusive). Update the value and try again.","status":"INVALID_ARGUMENT"}}]`, "32000 2 2 minimal", "with temperature 2, for this request only"},
		{`{"object":"error","message":{"detail":[{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be less than or equal to 1.5","input":3,"ctx":{"le":1.5}}]},"type":"invalid_request_error","param":null,"code":null}`, "32000 1.5 2 minimal", "with temperature 1.5, for this request only"},
		{`{"error":{"message":"the value of temperature is invalid"}}`, "32000 - 2 minimal", "without temperature, for this request only"},
		{`{"object":"error","message":"top_p must be in (0, 1], got 2.0.","type":"BadRequestError","param":null,"code":400}`, "32000 3 1 minimal", "with top_p 1, for this request only"},
		{`{"error":{"message":"reasoning_effort must be lower than this","param":"reasoning_effort"}}`, "32000 3 2 -", "without reasoning_effort, for this request only"},
		{`{"error":{"message":"max_tokens is too large"}}`, "- 3 2 minimal", "without a limit for the reply, for this request only"},
	} {
		server := script(step{status: 400, say: []string{test.body}}, chunks(delta("Hello"), "[DONE]"))
		c := server.client()
		var how []string
		for event, err := range c.Stream(t.Context(), r) {
			if err != nil {
				t.Errorf("%s: %v", test.body, err)
			}
			w, ok := event.(Waiting)
			if !ok {
				continue
			}
			how = append(how, w.Changed)
			if body, err := c.Body(*w.Request); err != nil || samplingOf(t, string(body)) != test.sent {
				t.Errorf("%s: announced %s, %v; want %s", test.body, body, err, test.sent)
			}
		}
		if len(how) != 1 || how[0] != test.how || server.times() != 2 {
			t.Errorf("%s: %d requests, said %q; want 2 and %q", test.body, server.times(), how, test.how)
			continue
		}
		if got := samplingOf(t, server.bodies[1]); got != test.sent {
			t.Errorf("%s: sent %s, want %s", test.body, got, test.sent)
		}
		if learned := c.Learned(); len(learned) != 0 {
			t.Errorf("%s: learned %q", test.body, learned)
		}
	}
}

// TestARefusedPromptTeachesNothing: a refusal that quotes the prompt, or is about the schema of a tool, is not about
// the parameters that it names.
func TestARefusedPromptTeachesNothing(t *testing.T) {
	t.Parallel()
	warm := 0.7
	for _, test := range []struct{ prompt, refusal string }{
		{"Which temperature should an oven have?", "Invalid prompt: \"Which temperature should an oven have?\" was flagged by our usage policy."},
		{"Is a negative\ntemperature not supported\nby the oven?", "Your prompt 'Is a negative temperature not supported by the oven?' was flagged as potentially violating our usage policy."},
		{"max_tokens is at most 4000, top_p is deprecated, effort is unsupported", "Refused: max_tokens is at most 4000, top_p is deprecated, effort is unsupported"},
		{"Hello", "Invalid schema for function 'weather': In context=('properties', 'temperature'), 'default' is not permitted."},
		{"Hello", "The prompt was refused. A new one at a lower temperature may help."},
	} {
		body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": test.refusal, "code": "invalid_prompt"}})
		server := script(step{status: 400, say: []string{string(body)}})
		c := server.client()
		r := Request{
			Model: "m", Messages: []history.Message{{Role: history.User, Content: test.prompt}},
			MaxTokens: 32000, Temperature: &warm, TopP: &warm, Effort: "high",
		}
		if _, _, err := heard(c, r); err == nil || server.times() != 1 || len(c.Learned()) != 0 {
			t.Errorf("%s: %d requests, learned %q, %v; want an error after 1", test.refusal, server.times(), c.Learned(), err)
		}
	}
	parameter := `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","param":"temperature","code":"unsupported_parameter"}}`
	server := script(step{status: 400, say: []string{parameter}}, chunks(delta("Hello"), "[DONE]"))
	r := Request{Model: "m", Messages: []history.Message{{Role: history.User, Content: "Why do I get " + parameter}}, Temperature: &warm}
	if _, _, err := heard(server.client(), r); err != nil || server.times() != 2 {
		t.Errorf("a refusal that names its parameter, after a prompt with the same words: %v after %d requests", err, server.times())
	}
}

// samplingOf is the sampling in a request's body.
func samplingOf(t *testing.T, body string) string {
	t.Helper()
	var sent map[string]any
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, key := range []string{"max_completion_tokens", "temperature", "top_p", "reasoning_effort"} {
		if sent[key] == nil {
			values = append(values, "-")
			continue
		}
		values = append(values, fmt.Sprint(sent[key]))
	}
	return strings.Join(values, " ")
}

// TestRefusalsOfTheSamplingEnd: a server that refuses everything is not asked for ever, and one that
// refuses what was not asked is not asked again.
func TestRefusalsOfTheSamplingEnd(t *testing.T) {
	t.Parallel()
	warm := 0.7
	r := Request{Model: "m", Messages: hello().Messages, MaxTokens: 5000, Temperature: &warm, TopP: &warm, Effort: "high"}
	for _, text := range []string{
		"temperature, top_p, reasoning_effort (one of 'low', 'medium'), max_tokens (at most 4000) are wrong",
		"max_tokens is larger than 4999", "reasoning_effort must be one of 'low', 'high'",
	} {
		server := script(step{status: 422, say: []string{fmt.Sprintf(`{"detail":%q}`, text)}})
		_, _, err := heard(server.client(), r)
		var fault *Error
		if !errors.As(err, &fault) || server.times() > 7 {
			t.Errorf("%s: %v after %d requests", text, err, server.times())
		}
		plain := script(step{status: 422, say: []string{fmt.Sprintf(`{"detail":%q}`, text)}})
		if _, _, err := heard(plain.client(), hello()); err == nil || plain.times() != 1 {
			t.Errorf("%s: a request without sampling: %v after %d requests, want an error after 1", text, err, plain.times())
		}
	}
}
