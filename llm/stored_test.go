package llm

import (
	"context"
	"errors"
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
