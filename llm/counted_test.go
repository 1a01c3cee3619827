package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/keys"
	"winnow/llm/tool"
)

// countingService is a hosted service that counts one token for each byte of a request's texts.
type countingService struct {
	status int
	answer string // "" counts
	asked  []*http.Request
	bodies []string
}

func (s *countingService) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.asked, s.bodies = append(s.asked, req), append(s.bodies, string(body))
	answer := s.answer
	if answer == "" {
		answer = `{"input_tokens": 21, "totalTokens": 22}`
	}
	return &http.Response{
		StatusCode: max(200, s.status),
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader(answer)),
		Request:    req,
	}, nil
}

// Each service is asked at its own address, in its own format and with the key in its own header, wherever the key
// comes from. No other server of another name is asked in that way.
func TestServicesCountInTheirOwnFormats(t *testing.T) {
	request := Request{
		Model:    "models/m-1",
		Messages: []history.Message{{Role: history.System, Content: "Be brief."}, {Role: history.User, Content: "Hi"}},
		Tools:    []tool.Tool{{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)}},
	}
	for name, test := range map[string]struct {
		endpoint              Endpoint
		address, header, body string
		tokens                int
	}{
		"anthropic": {
			Endpoint{Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", Key: testKey},
			"https://api.anthropic.com/v1/messages/count_tokens", "X-Api-Key",
			`{"messages":[{"content":[{"text":"Hi","type":"text"}],"role":"user"}],"model":"models/m-1",` +
				`"system":"Be brief.","tools":[{"input_schema":{"type":"object"},"name":"look"}]}`,
			21,
		},
		"by another name": {
			Endpoint{Name: "work", BaseURL: "https://api.anthropic.com/v1/", Key: testKey},
			"https://api.anthropic.com/v1/messages/count_tokens", "X-Api-Key", "", 21,
		},
		"a gateway": {
			Endpoint{Name: "anthropic", BaseURL: "https://gateway.example/anthropic/v1?team=1", Key: testKey},
			"https://gateway.example/anthropic/v1/messages/count_tokens?team=1", "X-Api-Key", "", 21,
		},
		"gemini": {
			Endpoint{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Key: testKey},
			"https://generativelanguage.googleapis.com/v1beta/models/m-1:countTokens", "X-Goog-Api-Key",
			`{"generateContentRequest":{"contents":[{"parts":[{"text":"Hi"}],"role":"user"}],"model":"models/m-1",` +
				`"systemInstruction":{"parts":[{"text":"Be brief."}]},` +
				`"tools":[{"functionDeclarations":[{"name":"look","parametersJsonSchema":{"type":"object"}}]}]}}`,
			22,
		},
	} {
		for _, stored := range []bool{false, true} {
			server := &countingService{}
			e := test.endpoint
			e.Doer = server
			if stored {
				e.Key, e.Stored = "", keys.NewLater(func(context.Context) (keys.Secret, error) { return testKey, nil })
			}
			got, err := NewClient(e).CountRequest(t.Context(), request)
			if err != nil || got != test.tokens || !e.CountedByService() {
				t.Errorf("%s: %d, %v", name, got, err)
				continue
			}
			req := server.asked[0]
			if len(server.asked) != 1 || req.Method != http.MethodPost || req.URL.String() != test.address {
				t.Errorf("%s: %d requests, %s %s", name, len(server.asked), req.Method, req.URL)
			}
			if req.Header.Get(test.header) != testKey || req.Header.Get("Authorization") != "" {
				t.Errorf("%s: the headers are %v", name, req.Header)
			}
			if test.body != "" {
				wantText(t, name, server.bodies[0], test.body)
			}
		}
	}
	for _, e := range []Endpoint{
		{Name: "openai", BaseURL: "https://api.openai.com/v1"},
		{Name: "here", BaseURL: "http://127.0.0.1:8080/v1"},
		{Name: "x", BaseURL: "https://anthropic.com.example/v1"},
	} {
		if e.CountedByService() {
			t.Errorf("%v is taken for a service that counts", e)
		}
	}
}

func TestAServiceThatCannotCountSaysWhy(t *testing.T) {
	for name, test := range map[string]struct {
		server *countingService
		stored error
		want   string
	}{
		"refused": {
			&countingService{status: 401, answer: `{"error":{"message":"no"}}`}, nil,
			"anthropic rejected the API key (401): no",
		},
		"no number": {
			&countingService{answer: `{"type":"message"}`}, nil,
			"anthropic sent a response that is not a chat completion: the count has no input_tokens",
		},
		"the key echoed": {
			&countingService{status: 400, answer: `{"error":{"message":"x-api-key ` + testKey + `"}}`}, nil,
			"anthropic refused the request (400): x-api-key [redacted]",
		},
		"no key": {
			&countingService{}, errors.New("locked"),
			"anthropic was not asked, because its API key cannot be read: locked",
		},
	} {
		e := Endpoint{Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", Key: testKey, Doer: test.server}
		if test.stored != nil {
			e.Key, e.Stored = "", keys.NewLater(func(context.Context) (keys.Secret, error) { return "", test.stored })
		}
		_, err := NewClient(e).CountRequest(t.Context(), hello())
		var fault *Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantText(t, name, err.Error(), test.want)
	}
}
