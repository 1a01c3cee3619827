// Package config reads the configuration: its file in TOML, the defaults under it and the environment over it.
// It opens no file, asks no server and runs no command.
package config

import (
	"winnow/history"
	"winnow/llm/tool"
	"winnow/ui/theme"
)

// Config is the configuration file. Each table is one room's: cli puts them together. The tags takes, least and most
// are the rules of a key: see field.wrong.
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
	Sync       Sync                     `toml:"sync"`

	ContextKeys     string                `toml:"-"` // the keys of [context] that the file sets otherwise than its preset, as TOML
	EnvironmentKeys string                `toml:"-"` // and those that the environment sets
	Environment     []EnvironmentOverride `toml:"-"` // what the environment sets
}

// Endpoint is one [endpoints.NAME] table.
type Endpoint struct {
	BaseURL    string            `toml:"base_url"`    // with /v1
	Key        string            `toml:"key"`         // the key itself; the other places are better
	KeyEnv     string            `toml:"key_env"`     // the environment variable that holds the key
	KeyCommand []string          `toml:"key_command"` // a program and its arguments; its first line is the key
	Headers    map[string]string `toml:"headers"`     // more request headers
	Model      string            `toml:"model"`       // the model to use where only the endpoint is named
	Wire       string            `toml:"wire" takes:"auto openai responses ollama"`
	Window     int               `toml:"window"`     // tokens; 0 finds it out
	KeepAlive  string            `toml:"keep_alive"` // how long Ollama keeps a model loaded; "" leaves it to the server
	Exact      bool              `toml:"exact"`      // the server counts requests itself: llama.cpp

	// seconds; 0 is 120 for a hosted server, 600 on this machine or network
	FirstByteTimeout int `toml:"first_byte_timeout"`
}

// Model is one [models."PATTERN"] table. What it does not say is left to less specific tables and to the endpoint.
type Model struct {
	Window   int         `toml:"window"` // tokens; 0 leaves it
	Tools    *bool       `toml:"tools"`  // false offers it no tools
	System   *string     `toml:"system"` // the system prompt of sessions that begin with the model; "" is none
	Sampling Sampling    `toml:"sampling"`
	Prices   *ModelPrice `toml:"prices"`
}

// ModelPrice is what a model costs: US dollars for a million tokens.
type ModelPrice struct {
	In     *float64 `toml:"in" most:"1000000"`     // tokens of the request
	Cached *float64 `toml:"cached" most:"1000000"` // those read from the server's cache; nil is as In
	Out    *float64 `toml:"out" most:"1000000"`    // tokens of the answer, the reasoning included
}

// Sampling is what is asked of a model beside the messages. What is not set is left to the server.
type Sampling struct {
	MaxTokens   int      `toml:"max_tokens"` // the longest reply in tokens
	Temperature *float64 `toml:"temperature" most:"2"`
	TopP        *float64 `toml:"top_p" most:"1"`
	Effort      string   `toml:"effort"` // of the reasoning
}

// Limits is what winnow asks about before it is spent, in tokens and in US dollars. 0 is no limit.
type Limits struct {
	RequestTokens int     `toml:"request_tokens"` // of a request and the answer that it leaves room for
	RequestCost   float64 `toml:"request_cost" most:"1000000"`
	SessionTokens int     `toml:"session_tokens"`
	SessionCost   float64 `toml:"session_cost" most:"1000000"`
	DayTokens     int     `toml:"day_tokens"`
	DayCost       float64 `toml:"day_cost" most:"1000000"`
	MonthTokens   int     `toml:"month_tokens"`
	MonthCost     float64 `toml:"month_cost" most:"1000000"`
	UnknownPrice  string  `toml:"unknown_price" takes:"allow ask"` // where a cost is limited and a price is not known
}

// Titles is the [titles] table.
type Titles struct {
	Model string `toml:"model"` // writes titles, "endpoint/model"; "" takes them from the first message
}

// Summary is the [summary] table.
type Summary struct {
	Model string `toml:"model"` // writes summaries, "endpoint/model"; "" is that of the session
}

// UI is the [ui] table.
type UI struct {
	Theme  string `toml:"theme"` // auto, one of the program's or of [themes]
	Mouse  bool   `toml:"mouse"`
	Plain  bool   `toml:"plain"` // chat in plain lines of text
	Notify string `toml:"notify" takes:"auto bell off"`
}

// Tools is the [tools] table.
type Tools struct {
	Approve string `toml:"approve" takes:"ask always never"`
	// requests of one message while tools are called
	MaxRounds int `toml:"max_rounds" least:"1"`
	// over Approve, by the name of a tool or a pattern
	Permissions map[string]tool.Permission `toml:"permissions" takes:"off ask allow"`
	// offers to read URLs
	Fetch bool `toml:"fetch"`
	// the only hosts that fetch asks; none is every public one
	FetchHosts []string `toml:"fetch_hosts"`
}

// System is the [system] table.
type System struct {
	Prompt string `toml:"prompt"` // the system prompt of sessions that have none of their own
}

// Sync is the [sync] table.
type Sync struct {
	Dir string `toml:"dir"` // the folder through which the machines exchange their histories; ~ is the home folder
	Key string `toml:"key"` // an age identity file that encrypts what is written there
}

// Defaults is the configuration of an empty file.
func Defaults() Config {
	policy, _ := history.Preset(defaultPreset)
	return Config{
		Context: policy,
		Limits:  Limits{UnknownPrice: "allow"},
		UI:      UI{Theme: "auto", Mouse: true, Notify: "auto"},
		Tools:   Tools{Approve: "ask", MaxRounds: 16, FetchHosts: []string{}},
	}
}

// defaultPreset is the policy of a configuration that names none.
const defaultPreset = "balanced"
