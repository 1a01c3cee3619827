package llm

import (
	"strings"
	"testing"

	"winnow/llm/keys"
)

// The model that was used last is asked again only where its name stands for the same server, with a key where it
// had one. Otherwise another is chosen, and the reason says why.
func TestTheModelThatWasUsedLast(t *testing.T) {
	t.Parallel()
	work := Endpoint{Name: "work", BaseURL: "https://llm.example.com/v1", Key: "key-of-work-0001", Default: "small"}
	last := new(Catalog).With(work).Last("work/large")
	if want := (Last{"work/large", "https://llm.example.com/v1", true}); last != want {
		t.Fatalf("described as %+v, want %+v", last, want)
	}
	with := func(change func(*Endpoint)) Endpoint {
		e := work
		change(&e)
		return e
	}
	other := Endpoint{Name: "other", BaseURL: "https://other.example.com/v1", Key: "key-of-other-0001", Default: "one"}
	for _, c := range []struct {
		name      string
		endpoints []Endpoint
		want      string
		reason    string
	}{
		{"as it was", []Endpoint{other, work}, "work/large", "because you used it last"},
		{"gone", []Endpoint{other}, "other/one", "because other is configured; work/large, which you used last, no longer has a key"},
		{"without its key", []Endpoint{other, with(func(e *Endpoint) { e.Key = "" })}, "other/one", "because other is configured; work/large, which you used last, no longer has a key"},
		{"with a stored key", []Endpoint{other, with(func(e *Endpoint) { e.Key, e.KeyFrom.Kind = "", keys.Keyring })}, "work/large", "because you used it last"},
		{"at another address", []Endpoint{other, with(func(e *Endpoint) { e.BaseURL = "https://elsewhere.example.com/v1" })}, "other/one", "because other is configured; work/large, which you used last, was at https://llm.example.com/v1, and work is at https://elsewhere.example.com/v1 now"},
	} {
		got, err := Choose(t.Context(), new(Catalog).With(c.endpoints...), Preference{Last: last})
		if err != nil || got.Ref != c.want || got.Reason != c.reason {
			t.Errorf("%s: chose %q %s, %v, want %q %s", c.name, got.Ref, got.Reason, err, c.want, c.reason)
		}
	}
	if got, err := Choose(t.Context(), new(Catalog).With(work, other), Preference{Ref: "other/two", Last: last}); err != nil || got.Ref != "other/two" {
		t.Errorf("what is named lost to what was used last: %+v, %v", got, err)
	}
	if _, err := Choose(t.Context(), new(Catalog), Preference{Last: last}); err == nil {
		t.Error("a model that is gone was chosen where there is no other")
	}
	secret := Endpoint{Name: "s", BaseURL: "https://user:password@example.com/v1?key=0123456789", Default: "x"}
	if got := new(Catalog).With(secret).Last("s"); strings.Contains(got.Server, "password") || strings.Contains(got.Server, "0123456789") || got.Ref != "s/x" {
		t.Errorf("described as %+v, want no secrets", got)
	}
	if got := new(Catalog).Last("nowhere/x"); got != (Last{}) {
		t.Errorf("a model of no endpoint is described as %+v", got)
	}
}

// A lookup of a server of this machine that is not configured does not configure it: where the model that was used
// last was at another address, the servers that run here and the guide are offered as ever.
func TestALookupChangesNothing(t *testing.T) {
	t.Parallel()
	guide := Endpoint{Name: Guide, BaseURL: "http://guide/v1", Default: Guide}
	last := Last{Ref: "ollama/x", Server: "http://10.1.2.3:11434/v1"}
	const gone = "; ollama/x, which you used last, was at http://10.1.2.3:11434/v1, and ollama is at http://127.0.0.1:11434/v1 now"
	for _, test := range []struct {
		name         string
		local        machine
		want, reason string
	}{
		{"llama.cpp runs", machine{"http://127.0.0.1:8080/v1/models": `{"data":[{"id":"m"}]}`}, "llama.cpp/m", "because a server answers at http://127.0.0.1:8080" + gone},
		{"nothing runs", machine{}, "guide/guide", "because no API key is set and no local server answers" + gone},
	} {
		got, err := Choose(t.Context(), new(Catalog).With(guide), Preference{Last: last, Local: true, Doer: test.local})
		if err != nil || got.Ref != test.want || got.Reason != test.reason || got.Closed != nil {
			t.Errorf("%s: chose %q %s, closed by %v, %v; want %q %s", test.name, got.Ref, got.Reason, got.Closed, err, test.want, test.reason)
		}
	}
	c := (&Catalog{Network: machine{"http://127.0.0.1:1234/v1/models": `{"data":[{"id":"m"}]}`}}).With(guide)
	if found, err := c.Find(t.Context(), "lmstudio", ""); found != "lmstudio/m" || err != nil {
		t.Errorf("a server of this machine that is named alone is %q, %v; want its first model", found, err)
	}
	_, _ = c.FindListed(t.Context(), "vllm/x", "")
	_ = c.Last("ollama/x")
	if n := len(c.Endpoints()); n != 1 {
		t.Errorf("%d endpoints after lookups, want the guide alone: %v", n, c.Endpoints())
	}
	if _, err := Choose(t.Context(), c, Preference{Last: Last{Ref: "ollama/x"}}); err != nil {
		t.Fatal(err)
	}
	used, _, err := c.Use("ollama/x")
	if err != nil || len(c.Endpoints()) != 2 {
		t.Fatalf("%d endpoints and %v after ollama is used, want the guide and ollama", len(c.Endpoints()), err)
	}
	used.Learn("x", Learned{NoStreamOptions: true})
	if again, _, _ := c.Use("ollama/y"); again != used {
		t.Error("what was learned of ollama is not kept")
	}
}
