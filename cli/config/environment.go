package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Variable is an environment variable that sets a key of the configuration.
type Variable struct {
	Name string // WINNOW_CONTEXT_BUDGET
	Key  string // context.budget
	path []string
	kind reflect.Type
}

// Variables lists the environment variables of all keys whose names are fixed, in the order of the
// configuration, and behind them those of the endpoints and the MCP servers with these names.
func Variables(endpoints, servers []string) []Variable {
	var out []Variable
	add := func(name string, path []string, kind reflect.Type) {
		out = append(out, Variable{name, strings.Join(path, "."), path, kind})
	}
	var walk func(t reflect.Type, path []string)
	walk = func(t reflect.Type, path []string) {
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				continue
			}
			at := append(slices.Clone(path), f.Tag.Get("toml"))
			switch f.Type.Kind() {
			case reflect.Struct:
				walk(f.Type, at)
			case reflect.Map:
				// Its names are the user's own.
			default:
				add("WINNOW_"+strings.ToUpper(strings.Join(at, "_")), at, f.Type)
			}
		}
	}
	walk(reflect.TypeFor[Config](), nil)
	tables := func(table string, names []string, t reflect.Type) {
		for _, name := range names {
			for i := range t.NumField() {
				key := t.Field(i).Tag.Get("toml")
				add("WINNOW_"+strings.ToUpper(table)+"_"+plainName(name)+"_"+strings.ToUpper(key),
					[]string{table, name, key}, t.Field(i).Type)
			}
		}
	}
	tables(endpointTables, endpoints, reflect.TypeFor[Endpoint]())
	tables(serverTables, servers, reflect.TypeFor[MCPServer]())
	return out
}

// The tables whose names are the user's own, and whose keys the environment can set.
const (
	endpointTables = "endpoints"
	serverTables   = "mcp_servers"
)

// plainName is a name as it stands in an environment variable.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// Environment is where the process's environment is read.
type Environment struct {
	Lookup func(name string) string // the value of a variable, "" for none
	All    []string                 // NAME=value pairs, for endpoints that only the environment names
}

// Setting is a key that the environment sets.
type Setting struct {
	Variable
	value string
}

// Settings lists the keys that the environment sets. An endpoint that only the environment names is named by
// its base URL. An MCP server must be in the configuration: a variable starts no program by itself.
func (e Environment) Settings(c Config) []Setting {
	names := slices.Collect(maps.Keys(c.Endpoints))
	for _, pair := range e.All {
		name, _, _ := strings.Cut(pair, "=")
		name, prefixed := strings.CutPrefix(name, "WINNOW_ENDPOINTS_")
		name, base := strings.CutSuffix(name, "_BASE_URL")
		if prefixed && base && !slices.ContainsFunc(names, func(n string) bool { return plainName(n) == name }) {
			names = append(names, strings.ToLower(name))
		}
	}
	slices.Sort(names)
	var out []Setting
	for _, v := range Variables(names, slices.Sorted(maps.Keys(c.MCPServers))) {
		if value := strings.TrimSpace(e.Lookup(v.Name)); value != "" {
			out = append(out, Setting{v, value})
		}
	}
	return out
}

// toml is the value as TOML. A list may be written as one of TOML or with commas, a table as an inline table.
// What is no value of the key's type is left for the decoder to refuse.
func (s Setting) toml() string {
	kind := s.kind
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.String:
		return quoteTOML(s.value)
	case reflect.Slice:
		if strings.HasPrefix(s.value, "[") {
			return s.value
		}
		var items []string
		for item := range strings.SplitSeq(s.value, ",") {
			items = append(items, quoteTOML(strings.TrimSpace(item)))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map, reflect.Struct:
		return s.value
	}
	if _, err := strconv.ParseFloat(s.value, 64); err == nil || s.value == "true" || s.value == "false" {
		return s.value
	}
	return quoteTOML(s.value) // auto and unlimited are words.
}

func quoteTOML(value string) string {
	text, err := toml.Marshal(map[string]string{"v": value})
	if err != nil {
		return strconv.Quote(value)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v = "))
}

// Override puts the keys that the environment sets over those of the file. It returns at most one mistake.
func (e Environment) Override(c Config) (Config, []*Mistake) {
	settings := e.Settings(c)
	if len(settings) == 0 {
		return c, nil
	}
	c.Endpoints, c.MCPServers = maps.Clone(c.Endpoints), maps.Clone(c.MCPServers)
	for _, s := range settings {
		if err := c.set(s); err != nil {
			return c, []*Mistake{{File: s.Name, Text: err.Error()}}
		}
	}
	mistakes := check("", nil, c)
	if len(mistakes) == 0 {
		return c, nil
	}
	first := mistakes[0]
	for _, s := range settings {
		if strings.HasPrefix(first.Text, s.Key+" ") || strings.HasPrefix(first.Text, s.path[len(s.path)-1]+" ") {
			first.File = s.Name
		}
	}
	return c, mistakes[:1]
}

// set sets one key.
func (c *Config) set(s Setting) error {
	key, into := s.Key, any(c)
	var e Endpoint
	var server MCPServer
	switch s.path[0] {
	case endpointTables:
		e = c.Endpoints[s.path[1]] // A decoder would empty its other keys.
		key, into = s.path[2], &e
	case serverTables:
		server = c.MCPServers[s.path[1]]
		key, into = s.path[2], &server
	}
	if s.Key == "context.preset" {
		c.Context = withPreset(s.value).Context
		if err := toml.Unmarshal([]byte(c.contextKeys), &c.Context); err != nil {
			return fmt.Errorf("read the configured context: %w", err)
		}
	}
	doc := []byte(key + " = " + s.toml())
	doc = replaceWords(doc, readKeys(doc))
	if err := toml.Unmarshal(doc, into); err != nil {
		return fmt.Errorf("%s must be %s", s.Key, kindWords(s.path, s.kind))
	}
	switch s.path[0] {
	case endpointTables:
		if c.Endpoints == nil {
			c.Endpoints = map[string]Endpoint{}
		}
		c.Endpoints[s.path[1]] = e
		if key == "key" {
			c.keyVariables = maps.Clone(c.keyVariables)
			if c.keyVariables == nil {
				c.keyVariables = map[string]string{}
			}
			c.keyVariables[s.path[1]] = s.Name
		}
	case serverTables:
		c.MCPServers[s.path[1]] = server
	}
	if line, ok := strings.CutPrefix(string(doc), "context."); ok {
		c.environmentKeys += line + "\n"
	}
	return nil
}
