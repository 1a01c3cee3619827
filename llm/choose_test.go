package llm

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"winnow/llm/keys"
)

func TestLocalServersAreAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machine{
			"http://127.0.0.1:11434/v1/models": `{"object":"list","data":[{"id":"nomic-embed-text:latest"}]}`,
			"http://127.0.0.1:8080/v1/models":  `<html>a web server of somebody's</html>`,
			"http://127.0.0.1:1234/v1/models":  `hang`,
			"http://127.0.0.1:8000/v1/models":  `{"data":[{"id":"nomic-embed-text"},{"id":"qwen"}]}`,
		}
		start := time.Now()
		got, err := Choose(t.Context(), &Catalog{Network: m}, Preference{Local: true})
		if err != nil || got.Ref != "vllm/qwen" ||
			!strings.HasSuffix(got.Reason, "(ollama has no model to chat with yet)") {
			t.Errorf("got %+v, %v; want the first model to chat with", got, err)
		}
		if took := time.Since(start); took != 150*time.Millisecond {
			t.Errorf("took %v, want the 150 ms of the one that hangs", took)
		}
	})
}

func TestChooseFollowsTheOrder(t *testing.T) {
	guide := Endpoint{Name: "guide", BaseURL: "http://guide/v1", Default: "guide", Window: 4096}
	keyed := Endpoint{
		Name: "openai", BaseURL: "https://api.openai.com/v1", Key: testKey,
		KeyFrom: keys.Origin{Kind: keys.Variable, Name: "OPENAI_API_KEY"}, Default: "gpt-5.2",
	}
	ollama := machine{"http://127.0.0.1:11434/v1/models": `{"data":[{"id":"llama3.2:3b"}]}`}
	proxy := machine{"https://proxy.example/v1/models": `{"data":[{"id":"text-embedding-3"},{"id":"big"}]}`}
	asks := func(d Doer) Endpoint {
		return Endpoint{
			Name: "openai", BaseURL: "https://proxy.example/v1", Key: testKey,
			KeyFrom: keys.Origin{Kind: keys.Variable, Name: "OPENAI_API_KEY"}, Doer: d,
		}
	}
	groq := Endpoint{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", Default: "m"}
	groq.KeyFrom.Kind = keys.Keyring
	mine := Endpoint{Name: "mine", BaseURL: "http://x/v1", BaseURLSet: true, Default: "m"}
	mine.KeyFrom = keys.Origin{Kind: keys.File, Name: "k"}
	empty := machine{"http://127.0.0.1:11434/v1/models": `{"data":[]}`}
	only := []Endpoint{guide}
	for _, test := range []struct {
		name, named string
		endpoints   []Endpoint
		local       machine // nil does not look
		want        string  // the choice and its reason, or a part of an error behind !
		closed      string  // a part of the reason why no model is chosen
	}{
		{"what is named", "guide", []Endpoint{keyed, guide}, ollama, "guide/guide: you named it", ""},
		{"a name alone is not looked for here", "llama3.2:3b", only, ollama, `!there is no endpoint "llama3.2:3b"`, ""},
		{"no default model", "openai", []Endpoint{asks(proxy)}, nil, "openai/big: you named it", ""},
		{"then a key", "", []Endpoint{keyed, guide}, ollama, "openai/gpt-5.2: OPENAI_API_KEY is set", ""},
		{"a stored key", "", []Endpoint{guide, groq}, nil, "groq/m: a key of groq is stored", ""},
		{"one of a configured endpoint", "", []Endpoint{mine}, nil, "mine/m: mine is configured", ""},
		{
			"a key whose server is down stays chosen", "",
			[]Endpoint{asks(machine{}), guide},
			ollama,
			"openai: OPENAI_API_KEY is set", "connection refused",
		},
		{
			"then a local server", "", only, ollama,
			"ollama/llama3.2:3b: a server answers at http://127.0.0.1:11434", "",
		},
		{
			"a local server without a model", "", only, empty, "guide/guide: no API key is set and no local " +
				"server answers (ollama has no model to chat with yet)", "",
		},
		{
			"then the guide", "", only,
			machine{},
			"guide/guide: no API key is set and no local server answers", "",
		},
		{"nothing at all", "", nil, machine{}, "!no model is named or configured", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := (&Catalog{Network: test.local}).With(test.endpoints...)
			got, err := Choose(t.Context(), c, Preference{Ref: test.named, Local: test.local != nil})
			if want, fails := strings.CutPrefix(test.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %+v, %v; want an error with %q", got, err, want)
				}
				return
			}
			if err != nil {
				t.Fatalf("Choose: %v", err)
			}
			wantText(t, "choice", got.Ref+": "+got.Reason, test.want)
			if closed := fmt.Sprint(got.Closed); (test.closed == "") != (got.Closed == nil) ||
				!strings.Contains(closed, test.closed) {
				t.Errorf("closed: got %s, want %q", closed, test.closed)
			}
			if _, _, err := c.Resolve(got.Ref); err != nil && got.Closed == nil {
				t.Errorf("the choice cannot be resolved: %v", err)
			}
			noKey(t, "the choice", fmt.Sprint(got))
		})
	}
}

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
		{"as it was", []Endpoint{other, work}, "work/large", "you used it last"},
		{
			"gone",
			[]Endpoint{other},
			"other/one",
			"other is configured; work/large, which you used last, no longer has its address or its key",
		},
		{
			"without its key",
			[]Endpoint{other, with(func(e *Endpoint) { e.Key = "" })},
			"other/one",
			"other is configured; work/large, which you used last, no longer has its address or its key",
		},
		{
			"with a stored key",
			[]Endpoint{other, with(func(e *Endpoint) { e.Key, e.KeyFrom.Kind = "", keys.Keyring })},
			"work/large",
			"you used it last",
		},
		{
			"at another address",
			[]Endpoint{other, with(func(e *Endpoint) { e.BaseURL = "https://elsewhere.example.com/v1" })},
			"other/one",
			"other is configured; work/large, which you used last, no longer has its " +
				"address or its key",
		},
	} {
		got, err := Choose(t.Context(), new(Catalog).With(c.endpoints...), Preference{Last: last})
		if err != nil || got.Ref != c.want || got.Reason != c.reason {
			t.Errorf("%s: chose %q %s, %v, want %q %s", c.name, got.Ref, got.Reason, err, c.want, c.reason)
		}
	}
	if got, err := Choose(
		t.Context(), new(Catalog).With(work, other), Preference{Ref: "other/two", Last: last},
	); err != nil || got.Ref != "other/two" {
		t.Errorf("what is named lost to what was used last: %+v, %v", got, err)
	}
	if _, err := Choose(t.Context(), new(Catalog), Preference{Last: last}); err == nil {
		t.Error("a model that is gone was chosen where there is no other")
	}
	secret := Endpoint{Name: "s", BaseURL: "https://user:password@example.com/v1?key=0123456789", Default: "x"}
	if got := new(Catalog).With(secret).Last("s"); strings.Contains(got.Server, "password") ||
		strings.Contains(got.Server, "0123456789") || got.Ref != "s/x" {
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
	const gone = "; ollama/x, which you used last, no longer has its address or its key"
	for _, test := range []struct {
		name         string
		local        machine
		want, reason string
	}{
		{
			"llama.cpp runs",
			machine{"http://127.0.0.1:8080/v1/models": `{"data":[{"id":"m"}]}`},
			"llama.cpp/m",
			"a server answers at http://127.0.0.1:8080" + gone,
		},
		{"nothing runs", machine{}, "guide/guide", "no API key is set and no local server answers" + gone},
	} {
		got, err := Choose(
			t.Context(), (&Catalog{Network: test.local}).With(guide), Preference{Last: last, Local: true},
		)
		if err != nil || got.Ref != test.want || got.Reason != test.reason || got.Closed != nil {
			t.Errorf(
				"%s: chose %q %s, closed by %v, %v; want %q %s", test.name, got.Ref, got.Reason, got.Closed, err,
				test.want, test.reason,
			)
		}
	}
	c := (&Catalog{Network: machine{"http://127.0.0.1:1234/v1/models": `{"data":[{"id":"m"}]}`}}).With(guide)
	if found, err := c.Find(t.Context(), "lmstudio", ""); found != "lmstudio/m" || err != nil {
		t.Errorf("a server of this machine that is named alone is %q, %v; want its first model", found, err)
	}
	_, _ = c.Find(t.Context(), "vllm/x", "")
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
	used.Learn("x", Learned{Without: []string{"stream_options"}})
	if again, _, _ := c.Use("ollama/y"); again != used {
		t.Error("what was learned of ollama is not kept")
	}
}
