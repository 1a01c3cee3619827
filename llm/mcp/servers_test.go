package mcp

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/llm/tool"
)

// started starts servers and waits for them.
func started(t *testing.T, configured ...ServerConfig) *Servers {
	t.Helper()
	m := unstarted(t, configured...)
	news(t, m)
	return m
}

// unstarted returns servers, and checks at the end of the test that no process is left.
func unstarted(t *testing.T, configured ...ServerConfig) *Servers {
	t.Helper()
	mark := fmt.Sprintf("WINNOW_TEST_MCP_RUN=%s-%d", t.Name(), time.Now().UnixNano())
	for i := range configured {
		if configured[i].Env != nil {
			name, value, _ := strings.Cut(mark, "=")
			configured[i].Env[name] = value
		}
	}
	m := NewServers("test", configured...)
	t.Cleanup(func() {
		m.Close()
		if left := processesWith(t, mark); len(left) > 0 {
			t.Errorf("processes are left: %q", left)
		}
	})
	return m
}

// processesWith lists the running processes with a variable in their environment, after waiting for those that are
// being killed.
func processesWith(t *testing.T, variable string) (left []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	for range 100 {
		left = nil
		files, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(variable)) {
				left = append(left, file)
			}
		}
		if left == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
}

// call calls a tool by its full name.
func call(t *testing.T, m *Servers, name, arguments string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	text, _ := tool.Set{Boxes: m.Toolboxes()}.Run(ctx, name, arguments)
	return text
}

// until waits for a wanted state of the first server.
func until(t *testing.T, m *Servers, wanted func(ServerStatus) bool) ServerStatus {
	t.Helper()
	for timeout := time.After(2 * time.Minute); ; {
		changed := m.Changed()
		s := m.Statuses()[0]
		if wanted(s) {
			return s
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("the server is %q (%v) for too long: %+v", s.State, s.Err, s)
		}
	}
}

func offered(m *Servers) (names []string) {
	for _, t := range (tool.Set{Boxes: m.Toolboxes()}).Tools() {
		names = append(names, t.Name)
	}
	return names
}

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference")

// TestServers starts each server of servers.txtar and describes its status, its lists and the results of its calls.
// Whatever a server does, its other tool can be called afterwards.
func TestServers(t *testing.T) {
	archive := txtar.Parse(serversFile)
	t.Run("all", func(t *testing.T) {
		for i, f := range archive.Files {
			kind, used := strings.CutSuffix(f.Name, ": used")
			if !used {
				continue
			}
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				got := useOf(t, kind, scriptOf(kind)["used"])
				if !*update && got != string(f.Data) {
					t.Errorf("got\n%s\nwant\n%s", got, f.Data)
				}
				archive.Files[i].Data = []byte(got)
			})
		}
	})
	if *update {
		if err := os.WriteFile("testdata/servers.txtar", txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// useOf describes the use of a server according to the lines of its script.
func useOf(t *testing.T, kind string, lines []string) string {
	s := serverOf(t, kind)
	s.ToolPermissions = map[string]tool.Permission{}
	var calls [][]string
	for _, line := range lines {
		words := strings.Fields(line)
		switch words[0] {
		case "startup":
			s.StartupTimeout, _ = time.ParseDuration(words[1])
		case "tool":
			s.ToolTimeout, _ = time.ParseDuration(words[1])
		case "allow":
			s.DefaultPermission = tool.Allow
		case "ask":
			s.ToolPermissions[words[1]] = tool.Ask
		default:
			calls = append(calls, append(words, ""))
		}
	}
	m := started(t, s)
	status := until(t, m, func(s ServerStatus) bool { return s.Listed || s.State != Ready })
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q: %v\n", status.State, status.Title, status.Err)
	for _, t := range status.Tools {
		if t.OriginalName, t.Description = shortened(t.OriginalName), shortened(t.Description); t.Timeout != s.ToolTimeout+time.Second {
			t.Note += fmt.Sprint("; waited for: ", t.Timeout)
		}
		fmt.Fprintf(&b, "%q of %s is %s, offered %t, %q %q: %q %s %s\n", t.OriginalName, t.Server, t.Name, t.Offered, t.Configured, t.Default, t.Description, t.Parameters, t.Note)
	}
	for _, p := range status.Prompts {
		fmt.Fprintf(&b, "prompt %s(%s, required %t)\n", p.Name, p.Arguments[0].Name, p.Arguments[0].Required)
	}
	for _, r := range status.Resources {
		fmt.Fprintf(&b, "resource %s, %d bytes\n", r.URI, r.Size)
	}
	if calls == nil {
		for _, name := range offered(m) {
			calls = append(calls, []string{"call", name, "{}"})
		}
	}
	for _, c := range calls {
		var text string
		var err error
		switch c[0] {
		case "call":
			// Which goroutine of the SDK notices the end of a connection first is random.
			text = strings.ReplaceAll(call(t, m, c[1], c[2]), `calling "tools/call": `, "")
		case "prompt":
			text, err = m.GetPrompt(t.Context(), kind, c[1], map[string]string{"name": c[2]})
		case "read":
			text, err = m.ReadResource(t.Context(), kind, c[1])
		}
		fmt.Fprintf(&b, "%s: %q %v\n", strings.TrimSpace(strings.Join(c, " ")), text, err)
	}
	return b.String()
}

// shortened replaces a long text by its length.
func shortened(text string) string {
	if len(text) > 200 {
		return fmt.Sprintf("%.20s… of %d bytes", text, len(text))
	}
	return text
}

// The program is looked up in the PATH of the server's environment.
func TestAProgramIsFoundOnThePathOfItsServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program := []byte("#!/bin/sh\necho error 5\nexit 3\n")
	if err := os.WriteFile(filepath.Join(folder, "winnow-only-there"), program, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"winnow-no-such-program": "the program winnow-no-such-program is not found",
		"winnow-only-there":      "it ended (exit status 3); it printed: error 5",
	} {
		m := started(t, ServerConfig{Name: "s", Command: name, Env: map[string]string{"PATH": folder}})
		if s := m.Statuses()[0]; s.State != Failed || fmt.Sprint(s.Err) != want {
			t.Errorf("%s is %s: %v; want failed: %s", name, s.State, s.Err, want)
		}
	}
}

// A server that has exited is restarted when it is needed. One that cannot be restarted stays out of use until the user
// restarts it.
func TestAServerThatEndedIsStartedWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "mayfly"))
	for range 2 {
		until(t, m, func(s ServerStatus) bool { return s.State == Ended })
		if got := news(t, m); !strings.Contains(got, "the MCP server mayfly was started again: it ended") {
			t.Errorf("said %q", got)
		}
	}
	until(t, m, func(s ServerStatus) bool { return s.State == Ended })
	m.all[0].config.Command = "winnow-no-such-program"
	want := "error: the MCP server mayfly is not in use: the program winnow-no-such-program is not found"
	if got := call(t, m, "mayfly__ok", `{}`); got != want {
		t.Errorf("the call gave %q, want %q", got, want)
	}
	if got := call(t, m, "mayfly__ok", `{}`); !strings.HasPrefix(got, "error: no such tool") {
		t.Errorf("a call of a server that failed: %q", got)
	}
	if err := m.Restart("mayfly"); err != nil {
		t.Fatal(err)
	}
	if got := news(t, m); !strings.Contains(got, "is not in use") {
		t.Errorf("said %q", got)
	}
}

