package theme

import (
	_ "embed" // of the themes that come with winnow
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"winnow/ui/markdown"
)

// Palette is the colours of a theme, each by its role. A colour is "#rrggbb", or "0" to "255" for
// one of the terminal's own; "" takes the one of the theme's base. No theme paints the background:
// that is the terminal's.
type Palette struct {
	Base string `toml:"base"` // dark or light: what the theme does not say itself

	Dim              string `toml:"dim"`         // secondary text
	Faint            string `toml:"faint"`       // what is not sent, rules
	Frame            string `toml:"frame"`       // frames, the free part of the bar
	Accent           string `toml:"accent"`      // titles, keys in help
	Focus            string `toml:"focus"`       // the frame with the focus, the used part of the bar
	Chosen           string `toml:"chosen"`      // the text under the cursor of a list
	ChosenBackground string `toml:"chosen_back"` // and what is behind it
	FoundBackground  string `toml:"found_back"`  // behind what a search found
	User             string `toml:"user"`        // you, the draft, what winnow added
	Model            string `toml:"model"`       // who answers
	Tool             string `toml:"tool"`        // tools and their results
	System           string `toml:"system"`      // the system prompt
	Pinned           string `toml:"pinned"`
	Good             string `toml:"good"`
	Warn             string `toml:"warn"` // warnings, what is cut
	Bad              string `toml:"bad"`  // errors

	Heading string `toml:"heading"` // the next five are for Markdown
	Code    string `toml:"code"`
	Link    string `toml:"link"`
	Quote   string `toml:"quote"`
	Muted   string `toml:"muted"`
	Syntax  string `toml:"syntax"` // the colours of code blocks, by the name of a Chroma style
}

//go:embed themes.toml
var builtIn []byte

// BuiltIn are the palettes that come with winnow, by the name of their theme. The themes dark and
// light are the bases of all others.
func BuiltIn() map[Name]Palette {
	var palettes map[Name]Palette
	if err := toml.Unmarshal(builtIn, &palettes); err != nil {
		panic(err) // A test reads them all.
	}
	return palettes
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
	names := []string{string(Auto), string(Dark), string(Light), "terminal", string(None)}
	for _, name := range slices.Sorted(maps.Keys(BuiltIn())) {
		if !slices.Contains(names, string(name)) {
			names = append(names, string(name))
		}
	}
	return names
}
