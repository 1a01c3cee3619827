package llm

import (
	"cmp"
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

// askedAs is the request, and the change of the endpoint, that words of lessons.txtar name.
func askedAs(words string) (r Request, change func(*Endpoint)) {
	r, change = full(), func(*Endpoint) {}
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "tools":
			r.Tools, r.Effort = []tool.Tool{{Name: "read"}}, ""
		case "cached":
			r.CacheMarks = []int{0}
		case "high":
			r.Temperature, r.TopP = new(3.0), new(2.0)
		case "elsewhere":
			change = func(e *Endpoint) { e.BaseURL = "https://gateway.example.com/v1" }
		case "responses":
			change = overResponses
		}
	}
	return r, change
}

// TestRefusalsOfParameters: each refusal of lessons.txtar leads to one more request, at once. What is learned holds for
// the next requests too, also those of a client that is told, until it is forgotten; another model is asked as before.
func TestRefusalsOfParameters(t *testing.T) {
	checkFixtures(t, "testdata/lessons.txtar", func(t *testing.T, head, body string) string {
		r, change := askedAs(head)
		server := script(step{status: 400, say: []string{body}}, step{status: 418})
		c := server.client(change, tries(1)) // Another form is not another try.
		var how []string
		next := r
		for event := range c.Stream(t.Context(), r) {
			if w, ok := event.(Waiting); ok {
				how = append(how, w.Changed)
				next = *cmp.Or(w.Request, &r)
			}
		}
		if len(how) != 1 || server.times() != 2 {
			t.Fatalf("%d requests, said %q; want two and one sentence", server.times(), how)
		}
		stored, err := json.Marshal(c.Learned("m"))
		var learned Learned
		if err = errors.Join(err, json.Unmarshal(stored, &learned)); err != nil {
			t.Fatal(err)
		}
		told := server.client(change)
		told.Learn("m", learned)
		repeats := server.client(change, func(e *Endpoint) { e.Known = c.Known("m") })
		for name, client := range map[string]*Client{
			"the client": c, "one that was told": told, "one that repeats it": repeats,
		} {
			wantText(t, name+" sends", bodyOf(t, client, next), server.bodies[1])
		}
		other := r
		other.Model = "other"
		wantText(t, "another model", strings.Replace(bodyOf(t, c, other), `"other"`, `"m"`, 1), server.bodies[0])
		c.Forget("m")
		wantText(t, "after it was forgotten", bodyOf(t, c, r), server.bodies[0])
		if left := c.Learned("m"); !reflect.DeepEqual(left, Learned{}) {
			t.Errorf("what is left is %+v", left)
		}
		ways := cmp.Or(strings.Join(learned.Ways(), ", "), "nothing")
		return how[0] + "\nlearned: " + ways + "\n" + server.bodies[1] + "\n"
	})
}

// TestARefusedPromptTeachesNothing: a refusal that quotes the prompt, or is about the schema of a tool, is not about
// the parameters that it names.
func TestARefusedPromptTeachesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ prompt, refusal string }{
		{
			"Which temperature should an oven have?",
			"Invalid prompt: \"Which temperature should an oven have?\" was flagged by our usage policy.",
		},
		{
			"Is a negative\ntemperature not supported\nby the oven?",
			"Your prompt 'Is a negative temperature not supported by the oven?' was flagged as " +
				"potentially violating our usage policy.",
		},
		{
			"max_tokens is at most 4000, top_p is deprecated, effort is unsupported",
			"Refused: max_tokens is at most 4000, top_p is deprecated, effort is unsupported",
		},
		{
			"Hello",
			"Invalid schema for function 'weather': In context=('properties', 'temperature'), " +
				"'default' is not permitted.",
		},
		{"Hello", "The prompt was refused. A new one at a lower temperature may help."},
	} {
		server := script(refusalOf(test.refusal))
		c := server.client()
		r := full()
		r.Messages[0].Content = test.prompt
		if _, _, err := heard(c, r); err == nil || server.times() != 1 || len(c.Learned("m").Ways()) != 0 {
			t.Errorf("%s: %d requests, learned %q, %v; want an error after 1",
				test.refusal, server.times(), c.Learned("m").Ways(), err)
		}
	}
	parameter := `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.",` +
		`"param":"temperature","code":"unsupported_parameter"}}`
	server := script(step{status: 400, say: []string{parameter}}, chunks(delta("Hello"), "[DONE]"))
	r := full()
	r.Messages[0].Content = "Why do I get " + parameter
	if _, _, err := heard(server.client(), r); err != nil || server.times() != 2 {
		t.Errorf("a refusal that names its parameter, after a prompt with the same words: %v after %d requests",
			err, server.times())
	}
}

// TestRefusalsOfParametersEnd: a server that refuses everything is not asked for ever, and one that refuses what was
// not asked is not asked again.
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
			t.Errorf("%s: a request without sampling: %v after %d requests, want an error after 1",
				text, err, plain.times())
		}
	}
}
