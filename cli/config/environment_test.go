package config

import (
	"reflect"
	"strings"
	"testing"
)

// Each key that has a fixed name can be given by the environment, and sets that key and no other.
func TestEveryKeyCanComeFromTheEnvironment(t *testing.T) {
	for _, v := range Variables([]string{"work"}, []string{"files"}) {
		kind := v.kind
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		value := map[reflect.Kind]string{
			reflect.String: "word", reflect.Int: "77", reflect.Float64: "0.25",
			reflect.Bool: "true", reflect.Slice: "one,two", reflect.Map: `{ "a" = "b" }`,
			reflect.Struct: "{}",
		}[kind.Kind()]
		if kind.Kind() == reflect.Map && kind.Elem().Kind() == reflect.Struct {
			value = "{}"
		}
		e := Environment{Lookup: func(name string) string {
			if name == v.Name {
				return value
			}
			return ""
		}}
		start := Defaults()
		start.Endpoints = map[string]Endpoint{"work": {BaseURL: "http://x/v1", Window: 5}}
		start.MCPServers = map[string]MCPServer{"files": {Command: "npx", MaxResult: 5}}
		list := e.Settings(start)
		if len(list) != 1 || list[0].Name != v.Name {
			t.Errorf("%s: got %v", v.Name, list)
			continue
		}
		if err := start.set(list[0]); err != nil && !strings.Contains(strings.Join(v.path, "."), "preset") {
			t.Errorf("%s=%s: %v", v.Name, value, err)
		}
		if e := start.Endpoints["work"]; v.Name != "WINNOW_ENDPOINTS_WORK_BASE_URL" && e.BaseURL != "http://x/v1" {
			t.Errorf("%s changed the endpoint's base URL to %q", v.Name, e.BaseURL)
		}
		if s := start.MCPServers["files"]; v.Name != "WINNOW_MCP_SERVERS_FILES_COMMAND" && s.Command != "npx" {
			t.Errorf("%s changed the server's command to %q", v.Name, s.Command)
		}
	}
}
