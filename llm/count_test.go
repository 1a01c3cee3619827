package llm

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
)

// byteCounter is a llama.cpp that writes a prompt out as "role: text;" and has one token per byte of it.
type byteCounter struct {
	t     *testing.T
	asked []string
}

func (b *byteCounter) Do(req *http.Request) (*http.Response, error) {
	var sent struct {
		Messages []struct{ Role, Content string }
		Content  string
		Special  bool `json:"add_special"`
	}
	if err := json.NewDecoder(req.Body).Decode(&sent); err != nil {
		b.t.Errorf("%s: %v", req.URL.Path, err)
	}
	if got := req.Header.Get("Authorization"); got != "Bearer sk-secret" {
		b.t.Errorf("%s carried %q", req.URL.Path, got)
	}
	b.asked = append(b.asked, req.URL.Path)
	answer := map[string]any{}
	switch req.URL.Path {
	case "/apply-template":
		prompt := ""
		for _, m := range sent.Messages {
			prompt += m.Role + ": " + m.Content + ";"
		}
		answer["prompt"] = prompt
	case "/tokenize":
		if !sent.Special {
			b.t.Error("the count leaves out what begins a prompt")
		}
		answer["tokens"] = make([]int, len(sent.Content))
	default:
		b.t.Errorf("asked for %s", req.URL)
	}
	body, err := json.Marshal(answer)
	if err != nil {
		b.t.Error(err)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body))), Request: req}, nil
}

func TestCountRequestIsTheServersOwn(t *testing.T) {
	server := &byteCounter{t: t}
	c := NewClient(Endpoint{Name: "here", BaseURL: "http://127.0.0.1:8080/v1", Key: "sk-secret", Doer: server})
	got, err := c.CountRequest(t.Context(), Request{Model: "m", Messages: []history.Message{
		{Role: history.System, Content: "Be brief."}, {Role: history.User, Content: "Hi"},
	}})
	if want := len("system: Be brief.;user: Hi;"); err != nil || got != want {
		t.Errorf("got %d tokens (%v), want %d", got, err, want)
	}
	if got := strings.Join(server.asked, " "); got != "/apply-template /tokenize" {
		t.Errorf("it was asked for %s", got)
	}
}
