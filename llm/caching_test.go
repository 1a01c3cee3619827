package llm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"winnow/history"
)

// conversation is a request with a system prompt and some turns.
func conversation(model string, turns int) Request {
	r := Request{Model: model, Messages: []history.Message{{Role: history.System, Content: "Be brief."}}}
	for i := range turns {
		r.Messages = append(r.Messages, history.Message{Role: history.User, Content: fmt.Sprint("question ", i)}, history.Message{Role: history.Assistant, Content: fmt.Sprint("answer ", i)})
	}
	r.Messages = append(r.Messages, history.Message{Role: history.User, Content: "now"})
	return r
}

func TestServersAreHelpedToCacheWhereTheyWantIt(t *testing.T) {
	t.Parallel()
	const control = `"cache_control":{"type":"ephemeral"}`
	for _, c := range []struct {
		name     string
		endpoint Endpoint
		model    string
		want     bool
	}{
		{"OpenAI", Endpoint{BaseURL: "https://api.openai.com/v1"}, "gpt-5.6", false},
		{"OpenRouter, Claude", Endpoint{BaseURL: "https://openrouter.ai/api/v1"}, "anthropic/claude-opus-4.7", true},
		{"OpenRouter, OpenAI", Endpoint{BaseURL: "https://openrouter.ai/api/v1"}, "openai/gpt-5.6", false},
		{"Anthropic", Endpoint{BaseURL: "https://api.anthropic.com/v1"}, "claude-opus-4-7", false},
		{"a local server", Endpoint{BaseURL: "http://127.0.0.1:8080/v1"}, "anthropic/claude", false},
	} {
		client := NewClient(c.endpoint)
		r := conversation(c.model, 2)
		r.CacheMarks = client.CacheMarks(r, 5, 3)
		body, err := client.RequestBody(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), control) != c.want {
			t.Errorf("%s: sent %s; want marks: %t", c.name, body, c.want)
		}
	}
}

func TestMarksStandWhereTheCacheEnds(t *testing.T) {
	t.Parallel()
	client := NewClient(Endpoint{BaseURL: "https://openrouter.ai/api/v1"})
	for _, c := range []struct {
		name         string
		alike, stays int
		edit         func(*Request)
		marks        []int
	}{
		{"all four", 5, 3, nil, []int{0, 2, 4, 7}},
		{"a new conversation", 0, 0, nil, []int{0, 7}},
		{"two at one place", 5, 5, nil, []int{0, 4, 7}},
		{"more alike than there is", 50, 50, nil, []int{0, 7}},
		{"a blank message", 5, 0, func(r *Request) { r.Messages[4].Content = "" }, []int{0, 3, 7}},
		{"no system prompt", 1, 0, func(r *Request) { r.Messages = r.Messages[1:] }, []int{0, 6}},
	} {
		r := conversation("anthropic/claude-opus-4.7", 3)
		if c.edit != nil {
			c.edit(&r)
		}
		if got := client.CacheMarks(r, c.alike, c.stays); !slices.Equal(got, c.marks) {
			t.Errorf("%s: marks at %v, want %v", c.name, got, c.marks)
		}
	}
}
