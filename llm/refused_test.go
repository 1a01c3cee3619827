package llm

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/llm/llmtest"
)

// TestWhatStrictServersSayIsUnderstood reads every refusal that the strict servers' fixtures provoke,
// in the shape of each server: the words come out whole, and what was refused for its form is not sent
// again as it is.
func TestWhatStrictServersSayIsUnderstood(t *testing.T) {
	seen := 0
	for _, target := range strictTargets() {
		name := llmtest.Name(target.profile)
		a, err := txtar.ParseFile(filepath.Join("strict", "testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		words := map[string]string{}
		for _, f := range a.Files {
			if rule, ok := strings.CutPrefix(f.Name, "refusal/"); ok {
				_, words[rule], _ = strings.Cut(strings.TrimSpace(string(f.Data)), "\n")
			}
		}
		client := NewClient(target.endpoint)
		for _, f := range a.Files {
			rule, ok := strings.CutPrefix(f.Name, "broken/")
			if !ok {
				continue
			}
			seen++
			w := httptest.NewRecorder()
			req := httptest.NewRequest(http.MethodPost, wireOf(client.Wire(targetModel)).address(target.endpoint), strings.NewReader(string(f.Data)))
			llmtest.Strict(target.profile, "").ServeHTTP(w, req)
			e := client.failure(w.Code, w.Header(), w.Body.Bytes(), targetModel)
			first, _, _ := strings.Cut(words[rule], ": ")
			if !strings.Contains(e.Message, first) || e.Kind != BadRequest || e.Retryable() {
				t.Errorf("%s, %s: %d %s\nis read as kind %v, retryable %t: %s", name, rule, w.Code, w.Body, e.Kind, e.Retryable(), e.Message)
			}
		}
	}
	if seen < 200 {
		t.Errorf("%d refusals are read, want those of all fixtures", seen)
	}
}
