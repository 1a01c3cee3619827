package composer

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"winnow/llm/mcp"
	"winnow/ui/slash"
)

// offered are the servers of a real MCP server on loopback, with prompts and resources.
func offered(t *testing.T) *mcp.Servers {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	s.AddPrompt(&sdk.Prompt{
		Name: "code review", Description: "Reviews\x1b[2J code.", Arguments: []*sdk.PromptArgument{
			{Name: "language", Required: true}, {Name: "focus"},
		},
	}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text := "Review " + r.Params.Arguments["language"] + " for " + r.Params.Arguments["focus"]
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: text}},
			{Role: "assistant", Content: &sdk.TextContent{Text: "Show me."}},
		}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "empty"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{}, nil
	})
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{
			Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "text of " + r.Params.URI}},
		}, nil
	}
	s.AddResource(&sdk.Resource{URI: "memo:one", Name: "First memo", Size: 2048}, read)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "day:{date}", Name: "A day"}, read)
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(server.Close)
	all := mcp.New("test", mcp.Server{Name: "notes", URL: server.URL})
	t.Cleanup(all.Close)
	if err := all.Prepare(t.Context(), func(sentence string) { t.Log(sentence) }); err != nil {
		t.Fatal(err)
	}
	for {
		changed := all.Changed()
		if list := all.List(); list[0].Listed {
			return all
		} else if list[0].Err != nil {
			t.Fatal(list[0].Err)
		}
		<-changed
	}
}

func TestPromptsAreCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t, Options{Servers: offered(t)})
	want := []slash.Command{
		{Name: "notes:code-review", Args: "LANGUAGE [FOCUS]", Help: "Reviews␛[2J code."},
		{Name: "notes:empty", Help: "a prompt of notes"},
	}
	prompts := d.serverPrompts()
	if got := []slash.Command{prompts[0].Command, prompts[1].Command}; !reflect.DeepEqual(got, want) {
		t.Errorf("the commands are %v, want %v", got, want)
	}
	for words, want := range map[string]string{
		"Go":                   "Review Go for\n\nAssistant:\nShow me.",
		"Go speed and clarity": "Review Go for speed and clarity\n\nAssistant:\nShow me.",
	} {
		if got, err := prompts[0].text(t.Context(), d.Servers, strings.Fields(words)); got != want || err != nil {
			t.Errorf("%q makes %q, %v; want %q", words, got, err, want)
		}
	}
	for i, want := range []string{"needs language: it is /notes:code-review LANGUAGE [FOCUS]", "is empty"} {
		if got, err := prompts[i].text(t.Context(), d.Servers, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("/%s: %q, %v; want an error with %q", prompts[i].Name, got, err, want)
		}
	}
}
