package config

import (
	"reflect"
	"testing"
	"time"

	"winnow/llm/mcp"
	"winnow/llm/tool"
)

// ${NAME} in the settings of a server is replaced by an environment variable. Its value is not expanded again.
func TestServersAreExpanded(t *testing.T) {
	t.Parallel()
	c, mistakes := Decode("c.toml", []byte(`
[mcp_servers.own]
url = "https://${HOST:-example.com}/mcp"
headers = {A = "Bearer ${TOKEN}"}
tool_timeout = 5
[mcp_servers.program]
command = "${HOST:-npx}"
args = ["${TOKEN}", "${MISSING}"]
approve = "off"
tools = {read = "allow"}
enabled = false
`))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	got, used := c.ResolveMCPServers(func(name string) string { return map[string]string{"TOKEN": "${HOST}"}[name] })
	if fault := got[1].Fault; fault == nil || fault.Error() != "the environment variable MISSING is not set" {
		t.Errorf("the fault is %v", fault)
	}
	got[1].Fault = nil
	none := map[string]string{}
	want := []mcp.Server{
		{
			Name: "own", URL: "https://example.com/mcp", Env: none, Headers: map[string]string{"A": "Bearer ${HOST}"},
			ToolTimeout: 5 * time.Second, Shown: got[0].Shown,
		},
		{
			Name: "program", Command: "npx", Args: []string{"${HOST}", ""}, Env: none, Headers: none, Disabled: true,
			Approve: tool.Off, Tools: map[string]tool.Permission{"read": tool.Allow},
			Shown: "${HOST:-npx} ${TOKEN} ${MISSING}",
		},
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(used, map[string]string{"TOKEN": "${HOST}"}) {
		t.Errorf("got\n%+v\nwant\n%+v\nused %v", got, want, used)
	}
}
