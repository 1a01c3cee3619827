package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"winnow/docs"
)

func TestAnswersStreamAndComeWholeAlike(t *testing.T) {
	for _, text := range []string{"hello", "what is the panel?", "who won the world cup?", "/guide", "/guide long", "/guide reasoning", "/guide unicode", "/guide escapes"} {
		streamed := ask(t, newGuide(), []map[string]any{user(text)}, nil)
		whole := askWhole(t, newGuide(), []map[string]any{user(text)}, nil)
		message := whole.Choices[0].Message
		if message.Content == nil || *message.Content != streamed.text || message.Reasoning != streamed.reasoning {
			t.Errorf("%q: streamed %q, whole %+v", text, streamed.text, message)
		}
		if streamed.finish != "stop" || *whole.Choices[0].FinishReason != "stop" {
			t.Errorf("%q: finish reasons %q and %q, want stop", text, streamed.finish, *whole.Choices[0].FinishReason)
		}
		if streamed.pieces < 3 || len(streamed.text)/streamed.pieces > 4*longestPiece {
			t.Errorf("%q: %d bytes came in %d pieces, want small ones", text, len(streamed.text), streamed.pieces)
		}
	}
}

func TestEveryAnswerSaysThatItIsNoLanguageModel(t *testing.T) {
	for _, text := range []string{"hello", "help", "thanks", "more", "what is the panel?", "who won the world cup?", "/guide", "/guide nonsense", "/guide tool", "/guide long", "/guide slow", "/guide reasoning", "/guide unicode", "/guide escapes"} {
		got := ask(t, newGuide(), []map[string]any{user(text)}, nil).text
		if first, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(first, Signature) {
			t.Errorf("the answer to %q begins with %q, want %q", text, first, Signature)
		}
	}
}

func TestUsageIsWhatWasCounted(t *testing.T) {
	messages := []map[string]any{{"role": "system", "content": "be brief"}, user("what is the panel?")}
	got := ask(t, newGuide(), messages, nil)
	want := wireUsage{Prompt: 3 + 4 + 2 + 4 + 4, Completion: words(got.text)}
	want.Total = want.Prompt + want.Completion
	if got.usage == nil || *got.usage != want {
		t.Errorf("usage is %+v, want %+v", got.usage, want)
	}
	if whole := askWhole(t, newGuide(), messages, nil); whole.Usage == nil || *whole.Usage != want {
		t.Errorf("usage of a whole answer is %+v, want %+v", whole.Usage, want)
	}
	if quiet := ask(t, newGuide(), messages, map[string]any{"stream_options": nil}); quiet.usage != nil {
		t.Errorf("usage came unasked: %+v", quiet.usage)
	}
	thinking := ask(t, newGuide(), []map[string]any{user("/guide reasoning")}, nil)
	if n := words(thinking.reasoning); n == 0 || thinking.usage.Details.Reasoning != n || thinking.usage.Completion != n+words(thinking.text) {
		t.Errorf("usage with reasoning is %+v, want %d of reasoning and %d of text", thinking.usage, n, words(thinking.text))
	}
}

func TestNoUsageIsClaimedWithoutACounter(t *testing.T) {
	g := New(docs.Pages, Options{})
	for _, stream := range []bool{true, false} {
		resp := post(t, t.Context(), g, body(t, []map[string]any{user("hello")}, map[string]any{"stream": stream}))
		b, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(b), `"finish_reason":"stop"`) || strings.Contains(string(b), `"usage"`) {
			t.Errorf("stream %v: %.300s (%v), want an answer without usage", stream, b, err)
		}
	}
}

func TestReplyEndsAtTheLengthLimit(t *testing.T) {
	for _, key := range []string{"max_tokens", "max_completion_tokens"} {
		got := ask(t, newGuide(), []map[string]any{user("what is the panel?")}, map[string]any{key: 12})
		if got.finish != "length" || words(got.text) != 12 || got.usage.Completion != 12 {
			t.Errorf("%s 12: finish %q, %d words, usage %+v; want length and 12", key, got.finish, words(got.text), got.usage)
		}
	}
	long := strings.Repeat("word ", Window-40)
	got := ask(t, newGuide(), []map[string]any{user(long + "panel")}, nil)
	if got.finish != "length" || got.usage.Total > Window {
		t.Errorf("near the window: finish %q, usage %+v; want length and at most %d", got.finish, got.usage, Window)
	}
}

