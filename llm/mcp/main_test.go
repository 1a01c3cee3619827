package mcp

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
)

// testServer is the environment variable that makes the test program a server of some kind.
const testServer = "WINNOW_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(testServer); kind != "" {
		serveTest(kind)
		return
	}
	os.Exit(m.Run())
}

// serverOf configures a server of some kind, run by this test program.
func serverOf(t testing.TB, kind string) ServerConfig {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return ServerConfig{
		Name: kind, Command: program, Env: map[string]string{testServer: kind},
		StartupTimeout: 2 * time.Minute, ToolTimeout: 2 * time.Minute,
	}
}

// serveTest runs a server until its standard input ends.
func serveTest(kind string) {
	switch kind {
	case "honest", "changing":
		honestServer(kind).Run(context.Background(), &sdk.StdioTransport{})
	case "stubborn": // It ignores the end of its input and signals, and its child keeps its output open.
		stubbornServer()
	default:
		scriptedServer(kind)
	}
}

type addArguments struct {
	A int `json:"a" jsonschema:"the first number"`
	B int `json:"b" jsonschema:"the second number"`
}

// addTool adds a tool to a server.
func addTool[In any](s *sdk.Server, name, description string, run func(context.Context, *sdk.CallToolRequest, In) ([]sdk.Content, error)) {
	sdk.AddTool(s, &sdk.Tool{Name: name, Description: description},
		func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
			content, err := run(ctx, r, in)
			return &sdk.CallToolResult{Content: content}, nil, err
		})
}

// says is a tool with a fixed result.
func says(text string) func(context.Context, *sdk.CallToolRequest, struct{}) ([]sdk.Content, error) {
	return func(context.Context, *sdk.CallToolRequest, struct{}) ([]sdk.Content, error) { return textOf(text), nil }
}

func textOf(text string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: text}} }

// honestServer has tools, prompts and resources implemented with the SDK.
func honestServer(kind string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "honest-server", Version: "1.2.3"}, nil)
	addTool(s, "add", "Adds two numbers.", func(_ context.Context, _ *sdk.CallToolRequest, in addArguments) ([]sdk.Content, error) {
		return textOf(fmt.Sprint(in.A + in.B)), nil
	})
	addTool(s, "fail", "Always fails.", func(context.Context, *sdk.CallToolRequest, struct{}) ([]sdk.Content, error) {
		return nil, fmt.Errorf("the disk is on fire")
	})
	addTool(s, "parts", "", func(context.Context, *sdk.CallToolRequest, struct{}) ([]sdk.Content, error) {
		return []sdk.Content{
			&sdk.TextContent{Text: "first"},
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("12345")},
			&sdk.ResourceLink{URI: "file:///a.txt", Name: "a.txt", MIMEType: "text/plain"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b.txt", Text: "embedded"}},
			&sdk.TextContent{Text: "last"},
		}, nil
	})
	greet := &sdk.Prompt{Name: "greet", Description: "Greets.", Arguments: []*sdk.PromptArgument{{Name: "name", Required: true}}}
	s.AddPrompt(greet, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		hello := &sdk.TextContent{Text: "Say hello to " + r.Params.Arguments["name"] + "."}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: hello}}}, nil
	})
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		memo := &sdk.ResourceContents{URI: r.Params.URI, Text: "read " + r.Params.URI}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{memo}}, nil
	}
	s.AddResource(&sdk.Resource{URI: "memo:one", Name: "one", MIMEType: "text/plain", Size: 8}, read)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "memo:{name}", Name: "any"}, read)
	if kind == "changing" {
		addTool(s, "change", "", func(context.Context, *sdk.CallToolRequest, struct{}) ([]sdk.Content, error) {
			s.RemoveTools("fail")
			addTool(s, "new", "", says("I am new"))
			return textOf("changed"), nil
		})
	}
	return s
}

// stubbornServer never exits.
func stubbornServer() {
	ignoreSignals()
	scriptedServer("stubborn")
	for {
		time.Sleep(time.Hour)
	}
}

//go:embed testdata/servers.txtar
var serversFile []byte

// scriptOf returns the script of a kind of server in servers.txtar: its lines by request.
func scriptOf(kind string) map[string][]string {
	script := map[string][]string{}
	for _, f := range txtar.Parse(serversFile).Files {
		if f.Name != kind {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			key, does, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			script[key] = append(script[key], does)
		}
	}
	return script
}

// message is a message to a scripted server: a request, or a response to one of its own requests.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name         string          `json:"name"`
		Capabilities json.RawMessage `json:"capabilities"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// scriptedServer writes its messages without the SDK, so that they can be wrong.
func scriptedServer(kind string) {
	script, usual := scriptOf(kind), scriptOf("default")
	var calling json.RawMessage // the ID of the last call
	var got []string            // the client's capabilities and responses
	does := func(key string, id json.RawMessage) {
		lines, own := script[key]
		if !own {
			lines = usual[key]
		}
		for _, line := range lines {
			line = filled().Replace(line)
			command, rest, _ := strings.Cut(line, " ")
			switch command {
			case "nothing":
			case "exit":
				status, _ := strconv.Atoi(rest)
				os.Exit(status)
			case "stderr":
				fmt.Fprintln(os.Stderr, rest)
			default:
				said, _ := json.Marshal(strings.Join(got, " "))
				fmt.Println(strings.NewReplacer("$ID", string(id), "$GOT", string(said)).Replace(line))
			}
		}
	}
	does("start", nil)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var m message
		json.Unmarshal(in.Bytes(), &m)
		switch key := m.Method; {
		case key == "": // a response to one of its three requests
			if got = append(got, string(m.ID)+string(m.Result)+string(m.Error)); len(got) == 4 {
				slices.Sort(got)
				does("answered", calling)
			}
		case key == "tools/call" && m.Params.Name == "ok":
			does("ok", m.ID)
		default:
			if key == "initialize" {
				got = append(got, "capabilities"+string(m.Params.Capabilities))
			}
			calling = m.ID
			does(key, m.ID)
		}
	}
}

// filled replaces placeholders for invalid or very long text in servers.txtar.
var filled = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\x1b`, "\x1b", `\xff`, "\xff", `\xfe`, "\xfe",
		"$LARGE", strings.Repeat("0123456789", 2<<20), "$DEEP", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000),
		"$LONG", strings.Repeat("long", 40), "$HUGE", strings.Repeat("x", maxSchemaBytes), "$WORDY", strings.Repeat("word ", 4000))
})
