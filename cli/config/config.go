// Package config reads the configuration: its file in TOML, the defaults under it and the environment over it.
// It finds mistakes and says them by line. It opens no file, asks no server and runs no command.
package config

import (
	"winnow/history"
	"winnow/llm/tool"
	"winnow/ui/theme"
)

// Config is the configuration file. Each table is one room's: cli puts them together.
type Config struct {
	Model      string                   `toml:"model"`     // "endpoint/model" or "endpoint"; "" chooses by itself
	Endpoints  map[string]Endpoint      `toml:"endpoints"` // by name, the first half of a model's name
	Models     map[string]Model         `toml:"models"`    // by patterns over the names of models: see llm.MatchModel
	Context    history.Policy           `toml:"context"`
	Sampling   Sampling                 `toml:"sampling"`
	Limits     Limits                   `toml:"limits"`
	Titles     Titles                   `toml:"titles"`
	Summary    Summary                  `toml:"summary"`
	UI         UI                       `toml:"ui"`
	Themes     map[string]theme.Palette `toml:"themes"` // more themes, by name
	Keys       map[string][]string      `toml:"keys"`   // by action; a key that is not named keeps its default
	Tools      Tools                    `toml:"tools"`
	MCPServers map[string]MCPServer     `toml:"mcp_servers"` // by name
	System     System                   `toml:"system"`
	Storage    Storage                  `toml:"storage"`
	Sync       Sync                     `toml:"sync"`

	contextKeys     string            // the keys of [context] that the file sets otherwise than its preset, as TOML
	environmentKeys string            // and those that the environment sets
	keyVariables    map[string]string // by endpoint, the environment variable that sets its key
}

// Endpoint is one [endpoints.NAME] table.
type Endpoint struct {
	BaseURL string `toml:"base_url"` // with /v1
	Key     string `toml:"key"`      // the key itself; the other places are better
	KeyEnv  string `toml:"key_env"`  // the environment variable that holds the key
	// a program and its arguments; the first line it prints is the key
	KeyCommand []string `toml:"key_command"`
	// the system keyring holds it: service winnow, user the endpoint's name
	KeyKeyring bool `toml:"key_keyring"`
	// the file that holds it and that only the user can read; ~ is the home folder
	KeyFile string            `toml:"key_file"`
	Headers map[string]string `toml:"headers"` // more request headers
	Model   string            `toml:"model"`   // the model to use where only the endpoint is named
	Wire    string            `toml:"wire"`    // the format of its requests, one of llm.Wires; "" is auto
	Window  int               `toml:"window"`  // tokens; 0 finds it out
	// how long Ollama keeps a model loaded; "" leaves it to the server
	KeepAlive string  `toml:"keep_alive"`
	Exact     bool    `toml:"exact"` // the server counts requests itself: llama.cpp
	Profile   Profile `toml:"profile"`

	Cache string `toml:"cache"` // one of llm.CacheModes; "" is auto

	// seconds; 0 is 120 for a hosted server, 600 on this machine or network
	FirstByteTimeout int `toml:"first_byte_timeout"`

	Sampling Sampling         `toml:"sampling"` // over [sampling], for all models of the endpoint
	Models   map[string]Model `toml:"models"`   // by model
	Prices   map[string]Price `toml:"prices"`   // by model; "*" is every other one
}

// Model is one [endpoints.NAME.models.MODEL] or [models."PATTERN"] table. What it does not say is left to less
// specific tables and to the endpoint.
type Model struct {
	Wire       string   `toml:"wire"`        // "" leaves it
	Window     int      `toml:"window"`      // tokens; 0 leaves it
	Tools      *bool    `toml:"tools"`       // false offers it no tools
	System     *string  `toml:"system"`      // the system prompt of sessions that begin with the model; "" is none
	SystemFile string   `toml:"system_file"` // the file that holds it instead; ~ is the home folder
	Sampling   Sampling `toml:"sampling"`
	Prices     *Price   `toml:"prices"`
}

// Price is what a model costs: US dollars for a million tokens.
type Price struct {
	In     *float64 `toml:"in"`     // tokens of the request
	Cached *float64 `toml:"cached"` // those of them that the server had in its cache; nil is as In
	Out    *float64 `toml:"out"`    // tokens of the answer, the reasoning included

	CacheWrite *float64 `toml:"cache_write"` // tokens of the request that the server wrote to its cache; nil is as In
}

// Profile is what an endpoint's chat format insists on beyond the strict form: see history.Profile.
type Profile struct {
	MergeSameRole bool `toml:"merge_same_role"`
	NoToolToUser  bool `toml:"no_tool_to_user"`
	ToolIDLength  int  `toml:"tool_id_length"`
}

