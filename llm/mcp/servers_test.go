package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/llm/tool"
)

// started starts servers and waits for them. What they have to say at once is dropped.
func started(t *testing.T, configured ...Server) *Servers {
	t.Helper()
	m := unstarted(t, configured...)
	news(t, m)
	return m
}

// unstarted makes servers, and checks in the end that no process is left.
func unstarted(t *testing.T, configured ...Server) *Servers {
	t.Helper()
	mark := fmt.Sprintf("WINNOW_TEST_MCP_RUN=%s-%d", t.Name(), time.Now().UnixNano())
	for i := range configured {
		if configured[i].Env != nil {
			name, value, _ := strings.Cut(mark, "=")
			configured[i].Env[name] = value
		}
	}
	m := New("test", configured...)
	t.Cleanup(func() {
		m.Close()
		if left := processesWith(t, mark); len(left) > 0 {
			t.Errorf("processes are left: %q", left)
		}
	})
	return m
}

// processesWith lists the running processes that have a variable in their environment. It waits for those that
// were killed a moment ago.
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

// call calls a tool by its full name, as a session does.
func call(t *testing.T, m *Servers, name, arguments string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	text, _ := tool.Set{Boxes: m.Boxes()}.Run(ctx, name, arguments)
	return text
}

// until waits for a change of a server that makes it as wanted.
func until(t *testing.T, m *Servers, wanted func(Status) bool) Status {
	t.Helper()
	for timeout := time.After(2 * time.Minute); ; {
		changed := m.Changed()
		s := m.List()[0]
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
	for _, t := range (tool.Set{Boxes: m.Boxes()}).Tools() {
		names = append(names, t.Name)
	}
	return names
}

func TestAnHonestServerIsUsed(t *testing.T) {
	t.Parallel()
	s := serverOf(t, "honest")
	s.Approve, s.Tools = tool.Allow, map[string]tool.Permission{"parts": tool.Ask}
	m := started(t, s)
	if got, want := offered(m), []string{"honest__parts", "honest__add", "honest__fail"}; !slices.Equal(got, want) {
		t.Errorf("offered: %q, want %q", got, want)
	}
	for _, c := range []struct{ tool, arguments, want string }{
		{"honest__add", `{"a":2,"b":3}`, "5"},
		{
			"honest__add", `{"a":1}`,
			`error: validating "arguments": validating root: required: missing properties: ["b"]`,
		},
		{"honest__fail", ``, "error: the disk is on fire"},
		{
			"honest__parts", `{}`,
			"first\n[image, image/png, 5 bytes, not sent to the model]\n[link to the resource file:///a.txt]\n" +
				"embedded\nlast",
		},
	} {
		if got := call(t, m, c.tool, c.arguments); got != c.want {
			t.Errorf("%s(%s) = %q, want %q", c.tool, c.arguments, got, c.want)
		}
	}
	status := until(t, m, func(s Status) bool { return len(s.Resources) > 0 })
	if parts, add := status.Tools[0], status.Tools[1]; add.Default != tool.Allow || add.Configured != "" ||
		parts.Configured != tool.Ask || parts.Server != "honest" || parts.Timeout <= s.ToolTimeout {
		t.Errorf("permissions: %+v", status.Tools)
	}
	if status.State != Ready || status.Title != "honest-server 1.2.3" || status.Err != nil {
		t.Errorf("status: %+v", status)
	}
	if got := status.Prompts; len(got) != 1 || got[0].Name != "greet" || !got[0].Arguments[0].Required {
		t.Errorf("prompts: %+v", got)
	}
	text, err := m.Prompt(t.Context(), "honest", "greet", map[string]string{"name": "Ada"})
	if err != nil || text != "Say hello to Ada." {
		t.Errorf("prompt: %q, %v", text, err)
	}
	if got := status.Resources; len(got) != 2 || got[0].URI != "memo:one" || got[0].Size != 8 ||
		got[1].URI != "memo:{name}" {
		t.Errorf("resources: %+v", got)
	}
	for uri, want := range map[string]string{"memo:one": "the memo", "memo:two": "read memo:two"} {
		if got, err := m.Read(t.Context(), "honest", uri); got != want || err != nil {
			t.Errorf("Read(%s) = %q, %v; want %q", uri, got, err, want)
		}
	}
}

// Whatever a server does in a call, the call gets a text and the server's other tool can be called afterwards.
func TestABadCallIsAnAnswerAndNoMore(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"banner": `^done$`,
		"dies": `^error: the connection to the MCP server dies ended during the call: it ended \(exit status 7\); ` +
			`it printed: panic: \[31mout of cheese; whether the call took effect is not known$`,
		"large": `^error: the connection .* large ended during the call: it has more than 16 MB; whether`,
		"bytes": "^a\uFFFD+b \x00 \x1b\\[31m \uFFFD$",
		"deep":  `^error: the connection .* deep ended during the call: .*depth`,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			m := started(t, serverOf(t, kind))
			if got := call(t, m, kind+"__work", `{}`); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("the call gave %.300q, want %s", got, want)
			}
			if got := call(t, m, kind+"__ok", `{}`); got != "fine" {
				t.Errorf("the call after it gave %q", got)
			}
		})
	}
}

