package config

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"winnow/llm"
	"winnow/llm/mcp"
	"winnow/llm/tool"
	"winnow/ui/theme"
)

// MCPServer is one [mcp_servers.NAME] table.
type MCPServer struct {
	Command string            `toml:"command"` // the program
	Args    []string          `toml:"args"`
	Env     map[string]string `toml:"env"`     // more variables of its environment
	Cwd     string            `toml:"cwd"`     // the folder that it starts in; "" is winnow's own
	URL     string            `toml:"url"`     // of a server that is asked by HTTP, in place of command
	Headers map[string]string `toml:"headers"` // of each request

	Enabled        *bool `toml:"enabled"`         // nil is true
	StartupTimeout int   `toml:"startup_timeout"` // seconds; 0 is 30
	ToolTimeout    int   `toml:"tool_timeout"`    // seconds; 0 is 120
	MaxResult      int   `toml:"max_result"`      // bytes of a result that are kept; 0 is that of [tools]
	// off, ask or allow, for the tools that are not in tools; "" is ask
	Approve string            `toml:"approve"`
	Tools   map[string]string `toml:"tools"` // the same by tool
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
		s.MaxResult, s.Approve = table.MaxResult, tool.Permission(table.Approve)
		s.Tools = make(map[string]tool.Permission, len(table.Tools))
		for own, permission := range table.Tools {
			s.Tools[own] = tool.Permission(permission)
		}
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

// checkServer finds what is wrong with a server's table. Where other files name servers too, it needs no address.
func checkServer(name string, s MCPServer, files bool, add func(path, format string, args ...any)) {
	table := "mcp_servers." + name
	u, err := url.Parse(s.URL)
	switch {
	case name == "":
		add("mcp_servers", "has a table without a name")
	case !s.addresses() && !files:
		add(table, "has neither command nor url; set one of them")
	case s.Command != "" && s.URL != "":
		add(table, "has both command and url; use only one of them")
	case s.URL != "" && !strings.Contains(s.URL, "${") &&
		(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		add(table+".url", "is %q; must be an address such as https://example.com/mcp", s.URL)
	case s.Command == "" && len(s.Args) > 0:
		add(table+".args", "needs a command")
	case s.Command != "" && len(s.Headers) > 0:
		add(table+".headers", "applies to a url only; use env with a command")
	case s.URL != "" && len(s.Env) > 0:
		add(table+".env", "applies to a command only; use headers with a url")
	}
	number := func(key string, got int, unit string) {
		if got < 0 {
			add(table+"."+key, "is %d; must be %s, or 0 for the default", got, unit)
		}
	}
	number("startup_timeout", s.StartupTimeout, "seconds")
	number("tool_timeout", s.ToolTimeout, "seconds")
	number("max_result", s.MaxResult, "bytes")
	if s.MaxResult > mcp.MostResult {
		add(table+".max_result", "is %d; must be at most %d", s.MaxResult, mcp.MostResult)
	}
	permission := func(path, got string) {
		if !slices.Contains(tool.Permissions(), got) {
			add(path, "is %q; must be %s%s", got, theme.Choices(tool.Permissions()),
				llm.DidYouMean(got, tool.Permissions()))
		}
	}
	if s.Approve != "" {
		permission(table+".approve", s.Approve)
	}
	for _, own := range slices.Sorted(maps.Keys(s.Tools)) {
		permission(table+".tools."+own, s.Tools[own])
	}
}
