package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"winnow/docs"

	openai "github.com/sashabaranov/go-openai"
)

func TestAnswersStreamInSmallPieces(t *testing.T) {
	for _, text := range []string{"hello", "what is the panel?", "who won the world cup?", "/guide", "/guide long", "/guide reasoning", "/guide unicode", "/guide escapes"} {
		got := ask(t, newGuide(), []map[string]any{user(text)}, nil)
		if got.finish != "stop" {
			t.Errorf("%q: finish reason %q, want stop", text, got.finish)
		}
		if got.pieces < 3 || len(got.text)/got.pieces > 4*longestPiece {
			t.Errorf("%q: %d bytes came in %d pieces, want small ones", text, len(got.text), got.pieces)
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
	check := func(name string, got stream, prompt, reasoning int) {
		want := openai.Usage{PromptTokens: prompt, CompletionTokens: reasoning + words(got.text)}
		want.TotalTokens = want.PromptTokens + want.CompletionTokens
		want.CompletionTokensDetails = &openai.CompletionTokensDetails{ReasoningTokens: reasoning}
		if !reflect.DeepEqual(got.usage, &want) {
			t.Errorf("%s: usage is %+v, want %+v", name, got.usage, want)
		}
	}
	check("an answer", got, 3+4+2+4+4, 0)
	if quiet := ask(t, newGuide(), messages, map[string]any{"stream_options": nil}); quiet.usage != nil {
		t.Errorf("usage came unasked: %+v", quiet.usage)
	}
	thinking := ask(t, newGuide(), []map[string]any{user("/guide reasoning")}, nil)
	if words(thinking.reasoning) == 0 {
		t.Error("no reasoning came")
	}
	check("reasoning", thinking, 3+4+2, words(thinking.reasoning))
}

func TestReplyEndsAtTheLengthLimit(t *testing.T) {
	for _, key := range []string{"max_tokens", "max_completion_tokens"} {
		got := ask(t, newGuide(), []map[string]any{user("what is the panel?")}, map[string]any{key: 12})
		if got.finish != "length" || words(got.text) != 12 || got.usage.CompletionTokens != 12 {
			t.Errorf("%s 12: finish %q, %d words, usage %+v; want length and 12", key, got.finish, words(got.text), got.usage)
		}
	}
	long := strings.Repeat("word ", Window-40)
	got := ask(t, newGuide(), []map[string]any{user(long + "panel")}, nil)
	if got.finish != "length" || got.usage.TotalTokens > Window {
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
	req := httptest.NewRequest(http.MethodGet, baseURL+"/models", nil)
	resp, err := newGuide().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"data":[{"id":"guide","max_model_len":4096,"meta":{"n_ctx":4096},"object":"model","owned_by":"winnow"}],"object":"list"}`
	if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || string(got) != want {
		t.Errorf("got %d %s (%v)\nwant 200 %s", resp.StatusCode, got, err, want)
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
		{"content", "POST", "/chat/completions", `{"model":"guide","messages":[{"role":"user","content":7}]}`, 400, "", "We could not parse the JSON body"},
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
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newGuide().Do(httptest.NewRequestWithContext(ctx, http.MethodGet, baseURL+"/models", nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("Do gives %v, want that it was cancelled", err)
	}
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

func TestMissingPagesAreReported(t *testing.T) {
	g := New(fstest.MapFS{}, Options{Count: words})
	got, _ := wantRefusal(t, g, body(t, []map[string]any{user("hello")}, nil), http.StatusInternalServerError)
	if got.Type != "server_error" || !strings.Contains(got.Message, "documentation") {
		t.Errorf("got %+v, want a server error about the documentation", got)
	}
}
