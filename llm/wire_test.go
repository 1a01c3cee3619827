package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/tool"
)

// What the formats make of a request is in the fixtures of llm/wire: here is what the client puts into it.
func TestBodyIsTheStrictFormat(t *testing.T) {
	c := script().client()
	local := NewClient(Endpoint{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"})
	call := func(arguments string) Request {
		return Request{Model: "m", Messages: []history.Message{{
			Role: history.Assistant, Reasoning: "not sent", ToolCalls: []history.ToolCall{{ID: "c1", Name: "f", Arguments: arguments}},
		}}}
	}
	called := func(arguments string) string {
		return `"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":` + arguments + `}}]`
	}
	limited := Request{Model: "m", MaxTokens: 9}
	tools := Request{Model: "m", Tools: []tool.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}}}
	for _, test := range []struct {
		name   string
		client *Client
		r      Request
		want   string
	}{
		{"OpenAI counts completion tokens", c, limited, `"max_completion_tokens":9,`},
		{"others count tokens", local, limited, `"max_tokens":9,`},
		{"arguments", c, call(`{"a": 1}`), called(`"{\"a\": 1}"`)},
		{"tools", c, tools, `"tools":[{"function":{"name":"f","parameters":{"type":"object"}},"type":"function"},{"function":{"name":"g","parameters":{"type":"object","properties":{}}},"type":"function"}]`},
	} {
		got, err := test.client.Body(test.r)
		if err != nil || !strings.Contains(string(got), test.want) || strings.Contains(string(got), "not sent") {
			t.Errorf("%s: %s, %v; want it to hold %s", test.name, got, err, test.want)
		}
	}
}