func TestRequestOverTheWindowIsRefused(t *testing.T) {
	cases := []struct {
		name  string
		words int
		more  map[string]any
		want  string
	}{
		{"messages", 5000, nil, "This model's maximum context length is 4096 tokens. However, your messages resulted in 5007 tokens. Please reduce the length of the messages."},
		{"messages and reply", 4000, map[string]any{"max_tokens": 1000}, "This model's maximum context length is 4096 tokens. However, you requested 5007 tokens (4007 in the messages, 1000 in the completion). Please reduce the length of the messages or completion."},
	}
	for _, c := range cases {
		got, _ := wantRefusal(t, newGuide(), body(t, []map[string]any{user(strings.Repeat("word ", c.words))}, c.more), http.StatusBadRequest)
		if got.Message != c.want || code(got) != "context_length_exceeded" || got.Type != "invalid_request_error" || got.Param == nil || *got.Param != "messages" {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.want)
		}
	}
}

func TestToolSchemasCountIntoTheWindow(t *testing.T) {
	tool := searchTool()
	tool["function"].(map[string]any)["description"] = strings.Repeat("word ", Window)
	got, _ := wantRefusal(t, newGuide(), body(t, []map[string]any{user("hi")}, map[string]any{"tools": []any{tool}}), http.StatusBadRequest)
	if code(got) != "context_length_exceeded" {
		t.Errorf("got %+v, want context_length_exceeded", got)
	}
}

func TestModelsNameTheWindow(t *testing.T) {
	for path, want := range map[string]string{
		"/models":       `{"object":"list","data":[{"id":"guide","object":"model","created":0,"owned_by":"winnow","max_model_len":4096,"meta":{"n_ctx":4096}}]}`,
		"/models/guide": `{"id":"guide","object":"model","created":0,"owned_by":"winnow","max_model_len":4096,"meta":{"n_ctx":4096}}`,
	} {
		req, err := http.NewRequest(http.MethodGet, baseURL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newGuide().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		if got := strings.TrimSpace(string(b)); err != nil || resp.StatusCode != http.StatusOK || got != want {
			t.Errorf("GET %s\n got %d %s (%v)\nwant 200 %s", path, resp.StatusCode, got, err, want)
		}
	}
}

func TestWrongRequestsAreRefused(t *testing.T) {
	cases := []struct {
		name, method, path, body string
		status                   int
		code, message            string
	}{
		{"path", "POST", "/completions", `{}`, 404, "unknown_url", "Unknown request URL: POST /v1/completions."},
		{"method", "GET", "/chat/completions", ``, 404, "unknown_url", "Unknown request URL: GET /v1/chat/completions."},
		{"json", "POST", "/chat/completions", `{"model":`, 400, "", "We could not parse the JSON body"},
		{"no model", "POST", "/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`, 400, "", "you must provide a model parameter"},
		{"model", "POST", "/chat/completions", `{"model":"gpt-9","messages":[{"role":"user","content":"hi"}]}`, 404, "model_not_found", "The model 'gpt-9' does not exist"},
		{"content", "POST", "/chat/completions", `{"model":"guide","messages":[{"role":"user","content":7}]}`, 400, "", "content is neither"},
	}
	for _, c := range cases {
		req, err := http.NewRequest(c.method, baseURL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newGuide().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Error refused }
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.status || code(got.Error) != c.code || !strings.Contains(got.Error.Message, c.message) {
			t.Errorf("%s: got %d %+v, want %d %q %q", c.name, resp.StatusCode, got.Error, c.status, c.code, c.message)
		}
	}
}

func TestContentMayBeParts(t *testing.T) {
	parts := []any{map[string]any{"type": "text", "text": "what is"}, map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,UE5H"}}, map[string]any{"type": "text", "text": "the panel?"}}
	got := ask(t, newGuide(), []map[string]any{{"role": "user", "content": parts}}, nil)
	if !strings.Contains(got.text, "context.md#the-context-panel") {
		t.Errorf("got %.200q, want the section on the panel", got.text)
	}
}

func TestCancelEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(docs.Pages, Options{Count: words, Pace: time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		resp := post(t, ctx, g, body(t, []map[string]any{user("what is the panel?")}, nil))
		if _, err := io.ReadFull(resp.Body, make([]byte, 400)); err != nil {
			t.Fatal(err)
		}
		cancel()
		rest, err := io.ReadAll(resp.Body)
		if !errors.Is(err, context.Canceled) || bytes.Contains(rest, []byte("[DONE]")) {
			t.Errorf("after cancel the body ended with %v and %q, want context.Canceled and no end", err, rest)
		}
		// The bubble fails the test when the handler's goroutine stays behind.
	})
}

func TestClosingTheBodyEndsTheHandler(t *testing.T) {
	for _, text := range []string{"what is the panel?", "/guide silent", "/guide long"} {
		synctest.Test(t, func(t *testing.T) {
			g := New(docs.Pages, Options{Count: words, Pace: time.Second})
			resp := post(t, t.Context(), g, body(t, []map[string]any{user(text)}, nil))
			if _, err := resp.Body.Read(make([]byte, 10)); err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if _, err := resp.Body.Read(make([]byte, 10)); err == nil {
				t.Errorf("%q: the closed body gives more", text)
			}
		})
	}
}

func TestCancelBeforeTheAnswerBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, baseURL+"/chat/completions",
			bytes.NewReader(body(t, []map[string]any{user("/guide silent")}, map[string]any{"stream": false})))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time the context has ended before
			if _, err := newGuide().Do(req); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Do of a silent guide gives %v, want the deadline", err)
			}
		}
	})
}

func TestStreamKeepsItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(docs.Pages, Options{Count: words, Pace: time.Second, Now: func() time.Time { return time.Unix(1_790_000_000, 0) }})
		begun := time.Now()
		got := ask(t, g, []map[string]any{user("what is the panel?")}, nil)
		if took, want := time.Since(begun), time.Duration(got.pieces)*time.Second; took != want {
			t.Errorf("%d pieces took %s, want %s", got.pieces, took, want)
		}
	})
}

func TestAPanicIsAnErrorOfTheRoundTrip(t *testing.T) {
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	for range 2000 { // the handler may be done before anybody looks
		resp, err := roundTrip(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no pages") }), req)
		if err == nil || resp != nil || !strings.Contains(err.Error(), "no pages") {
			t.Fatalf("got %v and %v, want an error that says no pages", resp, err)
		}
	}
}

func TestAnAnswerThatIsDoneAtOnceArrives(t *testing.T) {
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	for range 2000 {
		resp, err := roundTrip(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), req)
		if err != nil || resp.StatusCode != http.StatusTeapot {
			t.Fatalf("got %v and %v, want the answer", resp, err)
		}
		resp.Body.Close()
	}
}

func TestMissingPagesAreReported(t *testing.T) {
	g := New(fstest.MapFS{}, Options{Count: words})
	got, _ := wantRefusal(t, g, body(t, []map[string]any{user("hello")}, nil), http.StatusInternalServerError)
	if got.Type != "server_error" || !strings.Contains(got.Message, "documentation") {
		t.Errorf("got %+v, want a server error about the documentation", got)
	}
}

func TestGuideServesOverTheNetworkAsWell(t *testing.T) {
	server := httptest.NewServer(newGuide())
	defer server.Close()
	for text, cut := range map[string]bool{"what is the panel?": false, "/guide cut-stream": true} {
		resp, err := server.Client().Post(server.URL+"/v1/chat/completions", "application/json", bytes.NewReader(body(t, []map[string]any{user(text)}, nil)))
		if err != nil {
			t.Fatal(err)
		}
		got := readStream(t, resp)
		resp.Body.Close()
		if isCut(got.err) != cut || got.done == cut {
			t.Errorf("%q: ended with %v, [DONE] %v; want cut %v", text, got.err, got.done, cut)
		}
	}
}
