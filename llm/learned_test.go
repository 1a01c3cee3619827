package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/tool"
)

// full is a request with all that may be asked beside the messages.
func full() Request {
	return Request{
		Model: "m", Messages: []history.Message{{Role: history.User, Content: "Hello"}},
		MaxTokens: 32000, Temperature: new(0.7), TopP: new(0.9), Effort: "minimal",
	}
}

// refusalOf is a refusal in the form of OpenAI.
func refusalOf(text string) step {
	quoted, _ := json.Marshal(text)
	return step{status: 400, say: []string{fmt.Sprintf(`{"error":{"message":%s,"code":"unsupported_value"}}`, quoted)}}
}

// TestWhatAModelDoesNotSupportIsLeftOut: each refusal leads to one more request, at once, that leaves out or lowers what
// was refused; the next requests begin with that, those of a new client that was told too, and another model is asked as
// before.
func TestWhatAModelDoesNotSupportIsLeftOut(t *testing.T) {
	t.Parallel()
	offering := full()
	offering.Tools, offering.Effort = []tool.Tool{{Name: "read"}}, ""
	cached := full()
	cached.Cache = Caching{Key: "k", Marks: []int{0}, Diagnose: true}
	elsewhere := func(e *Endpoint) { e.BaseURL = "https://gateway.example.com/v1" }
	responses := func(e *Endpoint) { e.Wire = ResponsesWire }
	for _, test := range []struct {
		refusal     string
		request     Request
		change      func(*Endpoint)
		gone, there string // in the second body
		how         string
	}{
		{"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.", full(), nil, "temperature", `"top_p":0.9`, "without temperature"},
		{"Unsupported parameter: 'temperature' is not supported with this model.", full(), nil, "temperature", `"top_p":0.9`, "without temperature"},
		{"`temperature` is deprecated for this model.", full(), nil, "temperature", `"top_p":0.9`, "without temperature"},
		{"`temperature` and `top_p` cannot both be specified for this model. Please use only one.", full(), nil, "top_p", `"temperature":0.7`, "without top_p"},
		{"Unsupported parameter: 'top_p' is not supported with this model.", full(), nil, "top_p", `"temperature":0.7`, "without top_p"},
		{"Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', and 'high'.", full(), nil, "minimal", `"reasoning_effort":"low"`, "with reasoning_effort low"},
		{"Unrecognized request argument supplied: reasoning_effort", full(), nil, "reasoning_effort", `"top_p"`, "without reasoning_effort"},
		{"reasoning_effort: Input should be 'none' or 'high'", full(), nil, "minimal", `"reasoning_effort":"none"`, "with reasoning_effort none"},
		{"Function tools with reasoning_effort are not supported for m. To use function tools, set reasoning_effort to 'none'.", offering, nil, "nothing", `"reasoning_effort":"none"`, "with reasoning_effort none"},
		{"max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.", full(), nil, "32000", `tokens":16384`, "for a reply of at most 16,384 tokens"},
		{"max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for m", full(), nil, "32000", `tokens":8192`, "for a reply of at most 8,192 tokens"},
		{"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", full(), nil, "32000", `tokens":8192`, "for a reply of at most 8,192 tokens"},
		{"max_output_tokens: the supported range is from 1 (inclusive) to 16385 (exclusive)", full(), nil, "32000", `tokens":16384`, "for a reply of at most 16,384 tokens"},
		{"max_tokens: Extra inputs are not permitted", full(), nil, "_tokens", `"top_p"`, "without a limit for the reply"},
		{"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", full(), elsewhere, "max_tokens", `"max_completion_tokens":32000`, "with max_completion_tokens in the place of max_tokens"},
		{"Unknown field: max_completion_tokens not supported", full(), nil, "max_completion_tokens", `"max_tokens":32000`, "with max_tokens in the place of max_completion_tokens"},
		{"stream_options: Extra inputs are not permitted", full(), nil, "stream_options", `"stream":true`, "without stream_options"},
		{"Unrecognized request argument supplied: prompt_cache_key", cached, nil, "prompt_cache_key", "cache_control", "without prompt_cache_key"},
		{"messages.0.content.0.cache_control: Extra inputs are not permitted", cached, nil, "cache_control", "prompt_cache_key", "without cache_control"},
		{"diagnostics: Extra inputs are not permitted", cached, nil, "diagnostics", "prompt_cache_key", "without asking about the prompt cache"},
		{"Encrypted content is not supported with this model.", full(), responses, "encrypted_content", `"effort"`, "without asking for encrypted reasoning"},
		{"Unsupported parameter: 'reasoning.effort' is not supported with this model.", full(), responses, "effort", `"include"`, "without reasoning_effort"},
		{"Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 400, but got 32000 instead.", full(), responses, "32000", `"max_output_tokens":400`, "for a reply of at most 400 tokens"},
	} {
		if test.change == nil {
			test.change = func(*Endpoint) {}
		}
		server := script(refusalOf(test.refusal), step{status: 418})
		c := server.client(test.change, tries(1)) // Another form is not another try.
		var how []string
		for event := range c.Stream(t.Context(), test.request) {
			if w, ok := event.(Waiting); ok {
				how = append(how, w.Changed)
			}
		}
		if len(how) != 1 || how[0] != test.how || server.times() != 2 {
			t.Errorf("%s: %d requests, said %q; want 2 and %q", test.refusal, server.times(), how, test.how)
			continue
		}
		second := server.bodies[1]
		if !strings.Contains(server.bodies[0]+"nothing", test.gone) || strings.Contains(second, test.gone) || !strings.Contains(second, test.there) {
			t.Errorf("%s: sent\n%s\nand then\n%s", test.refusal, server.bodies[0], second)
		}
		told := server.client(test.change)
		stored, err := json.Marshal(c.Learned("m"))
		var learned Learned
		if err = errors.Join(err, json.Unmarshal(stored, &learned)); err != nil {
			t.Fatal(err)
		}
		told.Learn("m", learned)
		replay := server.client(test.change, func(e *Endpoint) { e.Known = c.Known("m") })
		for name, client := range map[string]*Client{"the client": c, "one that was told": told, "one that repeats it": replay} {
			if body := bodyOf(t, client, test.request); body != second {
				t.Errorf("%s: %s sends\n%s\nwant\n%s", test.refusal, name, body, second)
			}
		}
		other := test.request
		other.Model = "other"
		if body := bodyOf(t, c, other); strings.Replace(body, `"other"`, `"m"`, 1) != server.bodies[0] {
			t.Errorf("%s: another model is asked otherwise: %s", test.refusal, body)
		}
		c.Forget("m")
		if body := bodyOf(t, c, test.request); body != server.bodies[0] || !reflect.DeepEqual(c.Learned("m"), Learned{}) {
			t.Errorf("%s: after it was forgotten it is asked\n%s", test.refusal, body)
		}
	}
}