// news returns the sentences of Prepare.
func news(t *testing.T, m *Servers) string {
	t.Helper()
	var said []string
	if err := m.Prepare(t.Context(), func(s string) { said = append(said, s) }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(said, "; ")
}

func TestARestartByTheUser(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "honest"))
	if err := m.Restart("honest"); err != nil {
		t.Fatal(err)
	}
	if got := call(t, m, "honest__add", `{"a":1,"b":1}`); got != "2" {
		t.Errorf("got %q", got)
	}
	if got, want := news(t, m), "the MCP server honest was started again: restarted by the user"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if err := m.Restart("other"); err == nil {
		t.Error("a server that is not there was restarted")
	}
}

func TestAChangedListIsFollowed(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "changing"))
	call(t, m, "changing__change", `{}`)
	until(t, m, func(s ServerStatus) bool {
		return slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.OriginalName == "new" })
	})
	want := []string{"changing__add", "changing__change", "changing__new", "changing__parts"}
	if got := offered(m); !slices.Equal(got, want) {
		t.Errorf("offered: %q, want %q", got, want)
	}
	if got := call(t, m, "changing__new", ""); got != "I am new" {
		t.Errorf("got %q", got)
	}
}

// Neither a stubborn program nor its children survive Close.
func TestEveryProcessEnds(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "stubborn"))
	if got := call(t, m, "stubborn__ok", "{}"); got != "fine" {
		t.Errorf("got %q", got)
	}
	began := time.Now()
	m.Close()
	if took := time.Since(began); took < closeGrace {
		t.Errorf("it had only %s to end", took)
	}
	if s := m.Statuses()[0]; s.State != Ended || len(offered(m)) > 0 {
		t.Errorf("it is %s and offers %q", s.State, offered(m))
	}
}

func TestNothingStartsBeforeItIsNeeded(t *testing.T) {
	t.Parallel()
	off := serverOf(t, "honest")
	off.Name, off.Disabled = "off", true
	m := NewServers("test", serverOf(t, "honest"), off)
	if err := m.Restart("off"); err == nil {
		t.Error("a server that is off was started")
	}
	m.Close()
	m.Start()
	if s := m.Statuses(); len(s) != 2 || s[0].State != NotStarted || s[1].State != Disabled {
		t.Errorf("%+v", s)
	}
}

func TestPrepareSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	mute, quits := serverOf(t, "mute"), serverOf(t, "quits")
	mute.StartupTimeout = silentWait + time.Second
	m := NewServers("test", quits, mute, serverOf(t, "honest"))
	defer m.Close()
	want := "waiting for MCP servers to start: mute; " +
		"the MCP server quits is not in use: it ended (exit status 3); it printed: " +
		"reading the configuration / Error: the variable TOKEN is missing / Node.js v20; " +
		"the MCP server mute is not in use: it did not answer within 1.4s"
	// On a slow machine the other two may still be starting at that time.
	if got := strings.NewReplacer("start: quits, ", "start: ", "mute, honest;", "mute;").Replace(news(t, m)); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	other := NewServers("test", serverOf(t, "mute"))
	defer other.Close()
	if err := other.Prepare(stopped, func(string) {}); err == nil {
		t.Error("a stopped Prepare waits")
	}
}
