package llm

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm/keys"
)

// step is one response of a scripted server.
type step struct {
	status int               // 0 is 200
	header map[string]string // Content-Type is text/event-stream if not set
	say    []string          // pieces of the body, each flushed
	pause  time.Duration     // before every piece but the first
	end    string            // "" closes normally, "cut" breaks the connection, "hang" keeps it open
	refuse error             // an error of the connection
}

// scripted is an in-process server. It plays its steps in order, repeats the last one, and records the requests.
type scripted struct {
	mu     sync.Mutex
	steps  []step
	asked  []*http.Request
	bodies []string
}

func script(steps ...step) *scripted { return &scripted{steps: steps} }

// chunks is a step with one event for each text.
func chunks(data ...string) step {
	var s step
	for _, d := range data {
		s.say = append(s.say, "data: "+d+"\n\n")
	}
	return s
}

func (s *scripted) Do(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
	}
	s.mu.Lock()
	n := min(len(s.asked), len(s.steps)-1)
	s.asked = append(s.asked, req)
	s.bodies = append(s.bodies, string(body))
	now := s.steps[n]
	s.mu.Unlock()
	if now.refuse != nil {
		return nil, now.refuse
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go now.play(req.Context(), w)
	resp := &http.Response{StatusCode: max(now.status, 200), Header: make(http.Header), Body: r, Request: req}
	if now.status == 0 {
		resp.StatusCode = 200
	}
	resp.Header.Set("Content-Type", "text/event-stream")
	for name, value := range now.header {
		resp.Header.Set(name, value)
	}
	return resp, nil
}

func (s step) play(ctx context.Context, w *io.PipeWriter) {
	for i, piece := range s.say {
		if i > 0 && s.pause > 0 {
			select {
			case <-time.After(s.pause):
			case <-ctx.Done():
			}
		}
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
	}
	switch s.end {
	case "cut":
		w.CloseWithError(io.ErrUnexpectedEOF)
	case "hang":
		<-ctx.Done()
		w.CloseWithError(ctx.Err())
	default:
		w.Close()
	}
}

func (s *scripted) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// paths lists the paths of the requests, without repetitions.
func (s *scripted) paths() (list string) {
	for _, req := range s.asked {
		if path := " " + strings.TrimPrefix(req.URL.Path, "/v1"); !strings.HasSuffix(list, path) {
			list += path
		}
	}
	return list
}

// testKey is a key that must never be shown.
const testKey = "sk-planted-0123456789abcdefghij"

// client returns a client of the server, under the name openai.
func (s *scripted) client(change ...func(*Endpoint)) *Client {
	e := Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", Key: testKey, KeyOrigin: keys.Origin{Kind: keys.Variable, Name: "OPENAI_API_KEY"}, Doer: s}
	for _, f := range change {
		f(&e)
	}
	return NewClient(e)
}

func tries(n int) func(*Endpoint) { return func(e *Endpoint) { e.MaxAttempts = n } }

func hello() Request {
	return Request{Model: "gpt-5.2", Messages: []history.Message{{Role: history.User, Content: "Hello"}}}
}

// heard describes the events of a stream.
func heard(c *Client, r Request) (string, *Reply, error) {
	return heardIn(context.Background(), c, r)
}

func heardIn(ctx context.Context, c *Client, r Request) (string, *Reply, error) {
	var b strings.Builder
	var reply Reply
	for event, err := range c.Stream(ctx, r) {
		if err != nil {
			return b.String(), &reply, err
		}
		reply.Add(event)
		b.WriteString(written(event))
	}
	return b.String(), &reply, nil
}

// written describes an event: text, (reasoning), [index id name arguments], <usage>, {retry}, and |reason end.
func written(event Event) string {
	switch e := event.(type) {
	case TextDelta:
		return e.Text
	case ReasoningDelta:
		return fmt.Sprintf("(%s)", e.Text)
	case ToolDelta:
		return fmt.Sprintf("[%d %s %s %s]", e.Index, e.ID, e.Name, e.Arguments)
	case UsageReport:
		return fmt.Sprintf("<%d %d %d %d>", e.Prompt, e.Cached, e.Answer, e.Reasoning)
	case Retrying:
		return fmt.Sprintf("{try %d of %d, %s: %s}", e.Attempt, e.MaxAttempts, cmp.Or(e.Change, "as before"), e.Err.Kind)
	case Finished:
		return fmt.Sprintf("|%s %s", e.Reason, e.End)
	}
	return ""
}

// delta is a chunk with a piece of text.
func delta(text string) string {
	return fmt.Sprintf(`{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q}}]}`, text)
}

const finishStop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
