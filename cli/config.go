//go:build cgo

package cli

import (
	"winnow/history"
	"winnow/ui/theme"
)

// Config is the configuration file. Each table is one room's: cli puts them together.
type Config struct {
	Model     string                   `toml:"model"`     // "endpoint/model" or "endpoint"; "" chooses by itself
	Endpoints map[string]EndpointConf  `toml:"endpoints"` // by name, the first half of a model's name
	Context   history.Policy           `toml:"context"`
	Sampling  SamplingConf             `toml:"sampling"`
	Titles    TitlesConf               `toml:"titles"`
	UI        UIConf                   `toml:"ui"`
	Themes    map[string]theme.Palette `toml:"themes"` // more themes, by name
	Keys      map[string][]string      `toml:"keys"`   // by action; a key that is not named keeps its default
	Tools     ToolsConf                `toml:"tools"`
	System    SystemConf               `toml:"system"`
	Storage   StorageConf              `toml:"storage"`

	contextKeys     string // the keys of [context] that the file sets otherwise than its preset, as TOML
	environmentKeys string // and those that the environment sets
}

// EndpointConf is one [endpoints.NAME] table.
type EndpointConf struct {
	BaseURL    string            `toml:"base_url"`    // with /v1
	Key        string            `toml:"key"`         // the key itself; key_env is the better place
	KeyEnv     string            `toml:"key_env"`     // the environment variable that holds the key
	KeyCommand []string          `toml:"key_command"` // a program and its arguments; the first line it prints is the key
	Headers    map[string]string `toml:"headers"`     // more request headers
	Model      string            `toml:"model"`       // the model to use where only the endpoint is named
	Window     int               `toml:"window"`      // tokens; 0 finds it out
	Exact      bool              `toml:"exact"`       // llama.cpp counts each request itself
	Profile    ProfileConf       `toml:"profile"`

	FirstByteTimeout int `toml:"first_byte_timeout"` // seconds; 0 is 120 for a hosted server, 600 on this machine or network

	Sampling SamplingConf         `toml:"sampling"` // over [sampling], for all models of the endpoint
	Models   map[string]ModelConf `toml:"models"`   // by model
	Prices   map[string]PriceConf `toml:"prices"`   // by model; "*" is every other one
}

// ModelConf is one [endpoints.NAME.models.MODEL] table.
type ModelConf struct {
	Window   int          `toml:"window"`   // tokens, over the endpoint's; 0 leaves it
	Sampling SamplingConf `toml:"sampling"` // over the endpoint's
}

// PriceConf is what a model costs: US dollars for a million tokens.
type PriceConf struct {
	In     *float64 `toml:"in"`     // tokens of the request
	Cached *float64 `toml:"cached"` // those of them that the server had in its cache; nil is as In
	Out    *float64 `toml:"out"`    // tokens of the answer, the reasoning included
}

// ProfileConf is what an endpoint's chat format insists on beyond the strict form: see history.Profile.
type ProfileConf struct {
	MergeSameRole bool `toml:"merge_same_role"`
	NoToolToUser  bool `toml:"no_tool_to_user"`
	ToolIDLength  int  `toml:"tool_id_length"`
}

// SamplingConf is the [sampling] table: what is asked of every model beside the messages.
type SamplingConf struct {
	MaxTokens   int      `toml:"max_tokens"`  // the longest reply in tokens; 0 leaves it to the server
	Temperature *float64 `toml:"temperature"` // nil leaves it to the server
	TopP        *float64 `toml:"top_p"`       // nil leaves it to the server
	Effort      string   `toml:"effort"`      // reasoning effort; "" leaves it to the server
}

// TitlesConf is the [titles] table.
type TitlesConf struct {
	Model string `toml:"model"` // the model that writes titles, "endpoint/model"; "" takes them from the first message
}

// UIConf is the [ui] table.
type UIConf struct {
	Theme string `toml:"theme"` // one of ui.Themes, or of [themes]
	Mouse bool   `toml:"mouse"`
	Panel string `toml:"panel"` // auto (open on a wide terminal), open or closed
}

// ToolsConf is the [tools] table.
type ToolsConf struct {
	Approve   string `toml:"approve"`    // ask, always or never
	MaxRounds int    `toml:"max_rounds"` // requests that one message may lead to while tools are called
}

// SystemConf is the [system] table.
type SystemConf struct {
	Prompt     string `toml:"prompt"`      // the system prompt of sessions that have none of their own
	PromptFile string `toml:"prompt_file"` // the file that holds it instead; ~ is the home folder
}

// StorageConf is the [storage] table.
type StorageConf struct {
	Path string `toml:"path"` // the database file; "" is in the user's data folder
}

// defaultPreset is the policy of a configuration that names none.
const defaultPreset = "balanced"

// Defaults is the configuration of an empty file.
func Defaults() Config {
	return withPreset(defaultPreset)
}

// withPreset is the configuration of a file that names only a preset; one that does not exist
// leaves the default policy under its name, for Check to complain about.
func withPreset(name string) Config {
	policy, err := history.Preset(name)
	if err != nil {
		policy, _ = history.Preset(defaultPreset)
		policy.Preset = name
	}
	return Config{
		Context: policy,
		UI:      UIConf{Theme: "auto", Mouse: true, Panel: "auto"},
		Tools:   ToolsConf{Approve: "ask", MaxRounds: 16},
	}
}
