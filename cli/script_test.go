package cli

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"winnow/llm/llmtest"
)

// exampleConfig is config.toml.example. A script runs elsewhere and has its path in $EXAMPLE; a chat in a
// terminal does not need it.
func exampleConfig() []byte {
	text, _ := os.ReadFile(cmp.Or(os.Getenv("EXAMPLE"), "../config.toml.example"))
	return text
}

// TestMain lets the scripts and the terminal tests run this binary as winnow. Most of these tests wait for
// another process, so more of them run at once than there are processors.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	testscript.Main(ownFolders{m}, map[string]func(){
		"winnow": runWinnow, "winnow-host": hostWinnow, "mcp-server": serveTools,
	})
}

// noBus is a DBUS_SESSION_BUS_ADDRESS that keeps the keyring of the user out of the tests. Without an address the bus
// of the user's session would be found at its usual place.
const noBus = "disabled:"

// ownFolders runs the tests without the configuration, history and keyring of the user. Programs that they start get an
// environment of their own: see home.
type ownFolders struct{ *testing.M }

func (m ownFolders) Run() int {
	dir, err := os.MkdirTemp("", "winnow-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, value := range map[string]string{
		"XDG_CONFIG_HOME": filepath.Join(dir, "config"), "XDG_DATA_HOME": filepath.Join(dir, "data"),
		"XDG_STATE_HOME": filepath.Join(dir, "state"), "DBUS_SESSION_BUS_ADDRESS": noBus,
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	xdg.Reload()
	return m.M.Run()
}

// runWinnow runs winnow as its main function does.
func runWinnow() { os.Exit(int(testWinnow().main(context.Background(), os.Args[1:]))) }

// testWinnow is winnow in the surroundings of this process. Where WINNOW_TEST_SERVER names a server, every request goes
// there, whatever address it is for: so a screen shows the addresses and prices of a real service, and asks none.
// WINNOW_TEST_NOW is the time at which the program starts, WINNOW_TEST_AGO sets its clock back by a duration, and
// WINNOW_TEST_ANNOUNCED counts what it announces: see announcing.
func testWinnow() *program {
	p := newProgram(exampleConfig())
	if server := os.Getenv("WINNOW_TEST_SERVER"); server != "" {
		p.network = redirected(strings.TrimPrefix(server, "http://"))
	}
	if file := os.Getenv(announcedVariable); file != "" {
		p.observe = announcing(file)
	}
	started := time.Now()
	begin := started
	if at, err := time.Parse(time.RFC3339, os.Getenv("WINNOW_TEST_NOW")); err == nil {
		begin = at.Local()
	}
	if ago, err := time.ParseDuration(os.Getenv("WINNOW_TEST_AGO")); err == nil {
		begin = begin.Add(-ago)
	}
	p.now = func() time.Time { return begin.Add(time.Since(started)) }
	return p
}

// redirected sends every request to the server at one address.
type redirected string

func (host redirected) Do(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = "http", string(host)
	return http.DefaultClient.Do(req)
}

// TestCommandLine runs the scripts of testdata/script. Beside testscript's own commands they have:
//
//	server FILE       start a scripted server; its address is in $SERVER. FILE holds its answers.
//	code N CMD…       run a command that must end with exit code N; winnow runs in the script's host
//	code N exec CMD…  run it as a process in any case
//	interrupted CMD…  run a command, interrupt it once it has written something, want exit code 130
//	keyed [KEY]       the server's last request carried this key, or none
//	keyring start     start a system keyring with the key of "found"; keyring remove takes it off its bus,
//	                  keyring holds NAME KEY wants it to have this key, "" for none
//	asked FILE        write the body of the server's last request to FILE
//	unrecorded N      so many requests of the script leave no record: they are not saved, or purged
//	unheard N         so many recorded requests reach no server: nothing listens there, or the key cannot be read
//
// Every other request for an answer that a server of the script got was announced and has its record in one of the
// script's files, and each announcement and each record has its request.
func TestCommandLine(t *testing.T) {
	if testing.Short() {
		t.Skip("starts winnow as a process of its own")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
				e.Setenv(name, filepath.Join(home, strings.ToLower(name)))
			}
			e.Setenv("DBUS_SESSION_BUS_ADDRESS", noBus)
			announced := filepath.Join(e.WorkDir, ".announced")
			e.Setenv(announcedVariable, announced)
			slot := new(serverSlot)
			e.Values[slotKey{}] = slot
			e.Defer(func() { wantAnnounced(t, &slot.requests, announced, historiesBelow(e.WorkDir)...) })
			e.Values[keyringSlot{}] = new(*llmtest.SecretService)
			h := new(host)
			e.Values[hostKey{}] = h
			e.Defer(h.close)
			example, err := filepath.Abs("../config.toml.example")
			if err != nil {
				return err
			}
			e.Setenv("EXAMPLE", example)
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"server": startServer,
			"code":   wantCode,
			"asked":  lastAsked,
			"keyed":  lastKeyed,

			"unrecorded": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Value(slotKey{}).(*serverSlot).requests.Unrecorded = number(ts, args)
			},
			"unheard": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Value(slotKey{}).(*serverSlot).requests.Unheard = number(ts, args)
			},

			"keyring": aKeyring,

			"interrupted": interruptIt,
		},
	})
}

