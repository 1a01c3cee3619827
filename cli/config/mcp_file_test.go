package config

import (
	"reflect"
	"strings"
	"testing"

	"winnow/llm/mcp"
)

func TestFilesOfOtherClientsAreRead(t *testing.T) {
	t.Parallel()
	servers, err := ReadMCPFile("mcp.json", []byte("\xef\xbb\xbf"+`{
		// VS Code's form, with comments
		"inputs": [{"id": "token"}],
		"servers": {
			"files": {
				"type": "stdio", "command": "npx", "args": ["-y", "files", "${workspaceFolder}"],
				"env": {"LEVEL": 3, "NONE": null}, "cwd": "/tmp"
			},
			"web": {
				"type": "http", "url": "https://example.com/mcp",
				"headers": {"Authorization": "Bearer ${env:TOKEN}"}, /* and a comma */
			},
		},
		"mcpServers": {"desktop": {"command": "python", "disabled": true}}
	}`))
	want := []mcp.Server{
		{
			Name: "desktop", From: "mcp.json", Command: "python", Env: map[string]string{},
			Headers:  map[string]string{},
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
		if _, err := ReadMCPFile("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
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
		"${NO}": "the environment variable NO is not set",
		"${input:api-token}": `it needs the input "api-token", which winnow cannot ask for; replace it by ` +
			`${API-TOKEN} and set that environment variable`,
	} {
		s, used := Expand(mcp.Server{Args: []string{text}, Env: map[string]string{"V": text}}, look)
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
