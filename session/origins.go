package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"winnow/history"
)

// Setting is one of the things that decide the next request, with where its value comes from.
type Setting struct {
	Key   string // "model", "system", or a key of [context]
	Value any    // a text, a number or a boolean; history.NoLimit for no limit; of a system prompt its length
	From  string // "environment", "session", "configuration", "trial" or "preset NAME"
}

// Settings are what decides the next request, each with where it comes from: the model and the system
// prompt, which are the session's own from its first request on, and the keys of [context] in their order.
// What the trial sets comes from the trial.
func (w Tried) Settings() ([]Setting, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	row, policy, err := w.settings()
	if err != nil {
		return nil, err
	}
	to, err := w.askedModel()
	if err != nil {
		return nil, err
	}
	list := []Setting{
		{"model", to.Ref(), originOf(w.trial.Model != "", w.s.row.ID != "", true, policy.Preset)},
		{"system", lengthOf(w.s.deps.system(w.s.row)), originOf(false, w.s.row.SystemFixed || w.s.row.System != "", true, policy.Preset)},
	}
	overridden, err := keysOf(row.Overrides)
	if err != nil {
		return nil, fmt.Errorf("read this conversation's overrides: %w", err)
	}
	configured, err := keysOf(w.s.deps.Context)
	if err != nil {
		return nil, fmt.Errorf("read the configured context: %w", err)
	}
	trial := w.trial.keys()
	environment, err := w.s.deps.environment(trial)
	if err != nil {
		return nil, err
	}
	overridden["preset"], configured["preset"] = row.Preset != "", true
	values := reflect.ValueOf(policy)
	for i := range values.NumField() {
		key := values.Type().Field(i).Tag.Get("toml")
		from := originOf(slices.Contains(trial, key), overridden[key], configured[key], policy.Preset)
		if _, set := environment[key]; set {
			from = "environment"
		}
		list = append(list, Setting{key, plainValue(values.Field(i)), from})
	}
	return list, nil
}

// originOf is where a setting comes from, of the places that set it.
func originOf(trial, session, configuration bool, preset string) string {
	switch {
	case trial:
		return "trial"
	case session:
		return "session"
	case configuration:
		return "configuration"
	}
	return "preset " + preset
}

// lengthOf stands for a text that is too long to show.
func lengthOf(text string) string {
	if text == "" {
		return "none"
	}
	return fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
}

// OriginsText says in one line which settings were set, and where. Those of the preset are not named.
func OriginsText(list []Setting) string {
	var parts []string
	for _, from := range []struct{ origin, words string }{{"trial", "tried here"}, {"environment", "from the environment"}, {"session", "set for this session"}, {"configuration", "from the configuration"}} {
		var names []string
		for _, s := range list {
			if s.From == from.origin {
				names = append(names, s.Key+" "+s.Text())
			}
		}
		if len(names) > 0 {
			parts = append(parts, from.words+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(append(parts, "the rest is the preset's"), "; ")
}

// keysOf are the keys of a TOML text.
func keysOf(text string) (map[string]bool, error) {
	values := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &values); err != nil {
		return nil, err
	}
	keys := make(map[string]bool, len(values))
	for key := range values {
		keys[key] = true
	}
	return keys, nil
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
