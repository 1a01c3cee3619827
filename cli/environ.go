//go:build cgo

package cli

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// variable is an environment variable that gives a key of the configuration.
type variable struct {
	name string   // WINNOW_CONTEXT_BUDGET
	path []string // context, budget
	kind reflect.Type
}

// variables lists the environment variables of all keys whose names are fixed, in the order of the
// configuration.
func variables() []variable {
	var out []variable
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
				// Its names are the user's own: see named.
			default:
				out = append(out, variable{variableName(at), at, f.Type})
			}
		}
	}
	walk(reflect.TypeFor[Config](), nil)
	return out
}

func variableName(path []string) string {
	return "WINNOW_" + strings.ToUpper(strings.Join(path, "_"))
}

// endpointVariables lists the environment variables that give the keys of one endpoint.
func endpointVariables(name string) []variable {
	var out []variable
	t := reflect.TypeFor[EndpointConf]()
	for i := range t.NumField() {
		key := t.Field(i).Tag.Get("toml")
		out = append(out, variable{"WINNOW_ENDPOINTS_" + plainName(name) + "_" + strings.ToUpper(key), []string{"endpoints", name, key}, t.Field(i).Type})
	}
	return out
}

// plainName is a name as it stands in an environment variable.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// given is a key that the environment gives.
type given struct {
	variable
	value string // as TOML
}

// environment lists the keys that the environment gives. An endpoint that only the environment names is
// named by its base URL.
func (p *program) environment(c Config) []given {
	all := variables()
	names := slices.Collect(maps.Keys(c.Endpoints))
	if p.environ != nil {
		for _, pair := range p.environ() {
			name, _, _ := strings.Cut(pair, "=")
			name, ours := strings.CutPrefix(name, "WINNOW_ENDPOINTS_")
			name, base := strings.CutSuffix(name, "_BASE_URL")
			if ours && base && !slices.ContainsFunc(names, func(n string) bool { return plainName(n) == name }) {
				names = append(names, strings.ToLower(name))
			}
		}
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		all = append(all, endpointVariables(name)...)
	}
	var out []given
	for _, v := range all {
		if value := strings.TrimSpace(p.env(v.name)); value != "" {
			out = append(out, given{v, settingValue(value, v.kind)})
		}
	}
	return out
}

// settingValue is the text of an environment variable as TOML for a key of this kind. A list may be written as
// one of TOML or with commas, a table as an inline table. What is no such value is left for the decoder to
// refuse.
func settingValue(value string, kind reflect.Type) string {
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.String:
		return quoteTOML(value)
	case reflect.Slice:
		if strings.HasPrefix(value, "[") {
			return value
		}
		var items []string
		for item := range strings.SplitSeq(value, ",") {
			items = append(items, quoteTOML(strings.TrimSpace(item)))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map, reflect.Struct:
		return value
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil || value == "true" || value == "false" {
		return value
	}
	return quoteTOML(value) // auto and unlimited are words.
}

func quoteTOML(value string) string {
	text, err := toml.Marshal(map[string]string{"v": value})
	if err != nil {
		return strconv.Quote(value)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v = "))
}

// withEnvironment puts the keys that the environment gives over those of the file.
func (p *program) withEnvironment(c Config) (Config, []*Mistake) {
	list := p.environment(c)
	if len(list) == 0 {
		return c, nil
	}
	c.Endpoints = maps.Clone(c.Endpoints)
	var context strings.Builder
	for _, g := range list {
		if err := c.set(g); err != nil {
			return c, []*Mistake{{File: g.name, Text: err.Error()}}
		}
		if g.path[0] == "context" {
			fmt.Fprintf(&context, "%s = %s\n", g.path[1], g.value)
		}
	}
	c.environmentKeys = string(replaceContextWords(context.String()))
	mistakes := checkConfig("", nil, c)
	if len(mistakes) == 0 {
		return c, nil
	}
	first := mistakes[0]
	for _, g := range list {
		if strings.HasPrefix(first.Text, strings.Join(g.path, ".")+" ") || strings.HasPrefix(first.Text, g.path[len(g.path)-1]+" ") {
			first.File = g.name
		}
	}
	return c, mistakes[:1]
}

// set sets one key.
func (c *Config) set(g given) error {
	text := strings.Join(g.path, ".") + " = " + g.value
	into := any(c)
	var e EndpointConf
	if g.path[0] == "endpoints" {
		e = c.Endpoints[g.path[1]] // A decoder would empty its other keys.
		text, into = g.path[2]+" = "+g.value, &e
	}
	if g.path[0] == "context" && g.path[1] == "preset" {
		preset, err := strconv.Unquote(g.value)
		if err != nil {
			preset = strings.Trim(g.value, "'")
		}
		keys := c.contextKeys
		if c.Context = withPreset(preset).Context; keys != "" {
			if err := toml.Unmarshal([]byte(keys), &c.Context); err != nil {
				return fmt.Errorf("read the configured context: %w", err)
			}
		}
	}
	doc := []byte(text)
	err := toml.NewDecoder(bytes.NewReader(replaceWords(doc, readKeys(doc)))).Decode(into)
	if err != nil {
		return fmt.Errorf("%s takes %s", strings.Join(g.path, "."), kindWords(g.path, g.kind))
	}
	if g.path[0] == "endpoints" {
		if c.Endpoints == nil {
			c.Endpoints = map[string]EndpointConf{}
		}
		c.Endpoints[g.path[1]] = e
	}
	return nil
}

// replaceContextWords writes numbers for the words of lines of [context].
func replaceContextWords(lines string) []byte {
	doc := []byte("[context]\n" + lines)
	return bytes.TrimPrefix(replaceWords(doc, readKeys(doc)), []byte("[context]\n"))
}
