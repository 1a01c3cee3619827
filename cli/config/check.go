package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// check finds the values of a decoded file that no setting takes.
func check(file string, keys []fileKey, c Config) []*Mistake {
	var out []*Mistake
	add := func(path, format string, args ...any) {
		out = append(out, at(file, keys, path, path+" "+fmt.Sprintf(format, args...)))
	}
	if !slices.Contains(history.Presets(), c.Context.Preset) {
		add("context.preset", "is %q; must be %s%s", c.Context.Preset, theme.Choices(history.Presets()),
			llm.DidYouMean(c.Context.Preset, history.Presets()))
	}
	if err := c.Context.Check(); err != nil {
		out = append(out, at(file, keys, policyKey(err), err.Error()))
	}
	oneOf := func(path, got string, takes ...string) {
		if !slices.Contains(takes, got) {
			add(path, "is %q; must be %s%s", got, theme.Choices(takes), llm.DidYouMean(got, takes))
		}
	}
	checkSampling("sampling", c.Sampling, add)
	checkLimits(c.Limits, add)
	oneOf("limits.unknown_price", c.Limits.UnknownPrice, "allow", "ask")
	oneOf("ui.theme", c.UI.Theme, append(theme.Names(), slices.Sorted(maps.Keys(c.Themes))...)...)
	for _, name := range slices.Sorted(maps.Keys(c.Themes)) {
		if key, wrong := c.Themes[name].Check(); wrong != "" {
			add("themes."+name+"."+key, "%s", wrong)
		}
	}
	if c.System.Prompt != "" && c.System.PromptFile != "" {
		add("system.prompt_file", "names a file, but prompt is set too; use only one of them")
	}
	oneOf("ui.notify", c.UI.Notify, "auto", "bell", "off")
	oneOf("ui.panel", c.UI.Panel, "auto", "open", "strip", "closed")
	oneOf("tools.approve", c.Tools.Approve, "ask", "always", "never")
	oneOf("tools.recall", c.Tools.Recall, "off", "conversation")
	checkTools(c.Tools, add, oneOf)
	out = append(out, checkKeys(file, keys, c.Keys)...)
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		checkServer(name, c.MCPServers[name], len(c.Tools.MCPFiles) > 0, add)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		checkEndpoint(name, c.Endpoints[name], add)
	}
	for _, pattern := range slices.Sorted(maps.Keys(c.Models)) {
		checkPattern(pattern, add)
		checkModel("models."+pattern, c.Models[pattern], add)
	}
	slices.SortStableFunc(out, func(a, b *Mistake) int { return a.Line - b.Line })
	return out
}

func checkLimits(l Limits, add func(path, format string, args ...any)) {
	for _, limit := range []struct {
		key    string
		tokens int
		cost   float64
	}{
		{"request", l.RequestTokens, l.RequestCost},
		{"session", l.SessionTokens, l.SessionCost},
		{"day", l.DayTokens, l.DayCost},
		{"month", l.MonthTokens, l.MonthCost},
	} {
		if limit.tokens < 0 {
			add("limits."+limit.key+"_tokens", "is %d; must be a number of tokens, or 0 for no limit", limit.tokens)
		}
		if _, ok := pricing.Dollars(limit.cost); !ok {
			add("limits."+limit.key+"_cost", "is %v; must be US dollars, or 0 for no limit", limit.cost)
		}
	}
}

func checkTools(t Tools, add func(path, format string, args ...any), oneOf func(path, got string, takes ...string)) {
	if t.MaxRounds < 1 {
		add("tools.max_rounds", "is %d; must be 1 or more", t.MaxRounds)
	}
	if t.Timeout < 0 {
		add("tools.timeout", "is %d; must be seconds, or 0 for no limit", t.Timeout)
	}
	if t.MaxOutput < 0 {
		add("tools.max_output", "is %d; must be bytes, or 0 for no limit", t.MaxOutput)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Permissions)) {
		path := "tools.permissions." + name
		oneOf(path, string(t.Permissions[name]), tool.Permissions()...)
		if approval.CheckPattern(name) != nil {
			add(path, "is not a valid pattern for tool names; * matches any characters")
		}
	}
}

func checkSampling(table string, s Sampling, add func(path, format string, args ...any)) {
	if s.MaxTokens < 0 {
		add(table+".max_tokens", "is %d; must be 0 or more", s.MaxTokens)
	}
	inRange := func(path string, got *float64, limit float64) {
		if got != nil && (*got < 0 || *got > limit) {
			add(path, "is %v; must be 0 to %v", *got, limit)
		}
	}
	inRange(table+".temperature", s.Temperature, 2)
	inRange(table+".top_p", s.TopP, 1)
}

// checkKeys finds actions that do not exist, and keys that are given to two actions.
func checkKeys(file string, keys []fileKey, chosen map[string][]string) []*Mistake {
	var known []string
	for _, row := range keymap.Default().Table() {
		known = append(known, string(row.Action))
	}
	var out []*Mistake
	for _, action := range slices.Sorted(maps.Keys(chosen)) {
		if !slices.Contains(known, action) {
			out = append(out, at(file, keys, "keys."+action,
				fmt.Sprintf("unknown action %q", action)+llm.DidYouMean(action, known)))
		}
	}
	if len(out) > 0 {
		return out
	}
	if _, err := keymap.Default().With(chosen); err != nil {
		out = append(out, at(file, keys, "keys", err.Error()))
	}
	return out
}

