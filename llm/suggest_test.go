package llm

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"winnow/llm/keys"
)

func TestCompletionAsksOnlyThisMachineAndForNoKey(t *testing.T) {
	t.Parallel()
	var asked, fetched atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		io.WriteString(w, `{"data":[{"id":"qwen3:14b"},{"id":"nomic-embed-text"}]}`)
	}))
	t.Cleanup(server.Close)
	later := func() *keys.Later {
		return keys.NewLater(func(context.Context) (keys.Secret, error) {
			fetched.Add(1)
			return "sk-not-a-real-key-0000", nil
		})
	}
	c := (&Catalog{Network: onlyHere{t}, Probes: true}).With(
		Endpoint{Name: "here", BaseURL: server.URL + "/v1", Doer: http.DefaultClient, Default: "first", Stored: later()},
		Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", Stored: later(), Default: "gpt-5.2"},
	)
	for typed, want := range map[string][]string{
		"":         {"here/", "openai/"},
		"here/":    {"here/first", "here/qwen3:14b"},
		"HERE/qw":  {"here/first", "here/qwen3:14b"},
		"nobody/x": nil,
	} {
		if got := c.Suggest(t.Context(), typed); !slices.Equal(got, want) {
			t.Errorf("%q suggests %q, want %q", typed, got, want)
		}
	}
	got := c.Suggest(t.Context(), "openai/")
	if !slices.Contains(got, "openai/gpt-5.4-nano") || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
		t.Errorf("openai/ suggests %q, want the models of the list of prices, each once", got)
	}
	if asked.Load() == 0 || fetched.Load() != 0 {
		t.Errorf("the server was asked %d times and a key fetched %d times, want more than 0, and 0", asked.Load(), fetched.Load())
	}
}

// onlyHere fails a test that sends anything but to the default ports of this machine, where nothing answers.
type onlyHere struct{ t *testing.T }

func (r onlyHere) Do(req *http.Request) (*http.Response, error) {
	if !(Endpoint{BaseURL: req.URL.String()}).loopback() {
		r.t.Errorf("%s was asked", req.URL)
	}
	return nil, io.ErrUnexpectedEOF
}