// TestAWrongValueTeachesNothing: a refusal of a value, and not of its parameter, changes that request alone, and says
// so. The bodies are those of OpenAI, Anthropic, DeepSeek, Gemini, Mistral and vLLM.
func TestAWrongValueTeachesNothing(t *testing.T) {
	t.Parallel()
	r := full()
	r.Temperature, r.TopP = new(3.0), new(2.0)
	for _, test := range []struct {
		body string
		sent string // max_completion_tokens temperature top_p reasoning_effort, - for none
		how  string
	}{
		{`{"error":{"message":"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.","type":"invalid_request_error","param":"temperature","code":"decimal_above_max_value"}}`, "32000 2 2 minimal", "with temperature 2"},
		{`{"error":{"message":"temperature must be between 0 and 2"}}`, "32000 2 2 minimal", "with temperature 2"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"temperature: Input should be less than or equal to 1"}}`, "32000 1 2 minimal", "with temperature 1"},
		{`{"error":{"message":"Invalid temperature value, the valid range of temperature is [0, 2.0]","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, "32000 2 2 minimal", "with temperature 2"},
		{`[{"error":{"code":400,"message":"Unable to submit request because it has a temperature value of 3 but the supported range is from 0 (inclusive) to 2 (inclusive). Update the value and try again.","status":"INVALID_ARGUMENT"}}]`, "32000 2 2 minimal", "with temperature 2"},
		{`{"object":"error","message":{"detail":[{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be less than or equal to 1.5","input":3,"ctx":{"le":1.5}}]},"type":"invalid_request_error","param":null,"code":null}`, "32000 1.5 2 minimal", "with temperature 1.5"},
		{`{"error":{"message":"the value of temperature is invalid"}}`, "32000 - 2 minimal", "without temperature"},
		{`{"object":"error","message":"top_p must be in (0, 1], got 2.0.","type":"BadRequestError","param":null,"code":400}`, "32000 3 1 minimal", "with top_p 1"},
		{`{"error":{"message":"reasoning_effort must be lower than this","param":"reasoning_effort"}}`, "32000 3 2 -", "without reasoning_effort"},
		{`{"error":{"message":"max_tokens is too large"}}`, "- 3 2 minimal", "without a limit for the reply"},
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
			if got := samplingOf(t, bodyOf(t, c, *w.Request)); got != test.sent {
				t.Errorf("%s: announced %s; want %s", test.body, got, test.sent)
			}
		}
		if len(how) != 1 || how[0] != test.how+", for this request only" || server.times() != 2 {
			t.Errorf("%s: %d requests, said %q; want 2 and %q", test.body, server.times(), how, test.how)
			continue
		}
		if got := samplingOf(t, server.bodies[1]); got != test.sent {
			t.Errorf("%s: sent %s, want %s", test.body, got, test.sent)
		}
		if learned := c.Learned(r.Model).Ways(); len(learned) != 0 {
			t.Errorf("%s: learned %q", test.body, learned)
		}
	}
}

