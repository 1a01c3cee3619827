package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// talk is a request with so many turns behind a system prompt.
func talk(model string, turns int) Request {
	r := Request{Model: model, Messages: []history.Message{{Role: history.System, Content: "Be brief."}}}
	for i := range turns {
		r.Messages = append(r.Messages, history.Message{Role: history.User, Content: fmt.Sprint("question ", i)}, history.Message{Role: history.Assistant, Content: fmt.Sprint("answer ", i)})
	}
	r.Messages = append(r.Messages, history.Message{Role: history.User, Content: "now"})
	return r
}

func asking(c *Client, r Request, alike, stays int) Request {
	r.CacheMarks = c.CacheMarks(r, alike, stays)
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
		body, err := client.Body(asking(client, talk(c.model, 2), 5, 3))
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
		r := talk("anthropic/claude-opus-4.7", 3)
		if c.edit != nil {
			c.edit(&r)
		}
		if got := client.CacheMarks(r, c.alike, c.stays); !slices.Equal(got, c.marks) {
			t.Errorf("%s: marks at %v, want %v", c.name, got, c.marks)
		}
	}
}

// TestCachingChangesNoText: whatever a request holds, with caching it holds the same texts in the same order, in
// messages that strict servers take, and only messages with a mark are written otherwise.
func TestCachingChangesNoText(t *testing.T) {
	t.Parallel()
	client := NewClient(Endpoint{Name: "or", BaseURL: "https://openrouter.ai/api/v1"})
	word := rapid.SampledFrom([]string{"", " ", "a", "<&>\n", "世界", "b c"})
	rapid.Check(t, func(t *rapid.T) {
		r := Request{Model: "anthropic/claude-opus-4.7", Messages: []history.Message{{Role: history.System, Content: word.Draw(t, "system")}}}
		for i := range rapid.IntRange(1, 6).Draw(t, "turns") {
			user := history.Message{Role: history.User, Content: "q" + word.Draw(t, "user")}
			if rapid.Bool().Draw(t, "image") {
				user.Parts = []history.Part{{Kind: history.ImagePart, MediaType: "image/png", Data: []byte{1, 2}}, {Kind: history.TextPart, Text: word.Draw(t, "part")}}
			}
			r.Messages = append(r.Messages, user)
			if rapid.Bool().Draw(t, "calls") {
				id := fmt.Sprint("call_", i)
				r.Messages = append(r.Messages, history.Message{Role: history.Assistant, Content: word.Draw(t, "said"), ToolCalls: []history.ToolCall{{ID: id, Name: "f", Arguments: "{}"}}},
					history.Message{Role: history.Tool, ToolCallID: id, Content: word.Draw(t, "result")})
			}
			r.Messages = append(r.Messages, history.Message{Role: history.Assistant, Content: "a" + word.Draw(t, "answer")})
		}
		r.Messages = append(r.Messages, history.Message{Role: history.User, Content: "now"})
		plain, err := client.Body(r)
		if err != nil {
			t.Fatal(err)
		}
		n := len(r.Messages)
		r = asking(client, r, rapid.IntRange(0, n).Draw(t, "alike"), rapid.IntRange(0, n).Draw(t, "stays"))
		cached, err := client.Body(r)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.CacheMarks) == 0 || len(r.CacheMarks) > 4 || strings.Count(string(cached), `"cache_control"`) != len(r.CacheMarks) {
			t.Fatalf("%d marks in %s", len(r.CacheMarks), cached)
		}
		was, is := sentMessages(t, plain), sentMessages(t, cached)
		for i := range was {
			if flatText(t, was[i]["content"]) != flatText(t, is[i]["content"]) {
				t.Fatalf("message %d: %s, with caching %s", i, was[i]["content"], is[i]["content"])
			}
			if !slices.Contains(r.CacheMarks, i) && string(was[i]["content"]) != string(is[i]["content"]) {
				t.Fatalf("message %d has no mark and is written otherwise: %s", i, is[i]["content"])
			}
			delete(was[i], "content")
			delete(is[i], "content")
			delete(is[i], "cache_control")
			if a, b := fmt.Sprint(was[i]), fmt.Sprint(is[i]); a != b {
				t.Fatalf("message %d: %s, with caching %s", i, a, b)
			}
		}
	})
}

func sentMessages(t *rapid.T, body []byte) []map[string]json.RawMessage {
	var sent struct {
		Messages []map[string]json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	return sent.Messages
}

// flatText is all texts and images of a content, without the parts that they are in.
func flatText(t *rapid.T, content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text  string          `json:"text"`
		Image json.RawMessage `json:"image_url"`
	}
	if err := json.Unmarshal(content, &parts); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		text += p.Text + string(p.Image)
	}
	return text
}
