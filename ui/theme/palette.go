package theme

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"winnow/ui/markdown"
)

// Palette is the colours of a theme, each by its role. A colour is "#rrggbb", or "0" to "255" for
// one of the terminal's own; "" takes the one of the theme's base. No theme paints the background:
// that is the terminal's.
type Palette struct {
	Base string `toml:"base"` // dark or light: what the theme does not say itself

	Dim        string `toml:"dim"`         // secondary text
	Faint      string `toml:"faint"`       // what is not sent, rules
	Frame      string `toml:"frame"`       // frames, the free part of the bar
	Accent     string `toml:"accent"`      // titles, keys in help
	Focus      string `toml:"focus"`       // the frame with the focus, the used part of the bar
	Chosen     string `toml:"chosen"`      // the text under the cursor of a list
	ChosenBack string `toml:"chosen_back"` // and what is behind it
	FoundBack  string `toml:"found_back"`  // behind what a search found
	User       string `toml:"user"`        // you, the draft, what winnow added
	Model      string `toml:"model"`       // who answers
	Tool       string `toml:"tool"`        // tools and their results
	System     string `toml:"system"`      // the system prompt
	Pinned     string `toml:"pinned"`
	Good       string `toml:"good"`
	Warn       string `toml:"warn"` // warnings, what is cut
	Bad        string `toml:"bad"`  // errors

	Heading string `toml:"heading"` // the next five are for Markdown
	Code    string `toml:"code"`
	Link    string `toml:"link"`
	Quote   string `toml:"quote"`
	Muted   string `toml:"muted"`
	Syntax  string `toml:"syntax"` // the colours of code blocks, by the name of a Chroma style
}

// BuiltIn are the palettes that come with winnow, by the name of their theme. The themes dark and
// light are the bases of all others.
func BuiltIn() map[Name]Palette {
	dark, light := markdown.Dark, markdown.Light
	return map[Name]Palette{
		Dark: {
			Dim: "#9aa0ac", Faint: "#767c88", Frame: "#444954", Accent: "#6fd3c3", Focus: "#4fb3a5",
			Chosen: "#e6fffb", ChosenBack: "#23403d", FoundBack: "#4a3f1d",
			User: "#82aaff", Model: "#6fd3c3", Tool: "#e0b26a", System: "#b39ddb", Pinned: "#c3a6ff",
			Good: "#8fd18f", Warn: "#f0c070", Bad: "#ff8a80",
			Heading: dark.Heading, Code: dark.Code, Link: dark.Link, Quote: dark.Quote, Muted: dark.Muted, Syntax: dark.Syntax,
		},
		Light: {
			Dim: "#5f6470", Faint: "#7d828e", Frame: "#c3c7d0", Accent: "#0b6e63", Focus: "#0b8a7c",
			Chosen: "#0b3a35", ChosenBack: "#dcefec", FoundBack: "#fff0c2",
			User: "#2458b8", Model: "#0b6e63", Tool: "#8a5a00", System: "#6b4fa0", Pinned: "#6b4fa0",
			Good: "#2c7a2c", Warn: "#96600a", Bad: "#b3261e",
			Heading: light.Heading, Code: light.Code, Link: light.Link, Quote: light.Quote, Muted: light.Muted, Syntax: light.Syntax,
		},
		"terminal": { // the terminal's own sixteen colours, whatever they are
			Base: "dark",
			Dim:  "7", Faint: "8", Frame: "8", Accent: "6", Focus: "6",
			Chosen: "0", ChosenBack: "6", FoundBack: "8",
			User: "4", Model: "6", Tool: "3", System: "5", Pinned: "5",
			Good: "2", Warn: "3", Bad: "1",
			Heading: "4", Code: "3", Link: "6", Quote: "7", Muted: "8", Syntax: "github-dark",
		},
		"gruvbox": {
			Base: "dark",
			Dim:  "#bdae93", Faint: "#928374", Frame: "#504945", Accent: "#8ec07c", Focus: "#8ec07c",
			Chosen: "#fbf1c7", ChosenBack: "#3c3836", FoundBack: "#5a4a12",
			User: "#83a598", Model: "#8ec07c", Tool: "#fabd2f", System: "#d3869b", Pinned: "#d3869b",
			Good: "#b8bb26", Warn: "#fabd2f", Bad: "#fb6a58",
			Heading: "#fabd2f", Code: "#fe8019", Link: "#83a598", Quote: "#bdae93", Muted: "#a89984", Syntax: "gruvbox",
		},
		"nord": {
			Base: "dark",
			Dim:  "#a8b2c4", Faint: "#7b88a1", Frame: "#4c566a", Accent: "#88c0d0", Focus: "#88c0d0",
			Chosen: "#eceff4", ChosenBack: "#434c5e", FoundBack: "#5c5533",
			User: "#81a1c1", Model: "#8fbcbb", Tool: "#ebcb8b", System: "#c5a3c0", Pinned: "#c5a3c0",
			Good: "#a3be8c", Warn: "#ebcb8b", Bad: "#e28d95",
			Heading: "#88c0d0", Code: "#d8a58c", Link: "#88c0d0", Quote: "#a8b2c4", Muted: "#97a3b8", Syntax: "nord",
		},
		"catppuccin": {
			Base: "dark",
			Dim:  "#a6adc8", Faint: "#7f849c", Frame: "#45475a", Accent: "#94e2d5", Focus: "#94e2d5",
			Chosen: "#cdd6f4", ChosenBack: "#313244", FoundBack: "#4d4530",
			User: "#89b4fa", Model: "#94e2d5", Tool: "#f9e2af", System: "#cba6f7", Pinned: "#cba6f7",
			Good: "#a6e3a1", Warn: "#fab387", Bad: "#f38ba8",
			Heading: "#89b4fa", Code: "#fab387", Link: "#74c7ec", Quote: "#a6adc8", Muted: "#9399b2", Syntax: "catppuccin-mocha",
		},
		"solarized-light": {
			Base: "light",
			Dim:  "#586e75", Faint: "#7a8a8f", Frame: "#d6cfb8", Accent: "#1a6f68", Focus: "#23958c",
			Chosen: "#073642", ChosenBack: "#e3dcc3", FoundBack: "#f5e3a3",
			User: "#1c6ba8", Model: "#1a6f68", Tool: "#8a6500", System: "#5a5fb0", Pinned: "#5a5fb0",
			Good: "#5d6d00", Warn: "#8a6500", Bad: "#c4281c",
			Heading: "#1c6ba8", Code: "#a8400f", Link: "#1a6f68", Quote: "#586e75", Muted: "#5f7278", Syntax: "solarized-light",
		},
	}
}

