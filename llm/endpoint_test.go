package llm

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"winnow/llm/keys"
)

// TestBaseURLWithQuery has a gateway in front of the server that wants a parameter in every address.
func TestBaseURLWithQuery(t *testing.T) {
	for _, written := range []string{
		"/v1?key=a%2Bb&version=1", "/v1/?key=a%2Bb&version=1", "/v1/chat/completions?key=a%2Bb&version=1",
		"?key=a%2Bb&version=1",
	} {
		var mu sync.Mutex
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			mu.Lock()
			asked = append(asked, req.URL.RequestURI())
			mu.Unlock()
			switch req.URL.Path {
			case "/v1/chat/completions":
				_, _ = io.WriteString(w, delta2("Hello")+"data: [DONE]\n\n")
			case "/v1/models":
				_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
			case "/apply-template":
				_, _ = io.WriteString(w, `{"prompt":"Hello"}`)
			case "/tokenize":
				_, _ = io.WriteString(w, `{"tokens":[1,2]}`)
			default:
				http.NotFound(w, req)
			}
		}))
		c := new(Catalog).With(Endpoint{Name: "here", BaseURL: server.URL + written, Tries: 1}).Endpoints()[0]
		client := NewClient(c)
		text, _, err := heard(client, hello())
		if err != nil || text != "Hello| done" {
			t.Errorf("%s: the stream gives %q, error %v, want Hello", written, text, err)
		}
		if models, err := client.Models(t.Context()); err != nil || len(models) != 1 {
			t.Errorf("%s: the models are %v, error %v, want one", written, models, err)
		}
		if n, err := client.CountRequest(t.Context(), hello()); err != nil || n != 2 {
			t.Errorf("%s: the request has %d tokens, error %v, want 2", written, n, err)
		}
		server.Close()
		query := "?key=a%2Bb&version=1"
		for _, address := range asked {
			if path, is := strings.CutSuffix(address, query); !is || strings.Contains(path, "?") {
				t.Errorf("%s: asked for %s, want the query %s behind the path", written, address, query)
			}
		}
	}
}

func TestSecretNeverPrints(t *testing.T) {
	s := keys.Secret(testKey)
	e := Endpoint{
		Name:    "openai",
		BaseURL: "https://user:" + testKey + "@api.openai.com/v1?key=" + testKey,
		Key:     s,
		Headers: map[string]string{"Api-Key": testKey},
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", s)
	encoded, _ := json.Marshal(map[string]keys.Secret{"key": s})
	for what, text := range map[string]string{
		"%v": fmt.Sprintf("%v", s), "%x": fmt.Sprintf("%x", s), "%+v": fmt.Sprintf(
			"%+v", struct{ K keys.Secret }{s},
		), "%#v": fmt.Sprintf("%#v", s), "%q": fmt.Sprintf("%q", s),
		"JSON": string(encoded), "slog": log.String(), "endpoint": fmt.Sprintf("%v %+v", e, e),
	} {
		noKey(t, what, text)
		if !strings.Contains(text, "[redacted]") && what != "endpoint" && what != "%x" {
			t.Errorf("%s: got %s, want [redacted]", what, text)
		}
	}
	if s.Reveal() != testKey || keys.Secret("").String() != "" {
		t.Errorf("Reveal gives %q, no key prints as %q", s.Reveal(), keys.Secret(""))
	}
}
