package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"winnow/llm/mcp"
	"winnow/llm/tool"
)

// MCPServer is one [mcp_servers.NAME] table.
type MCPServer struct {
	Command string            `toml:"command"` // the program; either this or URL is set
	Args    []string          `toml:"args"`
	Env     map[string]string `toml:"env"`     // additional environment variables of the program
	URL     string            `toml:"url"`     // of a server that is reached over HTTP
	Headers map[string]string `toml:"headers"` // of each HTTP request

	Enabled     *bool                      `toml:"enabled"`                       // nil is true
	ToolTimeout int                        `toml:"tool_timeout"`                  // in seconds; 0 is 120
	Approve     tool.Permission            `toml:"approve" takes:"off ask allow"` // for tools that are not in Tools
	Tools       map[string]tool.Permission `toml:"tools" takes:"off ask allow"`
}

// ResolveMCPServers returns the MCP servers. ${NAME} and ${NAME:-default} in their settings are replaced by environment
// variables, and used contains the values of those. If a variable is not set, Fault of the server is set.
func (c Config) ResolveMCPServers(lookup func(name string) string) (servers []mcp.Server, used map[string]string) {
	used = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		table := c.MCPServers[name]
		s := mcp.Server{
			Name: name, Command: table.Command, Args: table.Args, URL: table.URL,
			Disabled: table.Enabled != nil && !*table.Enabled, Approve: table.Approve, Tools: table.Tools,
			ToolTimeout: time.Duration(table.ToolTimeout) * time.Second,
		}
		s.Shown = s.Address()
		text := func(text string) string {
			return variables.ReplaceAllStringFunc(text, func(found string) string {
				name, fallback, optional := strings.Cut(found[len("${"):len(found)-len("}")], ":-")
				value := lookup(name)
				switch {
				case value != "":
					used[name] = value
				case !optional:
					s.Fault = cmp.Or(s.Fault, fmt.Errorf("the environment variable %s is not set", name))
				}
				return cmp.Or(value, fallback)
			})
		}
		s.Command, s.URL, s.Args = text(s.Command), text(s.URL), slices.Clone(s.Args)
		for i := range s.Args {
			s.Args[i] = text(s.Args[i])
		}
		s.Env, s.Headers = eachValue(table.Env, text), eachValue(table.Headers, text)
		servers = append(servers, s)
	}
	return servers, used
}

var variables = regexp.MustCompile(`\$\{([^}]*)\}`)

// eachValue returns a map with of applied to each value.
func eachValue(all map[string]string, of func(string) string) map[string]string {
	out := make(map[string]string, len(all))
	for name, value := range all {
		out[name] = of(value)
	}
	return out
}
