package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// scriptedServer answers requests of Chat Completions, the Responses API and Ollama from a script: one block per
// request, the last one again and again. A block is a first line "STATUS", then the body as it goes over the wire. A
// first line "hang" sends the body and then waits until the client goes away; a whole script "silent" has the server
// take requests on any route and never answer. A first block "paths" holds what other paths than those answer, "PATH
// BODY" on a line each.
type scriptedServer struct {
	silent bool
	info   map[string]string // by the end of the path
	mu     sync.Mutex
	blocks []string
	asked  []byte
	auth   string
}

func newScriptedServer(script string) *scriptedServer {
	blocks := strings.Split(strings.TrimSpace(script), "\n----\n")
	s := &scriptedServer{silent: script == "silent\n", blocks: blocks, info: map[string]string{
		"/models": `{"object":"list","data":[{"id":"small","object":"model","context_length":8192}]}`,
	}}
	if lines := strings.Split(blocks[0], "\n"); lines[0] == "paths" {
		s.blocks = blocks[1:]
		for _, line := range lines[1:] {
			path, body, _ := strings.Cut(line, " ")
			s.info[path] = body
		}
	}
	return s
}

func (s *scriptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if s.silent {
		<-r.Context().Done()
		return
	}
	for path, said := range s.info {
		if strings.HasSuffix(r.URL.Path, path) {
			io.WriteString(w, said)
			return
		}
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") && !strings.HasSuffix(r.URL.Path, "/responses") &&
		r.URL.Path != "/api/chat" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.asked, s.auth = body, r.Header.Get("Authorization")
	block := s.blocks[0]
	if len(s.blocks) > 1 {
		s.blocks = s.blocks[1:]
	}
	s.mu.Unlock()
	head, text, _ := strings.Cut(block, "\n")
	status := http.StatusOK
	fmt.Sscanf(head, "%d", &status)
	w.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(text, "data:") {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	w.WriteHeader(status)
	// Events are separated by blank lines on the wire; in a script one line each reads better.
	for line := range strings.Lines(text) {
		io.WriteString(w, strings.TrimRight(line, "\n")+"\n\n")
	}
	if head == "hang" {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// last returns the body and the key of the last request for an answer.
func (s *scriptedServer) last() (body []byte, auth string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.auth
}

// serveTools is an MCP server for scripts. Its tools add two numbers, return an environment variable, crash, or never
// answer. If ADD_REPORTS is set, the tool add takes another argument. It writes its process id to the file in PID_FILE.
func serveTools() {
	if file := os.Getenv("PID_FILE"); file != "" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "calc", Version: "1"}, nil)
	answer := func(text string) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
	type numbers struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Adds two numbers."},
		func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, any, error) {
			return answer(fmt.Sprint(in.A + in.B))
		})
	if os.Getenv("ADD_REPORTS") != "" {
		mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Adds two numbers."},
			func(_ context.Context, _ *mcp.CallToolRequest, in struct {
				numbers
				ReportTo string `json:"report_to,omitempty"`
			},
			) (*mcp.CallToolResult, any, error) {
				return answer(fmt.Sprint(in.A + in.B))
			})
	}
	mcp.AddTool(s, &mcp.Tool{Name: "env", Description: "Says what is in its environment."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return answer("CALC=" + os.Getenv("CALC_TOKEN") + " KEY=" + os.Getenv("OPENAI_API_KEY") + ";")
		})
	mcp.AddTool(s, &mcp.Tool{Name: "end", Description: "Ends the server in the middle of the call."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			fmt.Fprintln(os.Stderr, "fatal: out of cheese")
			os.Exit(3)
			return nil, nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "wait", Description: "Never answers."}, func(context.Context, *mcp.CallToolRequest,
		struct{},
	) (*mcp.CallToolResult, any, error) {
		select {}
	})
	s.Run(context.Background(), &mcp.StdioTransport{})
	if os.Getenv("PID_FILE") != "" {
		select {} // Only a kill ends it.
	}
}
