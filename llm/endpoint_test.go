package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"winnow/llm/keys"
)

// Some gateways require a query parameter in every URL.
func TestEveryRequestHasTheQueryAndTheKeyOfTheEndpoint(t *testing.T) {
	for _, written := range []string{"/v1?key=a%2Bb", "/v1/?key=a%2Bb", "/v1/chat/completions?key=a%2Bb", "?key=a%2Bb"} {
		server := script(chunks(delta("Hello"), "[DONE]"), step{say: []string{`{"data":[{"id":"m"}]}`}},
			step{say: []string{`{"prompt":"user: Hello;"}`}}, step{say: []string{`{"tokens":[1,2]}`}})
		const host = "https://gateway.example.com"
		e := new(Catalog).With(Endpoint{Name: "here", BaseURL: host + written, Key: testKey, Doer: server}).Endpoints()[0]
		client := NewClient(e)
		text, _, err := heard(client, hello())
		models, err2 := client.Models(t.Context())
		n, err3 := client.CountRequestTokens(t.Context(), hello())
		if err := errors.Join(err, err2, err3); err != nil || text != "Hello| done" || len(models) != 1 || n != 2 {
			t.Errorf("%s: the answer %q, %d models, %d tokens, %v", written, text, len(models), n, err)
		}
		asked := ""
		for _, req := range server.asked {
			asked += strings.TrimPrefix(req.URL.String(), host) + " "
			wantText(t, "key", req.Header.Get("Authorization"), "Bearer "+testKey)
		}
		wantText(t, written, asked, "/v1/chat/completions?key=a%2Bb /v1/models?key=a%2Bb /apply-template?key=a%2Bb /tokenize?key=a%2Bb ")
		wantText(t, "counted", server.bodies[3], `{"add_special":true,"content":"user: Hello;","parse_special":true}`)
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
	noKey(t, "%x", fmt.Sprintf("%x", s))
	noKey(t, "the endpoint", fmt.Sprintf("%v %+v", e, e))
	for what, text := range map[string]string{
		"%v": fmt.Sprintf("%v", s), "%+v": fmt.Sprintf("%+v", struct{ K keys.Secret }{s}), "%#v": fmt.Sprintf("%#v", s),
		"%q": fmt.Sprintf("%q", s), "JSON": string(encoded), "slog": log.String(),
	} {
		if noKey(t, what, text); !strings.Contains(text, "[redacted]") {
			t.Errorf("%s: got %s, want [redacted]", what, text)
		}
	}
	if s.Reveal() != testKey || keys.Secret("").String() != "" {
		t.Errorf("Reveal gives %q, no key prints as %q", s.Reveal(), keys.Secret(""))
	}
}

// A stored key is fetched by the first request, sent, and redacted in answers.
func TestAStoredKeyIsFetchedWhenItIsNeeded(t *testing.T) {
	fetched, key := 0, keys.Secret(testKey)
	var e Endpoint
	server := script(chunks(delta("you sent "+testKey), finishStop), step{status: 401}, chunks(delta("x"), finishStop))
	c := server.client(tries(1), func(at *Endpoint) {
		at.Key, at.KeyOrigin = "", keys.Origin{Kind: keys.Keyring}
		at.StoredKey = keys.NewLazySecret(func(context.Context) (keys.Secret, error) { fetched++; return key, nil })
		e = *at
	})
	if fetched != 0 || !e.HasKey() || len(e.Secrets()) != 0 {
		t.Errorf("before a request: fetched %d times, keyed %t", fetched, e.HasKey())
	}
	text, _, err := heard(c, hello())
	if err != nil || fetched != 1 || text != "you sent [redacted]|stop done" {
		t.Errorf("%q, %v after %d fetches", text, err, fetched)
	}
	if !strings.Contains(strings.Join(e.Secrets(), " "), testKey) {
		t.Error("a copy of the endpoint does not know the key as a secret")
	}
	// A key that was rejected is fetched again.
	key = testKey + "-2"
	if _, _, err := heard(c, hello()); !errors.Is(err, ErrAuth) || fetched != 1 {
		t.Errorf("refused: %v after %d fetches", err, fetched)
	}
	if _, _, err := heard(c, hello()); err != nil || fetched != 2 {
		t.Errorf("asked again: %v after %d fetches", err, fetched)
	}
	for i, want := range []string{testKey, testKey, testKey + "-2"} {
		wantText(t, "sent", server.asked[i].Header.Get("Authorization"), "Bearer "+want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	locked := server.client(func(at *Endpoint) {
		at.Key = ""
		at.StoredKey = keys.NewLazySecret(func(context.Context) (keys.Secret, error) { return "", errors.New("locked") })
	})
	if _, _, err := heardIn(ctx, locked, hello()); !errors.Is(err, ErrStopped) {
		t.Errorf("stopped: %v", err)
	}
}