// TestARefusedPromptTeachesNothing: a refusal that quotes the prompt, or is about the schema of a tool, is not about
// the parameters that it names.
func TestARefusedPromptTeachesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ prompt, refusal string }{
		{"Which temperature should an oven have?", "Invalid prompt: \"Which temperature should an oven have?\" was flagged by our usage policy."},
		{"Is a negative\ntemperature not supported\nby the oven?", "Your prompt 'Is a negative temperature not supported by the oven?' was flagged as potentially violating our usage policy."},
		{"max_tokens is at most 4000, top_p is deprecated, effort is unsupported", "Refused: max_tokens is at most 4000, top_p is deprecated, effort is unsupported"},
		{"Hello", "Invalid schema for function 'weather': In context=('properties', 'temperature'), 'default' is not permitted."},
		{"Hello", "The prompt was refused. A new one at a lower temperature may help."},
	} {
		server := script(refusalOf(test.refusal))
		c := server.client()
		r := full()
		r.Messages[0].Content = test.prompt
		if _, _, err := heard(c, r); err == nil || server.times() != 1 || len(c.Learned("m").Ways()) != 0 {
			t.Errorf("%s: %d requests, learned %q, %v; want an error after 1", test.refusal, server.times(), c.Learned("m").Ways(), err)
		}
	}
	parameter := `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","param":"temperature","code":"unsupported_parameter"}}`
	server := script(step{status: 400, say: []string{parameter}}, chunks(delta("Hello"), "[DONE]"))
	r := full()
	r.Messages[0].Content = "Why do I get " + parameter
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

// TestRefusalsOfParametersEnd: a server that refuses everything is not asked for ever, and one that refuses what was not
// asked is not asked again.
func TestRefusalsOfParametersEnd(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"temperature, top_p, reasoning_effort (one of 'low', 'medium'), max_tokens (at most 4000) are wrong",
		"max_tokens is larger than 4999", "reasoning_effort must be one of 'low', 'high'",
		"max_tokens is not supported: use max_completion_tokens, which is unknown",
	} {
		server := script(refusalOf(text))
		_, _, err := heard(server.client(), full())
		var fault *Error
		if !errors.As(err, &fault) || server.times() > 7 {
			t.Errorf("%s: %v after %d requests", text, err, server.times())
		}
		plain := script(refusalOf(text))
		if _, _, err := heard(plain.client(), hello()); err == nil || plain.times() != 1 {
			t.Errorf("%s: a request without sampling: %v after %d requests, want an error after 1", text, err, plain.times())
		}
	}
}

// What two models of an endpoint were refused is apart, whatever their names.
func TestModelsWhoseNamesEndAlikeAreApart(t *testing.T) {
	c := script().client()
	c.Learn("a m", Learned{ReplyLimit: 4096, NoTemperature: true})
	if got := samplingOf(t, bodyOf(t, c, full())); got != "32000 0.7 0.9 minimal" {
		t.Errorf("m is asked %s after a refusal of another model", got)
	}
}
