// Package config reads the configuration: the file in TOML over the defaults, and the environment over the file. It
// does not open files, send requests or run commands.
package config

import (
	"winnow/history"
	"winnow/llm/tool"
	"winnow/ui/theme"
)

// Config is the configuration file. Each table configures one package; cli connects them. The tags takes, least and
// most restrict the values of a key: see field.wrong.
type Config struct {
	Model      string                   `toml:"model"`     // "endpoint/model" or "endpoint"; "" chooses automatically
	Endpoints  map[string]Endpoint      `toml:"endpoints"` // by name, the first part of a model's name
	Models     map[string]Model         `toml:"models"`    // by pattern of model names: see llm.MatchModel
	Context    history.Policy           `toml:"context"`
	Sampling   Sampling                 `toml:"sampling"`
	Limits     Limits                   `toml:"limits"`
	Titles     Titles                   `toml:"titles"`
	Summary    Summary                  `toml:"summary"`
	UI         UI                       `toml:"ui"`
	Themes     map[string]theme.Palette `toml:"themes"` // the user's themes, by name
	Keys       map[string][]string      `toml:"keys"`   // by action; other actions keep their default keys
	Tools      Tools                    `toml:"tools"`
	MCPServers map[string]MCPServer     `toml:"mcp_servers"` // by name
	System     System                   `toml:"system"`
	Sync       Sync                     `toml:"sync"`

	ContextKeys     string                `toml:"-"` // TOML: the keys of [context] that differ from the preset
	EnvironmentKeys string                `toml:"-"` // TOML: the keys of [context] that the environment sets
	Environment     []EnvironmentOverride `toml:"-"` // the keys that the environment sets
}

// Endpoint is one [endpoints.NAME] table.
type Endpoint struct {
	BaseURL    string            `toml:"base_url"`    // including /v1
	Key        string            `toml:"key"`         // the key itself; the other settings are safer
	KeyEnv     string            `toml:"key_env"`     // the name of the environment variable with the key
	KeyCommand []string          `toml:"key_command"` // a program with arguments that prints the key
	Headers    map[string]string `toml:"headers"`     // additional request headers
	Model      string            `toml:"model"`       // the default model of the endpoint
	Wire       string            `toml:"wire" takes:"auto openai responses ollama"`
	Window     int               `toml:"window"`     // context window in tokens; 0 detects it
	KeepAlive  string            `toml:"keep_alive"` // how long Ollama keeps a model loaded; "" is the server's default
	Exact      bool              `toml:"exact"`      // count requests with the server, for llama.cpp

	// in seconds; 0 is 120 for a hosted server, 600 on this machine or network
	FirstByteTimeout int `toml:"first_byte_timeout"`
}

// Model is one [models."PATTERN"] table. Unset keys are taken from less specific tables and from the endpoint.
type Model struct {
	Window   int         `toml:"window"` // context window in tokens; 0 is unset
	Tools    *bool       `toml:"tools"`  // false offers no tools to the model
	System   *string     `toml:"system"` // the system prompt of sessions that start with the model; "" is none
	Sampling Sampling    `toml:"sampling"`
	Prices   *ModelPrice `toml:"prices"`
}

// ModelPrice is the price of a model in US dollars per million tokens.
type ModelPrice struct {
	In     *float64 `toml:"in" most:"1000000"`     // input tokens
	Cached *float64 `toml:"cached" most:"1000000"` // input tokens read from the server's cache; nil is the same as In
	Out    *float64 `toml:"out" most:"1000000"`    // output tokens, including reasoning
}

// Sampling holds parameters of requests. Unset ones are not sent.
type Sampling struct {
	MaxTokens   int      `toml:"max_tokens"` // the maximum length of an answer in tokens
	Temperature *float64 `toml:"temperature" most:"2"`
	TopP        *float64 `toml:"top_p" most:"1"`
	Effort      string   `toml:"effort"` // reasoning effort
}

// Limits holds the amounts, in tokens and US dollars, above which winnow asks before it sends a request. 0 is no limit.
type Limits struct {
	RequestTokens int     `toml:"request_tokens"` // of a request, including the reserve for its answer
	RequestCost   float64 `toml:"request_cost" most:"1000000"`
	SessionTokens int     `toml:"session_tokens"`
	SessionCost   float64 `toml:"session_cost" most:"1000000"`
	DayTokens     int     `toml:"day_tokens"`
	DayCost       float64 `toml:"day_cost" most:"1000000"`
	MonthTokens   int     `toml:"month_tokens"`
	MonthCost     float64 `toml:"month_cost" most:"1000000"`
	UnknownPrice  string  `toml:"unknown_price" takes:"allow ask"` // if a cost is limited and its price is unknown
}

// Titles is the [titles] table.
type Titles struct {
	Model string `toml:"model"` // the model that writes titles, "endpoint/model"; "" uses the first message
}

// Summary is the [summary] table.
type Summary struct {
	Model string `toml:"model"` // the model that writes summaries, "endpoint/model"; "" is that of the session
}

// UI is the [ui] table.
type UI struct {
	Theme  string `toml:"theme"` // auto, a built-in theme, or one of [themes]
	Mouse  bool   `toml:"mouse"`
	Plain  bool   `toml:"plain"` // chat in plain lines of text
	Notify string `toml:"notify" takes:"auto bell off"`
}

// Tools is the [tools] table.
type Tools struct {
	Approve string `toml:"approve" takes:"ask always never"`
	// the maximum number of requests for one message
	MaxRounds int `toml:"max_rounds" least:"1"`
	// by tool name or pattern; takes precedence over Approve
	Permissions map[string]tool.Permission `toml:"permissions" takes:"off ask allow"`
	// offer the tool fetch
	Fetch bool `toml:"fetch"`
	// the only hosts that fetch may read; empty allows all public ones
	FetchHosts []string `toml:"fetch_hosts"`
}

// System is the [system] table.
type System struct {
	Prompt string `toml:"prompt"` // the system prompt of sessions without their own
}

// Sync is the [sync] table.
type Sync struct {
	Dir string `toml:"dir"` // the folder through which machines sync; ~ is the home folder
	Key string `toml:"key"` // an age identity file that encrypts the folder
}

// Defaults returns the configuration of an empty file.
func Defaults() Config {
	policy, _ := history.Preset(defaultPreset)
	return Config{
		Context: policy,
		Limits:  Limits{UnknownPrice: "allow"},
		UI:      UI{Theme: "auto", Mouse: true, Notify: "auto"},
		Tools:   Tools{Approve: "ask", MaxRounds: 16, FetchHosts: []string{}},
	}
}

// defaultPreset is the preset of a configuration that names none.
const defaultPreset = "balanced"