// serveTools is an MCP server for scripts: it adds two numbers, says what its environment holds, and ends badly or not
// at all. Where ADD_REPORTS is set, what adds takes one more argument. It writes its process id to the file that
// PID_FILE names.
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

// scriptedServer answers requests of Chat Completions, the Responses API and Ollama from a script: one block per
// request, the last one again and again. A block is a first line "STATUS", then the body as it goes over the wire. A
// first line "hang" sends the body and then waits until the client goes away. A first block "ollama" holds what an
// Ollama says of its running models and of each model, a line each.
type scriptedServer struct {
	info   map[string]string // by path
	mu     sync.Mutex
	blocks []string
	asked  []byte
	auth   string
}

func newScriptedServer(script string) *scriptedServer {
	s := &scriptedServer{blocks: strings.Split(strings.TrimSpace(script), "\n----\n")}
	if lines := strings.Split(s.blocks[0], "\n"); lines[0] == "ollama" {
		s.info, s.blocks = map[string]string{"/api/ps": lines[1], "/api/show": lines[2]}, s.blocks[1:]
	}
	return s
}

func (s *scriptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		io.WriteString(w, `{"object":"list","data":[{"id":"small","object":"model","context_length":8192}]}`)
		return
	}
	if said, ok := s.info[r.URL.Path]; ok {
		io.WriteString(w, said)
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") && !strings.HasSuffix(r.URL.Path, "/responses") &&
		r.URL.Path != "/api/chat" {
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
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

// keyringSlot finds a script's keyring among its values.
type keyringSlot struct{}

func aKeyring(ts *testscript.TestScript, _ bool, args []string) {
	slot := ts.Value(keyringSlot{}).(**llmtest.SecretService)
	switch {
	case len(args) == 1 && args[0] == "start":
		bus, err := llmtest.StartSecretService(map[string]string{"winnow/found": "sk-not-a-real-key-3333"})
		ts.Check(err)
		ts.Defer(bus.Close)
		ts.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
		*slot = bus
	case len(args) == 1 && args[0] == "remove":
		(*slot).Remove()
	case len(args) == 3 && args[0] == "holds":
		if got := (*slot).Key("winnow/" + args[1]); got != args[2] {
			ts.Fatalf("the keyring holds %q for %s, want %q", got, args[1], args[2])
		}
	default:
		ts.Fatalf("usage: keyring start|remove|holds NAME KEY")
	}
}

// serverSlot holds the server of one script.
type serverSlot struct {
	*scriptedServer
	requests llmtest.Ledger // of all servers of the script
}

// number is the one argument of a command.
func number(ts *testscript.TestScript, args []string) int {
	n, err := strconv.Atoi(strings.Join(args, " "))
	ts.Check(err)
	return n
}

// historiesBelow are the histories of a script's folder.
func historiesBelow(dir string) (paths []string) {
	filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".db") && !strings.Contains(path, "backups") {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// slotKey finds a script's slot among its values.
type slotKey struct{}

func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server FILE")
	}
	s := newScriptedServer(ts.ReadFile(args[0]))
	slot := ts.Value(slotKey{}).(*serverSlot)
	slot.scriptedServer = s
	listening := httptest.NewServer(slot.requests.Count(s))
	ts.Defer(listening.Close)
	ts.Setenv("SERVER", listening.URL+"/v1")
}

// lastBody is the body of the last request for an answer.
func (s *scriptedServer) lastBody() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.asked)
}

