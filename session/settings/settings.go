// Package settings says by which policy the requests of a conversation are cut: that of the configuration, under
// what was set for the conversation, under what the environment sets. It says of each key where its value comes from.
// It stores nothing.
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

// Base is what holds for every conversation.
type Global struct {
	Policy history.Policy // as configured
	// The policy's keys that the configuration sets otherwise than its preset, as TOML: they hold under any preset.
	Context string
	// The policy's keys that the environment sets, as TOML: they go over what is set for a conversation.
	Environment string
}

// With is a conversation with other values of some of the policy's keys.
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

// overridden is the keys of the policy that were set for a conversation, its preset aside.
func overridden(row store.Session) (map[string]any, error) {
	return readTOML(row.Overrides, "this conversation's overrides")
}

// read is the keys of a text in TOML, of which what says what it is.
func readTOML(text, what string) (map[string]any, error) {
	keys := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &keys); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return keys, nil
}

// environment is what the environment sets of the policy, without the keys that were asked for otherwise.
func (b Global) environment(asked []string) (map[string]any, error) {
	keys, err := readTOML(b.Environment, "the context that the environment sets")
	for _, key := range asked {
		delete(keys, key)
	}
	return keys, err
}

// PolicyOf is the configured policy with what was set for a conversation: its preset in place of the
// configured one, under the keys that the configuration sets, its overrides on top, and over them what the
// environment sets, but for the keys that were asked for just now.
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

// CheckFree is an error where a change of what is set for a conversation would have no effect, because the environment
// sets it.
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

// Setting is one of the things that decide the next request, with where its value comes from.
type Setting struct {
	Key   string // "model", "system", a key of [sampling] or of [context]
	Value any    // a text, a number or a boolean; history.NoLimit for no limit; of a system prompt its length
	From  string // "environment", "session", "configuration", "trial" or "preset NAME"
	Table string // what of the configuration says so, where that is not the key's own table; else ""
}

// Settings are the keys of [context] in their order, with the values that a policy has and where they come from. asked
// are the keys that were asked for just now, which is a trial.
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

// Summary says in one line which settings were set, and where. Those of the preset are not named.
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

// plainValue is a policy's value without its named type.
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

// Text is the setting's value for people: "auto" and "unlimited" for the numbers that stand for them.
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

// ReadBudget reads a budget as people write one: a number of tokens, with or without separators, or
// "auto", which is 0. It is false for anything else.
func ParseBudget(text string) (tokens int, ok bool) {
	if text == "auto" {
		return 0, true
	}
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(text))
	return n, err == nil && n >= 0
}

// ReadWindow reads a window as people write one: a number of tokens, with or without separators, or
// "auto", which is 0. It is false for anything else.
func ParseWindow(text string) (tokens int, ok bool) {
	tokens, ok = ParseBudget(text)
	return tokens, ok && (tokens > 0 || text == "auto")
}
