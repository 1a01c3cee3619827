package theme

import (
	_ "embed" // of the themes that come with winnow
	"fmt"
	"reflect"

	"github.com/pelletier/go-toml/v2"
)

// Palette is the colours of a theme, each by its role. "" takes the one of the theme's base. No theme paints the
// background of the page: that is the terminal's.
type Palette struct {
	Base string `toml:"base"` // dark or light: what the theme does not say itself

	Text      Colour `toml:"text"`      // answers, values
	Strong    Colour `toml:"strong"`    // names, headings, the user's words
	Muted     Colour `toml:"muted"`     // reasons, receipts, labels, what is not sent
	Faint     Colour `toml:"faint"`     // the sign of what is dropped, the free part of the bar
	Rule      Colour `toml:"rule"`      // the two rules of the screen
	Tint      Colour `toml:"tint"`      // the ground under code and chips
	Selection Colour `toml:"selection"` // the ground under the row of a list's cursor
	Ghost     Colour `toml:"ghost"`     // the page behind an overlay
	Seen      Colour `toml:"seen"`      // what the model sees; the focus
	You       Colour `toml:"you"`       // the user's name, the draft's part of the bar
	Cut       Colour `toml:"cut"`       // what is cut, questions, warnings, what a search found
	Pinned    Colour `toml:"pinned"`
	Recalled  Colour `toml:"recalled"`
	Repaired  Colour `toml:"repaired"` // and errors
	Keyword   Colour `toml:"keyword"`  // the next four are for code
	String    Colour `toml:"string"`
	Function  Colour `toml:"function"` // names of functions and types
	Number    Colour `toml:"number"`
}

//go:embed themes.toml
var builtIn []byte

// BuiltIn are the palettes that come with winnow, those of the themes dark and light: the bases of all others. The
// theme terminal has none of its own: it is dark or light in 16 colours.
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
		if own, ok := to.Field(i).Interface().(Colour); ok {
			to.Field(i).Set(reflect.ValueOf(own.over(from.Field(i).Interface().(Colour))))
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
			return key, fmt.Sprintf("is %q; must be \"dark\" or \"light\"", value)
		case key == "base":
		default:
			if wrong := Colour(value).wrong(); wrong != "" {
				return key, wrong
			}
		}
	}
	return "", ""
}
