// Package settings computes the policy of a conversation from the configuration, the settings of the conversation and
// the environment, in rising order of precedence. It also says where each value comes from. It stores nothing.
package settings

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"winnow/history"
	"winnow/session/store"
)

// Global holds the settings that apply to every conversation.
type Global struct {
	Policy history.Policy // as configured
	// The policy's keys that the configuration sets in addition to its preset, as TOML. They apply to any preset.
	Context string
	// The policy's keys that the environment sets, as TOML. They override the settings of a conversation.
	Environment string
}

// WithOverrides returns a conversation with other values for some keys of its policy.
func WithOverrides(row store.Session, values map[string]any) (store.Session, error) {
	keys, err := overridden(row)
	if err != nil || len(values) == 0 {
		return row, err
	}
	maps.Copy(keys, values)
	text, err := toml.Marshal(keys)
	if err != nil {
		return row, fmt.Errorf("write this conversation's overrides: %w", err)
	}
	row.Overrides = string(text)
	return row, nil
}

// overridden returns the keys of the policy that are set for a conversation, except its preset.
func overridden(row store.Session) (map[string]any, error) {
	return readTOML(row.Overrides, "this conversation's overrides")
}

// readTOML parses keys and their values; what names the text in errors.
func readTOML(text, what string) (map[string]any, error) {
	keys := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &keys); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return keys, nil
}

// environment returns the keys that the environment sets, without those in asked.
func (b Global) environment(asked []string) (map[string]any, error) {
	keys, err := readTOML(b.Environment, "the context that the environment sets")
	for _, key := range asked {
		delete(keys, key)
	}
	return keys, err
}

// PolicyOf returns the policy of a conversation. It starts with the preset of the conversation or the configuration,
// and applies the keys of the configuration, of the conversation and of the environment. Keys in asked are being tried
// out, so the environment does not override them.
func (b Global) PolicyOf(row store.Session, asked ...string) (history.Policy, error) {
	keys, err := overridden(row)
	environment, more := b.environment(asked)
	if err := errors.Join(err, more); err != nil {
		return b.Policy, err
	}
	maps.Copy(keys, environment)
	preset := row.Preset
	if name, ok := environment["preset"].(string); ok {
		preset = name
	}
	p := b.Policy
	if preset != "" {
		if p, err = history.Preset(preset); err != nil {
			return b.Policy, err
		}
		if err := toml.Unmarshal([]byte(b.Context), &p); err != nil {
			return b.Policy, fmt.Errorf("read the configured context: %w", err)
		}
		p.Preset = preset
	}
	text, err := toml.Marshal(keys)
	if err == nil {
		err = toml.Unmarshal(text, &p)
	}
	if err != nil {
		return b.Policy, fmt.Errorf("read the settings of this conversation: %w", err)
	}
	return p, p.Check()
}

// CheckOverridable returns an error if a change to a conversation's settings would have no effect, because the
// environment sets the same key.
func (b Global) CheckOverridable(was, now store.Session) error {
	environment, err := b.environment(nil)
	before, more := overridden(was)
	after, most := overridden(now)
	if err := errors.Join(err, more, most); err != nil {
		return err
	}
	before["preset"], after["preset"] = was.Preset, now.Preset
	for key := range environment {
		if after[key] != before[key] {
			return fmt.Errorf("%s is set by WINNOW_CONTEXT_%s in the environment, which overrides the session", key,
				strings.ToUpper(key))
		}
	}
	return nil
}

// Setting is one value that the next request depends on, and where it comes from.
type Setting struct {
	Key   string // "model", "system", a key of [sampling] or of [context]
	Value any    // a string, a number or a boolean; history.NoLimit for no limit; for a system prompt its length
	From  string // "environment", "session", "configuration", "trial" or "preset NAME"
	Table string // the table of the configuration that sets it, if not the key's own; else ""
}

// List returns the keys of [context] in order, with the values of a policy and where they come from. Keys in asked are
// a trial.
func (b Global) List(row store.Session, policy history.Policy, asked []string) ([]Setting, error) {
	set, err := overridden(row)
	configured, more := readTOML(b.Context, "the configured context")
	environment, most := b.environment(asked)
	if err := errors.Join(err, more, most); err != nil {
		return nil, err
	}
	configured["preset"] = true
	if delete(set, "preset"); row.Preset != "" {
		set["preset"] = row.Preset
	}
	var list []Setting
	values := reflect.ValueOf(policy)
	for i := range values.NumField() {
		key := values.Type().Field(i).Tag.Get("toml")
		if key == "-" {
			continue
		}
		from := "preset " + policy.Preset
		switch {
		case hasKey(environment, key):
			from = "environment"
		case slices.Contains(asked, key):
			from = "trial"
		case hasKey(set, key):
			from = "session"
		case hasKey(configured, key):
			from = "configuration"
		}
		list = append(list, Setting{Key: key, Value: plainValue(values.Field(i)), From: from})
	}
	return list, nil
}

func hasKey(keys map[string]any, key string) bool {
	_, ok := keys[key]
	return ok
}

// SummaryLine returns one line with the settings that were set and where. Values of the preset are not named.
func SummaryLine(list []Setting) string {
	var parts []string
	for _, from := range []struct{ origin, words string }{
		{"trial", "tried here"},
		{"environment", "from the environment"},
		{"session", "set for this session"},
		{"configuration", "from the configuration"},
	} {
		var names []string
		for _, s := range list {
			if s.From == from.origin {
				name := s.Key + " " + s.Text()
				if s.Table != "" {
					name += " (" + s.Table + ")"
				}
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, from.words+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(append(parts, "the rest from the preset"), "; ")
}

// plainValue returns a policy's value without its named type.
func plainValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int:
		return int(v.Int())
	default:
		return v.Interface()
	}
}

// Text returns the value for people, with "auto" and "unlimited" for the numbers that mean these.
func (s Setting) Text() string {
	n, number := s.Value.(int)
	switch {
	case number && n == history.NoLimit:
		return "unlimited"
	case number && n == 0 && (s.Key == "budget" || s.Key == "output_reserve" || s.Key == "step_tokens"):
		return "auto"
	}
	return fmt.Sprint(s.Value)
}

// ParseBudget parses a number of tokens, with or without separators, or "auto", which is 0.
func ParseBudget(text string) (tokens int, ok bool) {
	if text == "auto" {
		return 0, true
	}
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(text))
	return n, err == nil && n >= 0
}

// ParseWindow parses a window as ParseBudget does, but refuses a window of 0.
func ParseWindow(text string) (tokens int, ok bool) {
	tokens, ok = ParseBudget(text)
	return tokens, ok && (tokens > 0 || text == "auto")
}
