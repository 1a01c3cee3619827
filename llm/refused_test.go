package llm

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"winnow/llm/llmtest"
)

// Each rule of each strict server is broken: the message of the refusal is understood, and the same request is not sent
// again.
func TestWhatStrictServersSayIsUnderstood(t *testing.T) {
	seen := 0
	for _, target := range strictTargets() {
		client := NewClient(target.endpoint)
		path := target.endpoint.requestURL(client.Wire(targetModel))
		for _, x := range llmtest.Examples() {
			if x.Profile != target.profile || x.Rule == "" {
				continue
			}
			seen++
			w := httptest.NewRecorder()
			req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(x.Body)))
			llmtest.NewStrictServer(x.Profile, "").ServeHTTP(w, req)
			e := client.refusalError(w.Code, w.Header(), w.Body.Bytes(), targetModel)
			words, _, _ := strings.Cut(llmtest.CheckBody(x.Profile, x.Body).(*llmtest.Refusal).Text, ": ")
			if !strings.Contains(e.Message, words) || e.Kind != ErrBadRequest || e.Retryable() {
				t.Errorf("%s, %s: %d %s\nis read as kind %v, retryable %t: %s",
					x.Profile, x.Rule, w.Code, w.Body, e.Kind, e.Retryable(), e.Message)
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d refusals are read, want those of all profiles", seen)
	}
}
