package cli

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/x/term"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"

	"winnow/llm/llmtest"
	"winnow/ui/uitest/terminal"
)

// TestMain lets scripts and terminal tests run this binary as winnow. Most tests wait for another process, so more of
// them run in parallel than there are processors.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	testscript.Main(ownFolders{m}, map[string]func(){
		"winnow":      func() { os.Exit(int(testWinnow().main(context.Background(), os.Args[1:]))) },
		"winnow-host": hostWinnow, "mcp-server": serveTools, "agent": agent,
	})
}

// exampleConfig returns config.toml.example. Scripts run in another folder and have its path in $EXAMPLE.
func exampleConfig() []byte {
	text, _ := os.ReadFile(cmp.Or(os.Getenv("EXAMPLE"), "../config.toml.example"))
	return text
}

// noBus is a DBUS_SESSION_BUS_ADDRESS that keeps the user's keyring out of the tests. Without an address the user's bus
// would be found in its default place.
const noBus = "disabled:"

// testWinnow returns winnow in the environment of this process. If WINNOW_TEST_SERVER is set, every request goes to
// that server, whatever its address, so that a screen can show the addresses and prices of a real service.
// WINNOW_TEST_NOW sets the time of the start, WINNOW_TEST_AGO sets the clock back by a duration, and
// WINNOW_TEST_ANNOUNCED counts announced requests: see announcing.
func testWinnow() *program {
	p := newProgram(exampleConfig())
	if server := os.Getenv("WINNOW_TEST_SERVER"); server != "" {
		p.network = redirected(server)
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

func (address redirected) Do(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	to, err := url.Parse(string(address))
	if err != nil {
		return nil, err
	}
	req.URL.Scheme, req.URL.Host = to.Scheme, to.Host
	return http.DefaultClient.Do(req)
}

// ownFolders runs the tests without the user's configuration, history and keyring. Programs that they start get an
// environment of their own: see runScripts and home.
type ownFolders struct{ *testing.M }

func (m ownFolders) Run() int {
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		os.Setenv(name, filepath.Join(os.TempDir(), "no-folder-of-winnow"))
	}
	os.Setenv("DBUS_SESSION_BUS_ADDRESS", noBus)
	xdg.Reload()
	return m.M.Run()
}

// TestCommandLine runs the scripts of testdata/script, which start no terminal.
func TestCommandLine(t *testing.T) { runScripts(t, "script", "") }

// TestScreen runs the scripts of testdata/screen, which use winnow in a terminal.
func TestScreen(t *testing.T) {
	t.Parallel()
	runScripts(t, "screen", "")
}

// TestDailyPath does what people do every day, with the keys that the screen shows: choose a model, attach a file, ask,
// queue a second question, stop, ask another model, copy its code, find a chat of last week, export it.
func TestDailyPath(t *testing.T) {
	t.Parallel()
	runScripts(t, "daily", "dark")
}

// runScripts runs the scripts of a folder. Beside testscript's own commands they have:
//
//	server FILE       start a scripted server; its address is in $SERVER. FILE holds its answers.
//	caching           start a server of Anthropic Messages that has a cache; its address is in $CACHING
//	code N CMD…       run a command that must end with exit code N; winnow runs in the script's host
//	code N exec CMD…  run it as a process in any case
//	keyed [KEY]       the server's last request carried this key, or none
//	keyring start     start a system keyring with the key of "found"; keyring remove takes it off its bus, keyring
//	                  hold has it answer nothing until keyring release, keyring holds NAME KEY wants it to have this
//	                  key, "" for none
//	asked FILE        write the body of the server's last request to FILE
//	requests N        so many requests for an answer came until now
//	unrecorded N      so many requests of the script leave no record: they are not saved, or purged
//	unheard N         so many recorded requests reach no server: nothing listens there, or the key cannot be read
//	killed N          so many announced requests may not have left: winnow was killed
//	ids               set $ID1, $ID2 and so on to the ids of the sessions, the one used last first
//	stored TEXT       wait until the session used last holds a text
//
// In a terminal:
//
//	terminal WxH CMD…   start a command in a terminal of W by H cells
//	type TEXT           type a text, and wait until its last word is on the screen
//	press KEY…          press keys by their names, or type what they are
//	want TEXT           wait until the text is on the screen
//	gone TEXT           wait until it no longer is
//	screen REGEXP       wait until the screen matches
//	written REGEXP      what was written to the terminal until now matches
//	signal NAME         send the command a signal, such as SIGTERM
//	resize WxH          change the size of the terminal
//	resume              have a suspended program go on
//	ended N             wait until it ends with exit code N
//	echo on|off         wait until the terminal shows what is typed, or does not
//	released            wait until the terminal is as it was before the command started
//	rest                wait until nothing is written any more, and the program sleeps
//	picture NAME TITLE  compare the screen with the picture of this name; -update draws it anew
//	step NAME           draw a picture of the screen where -pictures names a folder
//
// Every other request for an answer that a server of the script got was announced and has its record in one of the
// script's files, and each announcement and each record has its request.
func runScripts(t *testing.T, folder, page string) {
	if testing.Short() {
		t.Skip("starts winnow as a process of its own")
	}
	example, err := filepath.Abs("../config.toml.example")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]func(*testscript.TestScript, bool, []string){}
	for name, run := range scriptCommands {
		commands[name] = func(ts *testscript.TestScript, not bool, args []string) {
			run(scriptIn{ts.Value(worldKey{}).(*world), ts, not}, args)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", folder),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
		Setup: func(e *testscript.Env) error {
			home, announced := filepath.Join(e.WorkDir, "home"), filepath.Join(e.WorkDir, ".announced")
			for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
				e.Setenv(name, filepath.Join(home, strings.ToLower(name)))
			}
			for name, value := range map[string]string{
				"HOME": home, "DBUS_SESSION_BUS_ADDRESS": noBus, announcedVariable: announced, "EXAMPLE": example,
				"TERM": "xterm-256color", "COLORTERM": "truecolor",
			} {
				e.Setenv(name, value)
			}
			w := &world{page: page}
			e.Values[worldKey{}] = w
			e.Defer(func() {
				w.host.close()
				wantAnnounced(e.T().(testing.TB), &w.requests, announced, historiesBelow(e.WorkDir)...)
			})
			return os.MkdirAll(home, 0o700)
		},
	})
}

