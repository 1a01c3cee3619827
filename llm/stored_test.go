package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"winnow/llm/keys"
)

// A stored key is fetched by the first request, is sent, and is taken out of what comes back.
func TestAStoredKeyIsFetchedWhenItIsNeeded(t *testing.T) {
	fetched, key := 0, keys.Secret(testKey)
	var e Endpoint
	server := script(chunks(delta("you sent "+testKey), finishStop), step{status: 401}, chunks(delta("x"), finishStop))
	c := server.client(tries(1), func(at *Endpoint) {
		at.Key, at.KeyFrom = "", keys.Origin{Kind: keys.Keyring}
		at.Stored = keys.NewLater(func(context.Context) (keys.Secret, error) { fetched++; return key, nil })
		e = *at
	})
	if fetched != 0 || !e.Keyed() || len(e.Secrets()) != 0 {
		t.Errorf("before a request: fetched %d times, keyed %t", fetched, e.Keyed())
	}
	text, _, err := heard(c, hello())
	if err != nil || fetched != 1 || text != "you sent [redacted]|stop done" {
		t.Errorf("%q, %v after %d fetches", text, err, fetched)
	}
	if got := server.asked[0].Header.Get("Authorization"); got != "Bearer "+testKey {
		t.Errorf("sent %q", got)
	}
	if !strings.Contains(strings.Join(e.Secrets(), " "), testKey) {
		t.Error("a copy of the endpoint does not know the key as a secret")
	}
	// A key that was refused is fetched again: another may have been stored.
	key = testKey + "-2"
	if _, _, err := heard(c, hello()); !errors.Is(err, Auth) || fetched != 1 {
		t.Errorf("refused: %v after %d fetches", err, fetched)
	}
	if _, _, err := heard(c, hello()); err != nil || fetched != 2 || server.asked[2].Header.Get("Authorization") != "Bearer "+testKey+"-2" {
		t.Errorf("asked again: %v after %d fetches", err, fetched)
	}
}

func TestAStoredKeyThatCannotBeReadSendsNothing(t *testing.T) {
	server := script(chunks(delta("x"), finishStop))
	c := server.client(func(e *Endpoint) {
		e.Key, e.KeyFrom = "", keys.Origin{Kind: keys.Keyring}
		e.Stored = keys.NewLater(func(context.Context) (keys.Secret, error) { return "", errors.New("locked") })
	})
	if _, _, err := heard(c, hello()); !errors.Is(err, Auth) || server.times() != 0 {
		t.Errorf("%v after %d requests", err, server.times())
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := heardIn(ctx, c, hello()); !errors.Is(err, Stopped) {
		t.Errorf("stopped: %v", err)
	}
}

// A configured Authorization header goes before a stored key, as it goes before any.
func TestAConfiguredHeaderGoesBeforeAStoredKey(t *testing.T) {
	server := script(chunks(delta("x"), finishStop))
	c := server.client(func(e *Endpoint) {
		e.Key, e.Headers = "", map[string]string{"Authorization": "Basic abc"}
		e.Stored = keys.NewLater(func(context.Context) (keys.Secret, error) { return testKey, nil })
	})
	if _, _, err := heard(c, hello()); err != nil || server.asked[0].Header.Get("Authorization") != "Basic abc" {
		t.Errorf("sent %q, %v", server.asked[0].Header.Get("Authorization"), err)
	}
}

func TestStoredKeysOpenHostedServices(t *testing.T) {
	for _, test := range []struct {
		env   []string
		names []string
		want  string // name, base URL, whether it takes the stored key
	}{
		{nil, []string{"groq", "OpenAI", "work"}, "openai https://api.openai.com/v1 true; groq https://api.groq.com/openai/v1 true"},
		{[]string{"OPENAI_BASE_URL", "http://localhost:9000"}, []string{"openai"}, "openai http://localhost:9000/v1 false"},
		{[]string{"OPENAI_BASE_URL", "https://api.openai.com/v1/"}, []string{"openai"}, "openai https://api.openai.com/v1 true"},
	} {
		var got []string
		for _, e := range FromEnv(env(test.env...), test.names...) {
			takes := "false"
			if e.TakesStoredKey() {
				takes = "true"
			}
			got = append(got, e.Name+" "+e.BaseURL+" "+takes)
		}
		wantText(t, strings.Join(test.names, ", "), strings.Join(got, "; "), test.want)
	}
	if (Endpoint{Name: Guide, BaseURL: "http://guide/v1"}).TakesStoredKey() {
		t.Error("the guide takes a key")
	}
	if !(Endpoint{Name: "work", BaseURL: "http://10.0.0.1/v1"}).TakesStoredKey() {
		t.Error("an endpoint of the user's own takes no key")
	}
}

// keyed is a local server that wants a key.
type keyed struct{ key string }

func (k keyed) Do(req *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: 401, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{}`)), Request: req}
	if req.Header.Get("Authorization") == "Bearer "+k.key && strings.Contains(req.URL.Host, "8000") {
		resp.StatusCode, resp.Body = 200, io.NopCloser(strings.NewReader(`{"data":[{"id":"m"}]}`))
	}
	return resp, nil
}

// A server of this machine that is found, or named without being configured, gets the key that is stored for it.
func TestAServerOfThisMachineGetsItsStoredKey(t *testing.T) {
	c := &Catalog{Network: keyed{testKey}, Stored: func(e Endpoint) Endpoint {
		if e.Name == "vllm" {
			e.KeyFrom = keys.Origin{Kind: keys.Keyring}
			e.Stored = keys.NewLater(func(context.Context) (keys.Secret, error) { return testKey, nil })
		}
		return e
	}}
	if ref, err := c.Find(t.Context(), "vllm", ""); err != nil || ref != "vllm/m" {
		t.Errorf("named: %q, %v", ref, err)
	}
	other := &Catalog{Network: c.Network, Stored: c.Stored}
	if choice, err := Choose(t.Context(), other, Preference{Local: true}); err != nil || choice.Ref != "vllm/m" {
		t.Errorf("found: %+v, %v", choice, err)
	}
}
