package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/jsonc"
)

// clientFile is the file in which other MCP clients keep their servers: Claude Desktop and Cursor under
// mcpServers, VS Code under servers.
type clientFile struct {
	MCPServers map[string]clientServer `json:"mcpServers"`
	Servers    map[string]clientServer `json:"servers"`
}

type clientServer struct {
	Command  string                     `json:"command"`
	Args     []string                   `json:"args"`
	Env      map[string]json.RawMessage `json:"env"`
	Dir      string                     `json:"cwd"`
	URL      string                     `json:"url"`
	Headers  map[string]json.RawMessage `json:"headers"`
	Disabled bool                       `json:"disabled"`
}

// ReadClientFile reads the servers of another client's JSON file, by name. Comments and commas before a closing
// bracket are allowed, as VS Code allows them. What else a client keeps in its file is passed over.
func ReadClientFile(path string, doc []byte) ([]Server, error) {
	var file clientFile
	doc = jsonc.ToJSON(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))) // It leaves every byte in its place.
	if err := json.Unmarshal(doc, &file); err != nil {
		return nil, fmt.Errorf("%s%w", lineOf(doc, err), err)
	}
	if file.MCPServers == nil && file.Servers == nil {
		return nil, errors.New(`it has neither "mcpServers" nor "servers"`)
	}
	all := map[string]clientServer{}
	maps.Copy(all, file.Servers)
	maps.Copy(all, file.MCPServers)
	var out []Server
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		out = append(out, Server{
			Name: name, From: path, Command: s.Command, Args: s.Args, Env: values(s.Env), Dir: s.Dir,
			URL: s.URL, Headers: values(s.Headers), Disabled: s.Disabled,
		})
	}
	return out, nil
}

// values are the values of variables or headers: clients take numbers and booleans too, and null for one that is
// not there.
func values(all map[string]json.RawMessage) map[string]string {
	out := make(map[string]string, len(all))
	for name, written := range all {
		var text string
		if json.Unmarshal(written, &text) != nil {
			text = string(written)
		}
		if string(written) != "null" {
			out[name] = text
		}
	}
	return out
}

// lineOf is "line 3: " for an error that says where it is, else "".
func lineOf(doc []byte, err error) string {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &wrong):
		offset = wrong.Offset
	default:
		return ""
	}
	return fmt.Sprintf("line %d: ", 1+bytes.Count(doc[:min(int(offset), len(doc))], []byte("\n")))
}