// historiesBelow returns the history files below a folder.
func historiesBelow(dir string) (paths []string) {
	filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".db") && !strings.Contains(path, "backups") {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// world is what a script has beside its files.
type world struct {
	*scriptedServer
	requests llmtest.Ledger // of all servers of the script
	keyring  *llmtest.FakeKeyring
	release  func() // ends the hold of the keyring
	host     host
	screen   *terminal.Terminal
	fresh    *term.State // of an unused terminal
	page     string      // the colours of the terminal, "" for one that does not answer queries
}

// worldKey is the key of a script's world among its values.
type worldKey struct{}

// scriptIn is a command of a script with its context.
type scriptIn struct {
	*world
	*testscript.TestScript
	not bool
}

var scriptCommands = map[string]func(in scriptIn, args []string){
	"server":  scriptIn.startServer,
	"fixture": scriptIn.writeFixture,
	"caching": func(in scriptIn, _ []string) {
		listening := httptest.NewServer(new(cachingServer))
		in.Defer(listening.Close)
		in.Setenv("CACHING", listening.URL)
	},
	"code":       scriptIn.wantCode,
	"keyed":      scriptIn.lastKeyed,
	"keyring":    scriptIn.useKeyring,
	"asked":      scriptIn.writeAsked,
	"unrecorded": func(in scriptIn, args []string) { in.requests.Unrecorded = in.number(args[0]) },
	"unheard":    func(in scriptIn, args []string) { in.requests.Unheard = in.number(args[0]) },
	"requests": func(in scriptIn, args []string) {
		if got := in.requests.Received(); got != in.number(args[0]) {
			in.Fatalf("%d requests for an answer came, want %s", got, args[0])
		}
	},
	"killed": func(in scriptIn, args []string) { in.requests.Killed = in.number(args[0]) },
	"ids":    scriptIn.setIDs,
	"stored": scriptIn.waitUntilStored,

	"terminal": scriptIn.startTerminal,
	"type": func(in scriptIn, args []string) {
		text := strings.Join(args, " ")
		in.screen.Send(text)
		words := strings.Fields(text)
		in.screen.Want(words[len(words)-1]) // a longer text may be broken into lines
	},
	"press":   scriptIn.press,
	"want":    func(in scriptIn, args []string) { in.screen.Want(strings.Join(args, " ")) },
	"gone":    scriptIn.waitUntilGone,
	"screen":  scriptIn.matchScreen,
	"written": scriptIn.matchWritten,
	"signal": func(in scriptIn, args []string) {
		in.Check(in.screen.Cmd.Process.Signal(unix.SignalNum(args[0])))
	},
	"ended": func(in scriptIn, args []string) {
		if code := in.screen.End(); code != in.number(args[0]) {
			in.Fatalf("it ended with %d, want %s; the screen is\n%s", code, args[0], in.screen.Text())
		}
	},
	"resize":   scriptIn.resize,
	"resume":   scriptIn.resume,
	"echo":     scriptIn.wantEcho,
	"released": scriptIn.wantReleased,
	"rest":     scriptIn.wantRest,
	"picture":  scriptIn.wantPicture,
	"step":     scriptIn.drawStep,
}

func (in scriptIn) number(text string) int {
	n, err := strconv.Atoi(text)
	in.Check(err)
	return n
}

func (in scriptIn) startServer(args []string) {
	in.world.scriptedServer = newScriptedServer(in.ReadFile(args[0]))
	listening := httptest.NewServer(in.requests.CountRequests(in.scriptedServer))
	in.Defer(listening.Close)
	in.Defer(listening.CloseClientConnections)
	in.Setenv("SERVER", listening.URL+"/v1")
}

// lastKeyed verifies the key of the last request.
func (in scriptIn) lastKeyed(args []string) {
	want := ""
	if len(args) > 0 {
		want = "Bearer " + args[0]
	}
	if _, auth := in.last(); auth != want {
		in.Fatalf("the last request carried %q, want %q", auth, want)
	}
}

func (in scriptIn) writeAsked(args []string) {
	body, _ := in.last()
	in.Check(os.WriteFile(in.MkAbs(args[0]), body, 0o600))
}

func (in scriptIn) useKeyring(args []string) {
	switch args[0] {
	case "start":
		bus, err := llmtest.StartFakeKeyring(map[string]string{"winnow/found": "sk-not-a-real-key-3333"})
		in.Check(err)
		in.Defer(bus.Close)
		in.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
		in.world.keyring = bus
	case "remove":
		in.keyring.Remove()
	case "hold":
		in.world.release = in.keyring.HoldCalls()
		in.Defer(in.release)
	case "release":
		in.release()
	case "holds":
		if got := in.keyring.Key("winnow/" + args[1]); got != args[2] {
			in.Fatalf("the keyring holds %q for %s, want %q", got, args[1], args[2])
		}
	}
}

// wantCode runs a command and verifies its exit code. winnow runs in the script's host; after the word exec it is a
// process.
func (in scriptIn) wantCode(args []string) {
	want, args := in.number(args[0]), args[1:]
	var got int
	if args[0] == "winnow" {
		r := in.winnow(args[1:]...)
		in.Stdout().Write(r.Stdout)
		in.Stderr().Write(r.Stderr)
		if got = int(r.Code); got != 0 || got != want {
			in.Logf("[stdout]\n%s[stderr]\n%s", r.Stdout, r.Stderr)
		}
	} else {
		if args[0] == "exec" {
			args = args[1:]
		}
		if err := in.Exec(args[0], args[1:]...); err != nil {
			got = in.number(strings.TrimPrefix(err.Error(), "exit status "))
		}
	}
	if got != want {
		in.Fatalf("%s ended with %d, want exit code %d", strings.Join(args, " "), got, want)
	}
}

// winnow runs winnow in the script's host.
func (in scriptIn) winnow(args ...string) result {
	c := in.surroundings()
	c.Args = args
	r, err := in.host.run(c)
	in.Check(err)
	return r
}

// surroundings returns the environment, folder and standard input that the next process of the script would get.
func (in scriptIn) surroundings() command {
	kept := filepath.Join(in.Getenv("WORK"), ".command")
	in.Check(in.Exec("sh", "-c", `cat >"$0.in" && env -0 >"$0.env"`, kept))
	variables := strings.Split(strings.TrimSuffix(in.ReadFile(kept+".env"), "\x00"), "\x00")
	return command{Env: variables, Dir: in.MkAbs("."), Stdin: []byte(in.ReadFile(kept + ".in"))}
}

func (in scriptIn) setIDs([]string) {
	for i, id := range idPattern.FindAll(in.winnow("sessions", "list", "--json").Stdout, -1) {
		in.Setenv(fmt.Sprint("ID", i+1), string(id))
	}
}

func (in scriptIn) waitUntilStored(args []string) {
	for limit := time.Now().Add(terminal.Patience); time.Now().Before(limit); {
		if bytes.Contains(in.winnow("sessions", "show").Stdout, []byte(args[0])) {
			return
		}
	}
	in.Fatalf("%q is never stored", args[0])
}

// writeFixture writes the input file of an importer's fixture: PATH FILE.
func (in scriptIn) writeFixture(args []string) {
	archive, err := txtar.ParseFile(filepath.Join("../session/transfer", args[0]))
	in.Check(err)
	path, data := in.MkAbs(args[1]), archive.Files[0].Data
	if !strings.HasSuffix(archive.Files[0].Name, ".sql") {
		in.Check(os.WriteFile(path, data, 0o600))
		return
	}
	db, err := sql.Open("sqlite3", path)
	in.Check(err)
	defer db.Close()
	_, err = db.Exec(string(data))
	in.Check(err)
}
