package llm

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestWindow asks each server of windows.txtar for the window of a model.
func TestWindow(t *testing.T) {
	checkFixtures(t, "testdata/windows.txtar", func(t *testing.T, head, body string) string {
		base, model, _ := strings.Cut(head, " ")
		server := machine{}
		for line := range strings.Lines(body) {
			path, answer, _ := strings.Cut(strings.TrimSpace(line), " ")
			server[strings.TrimSuffix(base, "/v1")+path] = cmp.Or(answer, "404 ")
		}
		c := NewClient(Endpoint{Name: "x", BaseURL: base, Doer: server})
		stated, err := c.StatedWindow(t.Context(), model)
		if err != nil {
			t.Fatal(err)
		}
		w := WindowFacts{Model: model, Remote: !c.endpoint.Own(), Stated: stated}.Window()
		text := fmt.Sprint(w.Tokens, " ", w.Source)
		if w.Again {
			text += "; asked again"
		}
		if w.ByName {
			text += "; by name"
		}
		if assumed := strings.HasPrefix(w.Source, "assumed"); w.Assumed != assumed {
			t.Errorf("%s is assumed: %t", w.Source, w.Assumed)
		}
		return text + "\n"
	})
}

func TestWindowFactsInTheirOrder(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	say := func(tokens int, at time.Time) Window { return Window{Tokens: tokens, Source: "x", At: at} }
	for _, c := range []struct {
		what  string
		facts WindowFacts
		want  int
		over  bool // the server contradicts what the user set
	}{
		{"the server before the name", WindowFacts{Model: "gpt-4o", Stated: say(4096, day(1))}, 4096, false},
		{
			"the configuration before the name",
			WindowFacts{Model: "gpt-4o", Configured: say(64_000, day(1))},
			64_000, false,
		},
		{
			"the user before the configuration",
			WindowFacts{Configured: say(64_000, day(1)), Chosen: say(90_000, day(1))},
			90_000, false,
		},
		{
			"the server states less than was set",
			WindowFacts{Configured: say(40_960, day(1)), Stated: say(4096, day(1))},
			4096, true,
		},
		{
			"the server states more than was set",
			WindowFacts{Configured: say(2000, day(1)), Stated: say(4096, day(1))},
			2000, false,
		},
		{
			"a refusal older than the statement",
			WindowFacts{Stated: say(8192, day(2)), Refused: say(4096, day(1))},
			8192, false,
		},
		{
			"a refusal newer than the statement",
			WindowFacts{Stated: say(8192, day(1)), Refused: say(4096, day(2))},
			4096, false,
		},
		{"a refusal before the name", WindowFacts{Model: "gpt-4o", Refused: say(4096, day(1))}, 4096, false},
		{
			"a refusal below what the user set",
			WindowFacts{Chosen: say(9000, day(2)), Refused: say(4096, day(1))},
			4096, true,
		},
		{
			"the server runs what the user set",
			WindowFacts{Chosen: say(40_960, day(1)), Stated: Window{Tokens: 4096, Most: 131_072}},
			40_960, false,
		},
		{
			"no more than the model takes",
			WindowFacts{Configured: say(200_000, day(1)), Stated: Window{Tokens: 4096, Most: 131_072}},
			131_072, true,
		},
		{
			"it does not run yet",
			WindowFacts{Model: "gpt-4o", Stated: Window{Assumed: true, Most: 131_072}},
			4096,
			false,
		},
		{
			"it refused what the user set",
			WindowFacts{
				Chosen: say(16_384, day(1)), Stated: Window{Tokens: 16_384, Most: 131_072},
				Refused: say(8192, day(2)),
			},
			8192, true,
		},
	} {
		_, over := c.facts.Contradicted()
		if got := c.facts.Window(); got.Tokens != c.want || over != c.over {
			t.Errorf("%s: got %+v, contradicted %t; want %d, %t", c.what, got, over, c.want, c.over)
		}
	}
}

// A window is taken by how a model's name begins, the longest beginning first, whatever its maker.
func TestWindowByName(t *testing.T) {
	seen := map[string]bool{}
	for prefixes, tokens := range windows {
		for prefix := range strings.FieldsSeq(prefixes) {
			if got := byName("maker/" + strings.ToUpper(prefix) + ":free"); seen[prefix] || got != tokens {
				t.Errorf("%s: %d tokens, want %d once", prefix, got, tokens)
			}
			seen[prefix] = true
		}
	}
	if n := byName("gpt"); n != 0 {
		t.Errorf("an unknown name has %d tokens", n)
	}
}