func checkEndpoint(name string, e Endpoint, add func(path, format string, args ...any)) {
	table := "endpoints." + name
	if name == "" || strings.ContainsAny(name, "/ ") {
		add(table, "is not a valid endpoint name: it must not be empty or contain / or spaces")
	}
	u, err := url.Parse(e.BaseURL)
	switch {
	case e.BaseURL == "" && llm.IsHosted(name):
		// It says more of a service that a key opens, or gives the key.
	case e.BaseURL == "":
		add(table, "has no base_url; set it to an address such as https://api.example.com/v1")
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		add(table+".base_url", "is %q; must be an address such as https://api.example.com/v1", e.BaseURL)
	}
	if sources := len(keySources(e)); sources > 1 {
		add(table, "has %s; use only one of them", strings.Join(keySources(e), " and "))
	}
	checkWire(table+".wire", e.Wire, add)
	checkWord(table+".cache", e.Cache, llm.CacheModes(), add)
	if e.Window < 0 {
		add(table+".window", "is %d; must be the model's context window in tokens, or 0 to detect it", e.Window)
	}
	if !isKeepAlive(e.KeepAlive) {
		add(table+".keep_alive", "is %q; must be a time such as \"10m\", or \"-1\" to keep the model loaded",
			e.KeepAlive)
	}
	if e.Profile.ToolIDLength < 0 {
		add(table+".profile.tool_id_length", "is %d; must be 0 or more", e.Profile.ToolIDLength)
	}
	if e.FirstByteTimeout < 0 {
		add(table+".first_byte_timeout", "is %d; must be seconds, or 0 for the default", e.FirstByteTimeout)
	}
	checkSampling(table+".sampling", e.Sampling, add)
	for _, model := range slices.Sorted(maps.Keys(e.Models)) {
		checkModel(table+".models."+model, e.Models[model], add)
	}
	for _, model := range slices.Sorted(maps.Keys(e.Prices)) {
		checkPrices(table+".prices."+model, e.Prices[model], add)
	}
}

// checkPattern wants a pattern that can name a model.
func checkPattern(pattern string, add func(path, format string, args ...any)) {
	if _, err := llm.MatchModel(pattern, "", ""); err != nil || strings.TrimSpace(pattern) == "" {
		add("models."+pattern, "is not a valid pattern; use a model name, with or without its endpoint, in which * "+
			"matches any text, ? one character and [ab] one of several")
	}
}

func checkModel(table string, m Model, add func(path, format string, args ...any)) {
	if m.Window < 0 {
		add(table+".window", "is %d; must be the model's context window in tokens, or 0 to detect it", m.Window)
	}
	if m.System != nil && m.SystemFile != "" {
		add(table+".system_file", "names a file, but system is set too; use only one of them")
	}
	checkWire(table+".wire", m.Wire, add)
	checkSampling(table+".sampling", m.Sampling, add)
	if m.Prices != nil {
		checkPrices(table+".prices", *m.Prices, add)
	}
}

// isKeepAlive says that Ollama takes a value of keep_alive: a time, a number of seconds, or nothing.
func isKeepAlive(value string) bool {
	_, notTime := time.ParseDuration(value)
	_, notNumber := strconv.Atoi(value)
	return value == "" || notTime == nil || notNumber == nil
}

func checkWire(path, got string, add func(path, format string, args ...any)) {
	checkWord(path, got, llm.Wires(), add)
}

// checkWord wants one of the words that a key takes, or none.
func checkWord[T ~string](path, got string, words []T, add func(path, format string, args ...any)) {
	var takes []string
	for _, w := range words {
		takes = append(takes, string(w))
	}
	if got != "" && !slices.Contains(takes, got) {
		add(path, "is %q; must be %s%s", got, theme.Choices(takes), llm.DidYouMean(got, takes))
	}
}

// checkPrices wants a price for both directions: half of a cost would pass for the whole.
func checkPrices(table string, p Price, add func(path, format string, args ...any)) {
	for _, price := range []struct {
		key   string
		value *float64
	}{{"in", p.In}, {"cached", p.Cached}, {"cache_write", p.CacheWrite}, {"out", p.Out}} {
		if price.value == nil && (price.key == "in" || price.key == "out") {
			add(table, "has no %s; set it in US dollars per million tokens", price.key)
			continue
		}
		if price.value == nil {
			continue
		}
		if _, ok := pricing.Dollars(*price.value); !ok {
			add(table+"."+price.key, "is %v; must be US dollars per million tokens, 0 or more", *price.value)
		}
	}
}

// keySources names the keys of an endpoint's table that say where its secret is.
func keySources(e Endpoint) []string {
	var out []string
	if e.Key != "" {
		out = append(out, "key")
	}
	if e.KeyEnv != "" {
		out = append(out, "key_env")
	}
	if len(e.KeyCommand) > 0 {
		out = append(out, "key_command")
	}
	if e.KeyKeyring {
		out = append(out, "key_keyring")
	}
	if e.KeyFile != "" {
		out = append(out, "key_file")
	}
	return out
}

// policyKey is the key that an error of history.Policy.Check is about: its first word.
func policyKey(err error) string {
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(err) {
		err = e
	}
	key, _, _ := strings.Cut(err.Error(), " ")
	return key
}
