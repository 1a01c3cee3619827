package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"winnow/history"
	"winnow/session/store"
)

// Rename gives the conversation a title of the user's own, which no automatic title replaces.
func (s *Session) Rename(ctx context.Context, title string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	title = strings.TrimSpace(title)
	s.writing.Lock()
	defer s.writing.Unlock()
	if row := s.Info(); row.ID != "" {
		if err := s.deps.Store.Rename(ctx, row.ID, title, store.TitleUser); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.Title, s.row.TitleFrom = title, store.TitleUser
	return nil
}

// ReadBudget reads a budget as people write one: a number of tokens, with or without separators, or
// "auto", which is 0. It is false for anything else.
func ReadBudget(text string) (tokens int, ok bool) {
	if text == "auto" {
		return 0, true
	}
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(text))
	return n, err == nil && n >= 0
}

// withBudget is a conversation's overrides with another budget.
func withBudget(overrides string, tokens int) (string, error) {
	if tokens < 0 {
		return "", fmt.Errorf("a budget of %d tokens is not possible; 0 is auto", tokens)
	}
	return withKey(overrides, "budget", tokens)
}

// withKey is a conversation's overrides with another value of a policy's key.
func withKey(overrides, key string, value any) (string, error) {
	keys := map[string]any{}
	if err := toml.Unmarshal([]byte(overrides), &keys); err != nil {
		return "", fmt.Errorf("read this conversation's overrides: %w", err)
	}
	keys[key] = value
	text, err := toml.Marshal(keys)
	if err != nil {
		return "", fmt.Errorf("write this conversation's overrides: %w", err)
	}
	return string(text), nil
}

// policyOf is the configured policy with what was set for a conversation: its preset in place of the
// configured one, under the keys that the configuration sets, its overrides on top, and over them what the
// environment sets. Asked are the keys that were asked for just now: the environment does not set those.
func (d Deps) policyOf(row store.Session, asked ...string) (history.Policy, error) {
	p := d.Policy
	environment, err := d.environment(asked)
	if err != nil {
		return p, err
	}
	if name, ok := environment["preset"].(string); ok {
		row.Preset = name
	}
	if row.Preset != "" {
		chosen, err := history.Preset(row.Preset)
		if err != nil {
			return p, err
		}
		if err := toml.Unmarshal([]byte(d.Context), &chosen); err != nil {
			return p, fmt.Errorf("read the configured context: %w", err)
		}
		p = chosen
		p.Preset = row.Preset
	}
	if err := toml.Unmarshal([]byte(row.Overrides), &p); err != nil {
		return p, fmt.Errorf("read this conversation's overrides: %w", err)
	}
	if len(environment) == 0 {
		return p, p.Check()
	}
	text, err := toml.Marshal(environment)
	if err != nil {
		return p, fmt.Errorf("read the context that the environment sets: %w", err)
	}
	if err := toml.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("read the context that the environment sets: %w", err)
	}
	return p, p.Check()
}

// environment is what the environment sets of the policy, without the keys that were asked for otherwise.
func (d Deps) environment(asked []string) (map[string]any, error) {
	if d.Environment == "" {
		return nil, nil
	}
	keys := map[string]any{}
	if err := toml.Unmarshal([]byte(d.Environment), &keys); err != nil {
		return nil, fmt.Errorf("read the context that the environment sets: %w", err)
	}
	for _, key := range asked {
		delete(keys, key)
	}
	return keys, nil
}

// free says whether a change of a conversation's settings would have an effect: what the environment sets
// goes over it.
func (d Deps) free(was, now store.Session) error {
	environment, err := d.environment(nil)
	if err != nil || len(environment) == 0 {
		return err
	}
	before, after := map[string]any{}, map[string]any{}
	if err := errors.Join(toml.Unmarshal([]byte(was.Overrides), &before), toml.Unmarshal([]byte(now.Overrides), &after)); err != nil {
		return fmt.Errorf("read this conversation's overrides: %w", err)
	}
	before["preset"], after["preset"] = was.Preset, now.Preset
	for key := range environment {
		if after[key] != before[key] {
			return fmt.Errorf("%s is set by WINNOW_CONTEXT_%s in the environment, which goes over a session's own", key, strings.ToUpper(key))
		}
	}
	return nil
}

// Policy is what cuts the next request.
func (s *Session) Policy() history.Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy
}

// SetSystem gives this conversation a system prompt of its own, "" for none.
func (s *Session) SetSystem(ctx context.Context, text string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if row := s.Info(); row.ID != "" {
		if err := s.deps.Store.SetSystem(ctx, row.ID, text); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.System, s.row.SystemFixed = text, true
	return nil
}

// SystemPrompt is the system prompt of the next request: the conversation's own, or the configured one until
// its first request.
func (s *Session) SystemPrompt() string {
	return s.deps.system(s.Info())
}

// system is the system prompt of a conversation's next request.
func (d Deps) system(row store.Session) string {
	if row.System != "" || row.SystemFixed {
		return row.System
	}
	return d.System
}