func TestACallEndsInTimeAndWhenItIsStopped(t *testing.T) {
	t.Parallel()
	s := serverOf(t, "hangs")
	s.ToolTimeout = 100 * time.Millisecond
	m := started(t, s)
	if got, want := call(t, m, "hangs__work", `{}`),
		"error: the MCP server hangs did not answer within 100ms (tool_timeout)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	patient := started(t, serverOf(t, "hangs"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if got, _ := (tool.Set{Boxes: patient.Boxes()}).Run(ctx, "hangs__work", `{}`); !strings.HasPrefix(got,
		"error: stopped before ") {
		t.Errorf("a stopped call gave %q", got)
	}
	if got := call(t, m, "hangs__ok", `{}`); got != "fine" {
		t.Errorf("the call after it gave %q", got)
	}
}

// folderWith is a folder that holds one program.
func folderWith(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\necho error 5\nexit 3\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAServerThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	mute := serverOf(t, "mute")
	mute.StartupTimeout = 200 * time.Millisecond
	talks := serverOf(t, "talks")
	talks.StartupTimeout = 2 * time.Second
	for name, c := range map[string]struct {
		server Server
		want   string
	}{
		"absent": {
			Server{Name: "s", Command: "winnow-no-such-program"},
			"the program winnow-no-such-program is not found",
		},
		"path": {
			Server{Name: "s", Command: "winnow-only-there", Env: map[string]string{"PATH": folderWith(t,
				"winnow-only-there")}},
			"it ended (exit status 3); it printed: error 5",
		},
		"quits": {serverOf(t, "quits"), "it ended (exit status 3); it printed: reading the configuration / Error: " +
			"the variable TOKEN is missing / Node.js v20"},
		"mute": {mute, "it did not answer within 200ms"},
		"talks": {
			talks, "it did not answer within 2s; it printed: " +
				`{"level":30,"msg":"starting"} / Listening on [1mhttp://localhost:8080`,
		},
		"notools": {serverOf(t, "notools"), "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := started(t, c.server)
			s := m.List()[0]
			if s.State != Failed || s.Err == nil || !strings.Contains(s.Err.Error(), c.want) {
				t.Errorf("the server is %s: %v; want failed: %s", s.State, s.Err, c.want)
			}
			if len(offered(m)) > 0 {
				t.Errorf("it offers %q", offered(m))
			}
		})
	}
}

// A server that ends is started when it is needed, once for each request, and one that does not start any more is not
// in use until the user starts it.
func TestAServerThatEndedIsStartedWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "mayfly"))
	for range 2 {
		until(t, m, func(s Status) bool { return s.State == Ended })
		if got := news(t, m); !strings.HasPrefix(got, "the MCP server mayfly was started again: it ended") {
			t.Errorf("said %q", got)
		}
	}
	until(t, m, func(s Status) bool { return s.State == Ended })
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

// news is what Prepare says.
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
	until(t, m, func(s Status) bool {
		return slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.Own == "new" })
	})
	want := []string{"changing__add", "changing__change", "changing__new", "changing__parts"}
	if got := offered(m); !slices.Equal(got, want) {
		t.Errorf("offered: %q, want %q", got, want)
	}
	if got := call(t, m, "changing__new", ""); got != "I am new" {
		t.Errorf("got %q", got)
	}
}