func lastAsked(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(slotKey{}).(*serverSlot).scriptedServer
	if s == nil || neg || len(args) != 1 {
		ts.Fatalf("usage: asked FILE, after server")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(s.lastBody()), 0o600))
}

func lastKeyed(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(slotKey{}).(*serverSlot).scriptedServer
	if s == nil || neg || len(args) > 1 {
		ts.Fatalf("usage: keyed [KEY], after server")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	want := ""
	if len(args) > 0 {
		want = "Bearer " + args[0]
	}
	if s.auth != want {
		ts.Fatalf("the last request carried %q, want %q", s.auth, want)
	}
}

// wantCode runs a command and fails unless it ends with the exit code. winnow runs in the script's host, see host;
// behind the word exec it is a process.
func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND")
	}
	want, args := args[0], args[1:]
	var got string
	if args[0] == "winnow" {
		c := surroundings(ts)
		c.Args = args[1:]
		r, err := ts.Value(hostKey{}).(*host).run(c)
		ts.Check(err)
		ts.Stdout().Write(r.Stdout)
		ts.Stderr().Write(r.Stderr)
		got = strconv.Itoa(int(r.Code))
		if r.Code != OK || got != want {
			ts.Logf("[stdout]\n%s[stderr]\n%s", r.Stdout, r.Stderr)
		}
	} else {
		if args[0] == "exec" {
			args = args[1:]
		}
		got = "0"
		if err := ts.Exec(args[0], args[1:]...); err != nil {
			got = strings.TrimPrefix(err.Error(), "exit status ")
		}
	}
	if got != want {
		ts.Fatalf("%s ended with %s, want exit code %s", strings.Join(args, " "), got, want)
	}
}

// hostKey finds a script's host among its values.
type hostKey struct{}

// surroundings is the environment, the folder and the input that the next process of a script would have.
func surroundings(ts *testscript.TestScript) command {
	kept := filepath.Join(ts.Getenv("WORK"), ".command")
	ts.Check(ts.Exec("sh", "-c", `cat >"$0.in" && env -0 >"$0.env"`, kept))
	variables := strings.Split(strings.TrimSuffix(ts.ReadFile(kept+".env"), "\x00"), "\x00")
	return command{Env: variables, Dir: ts.MkAbs("."), Stdin: []byte(ts.ReadFile(kept + ".in"))}
}

// interruptIt runs a command and sends it SIGINT as soon as it has written something.
func interruptIt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: interrupted COMMAND")
	}
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{
		"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
		"OPENAI_BASE_URL", "OPENAI_API_KEY", announcedVariable,
	} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stderr = ts.Stderr()
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	first := make([]byte, 256)
	n, err := out.Read(first)
	if err != nil {
		ts.Fatalf("%s wrote nothing: %v", strings.Join(args, " "), err)
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	rest, _ := io.ReadAll(out)
	ts.Stdout().Write(append(first[:n], rest...))
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != int(Interrupted) {
		ts.Fatalf("%s ended with %d, want exit code %d", strings.Join(args, " "), got, Interrupted)
	}
}
