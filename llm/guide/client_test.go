package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"winnow/docs"

	openai "github.com/sashabaranov/go-openai"
)

// words counts a token for every word: a count that a person can check.
func words(text string) int { return len(strings.Fields(text)) }

// newGuide is a guide that does not wait.
func newGuide() *Guide {
	return New(docs.Pages, Options{
		Count: words,
		Wait:  1500 * time.Millisecond,
		Now:   func() time.Time { return time.Unix(1_790_000_000, 0) },
	})
}

// body is a request's body; more replaces or adds keys.
func body(t *testing.T, messages []map[string]any, more map[string]any) []byte {
	t.Helper()
	all := map[string]any{"model": "guide", "messages": messages, "stream": true, "stream_options": map[string]any{"include_usage": true}}
	for k, v := range more {
		all[k] = v
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func user(text string) map[string]any { return map[string]any{"role": "user", "content": text} }

func assistant(text string) map[string]any {
	return map[string]any{"role": "assistant", "content": text}
}

// post sends a body to the guide.
func post(t *testing.T, ctx context.Context, g *Guide, body []byte) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, baseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := g.Do(req)
	if err != nil {
		t.Fatalf("Do(%.200s): %v", body, err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

type wireReply struct {
	Role      string            `json:"role"`
	Content   *string           `json:"content"`
	Reasoning string            `json:"reasoning_content"`
	ToolCalls []openai.ToolCall `json:"tool_calls"`
}

type wireChunk struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
	Choices []struct {
		Index        int        `json:"index"`
		Delta        *wireReply `json:"delta"`
		FinishReason *string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *openai.Usage   `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// stream is what a strict reader makes of a streamed answer.
type stream struct {
	text, reasoning, finish string
	calls                   []openai.ToolCall // one per delta that named one, its arguments joined
	usage                   *openai.Usage
	comments                []string
	errors                  []string // error objects, raw
	pieces                  int      // deltas of text
	done                    bool     // [DONE] came
	err                     error    // what ended the body, nil for its end
}

func decodeStrictly(t *testing.T, data string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Errorf("chunk %s: %v", data, err)
	}
	if d.More() {
		t.Errorf("chunk %s holds more than one value", data)
	}
}

// readStream reads a stream as the strictest client would: each event is one data line or one
// comment and ends with a blank line; the role comes first; ids agree; nothing follows the finish
// reason but the usage, and nothing at all follows [DONE].
func readStream(t *testing.T, resp *http.Response) stream {
	t.Helper()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		t.Errorf("Content-Type is %q, want text/event-stream; charset=utf-8", got)
	}
	var s stream
	raw, err := io.ReadAll(resp.Body)
	s.err = err
	if len(raw) > 0 && !bytes.HasSuffix(raw, []byte("\n\n")) {
		t.Errorf("the stream ends in the middle of an event: %q", raw[max(0, len(raw)-60):])
	}
	id := ""
	first := true
	for _, event := range strings.Split(strings.TrimSuffix(string(raw), "\n\n"), "\n\n") {
		if comment, ok := strings.CutPrefix(event, ": "); ok {
			s.comments = append(s.comments, comment)
			continue
		}
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || strings.Contains(data, "\n") {
			t.Errorf("event %q is neither one data line nor one comment", event)
			continue
		}
		if s.done {
			t.Errorf("event %q follows [DONE]", event)
		}
		if data == "[DONE]" {
			s.done = true
			continue
		}
		var c wireChunk
		decodeStrictly(t, data, &c)
		if c.Object != "chat.completion.chunk" || c.Model != "guide" || c.Created != 1_790_000_000 || !strings.HasPrefix(c.ID, "chatcmpl-") {
			t.Errorf("chunk %s has object %q, model %q, created %d, id %q", data, c.Object, c.Model, c.Created, c.ID)
		}
		if id != "" && c.ID != id {
			t.Errorf("chunk %s has another id than %s", data, id)
		}
		id = c.ID
		if first && (len(c.Choices) != 1 || c.Choices[0].Delta == nil || c.Choices[0].Delta.Role != "assistant") {
			t.Errorf("the first chunk is %s, want the role", data)
		}
		first = false
		s.add(t, data, c)
	}
	return s
}

func (s *stream) add(t *testing.T, data string, c wireChunk) {
	t.Helper()
	if c.Error != nil {
		s.errors = append(s.errors, string(c.Error))
	}
	if c.Usage != nil {
		if len(c.Choices) != 0 || s.finish == "" || s.usage != nil {
			t.Errorf("chunk %s: usage comes once, after the finish reason, without choices", data)
		}
		s.usage = c.Usage
		return
	}
	if len(c.Choices) != 1 || c.Choices[0].Delta == nil || s.finish != "" {
		t.Errorf("chunk %s: want one choice with a delta, before the finish reason", data)
		return
	}
	choice := c.Choices[0]
	if choice.FinishReason != nil {
		s.finish = *choice.FinishReason
	}
	s.reasoning += choice.Delta.Reasoning
	if choice.Delta.Content != nil && *choice.Delta.Content != "" {
		s.text += *choice.Delta.Content
		s.pieces++
	}
	for _, call := range choice.Delta.ToolCalls {
		if call.Index == nil {
			t.Errorf("chunk %s: a tool call without an index", data)
		}
		if call.Function.Name+call.ID != "" {
			s.calls = append(s.calls, call)
			continue
		}
		s.calls[len(s.calls)-1].Function.Arguments += call.Function.Arguments
	}
}

// ask streams the answer to messages and wants it whole.
func ask(t *testing.T, g *Guide, messages []map[string]any, more map[string]any) stream {
	t.Helper()
	resp := post(t, t.Context(), g, body(t, messages, more))
	if resp.StatusCode != http.StatusOK {
		b, err := io.ReadAll(resp.Body)
		t.Fatalf("status %d: %s (%v)", resp.StatusCode, b, err)
	}
	s := readStream(t, resp)
	if s.err != nil || !s.done || s.finish == "" {
		t.Fatalf("the stream ended with %v, [DONE] %v, finish reason %q; want a whole answer", s.err, s.done, s.finish)
	}
	return s
}

// refused is an error body as OpenAI sends it.
type refused struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// wantRefusal posts a body and reads the refusal.
func wantRefusal(t *testing.T, g *Guide, body []byte, status int) (refused, *http.Response) {
	t.Helper()
	resp := post(t, t.Context(), g, body)
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Fatalf("body %.300s\n got status %d: %.300s (%v)\nwant status %d", body, resp.StatusCode, b, err, status)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("the refusal's type is %q, want application/json", got)
	}
	var r struct {
		Error refused `json:"error"`
	}
	decodeStrictly(t, string(b), &r)
	if r.Error.Message == "" || r.Error.Type == "" {
		t.Errorf("the refusal is %s, want a message and a type", b)
	}
	return r.Error, resp
}

func code(r refused) string {
	if r.Code == nil {
		return ""
	}
	return *r.Code
}

func isCut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// goodID says that every server takes an id.
func goodID(id string) bool {
	return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`).MatchString(id)
}
