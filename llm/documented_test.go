package llm

import (
	"reflect"
	"strings"
	"testing"
)

// sampledBody is the body of a request with all kinds of sampling set, behind the messages.
func sampledBody(t *testing.T, c *Client, model, effort string) string {
	t.Helper()
	cold, top := 0.2, 0.9
	r := hello()
	r.Model, r.Effort, r.Temperature, r.TopP = model, effort, &cold, &top
	body, err := c.Body(r)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(body), `}],`)
	rest, _, _ = strings.Cut(rest, `"stream"`)
	return strings.TrimSuffix(rest, ",")
}

// The first request is right where the maker documents what a model takes, and nothing is taken for known behind
// another address.
func TestDocumentedModelsAreAskedRight(t *testing.T) {
	t.Parallel()
	const all = `"temperature":0.2,"top_p":0.9,"reasoning_effort":"max"`
	for _, c := range []struct{ base, model, effort, want string }{
		{"https://api.openai.com/v1", "gpt-5-mini", "max", `"reasoning_effort":"high"`},
		{"https://api.openai.com/v1", "gpt-5.2", "max", `"reasoning_effort":"xhigh"`},
		{"https://api.openai.com/v1", "gpt-5.2", "none", `"temperature":0.2,"top_p":0.9,"reasoning_effort":"none"`},
		{"https://api.openai.com/v1", "gpt-5.2", "", `"temperature":0.2,"top_p":0.9`},
		{"https://api.openai.com/v1", "gpt-5.6-luna", "max", `"reasoning_effort":"max"`},
		{"https://api.openai.com/v1", "gpt-5.3-unheard-of", "max", all},
		{"https://api.openai.com/v1", "gpt-4.1", "low", `"temperature":0.2,"top_p":0.9`},
		{"https://api.openai.com/v1", "o3", "minimal", `"reasoning_effort":"low"`},
		{"https://api.anthropic.com/v1", "claude-opus-4-7", "max", `"reasoning_effort":"max"`},
		{
			"https://api.anthropic.com/v1", "claude-sonnet-4-5-20250929", "max",
			`"temperature":0.2,"reasoning_effort":"max"`,
		},
		{"https://openrouter.ai/api/v1", "anthropic/claude-opus-4.7", "", ``},
		{"https://openrouter.ai/api/v1", "openai/o3", "", ``},
		{"https://openrouter.ai/api/v1", "someone/o3", "max", all},
		{"https://gateway.example.com/v1", "o3", "max", all},
	} {
		client := NewClient(Endpoint{Name: "x", BaseURL: c.base})
		if got := sampledBody(t, client, c.model, "max"); got != all {
			t.Errorf("%s at %s: before anything is assumed it is asked %s", c.model, c.base, got)
		}
		client.Assume(c.model)
		if got := sampledBody(t, client, c.model, c.effort); got != c.want {
			t.Errorf("%s at %s with effort %q is asked %s, want %s", c.model, c.base, c.effort, got, c.want)
		}
		if learned := client.Learned(c.model).Ways(); len(learned) > 0 {
			t.Errorf("%s: %q count as learned", c.model, learned)
		}
		// With the same of what is known the same bytes come back, whatever table is in force then.
		again := NewClient(Endpoint{Name: "x", BaseURL: c.base, Known: client.Known(c.model)})
		if got := sampledBody(t, again, c.model, c.effort); got != c.want {
			t.Errorf("%s: made again it is asked %s, want %s", c.model, got, c.want)
		}
	}
}

func TestWhatAServerTaughtGoesOverTheTable(t *testing.T) {
	t.Parallel()
	learned := Learned{Efforts: []string{"low", "max"}}
	for _, first := range []bool{true, false} {
		c := NewClient(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
		if !first {
			c.Assume("o3")
		}
		c.Learn("o3", learned)
		c.Assume("o3")
		if got := sampledBody(t, c, "o3", "max"); got != `"reasoning_effort":"max"` {
			t.Errorf("learned before the table %t: asked %s", first, got)
		}
		if got := c.Learned("o3"); !reflect.DeepEqual(got, learned) {
			t.Errorf("learned before the table %t: %+v", first, got)
		}
	}
	// A refusal of a value that the table allows is taken as the first of its kind.
	c := NewClient(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
	c.Assume("gpt-5.2")
	r := hello()
	r.Model, r.Effort = "gpt-5.2", "xhigh"
	refusal := &Error{
		Status: 400,
		Message: "Unsupported value: 'xhigh' is not supported with reasoning_effort. Supported values are: 'low'," +
			" and 'medium'.",
	}
	if how, next := c.amend(refusal, r, false); next != nil || how != "with reasoning_effort medium" {
		t.Errorf("asked again %q, %v", how, next)
	}
	if got := sampledBody(t, c, "gpt-5.2", "xhigh"); got != `"reasoning_effort":"medium"` {
		t.Errorf("asked %s", got)
	}
}

// What is left out by the table is said, and what a refusal taught is not said twice.
func TestWhatTheTableLeavesOutIsSaid(t *testing.T) {
	t.Parallel()
	cold, top := 0.2, 0.9
	said := func(learned Learned, model, effort string) string {
		c := NewClient(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
		c.Learn(model, learned)
		c.Assume(model)
		return c.Unsent(Request{Model: model, Temperature: &cold, TopP: &top, Effort: effort})
	}
	for _, c := range []struct {
		learned             Learned
		model, effort, want string
	}{
		{Learned{}, "o3", "max", "without temperature and without top_p and with reasoning_effort high"},
		{Learned{}, "gpt-5.2", "low", "without temperature and without top_p"},
		{Learned{}, "gpt-5.2", "none", ""},
		{Learned{}, "gpt-4.1", "low", "without reasoning_effort"},
		{Learned{}, "unknown", "low", ""},
		{Learned{NoTemperature: true, NoTopP: true}, "o3", "high", ""},
	} {
		if got := said(c.learned, c.model, c.effort); got != c.want {
			t.Errorf("%s, effort %s: %q, want %q", c.model, c.effort, got, c.want)
		}
	}
}

// A model that is only there over the Responses API is asked over it at once, at its maker's own address, unless the
// configuration says otherwise or the server has refused that.
func TestModelsThatOnlyTheResponsesAPIHasAreAskedOverIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, model string
		configured  Wire
		learned     Wire
		want        Wire
	}{
		{"https://api.openai.com/v1", "gpt-5.2-pro-2025-12-11", "", "", ResponsesWire},
		{"https://api.openai.com/v1", "gpt-5.1-codex-max", "", "", ResponsesWire},
		{"https://api.openai.com/v1", "o3-pro", "", "", ResponsesWire},
		{"https://api.openai.com/v1", "o3", "", "", ChatWire},
		{"https://api.openai.com/v1", "gpt-5.2", "", "", ChatWire},
		{"https://api.openai.com/v1", "o3-pro", ChatWire, "", ChatWire},
		{"https://api.openai.com/v1", "o3-pro", "", ChatWire, ChatWire},
		{"https://openrouter.ai/api/v1", "openai/o3-pro", "", "", ChatWire},
		{"https://gateway.example.com/v1", "o3-pro", "", "", ChatWire},
	} {
		client := NewClient(Endpoint{Name: "x", BaseURL: c.base, Wire: c.configured})
		client.Learn(c.model, Learned{Wire: c.learned})
		client.Assume(c.model)
		if got := client.Wire(c.model); got != c.want {
			t.Errorf(
				"%s at %s with wire %q and %q is asked over %s, want %s", c.model, c.base, c.configured, c.learned,
				got, c.want,
			)
		}
	}
}