// over puts the palette over its base: what it does not say is said by that.
func (p Palette) over(base Palette) Palette {
	from, to := reflect.ValueOf(base), reflect.ValueOf(&p).Elem()
	for i := range to.NumField() {
		if to.Field(i).String() == "" {
			to.Field(i).Set(from.Field(i))
		}
	}
	return p
}

// markdown is the part of the palette that Markdown is drawn with.
func (p Palette) markdown() markdown.Style {
	return markdown.Style{Heading: p.Heading, Code: p.Code, Link: p.Link, Quote: p.Quote, Muted: p.Muted, Syntax: p.Syntax}
}

// Check says what is wrong with a palette of the user's own: the key and the rest of a sentence
// about it, "" for nothing.
func (p Palette) Check() (key, wrong string) {
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		key, value := v.Type().Field(i).Tag.Get("toml"), v.Field(i).String()
		switch {
		case value == "":
		case key == "base" && value != "dark" && value != "light":
			return key, fmt.Sprintf("is %q; it takes \"dark\" or \"light\"", value)
		case key == "base":
		case key == "syntax" && !markdown.HasSyntax(value):
			return key, fmt.Sprintf("is %q; it takes the name of a Chroma style, such as %q", value, "monokai")
		case key == "syntax":
		case !isColour(value):
			return key, fmt.Sprintf("is %q; it takes a colour such as \"#6fd3c3\", or 0 to 255 in quotes for one of the terminal's", value)
		}
	}
	return "", ""
}

// isColour says whether a text is "#rrggbb" or a number from 0 to 255.
func isColour(text string) bool {
	if hex, ok := strings.CutPrefix(text, "#"); ok {
		_, err := strconv.ParseUint(hex, 16, 24)
		return err == nil && len(hex) == 6
	}
	n, err := strconv.ParseUint(text, 10, 8)
	return err == nil && strconv.FormatUint(n, 10) == text
}

// Names are the names of the themes that come with winnow, in the order in which they are offered.
func Names() []string {
	first := []string{string(Auto), string(Dark), string(Light), "terminal", string(None)}
	rest := []string{}
	for _, name := range slices.Sorted(maps.Keys(BuiltIn())) {
		if !slices.Contains(first, string(name)) {
			rest = append(rest, string(name))
		}
	}
	return append(first, rest...)
}
