package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"winnow/llm/mcp"
)

// clientServer is a server in the file of another MCP client.
type clientServer struct {
	Command  string         `json:"command"`
	Args     []string       `json:"args"`
	Env      map[string]any `json:"env"`
	Dir      string         `json:"cwd"`
	URL      string         `json:"url"`
	Headers  map[string]any `json:"headers"`
	Disabled bool           `json:"disabled"`
}

// ReadMCPFile reads the servers of the JSON file in which another client keeps them, by name: Claude Desktop and Cursor
// under mcpServers, VS Code under servers. Comments and commas before a closing bracket are allowed, as VS Code allows
// them. What else a client keeps in its file is passed over.
func ReadMCPFile(path string, doc []byte) (servers []mcp.Server, err error) {
	var file struct {
		MCPServers map[string]clientServer `json:"mcpServers"`
		Servers    map[string]clientServer `json:"servers"`
	}
	doc = jsonc.ToJSON(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))) // It leaves every byte in its place.
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	if err := decoder.Decode(&file); err != nil {
		at := int64(len(doc))
		var syntax *json.SyntaxError
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		} else if errors.As(err, &wrong) {
			at = wrong.Offset
		}
		return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(doc[:at], []byte("\n")), err)
	}
	if file.MCPServers == nil && file.Servers == nil {
		return nil, errors.New(`it has neither "mcpServers" nor "servers"`)
	}
	all := maps.Clone(file.Servers)
	if all == nil {
		all = map[string]clientServer{}
	}
	maps.Copy(all, file.MCPServers)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		servers = append(servers, mcp.Server{
			Name: name, From: path, Command: s.Command, Args: s.Args, Env: written(s.Env), Dir: s.Dir,
			URL: s.URL, Headers: written(s.Headers), Disabled: s.Disabled,
		})
	}
	return servers, nil
}

// written are the values of variables or headers: clients take numbers and booleans too, and null for one that is not
// there.
func written(all map[string]any) map[string]string {
	out := map[string]string{}
	for name, value := range all {
		if value != nil {
			out[name] = fmt.Sprint(value)
		}
	}
	return out
}

// Lookup is what a server's texts are expanded with.
type Lookup struct {
	Variable func(name string) string // "" for one that is not set
	Folder   string                   // the working folder
	Home     string
}

var variables = regexp.MustCompile(`\$\{([^}]*)\}`)

// Expand replaces ${NAME} and ${NAME:-default} in a server's command, arguments, environment, folder, url and headers
// by environment variables. ${env:NAME}, ${workspaceFolder} and ${userHome} are what other clients write. What stands
// in the values is left as it is. Where a variable cannot be replaced, Fault says why. It returns the variables that
// were used.
func Expand(s mcp.Server, look Lookup) (expanded mcp.Server, used []string) {
	variable := func(found string) string {
		name := found[len("${") : len(found)-len("}")]
		if input, ok := strings.CutPrefix(name, "input:"); ok {
			s.Fault = cmp.Or(s.Fault, fmt.Errorf("it needs the input %q, which winnow cannot ask for; "+
				"replace it by ${%s} and set that environment variable", input, strings.ToUpper(input)))
			return ""
		}
		name, fallback, optional := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
		value := look.Variable(name)
		switch {
		case name == "workspaceFolder":
			return look.Folder
		case name == "userHome":
			return look.Home
		case value != "":
			used = append(used, name)
			return value
		case !optional:
			s.Fault = cmp.Or(s.Fault, fmt.Errorf("the environment variable %s is not set", name))
		}
		return fallback
	}
	text := func(text string) string { return variables.ReplaceAllStringFunc(text, variable) }
	s.Shown = s.Address()
	s.Command, s.Dir, s.URL = text(s.Command), text(s.Dir), text(s.URL)
	s.Args, s.Env, s.Headers = slices.Clone(s.Args), maps.Clone(s.Env), maps.Clone(s.Headers)
	for i := range s.Args {
		s.Args[i] = text(s.Args[i])
	}
	for _, values := range []map[string]string{s.Env, s.Headers} {
		for name, value := range values {
			values[name] = text(value)
		}
	}
	return s, used
}
