package config

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"winnow/llm"
	"winnow/session/approval"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// mistakes collects the errors in a configuration.
type mistakes []error

func (m *mistakes) add(format string, args ...any) { *m = append(*m, fmt.Errorf(format, args...)) }

// check returns the mistakes: first invalid values of single keys, then invalid combinations.
func (c Config) check() []error {
	var m mistakes
	for _, f := range fields(reflect.ValueOf(c)) {
		if wrong := f.wrong(); wrong != "" && f.path[0] != "context" {
			m.add("%s", wrong)
		}
	}
	if err := c.Context.Check(); err != nil {
		m.add("%w", err)
	}
	themes := theme.Names(c.Themes)
	if !slices.Contains(themes, c.UI.Theme) {
		m.add("ui.theme is %q; must be %s%s", c.UI.Theme, theme.JoinOr(themes), llm.DidYouMean(c.UI.Theme, themes))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Themes)) {
		if key, wrong := c.Themes[name].Validate(); wrong != "" {
			m.add("themes.%s.%s %s", name, key, wrong)
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(c.Tools.Permissions)) {
		if approval.CheckPattern(pattern) != nil {
			m.add("tools.permissions.%s is not a valid pattern for tool names; * matches any characters", pattern)
		}
	}
	m.checkKeys(c.Keys)
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		m.checkEndpoint(name, c.Endpoints[name])
	}
	for _, pattern := range slices.Sorted(maps.Keys(c.Models)) {
		m.checkModel(pattern, c.Models[pattern])
	}
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		m.checkServer(name, c.MCPServers[name])
	}
	return m
}

// checkKeys reports unknown actions, and keys that are bound to two actions.
func (m *mistakes) checkKeys(chosen map[string][]string) {
	var known []string
	for _, row := range keymap.Default().Table() {
		known = append(known, string(row.Action))
	}
	for _, action := range slices.Sorted(maps.Keys(chosen)) {
		if !slices.Contains(known, action) {
			m.add("keys.%s: unknown action %q%s", action, action, llm.DidYouMean(action, known))
			return
		}
	}
	if _, err := keymap.Default().With(chosen); err != nil {
		m.add("keys: %w", err)
	}
}

func (m *mistakes) checkEndpoint(name string, e Endpoint) {
	table := "endpoints." + name
	if name == "" || strings.ContainsAny(name, "/ ") {
		m.add("%s is not a valid endpoint name: it must not be empty or contain / or spaces", table)
	}
	switch {
	case e.BaseURL == "" && llm.IsHostedService(name):
		// The table configures a hosted service.
	case e.BaseURL == "":
		m.add("%s has no base_url; set it to an address such as https://api.example.com/v1", table)
	case !isAddress(e.BaseURL):
		m.add("%s.base_url is %q; must be an address such as https://api.example.com/v1", table, e.BaseURL)
	}
	if sources := e.keySources(); len(sources) > 1 {
		m.add("%s has %s; use only one of them", table, strings.Join(sources, " and "))
	}
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// keySources returns the names of the settings in the table that say where the API key is.
func (e Endpoint) keySources() (names []string) {
	for _, source := range []struct {
		name string
		set  bool
	}{{"key", e.Key != ""}, {"key_env", e.KeyEnv != ""}, {"key_command", len(e.KeyCommand) > 0}} {
		if source.set {
			names = append(names, source.name)
		}
	}
	return names
}

// checkModel requires a valid pattern, and prices for both directions, because half of a cost would look like the
// whole.
func (m *mistakes) checkModel(pattern string, of Model) {
	if _, err := llm.MatchModel(pattern, "", ""); err != nil || strings.TrimSpace(pattern) == "" {
		m.add("models.%s is not a valid pattern for names of models", pattern)
	}
	if p := of.Prices; p != nil && (p.In == nil || p.Out == nil) {
		m.add("models.%s.prices needs both in and out, in US dollars per million tokens", pattern)
	}
}

// checkServer checks the table of an MCP server.
func (m *mistakes) checkServer(name string, s MCPServer) {
	table := "mcp_servers." + name
	switch {
	case (s.Command == "") == (s.URL == ""):
		m.add("%s needs either a command or a url", table)
	case s.URL != "" && !strings.Contains(s.URL, "${") && !isAddress(s.URL):
		m.add("%s.url is %q; must be an address such as https://example.com/mcp", table, s.URL)
	case s.Command != "" && len(s.Headers) > 0:
		m.add("%s.headers applies to a url only; use env with a command", table)
	case s.URL != "" && len(s.Env)+len(s.Args) > 0:
		m.add("%s.args and env apply to a command only", table)
	}
}
