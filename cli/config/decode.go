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

// Decode reads the text of a configuration file over the defaults and returns every mistake in it. With a mistake the
// Config is of no use.
func Decode(file string, doc []byte) (Config, []error) {
	doc = withNumbers(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")))
	c := Defaults()
	// The preset is read first because the other keys of [context] go over it.
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

// usePreset puts the policy of a preset under what the file sets.
func (c *Config) usePreset(name string) error {
	policy, err := history.Preset(name)
	if err != nil {
		return fmt.Errorf("context.preset is %q; must be one of %s%s", name, strings.Join(history.Presets(), ", "),
			llm.DidYouMean(name, history.Presets()))
	}
	c.Context = policy
	return toml.Unmarshal([]byte(c.ContextKeys), &c.Context)
}

// keysOver are the keys of a policy that have other values than in a preset, as TOML: a file that holds all keys, as
// config init writes it, does not fix them under other presets.
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

// numberLine is a line of [context] with a word in place of a number.
var numberLine = regexp.MustCompile(`(?m)^(\s*(?:context\.)?([a-z_]+)\s*=\s*)"(auto|unlimited)"`)

// withNumbers writes the numbers that words stand for in their place. Lines stay where they are.
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

// decodeMistakes turns the decoder's errors into sentences about the file.
func decodeMistakes(file string, err error) []error {
	at := func(e *toml.DecodeError, text string) error {
		line, column := e.Position()
		return fmt.Errorf("%s, line %d, column %d: %s", file, line, column, text)
	}
	var strict *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &strict):
		var out []error
		for i := range strict.Errors {
			out = append(out, at(&strict.Errors[i], unknownKey(strict.Errors[i].Key())))
		}
		return out
	case errors.As(err, &wrong):
		text := strings.TrimPrefix(wrong.Error(), "toml: ")
		if t := typeAt(wrong.Key()); len(wrong.Key()) > 0 && t != nil {
			return []error{at(wrong, strings.Join(wrong.Key(), ".")+" must be "+kindWords(wrong.Key(), t))}
		}
		return []error{at(wrong, "invalid TOML: "+text)}
	}
	return []error{fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "toml: "))}
}

// unknownKey says which key winnow does not know, and which one was meant.
func unknownKey(key toml.Key) string {
	last := len(key) - 1
	var known []string
	if table := typeAt(key[:last]); table != nil && table.Kind() == reflect.Struct {
		for i := range table.NumField() {
			known = append(known, table.Field(i).Tag.Get("toml"))
		}
	}
	return fmt.Sprintf("unknown key %q", strings.Join(key, ".")) + llm.DidYouMean(key[last], known)
}

// typeAt is the type of a key's value, nil where the configuration has no such key.
func typeAt(path []string) reflect.Type {
	t := reflect.TypeFor[Config]()
	for _, key := range path {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Map:
			t = t.Elem()
			continue
		case reflect.Struct:
		default:
			return nil
		}
		f, ok := t.FieldByNameFunc(func(name string) bool {
			f, _ := t.FieldByName(name)
			return f.Tag.Get("toml") == key
		})
		if !ok {
			return nil
		}
		t = f.Type
	}
	return t
}

// kindWords says what a key takes.
func kindWords(path []string, t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Int && path[0] == "context":
		return `a whole number, "auto" or "unlimited"`
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "a quoted string"
	case t.Kind() == reflect.Slice:
		return `a list of strings such as ["one", "two"]`
	}
	return "a table"
}
