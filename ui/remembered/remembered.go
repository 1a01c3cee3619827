// Package remembered keeps the user's last choices for the next start: the model, the theme, the context panel, and
// whether reasoning is shown. They are state, not configuration: the configuration, the environment and flags take
// precedence.
package remembered

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/google/renameio/v2/maybe"

	"winnow/llm"
	"winnow/ui/theme"
)

// Panel is how the context panel is shown.
type Panel string

// The ways to show the context panel.
const (
	PanelOpen  Panel = "open"   // beside the chat if there is room
	PanelStrip Panel = "strip"  // one line above the draft
	PanelOff   Panel = "closed" // not at all
)

// Choices are the last choices. A zero field was never chosen.
type Choices struct {
	Model     llm.LastModel `json:"model,omitzero"`
	Theme     theme.Name    `json:"theme,omitzero"`
	Panel     Panel         `json:"panel,omitzero"`
	Reasoning *bool         `json:"reasoning,omitzero"` // whether it is shown
}

// Memory is the file of the choices. Each write replaces the file, with the choices that other windows have made
// meanwhile. A nil Memory remembers nothing.
type Memory struct {
	File string // its folder is created with the first choice

	// Configured choices are made by the configuration or the environment, and are not remembered.
	Configured struct{ Model, Theme bool }

	mu      sync.Mutex
	changes []func(*Choices) // the choices since the start, in order
}

// Read returns the choices. For a damaged file it returns none, and an error.
func (m *Memory) Read() (c Choices, err error) {
	if m == nil {
		return c, nil
	}
	text, err := os.ReadFile(m.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err == nil && json.Unmarshal(text, &c) != nil,
		!slices.Contains([]Panel{"", PanelOpen, PanelStrip, PanelOff}, c.Panel):
		err = fmt.Errorf("%s is damaged", m.File)
	}
	if err != nil {
		return Choices{}, fmt.Errorf("your last choices could not be read: %w", err)
	}
	return c, nil
}

// RememberModel remembers the model. Like the other Remember methods it returns the function that writes the file.
func (m *Memory) RememberModel(last llm.LastModel) func() error {
	return m.keep(m != nil && !m.Configured.Model && last.Ref != "", func(c *Choices) { c.Model = last })
}

// RememberTheme remembers the theme.
func (m *Memory) RememberTheme(name theme.Name) func() error {
	return m.keep(m != nil && !m.Configured.Theme, func(c *Choices) { c.Theme = name })
}

// RememberPanel remembers how the context panel is shown.
func (m *Memory) RememberPanel(p Panel) func() error {
	return m.keep(m != nil, func(c *Choices) { c.Panel = p })
}

// RememberReasoning remembers whether reasoning is shown.
func (m *Memory) RememberReasoning(shown bool) func() error {
	return m.keep(m != nil, func(c *Choices) { c.Reasoning = &shown })
}

// ThemeLifetime returns a sentence, after a blank, that says how long a theme chosen now will last.
func (m *Memory) ThemeLifetime() string {
	switch {
	case m == nil:
		return ""
	case m.Configured.Theme:
		return " The configuration sets another, so this applies until you quit."
	}
	return " It is remembered."
}

// keep notes a choice, if it is to be remembered, and returns the function that writes it. In whatever order such
// functions run, the newest choice of each kind is the one in the file.
func (m *Memory) keep(remember bool, change func(*Choices)) (write func() error) {
	if !remember {
		return func() error { return nil }
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes = append(m.changes, change)
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		c, _ := m.Read() // a damaged file is replaced
		for _, change := range m.changes {
			change(&c)
		}
		text, err := json.Marshal(c)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(m.File), 0o700)
		}
		if err == nil {
			err = maybe.WriteFile(m.File, append(text, '\n'), 0o600)
		}
		if err != nil {
			return fmt.Errorf("the choice could not be saved for the next start: %w", err)
		}
		return nil
	}
}
