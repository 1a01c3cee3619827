package llm

import (
	"errors"
	"testing"
	"testing/synctest"

	"winnow/history"
)

// TestARequestWithToolCallsIsNotRepeatedUnchangedWhenTheyAreNamed: whatever the status, a refusal that
// names the tool calls ends the tries, and so does one that only a parser of arguments writes.
func TestARequestWithToolCallsIsNotRepeatedUnchangedWhenTheyAreNamed(t *testing.T) {
	question := history.Message{Role: history.User, Content: "and now?"}
	plain := Request{Model: "m", Messages: []history.Message{question}}
	tools := Request{Model: "m", Messages: append(group("c", "read", "{}", "x"), question)}
	for _, test := range []struct {
		name    string
		status  int
		body    string
		request Request
		tries   int
		cause   ToolCause
	}{
		{"Python's parser, 400", 400, `{"message":"Expecting ',' delimiter: line 1 column 54 (char 53)"}`, tools, 1, TheTools},
		{"Python's parser, 500", 500, `{"message":"Expecting ',' delimiter: line 1 column 54 (char 53)"}`, tools, 1, TheTools},
		{"Python's parser, 503", 503, `Expecting property name enclosed in double quotes: line 1 column 2 (char 1)`, tools, 1, TheTools},
		{"Python's parser without calls", 500, `{"message":"Expecting ',' delimiter: line 1 column 54 (char 53)"}`, plain, 1, NotTools},
		{"llama.cpp", 500, `{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] x"}}`, tools, 1, TheTools},
		{"in the stream", 200, "data: {\"error\":{\"message\":\"Failed to parse tool call arguments as JSON\"}}\n\n", tools, 1, TheTools},
		{"words about tool calls", 502, `{"error":"upstream failed on a tool call"}`, tools, 1, TheTools},
		{"words about tool calls without any", 502, `{"error":"upstream failed on a tool call"}`, plain, 3, NotTools},
		{"no words", 500, `{"error":"Internal Server Error"}`, tools, 3, MaybeTools},
		{"no words, refused", 400, `{"error":"bad request"}`, tools, 1, MaybeTools},
		{"no words, no calls", 400, `{"error":"bad request"}`, plain, 1, NotTools},
		{"a rate limit for tool calls", 429, `{"error":"too many tool calls, rate limit"}`, tools, 3, NotTools},
		{"a key", 401, `{"error":"no tool calls without a key"}`, tools, 1, NotTools},
		{"a window", 400, `{"error":"This model's maximum context length is 4096 tokens. However, you requested about 5000 tokens (4000 of text input, 1000 of tool input)"}`, tools, 1, NotTools},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := script(step{status: test.status, say: []string{test.body}})
				_, _, err := heard(server.client(), test.request)
				var fault *Error
				if !errors.As(err, &fault) || server.times() != test.tries || fault.Tools != test.cause {
					t.Errorf("got %v after %d tries, cause %q; want %d tries and %q", err, server.times(), fault.Tools, test.tries, test.cause)
				}
			})
		})
	}
}
