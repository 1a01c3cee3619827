package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// However a stream is cut into pieces, its lines are the same, and of a line that is too long the id is found.
func TestLinesAreReadInBoundedMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const limit = 50
		var stream strings.Builder
		var want []string
		for range rapid.IntRange(0, 5).Draw(t, "lines") {
			if !rapid.Bool().Draw(t, "a message") {
				text := rapid.StringMatching(`[a-z{}":, ]{0,120}`).Draw(t, "text")
				stream.WriteString(text + "\n")
				if len(text)+1 > limit {
					want = append(want, "long")
				} else {
					want = append(want, text)
				}
				continue
			}
			message := map[string]any{"id": rapid.IntRange(0, 99).Draw(t, "id"), "params": map[string]any{"id": "inner", "a": []any{"}", `"`, `\`}}, "text": strings.Repeat(`"\{`, 20)}
			data, err := json.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			stream.Write(append(data, '\r', '\n'))
			want = append(want, fmt.Sprintf("long %v", message["id"]))
		}
		reader := newLineReader(iotest.OneByteReader(strings.NewReader(stream.String())), limit)
		var got []string
		for {
			l, err := reader.next()
			if errors.Is(err, io.EOF) {
				break
			}
			switch {
			case err != nil:
				t.Fatal(err)
			case l.id != nil:
				got = append(got, "long "+string(l.id))
			case l.long:
				got = append(got, "long")
			default:
				got = append(got, string(l.text))
			}
		}
		for i := range want { // Words that are no JSON may hold something that looks like an id.
			if want[i] == "long" && i < len(got) && strings.HasPrefix(got[i], "long") {
				got[i] = "long"
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("lines %q, want %q", got, want)
		}
	})
}

// Whatever a server writes, the filter lets through only what the SDK can read.
func TestTheFilterPassesMessagesOnly(t *testing.T) {
	t.Parallel()
	f := &filter{log: slog.New(slog.DiscardHandler)}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes")
		if rapid.Bool().Draw(t, "object") {
			text = append(append([]byte(`{"jsonrpc":"2.0","id":1,"result":"`), text...), `"}`...)
		}
		passed, msg := f.judge(bytes.Clone(text))
		if (passed == nil) != (msg == nil) || passed != nil && !json.Valid(passed) {
			t.Fatalf("%q became %q, %v", text, passed, msg)
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
		{Name: "desktop", From: "mcp.json", Command: "python", Env: map[string]string{}, Headers: map[string]string{}, Disabled: true},
		{Name: "files", From: "mcp.json", Command: "npx", Args: []string{"-y", "files", "${workspaceFolder}"}, Env: map[string]string{"LEVEL": "3"}, Dir: "/tmp", Headers: map[string]string{}},
		{Name: "web", From: "mcp.json", URL: "https://example.com/mcp", Env: map[string]string{}, Headers: map[string]string{"Authorization": "Bearer ${env:TOKEN}"}},
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
	look := Lookup{Variable: func(name string) string { return map[string]string{"A": "one", "B": "${A}"}[name] }, Folder: "/work", Home: "/home/me"}
	for text, want := range map[string]string{
		"plain": "plain", "${A}": "one", "x${A}y${B}z": "xoney${A}z", "${env:A}": "one", "${NO:-default}": "default", "${A:-default}": "one",
		"${workspaceFolder}/x": "/work/x", "${userHome}": "/home/me", "$A {A} $": "$A {A} $", "${A": "${A", "": "",
		"${NO}": "the environment variable NO is not set", "${input:api-token}": `it needs the input "api-token", which winnow cannot ask for; replace it by ${API-TOKEN} and set that environment variable`,
	} {
		s, used := Server{Args: []string{text}, Env: map[string]string{"V": text}}.Expand(look)
		if err := s.Fault; err != nil {
			if err.Error() != want {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
			continue
		}
		if s.Args[0] != want || s.Env["V"] != want || strings.HasPrefix(text, "${A") && strings.Contains(text, "}") && (len(used) == 0 || used[0] != "A") {
			t.Errorf("%q became %q and %q with %q, want %q", text, s.Args[0], s.Env["V"], used, want)
		}
	}
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Server{"npx -y x": {Command: "npx", Args: []string{"-y", "x"}}, "https://a.example/mcp": {URL: "https://me:pw@a.example/mcp?key=1#x"}, "an address that is not a URL": {URL: ":"}} {
		if got := s.Address(); got != want {
			t.Errorf("Address() = %q, want %q", got, want)
		}
	}
}