// Nothing of the conversation, the model or the machine is there for a server to ask for.
func TestAServerGetsNothingThatItAsksFor(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "nosy"))
	got := call(t, m, "nosy__work", `{}`)
	want := regexp.MustCompile(`^"e"\{"code":-?\d+,"message":"client does not support elicitation"\} ` +
		`"r"\{"roots":\[\]\} "s"\{"code":-?\d+,"message":"client does not support CreateMessage"\} capabilities\{.*\}$`)
	if !want.MatchString(got) || strings.Contains(got, "sampling") || strings.Contains(got, `"elicitation":`) {
		t.Errorf("got %s", got)
	}
}

func TestNamesAreSafeAndUnique(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "names"))
	allowed := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	tools := tool.Set{Boxes: m.Boxes()}.Tools()
	if len(tools) != 8 {
		t.Errorf("%d tools are offered, want 8: %q", len(tools), offered(m))
	}
	for _, tool := range tools {
		if !allowed.MatchString(tool.Name) {
			t.Errorf("the name %q is not allowed", tool.Name)
		}
		if strings.ContainsAny(tool.Description, "\x00\x1b\U000E0041") || !json.Valid(tool.Parameters) {
			t.Errorf("%q is described as %q", tool.Name, tool.Description)
		}
		if got := call(t, m, tool.Name, "{}"); got != "done" {
			t.Errorf("%s gave %q", tool.Name, got)
		}
	}
	s := m.List()[0]
	if strings.ContainsAny(s.Title, "\x1b\x07") {
		t.Errorf("the title is %q", s.Title)
	}
	if n := len(s.Tools); n != 10 || s.Tools[1].Note != "the server lists another tool with this name" ||
		s.Tools[6].Note != "it has no name" {
		t.Errorf("the tools are %+v", s.Tools)
	}
}

func TestSchemasAreWhatServersOfModelsTake(t *testing.T) {
	t.Parallel()
	m := started(t, serverOf(t, "schemas"))
	for _, got := range m.List()[0].Tools {
		want, note := anyObject, ""
		switch got.Own {
		case "array", "text", "none", "dangling", "wrong":
			note = "is not valid"
		case "either": // Its alternatives are left out.
		case "huge":
			want, note = "", "at most 65536 are sent"
		case "wordy":
			if len(got.Description) > mostDescription+len("…") {
				t.Errorf("its description has %d bytes", len(got.Description))
			}
		}
		if string(got.Parameters) != want || !strings.Contains(got.Note, note) || (note == "") != (got.Note == "") {
			t.Errorf("%s: %s, %q; want %s, %q", got.Own, got.Parameters, got.Note, want, note)
		}
		if got.Offered != (got.Own != "huge") {
			t.Errorf("%s is offered: %v", got.Own, got.Offered)
		}
	}
}

// Neither a program that does not want to end nor its children outlive winnow.
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
	if s := m.List()[0]; s.State != Ended || len(offered(m)) > 0 {
		t.Errorf("it is %s and offers %q", s.State, offered(m))
	}
}

func TestNothingStartsBeforeItIsNeeded(t *testing.T) {
	t.Parallel()
	off := serverOf(t, "honest")
	off.Name, off.Disabled = "off", true
	m := New("test", serverOf(t, "honest"), off)
	if err := m.Restart("off"); err == nil {
		t.Error("a server that is off was started")
	}
	m.Close()
	m.Start()
	if s := m.List(); len(s) != 2 || s[0].State != Idle || s[1].State != Disabled {
		t.Errorf("%+v", s)
	}
}

func TestPrepareSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	mute, quits := serverOf(t, "mute"), serverOf(t, "quits")
	mute.StartupTimeout = silentWait + 200*time.Millisecond
	m := New("test", quits, mute, serverOf(t, "honest"))
	defer m.Close()
	want := "waiting for MCP servers to start: mute; " +
		"the MCP server quits is not in use: it ended (exit status 3); it printed: " +
		"reading the configuration / Error: the variable TOKEN is missing / Node.js v20; " +
		"the MCP server mute is not in use: it did not answer within 600ms"
	// On a slow machine the one that quits may still be starting when the wait is announced.
	if got := strings.Replace(news(t, m), "start: quits, mute;", "start: mute;", 1); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	other := New("test", serverOf(t, "mute"))
	defer other.Close()
	if err := other.Prepare(stopped, func(string) {}); err == nil {
		t.Error("a stopped Prepare waits")
	}
}
