package llm

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// portsHere answers for the default port of Ollama alone, and fails a test that asks anything but this machine.
type portsHere struct {
	onlyHere
	ollama http.Handler
}

func (p portsHere) Do(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" {
		p.t.Errorf("%s was sent a key", req.URL)
	}
	if req.URL.Port() != "11434" {
		return p.onlyHere.Do(req)
	}
	w := httptest.NewRecorder()
	p.ollama.ServeHTTP(w, req)
	return w.Result(), nil
}

func TestOffersAreWhatTheCatalogLacks(t *testing.T) {
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"data":[{"id":"qwen3:14b"},{"id":"nomic-embed-text"}]}`))
	})
	c := (&Catalog{Network: portsHere{onlyHere{t}, server}, Probes: true}).With(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
	c.Stored = func(e Endpoint) Endpoint { e.Key = "stored"; return e }
	offers, models := c.Offers(t.Context())
	if len(models) != 1 || models[0].Ref() != "ollama/qwen3:14b" {
		t.Errorf("found %+v, want the model to chat with of the server that runs", models)
	}
	var names []string
	for _, o := range offers {
		names = append(names, o.Title+" at "+o.Host)
	}
	for name, want := range map[string]bool{
		"OpenAI at api.openai.com": false, "Ollama at 127.0.0.1:11434": false,
		"Google Gemini at generativelanguage.googleapis.com": true, "LM Studio at 127.0.0.1:1234": true,
	} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s is offered: %v, want %v; all: %s", name, !want, want, strings.Join(names, ", "))
		}
	}
}

// silent fails a test that asks anything.
type silent struct{ t *testing.T }

func (s silent) Do(req *http.Request) (*http.Response, error) {
	s.t.Errorf("%s was asked", req.URL)
	return nil, http.ErrServerClosed
}

func TestNoServerIsLookedForWithoutLeave(t *testing.T) {
	c := &Catalog{Network: silent{t}}
	if offers, models := c.Offers(t.Context()); len(offers) != 10 || models != nil {
		t.Errorf("offers %d providers and %d models, want the hosted services alone", len(offers), len(models))
	}
}
