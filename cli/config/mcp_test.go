package config

import (
	"reflect"
	"testing"
	"time"

	"winnow/llm/mcp"
	"winnow/llm/tool"
)

// A table goes before another client's file, and one without an address says more of the file's server.
func TestServersOfTablesAndFiles(t *testing.T) {
	t.Parallel()
	c, mistakes := Decode("c.toml", []byte(`
[tools]
mcp_files = ["f.json"]
[mcp_servers.own]
url = "https://example.com/mcp"
headers = {A = "1"}
tool_timeout = 5
[mcp_servers.named]
approve = "off"
tools = {read = "allow"}
env = {B = "2"}
max_result = 7
[mcp_servers.replaced]
command = "mine"
[mcp_servers.off]
enabled = false
[mcp_servers.absent]
enabled = true
`))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	got := c.Servers([]mcp.Server{
		{Name: "named", From: "f.json", Command: "npx", Env: map[string]string{"A": "1"}, Headers: map[string]string{}},
		{Name: "replaced", From: "f.json", Command: "theirs", Args: []string{"x"}},
		{Name: "off", From: "f.json", Command: "off"},
		{Name: "zz", From: "f.json", Command: "zz", Disabled: true},
		{Name: "zz", From: "g.json", Command: "later"},
	})
	none := map[string]string{}
	want := []mcp.Server{
		{Name: "absent", Env: none, Headers: none},
		{
			Name: "named", From: "f.json", Command: "npx", Env: map[string]string{"A": "1", "B": "2"}, Headers: none,
			MaxResult: 7, Approve: tool.Off, Tools: map[string]tool.Permission{"read": tool.Allow},
		},
		{Name: "off", From: "f.json", Command: "off", Env: none, Headers: none, Disabled: true},
		{
			Name: "own", URL: "https://example.com/mcp", Env: none, Headers: map[string]string{"A": "1"},
			ToolTimeout: 5 * time.Second,
		},
		{Name: "replaced", Command: "mine", Env: none, Headers: none},
		{Name: "zz", From: "f.json", Command: "zz", Disabled: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
