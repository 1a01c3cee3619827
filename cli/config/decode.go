package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"winnow/history"
	"winnow/llm"
)

// Decode decodes a configuration file over the defaults. It returns every mistake; if there is one, the Config must not
// be used. file is the name of the file for the messages.
func Decode(file string, doc []byte) (Config, []error) {
	doc = withNumbers(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")))
	c := Defaults()
	// The preset comes first, because the other keys of [context] override it.
	var first struct {
		Context struct {
			Preset string `toml:"preset"`
		} `toml:"context"`
	}
	if toml.Unmarshal(doc, &first) == nil && first.Context.Preset != "" {
		if err := c.usePreset(first.Context.Preset); err != nil {
			return c, []error{fmt.Errorf("%s: %w", file, err)}
		}
	}
	base := c.Context
	if err := toml.NewDecoder(bytes.NewReader(doc)).DisallowUnknownFields().Decode(&c); err != nil {
		return Config{}, decodeMistakes(file, err)
	}
	c.ContextKeys = keysOver(base, c.Context)
	mistakes := c.check()
	for i, wrong := range mistakes {
		mistakes[i] = fmt.Errorf("%s: %w", file, wrong)
	}
	return c, mistakes
}

// usePreset replaces the policy by a preset, and applies the keys that the file sets over it.
func (c *Config) usePreset(name string) error {
	policy, err := history.Preset(name)
	if err != nil {
		return fmt.Errorf("context.preset is %q; must be one of %s%s", name, strings.Join(history.Presets(), ", "),
			llm.DidYouMean(name, history.Presets()))
	}
	c.Context = policy
	return toml.Unmarshal([]byte(c.ContextKeys), &c.Context)
}

// keysOver returns the keys of a policy whose values differ from a preset, as TOML. Thus a file with all keys, such as
// config init writes, does not override other presets.
func keysOver(preset, policy history.Policy) string {
	over := map[string]any{}
	under := fields(reflect.ValueOf(preset))
	for i, f := range fields(reflect.ValueOf(policy)) {
		if f.key() != "preset" && !f.value.Equal(under[i].value) {
			over[f.key()] = f.value.Interface()
		}
	}
	return asTOML(over)
}

func asTOML(keys map[string]any) string {
	text, _ := toml.Marshal(keys) // texts, numbers and booleans always encode
	return string(text)
}

// numberLine matches a line of [context] with a word in place of a number.
var numberLine = regexp.MustCompile(`(?m)^(\s*(?:context\.)?([a-z_]+)\s*=\s*)"(auto|unlimited)"`)

// withNumbers replaces words by the numbers that they stand for. It keeps the line numbers.
func withNumbers(doc []byte) []byte {
	var numbers []string
	for _, f := range fields(reflect.ValueOf(history.Policy{})) {
		if f.value.CanInt() {
			numbers = append(numbers, f.key())
		}
	}
	return numberLine.ReplaceAllFunc(doc, func(line []byte) []byte {
		part := numberLine.FindSubmatch(line)
		if !slices.Contains(numbers, string(part[2])) {
			return line
		}
		return strconv.AppendInt(part[1], int64(numberWords[string(part[3])]), 10)
	})
}

// wrongKind matches the decoder's error for a value of the wrong type.
var wrongKind = regexp.MustCompile(`^cannot decode TOML (\w+).*`)

// decodeMistakes turns the decoder's errors into messages with positions.
func decodeMistakes(file string, err error) (mistakes []error) {
	add := func(e *toml.DecodeError, text string) {
		line, column := e.Position()
		mistakes = append(mistakes, fmt.Errorf("%s, line %d, column %d: %s", file, line, column, text))
	}
	var strict *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch text := strings.TrimPrefix(err.Error(), "toml: "); {
	case errors.As(err, &strict):
		known := keyNames(reflect.TypeFor[Config]())
		for i := range strict.Errors {
			e := &strict.Errors[i]
			key := e.Key()
			add(e, fmt.Sprintf("unknown key %q", strings.Join(key, "."))+llm.DidYouMean(key[len(key)-1], known))
		}
	case !errors.As(err, &wrong):
		mistakes = []error{fmt.Errorf("%s: %s", file, text)}
	case wrongKind.MatchString(text):
		kind := wrongKind.ReplaceAllString(text, "$1")
		add(wrong, strings.Join(wrong.Key(), ".")+" has a value of the wrong type, "+kind)
	default:
		add(wrong, "invalid TOML: "+text)
	}
	return mistakes
}

// keyNames returns the names of all keys and tables in a type.
func keyNames(t reflect.Type) (names []string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map:
		return keyNames(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			names = append(append(names, f.Tag.Get("toml")), keyNames(f.Type)...)
		}
	}
	return names
}
