package config

import (
	"maps"
	"slices"
	"time"

	"winnow/llm/mcp"
	"winnow/llm/tool"
)

// MCPServer is one [mcp_servers.NAME] table.
type MCPServer struct {
	Command string            `toml:"command"` // the program
	Args    []string          `toml:"args"`
	Env     map[string]string `toml:"env"`     // more variables of its environment
	Cwd     string            `toml:"cwd"`     // the folder that it starts in; "" is winnow's own
	URL     string            `toml:"url"`     // of a server that is asked by HTTP, in place of command
	Headers map[string]string `toml:"headers"` // of each request

	Enabled        *bool                      `toml:"enabled"`                       // nil is true
	StartupTimeout int                        `toml:"startup_timeout"`               // seconds; 0 is 30
	ToolTimeout    int                        `toml:"tool_timeout"`                  // seconds; 0 is 120
	MaxResult      int                        `toml:"max_result"`                    // bytes kept; 0 is that of [tools]
	Approve        tool.Permission            `toml:"approve" takes:"off ask allow"` // of the other tools
	Tools          map[string]tool.Permission `toml:"tools" takes:"off ask allow"`
}

// addresses says that the table itself says where the server is.
func (s MCPServer) addresses() bool { return s.Command != "" || s.URL != "" }

// Servers lists the MCP servers: those of the tables, and those of other clients' files. Where both name one, the table
// counts; a table without an address says more of a file's server. Their texts are not expanded.
func (c Config) Servers(files []mcp.Server) []mcp.Server {
	byName := map[string]mcp.Server{}
	for _, s := range slices.Backward(files) { // The first file that names a server counts.
		byName[s.Name] = s
	}
	for name, table := range c.MCPServers {
		s := mcp.Server{Name: name}
		if there, named := byName[name]; named && !table.addresses() {
			s = there
		}
		if table.addresses() {
			s.Command, s.Args, s.Dir, s.URL = table.Command, table.Args, table.Cwd, table.URL
		}
		s.Env, s.Headers = merged(s.Env, table.Env), merged(s.Headers, table.Headers)
		if table.Enabled != nil {
			s.Disabled = !*table.Enabled
		}
		s.StartupTimeout = time.Duration(table.StartupTimeout) * time.Second
		s.ToolTimeout = time.Duration(table.ToolTimeout) * time.Second
		s.MaxResult, s.Approve, s.Tools = table.MaxResult, table.Approve, table.Tools
		byName[name] = s
	}
	var out []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return all
}
