package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/ui/theme"
)

// field is a key of the configuration.
type field struct {
	path  []string // the names of its tables and its own name
	rules reflect.StructTag
	value reflect.Value
}

func (f field) key() string { return strings.Join(f.path, ".") }

// variable returns the environment variable that sets the key: WINNOW_TOOLS_TIMEOUT for tools.timeout.
func (f field) variable() string { return "WINNOW_" + strings.ToUpper(strings.Join(f.path, "_")) }

// fields returns the keys of a table and its subtables in order. Values in tables with user-defined names cannot be
// set.
func fields(table reflect.Value, path ...string) []field {
	var out []field
	for i := range table.NumField() {
		f, value := table.Type().Field(i), table.Field(i)
		at := append(slices.Clone(path), f.Tag.Get("toml"))
		if value.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct && !value.IsNil() {
			value = value.Elem()
		}
		switch {
		case f.Tag.Get("toml") == "-":
		case value.Kind() == reflect.Struct:
			out = append(out, fields(value, at...)...)
		case value.Kind() == reflect.Map && f.Type.Elem().Kind() == reflect.Struct:
			for _, name := range names(value) {
				out = append(out, fields(value.MapIndex(name), append(at, name.String())...)...)
			}
		default:
			out = append(out, field{at, f.Tag, value})
		}
	}
	return out
}

// names returns the keys of a map, sorted.
func names(m reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(m.MapKeys()), func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
}

// wrong says how the value violates the tags of the key, "" if it does not. The tag takes lists the words that a text
// or the values of a map may have; least and most bound a number, which must not be negative.
func (f field) wrong() string {
	v := f.value
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch takes := strings.Fields(f.rules.Get("takes")); {
	case v.Kind() == reflect.Map:
		for _, name := range names(v) {
			one := field{append(slices.Clone(f.path), name.String()), f.rules, v.MapIndex(name)}
			if wrong := one.wrong(); wrong != "" {
				return wrong
			}
		}
	case v.Kind() == reflect.String && len(takes) > 0:
		unset := v.String() == "" && len(f.path) > 2 // in a table that is empty by default
		if !unset && !slices.Contains(takes, v.String()) {
			return fmt.Sprintf("%s is %q; must be %s%s", f.key(), v.String(), theme.JoinOr(takes),
				llm.DidYouMean(v.String(), takes))
		}
	case v.CanInt():
		return f.outside(float64(v.Int()))
	case v.CanFloat():
		return f.outside(v.Float())
	}
	return ""
}

// outside says that a number is too small or too large.
func (f field) outside(n float64) string {
	least, _ := strconv.ParseFloat(f.rules.Get("least"), 64) // 0 without a tag
	most, err := strconv.ParseFloat(f.rules.Get("most"), 64)
	switch {
	case err == nil && !(n >= least && n <= most): // n may be NaN
		return fmt.Sprintf("%s is %v; must be %v to %v", f.key(), n, least, f.rules.Get("most"))
	case n < least:
		return fmt.Sprintf("%s is %v; must be %v or more", f.key(), n, least)
	}
	return ""
}

// numberWords maps words to the numbers that they stand for in [context].
var numberWords = map[string]int{"auto": 0, "unlimited": history.NoLimit}

// set sets the key of c to the value of an environment variable; lists are separated by commas.
func (f field) set(c *Config, text string) error {
	value := text
	if _, word := numberWords[text]; word || f.value.Kind() == reflect.String {
		value = strconv.Quote(text)
	} else if f.value.Kind() == reflect.Slice {
		items := strings.Split(text, ",")
		for i, item := range items {
			items[i] = strconv.Quote(strings.TrimSpace(item))
		}
		value = "[" + strings.Join(items, ",") + "]"
	}
	if toml.Unmarshal(withNumbers([]byte(f.key()+" = "+value)), c) != nil {
		return fmt.Errorf("%s cannot be %q", f.key(), text)
	}
	return nil
}

// EnvironmentOverride is an environment variable that sets a key of the configuration.
type EnvironmentOverride struct {
	Name string // such as WINNOW_CONTEXT_BUDGET
	Key  string // such as context.budget
}

// settable returns the keys that the environment can set.
func (c *Config) settable() []field {
	return slices.DeleteFunc(fields(reflect.ValueOf(c).Elem()), func(f field) bool {
		return f.value.Kind() == reflect.Map || !f.value.CanSet()
	})
}

// ApplyEnvironment sets the keys for which lookup returns a value, over those of the file. The error is the first
// mistake.
func (c *Config) ApplyEnvironment(lookup func(name string) string) error {
	over := map[string]any{} // keys of [context]
	for _, f := range c.settable() {
		text := strings.TrimSpace(lookup(f.variable()))
		if text == "" {
			continue
		}
		c.Environment = append(c.Environment, EnvironmentOverride{f.variable(), f.key()})
		if err := f.set(c, text); err != nil {
			return fmt.Errorf("%s: %w", f.variable(), err)
		}
		if wrong := f.wrong(); wrong != "" {
			return fmt.Errorf("%s: %s", f.variable(), wrong)
		}
		if f.path[0] == "context" {
			over[f.path[1]] = f.value.Interface()
		}
		if f.key() == "context.preset" {
			if err := c.usePreset(text); err != nil {
				return fmt.Errorf("%s: %w", f.variable(), err)
			}
		}
	}
	c.EnvironmentKeys = asTOML(over)
	if len(c.Environment) == 0 {
		return nil
	}
	if mistakes := c.check(); len(mistakes) > 0 {
		return fmt.Errorf("with the environment: %w", mistakes[0])
	}
	return nil
}