// Sampling is the [sampling] table: what is asked of every model beside the messages.
type Sampling struct {
	MaxTokens   int      `toml:"max_tokens"`  // the longest reply in tokens; 0 leaves it to the server
	Temperature *float64 `toml:"temperature"` // nil leaves it to the server
	TopP        *float64 `toml:"top_p"`       // nil leaves it to the server
	Effort      string   `toml:"effort"`      // reasoning effort; "" leaves it to the server
}

// Limits is the [limits] table: what winnow asks about before it is spent. 0 is no limit.
type Limits struct {
	RequestTokens int     `toml:"request_tokens"` // tokens of a request and the answer that it leaves room for
	RequestCost   float64 `toml:"request_cost"`   // US dollars
	SessionTokens int     `toml:"session_tokens"`
	SessionCost   float64 `toml:"session_cost"`
	DayTokens     int     `toml:"day_tokens"`
	DayCost       float64 `toml:"day_cost"`
	MonthTokens   int     `toml:"month_tokens"`
	MonthCost     float64 `toml:"month_cost"`
	// where a cost is limited and the price of a model is not known: allow, or ask
	UnknownPrice string `toml:"unknown_price"`
}

// Titles is the [titles] table.
type Titles struct {
	Model string `toml:"model"` // the model that writes titles, "endpoint/model"; "" takes them from the first message
}

// Summary is the [summary] table.
type Summary struct {
	Model string `toml:"model"` // the model that writes summaries, "endpoint/model"; "" is that of the session
}

// UI is the [ui] table.
type UI struct {
	Theme string `toml:"theme"` // one of ui.Themes, or of [themes]
	Mouse bool   `toml:"mouse"`
	Plain bool   `toml:"plain"` // chat in plain lines of text
	Panel string `toml:"panel"` // auto (open on a wide terminal), open, strip or closed

	Notify string `toml:"notify"` // auto (notification and bell), bell or off
}

// Tools is the [tools] table.
type Tools struct {
	Approve   string `toml:"approve"`    // ask, always or never
	Timeout   int    `toml:"timeout"`    // seconds that a call may take; 0 is no limit
	MaxOutput int    `toml:"max_output"` // bytes of a result that are kept; 0 is no limit
	// requests that one message may lead to while tools are called
	MaxRounds   int                        `toml:"max_rounds"`
	MCPFiles    []string                   `toml:"mcp_files"`   // files in which other clients keep their MCP servers
	Permissions map[string]tool.Permission `toml:"permissions"` // over Approve, by the name of a tool or a pattern

	// what the model may read again with the recall tool: off or conversation
	Recall     string   `toml:"recall"`
	Now        bool     `toml:"now"`         // offers the date and time, where other tools are offered
	Fetch      bool     `toml:"fetch"`       // offers to read URLs
	FetchHosts []string `toml:"fetch_hosts"` // the only hosts that fetch asks; none is every public one
}

// System is the [system] table.
type System struct {
	Prompt     string `toml:"prompt"`      // the system prompt of sessions that have none of their own
	PromptFile string `toml:"prompt_file"` // the file that holds it instead; ~ is the home folder
}

// Storage is the [storage] table.
type Storage struct {
	Path string `toml:"path"` // the database file; "" is in the user's data folder
}

// Sync is the [sync] table: see docs/sync.md.
type Sync struct {
	// the folder through which the machines exchange their histories; ~ is the home folder
	Dir string `toml:"dir"`
	// an age identity file that encrypts what is written there; ~ is the home folder
	Key string `toml:"key"`
}

// defaultPreset is the policy of a configuration that names none.
const defaultPreset = "balanced"

// Defaults is the configuration of an empty file.
func Defaults() Config {
	return withPreset(defaultPreset)
}

// withPreset is the configuration of a file that names only a preset; one that does not exist
// leaves the default policy under its name, for Check to report.
func withPreset(name string) Config {
	policy, err := history.Preset(name)
	if err != nil {
		policy, _ = history.Preset(defaultPreset)
		policy.Preset = name
	}
	return Config{
		Context: policy,
		Limits:  Limits{UnknownPrice: "allow"},
		UI:      UI{Theme: "auto", Mouse: true, Panel: "auto", Notify: "auto"},
		Tools: Tools{
			Approve: "ask", Timeout: 60, MaxOutput: 1 << 20, MaxRounds: 16, Recall: "conversation",
			Now: true, FetchHosts: []string{},
		},
	}
}

// ContextKeys are the keys of [context] that the file sets otherwise than its preset does, as TOML.
func (c Config) ContextKeys() string { return c.contextKeys }

// EnvironmentKeys are the keys of [context] that the environment sets, as TOML.
func (c Config) EnvironmentKeys() string { return c.environmentKeys }
