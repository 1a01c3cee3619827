package mcp

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// However a stream is cut into pieces, exactly the lines that can be messages are passed on, and the others are kept.
func TestOnlyMessagesArePassedOn(t *testing.T) {
	t.Parallel()
	stray := rapid.SampledFrom([]string{
		"", "Server is running!", "[12:00] {not json", `"jsonrpc"`, `{"level":30,"msg":"listening"}`,
		strings.Repeat("x", 100_000),
	})
	rapid.Check(t, func(t *rapid.T) {
		var stream, messages, others strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			line, kept := stray.Draw(t, "stray")+"\n", &others
			if rapid.Bool().Draw(t, "a message") {
				text := strings.Repeat("0123456789", rapid.SampledFrom([]int{0, 1, 20_000}).Draw(t, "length"))
				line, kept = fmt.Sprintf(`{"result":%q,"jsonrpc":"2.0","id":1}`+"\r\n", text), &messages
			}
			stream.WriteString(line)
			kept.WriteString(line)
		}
		var kept strings.Builder
		reader := &messageReader{lines: bufio.NewReaderSize(iotest.HalfReader(strings.NewReader(stream.String())),
			1<<10), stray: &kept}
		passed, err := io.ReadAll(reader)
		if err != nil || string(passed) != messages.String() || kept.String() != others.String() {
			t.Fatalf("%.300q became %.300q and %.300q, %v", stream.String(), passed, kept.String(), err)
		}
	})
}

// No two tools of any servers have the same full name.
func TestFullNamesAreUnique(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	name := rapid.OneOf(rapid.StringMatching(`[ab_.]{1,6}`), rapid.StringMatching(`[ab_]{28,70}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		whose := map[string]string{}
		for range rapid.IntRange(1, 12).Draw(t, "tools") {
			server, own := name.Draw(t, "server"), name.Draw(t, "tool")
			full := fullName(keyOf(server), own, false)
			if !allowed.MatchString(full) {
				t.Fatalf("%q of %q is called %q", own, server, full)
			}
			if was, taken := whose[full]; taken && was != server+"\x00"+own {
				t.Fatalf("%q is %q and %q of %q", full, was, own, server)
			}
			whose[full] = server + "\x00" + own
		}
	})
}

func TestFilesOfOtherClientsAreRead(t *testing.T) {
	t.Parallel()
	servers, err := ReadClientFile("mcp.json", []byte("\xef\xbb\xbf"+`{
		// VS Code's form, with comments
		"inputs": [{"id": "token"}],
		"servers": {
			"files": {"type": "stdio", "command": "npx", "args": ["-y", "files", "${workspaceFolder}"], "env": {"LEVEL": 3, "NONE": null}, "cwd": "/tmp"},
			"web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"},}, /* and a comma */
		},
		"mcpServers": {"desktop": {"command": "python", "disabled": true}}
	}`))
	want := []Server{
		{
			Name: "desktop", From: "mcp.json", Command: "python", Env: map[string]string{}, Headers: map[string]string{},
			Disabled: true,
		},
		{
			Name: "files", From: "mcp.json", Command: "npx", Args: []string{"-y", "files", "${workspaceFolder}"},
			Env: map[string]string{"LEVEL": "3"}, Dir: "/tmp", Headers: map[string]string{},
		},
		{
			Name: "web", From: "mcp.json", URL: "https://example.com/mcp", Env: map[string]string{},
			Headers: map[string]string{"Authorization": "Bearer ${env:TOKEN}"},
		},
	}
	if err != nil || !reflect.DeepEqual(servers, want) {
		t.Errorf("read %+v, %v", servers, err)
	}
	for text, want := range map[string]string{
		"{\n\"servers\": {\n\"a\": 5}}": "line 3: ",
		"{\n\"servers\": {\n":           "line 3: ",
		`{"other": {}}`:                 `neither "mcpServers" nor "servers"`,
		`[]`:                            "line 1: ",
		``:                              "line 1: ",
	} {
		if _, err := ReadClientFile("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestVariablesAreReplaced(t *testing.T) {
	t.Parallel()
	look := Lookup{
		Variable: func(name string) string { return map[string]string{"A": "one", "B": "${A}"}[name] },
		Folder:   "/work", Home: "/home/me",
	}
	for text, want := range map[string]string{
		"plain": "plain", "${A}": "one", "x${A}y${B}z": "xoney${A}z", "${env:A}": "one", "${NO:-default}": "default",
		"${A:-default}":        "one",
		"${workspaceFolder}/x": "/work/x", "${userHome}": "/home/me", "$A {A} $": "$A {A} $", "${A": "${A", "": "",
		"${NO}":              "the environment variable NO is not set",
		"${input:api-token}": `it needs the input "api-token", which winnow cannot ask for; replace it by ${API-TOKEN} and set that environment variable`,
	} {
		s, used := Server{Args: []string{text}, Env: map[string]string{"V": text}}.Expand(look)
		if err := s.Fault; err != nil {
			if err.Error() != want {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
			continue
		}
		if s.Args[0] != want || s.Env["V"] != want || strings.HasPrefix(text, "${A") && strings.Contains(text, "}") &&
			(len(used) == 0 || used[0] != "A") {
			t.Errorf("%q became %q and %q with %q, want %q", text, s.Args[0], s.Env["V"], used, want)
		}
	}
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Server{
		"npx -y x":                     {Command: "npx", Args: []string{"-y", "x"}},
		"https://a.example/mcp":        {URL: "https://me:pw@a.example/mcp?key=1#x"},
		"an address that is not a URL": {URL: ":"},
	} {
		if got := s.Address(); got != want {
			t.Errorf("Address() = %q, want %q", got, want)
		}
	}
	lost := fmt.Errorf("standalone SSE stream: %w", &url.Error{
		Op: "Get", URL: "https://a.example/mcp?key=1",
		Err: io.EOF,
	})
	if got, want := unreadable(lost).Error(), "its answer cannot be read: standalone SSE stream: EOF"; got != want {
		t.Errorf("an error of a request is %q, want %q", got, want)
	}
}
