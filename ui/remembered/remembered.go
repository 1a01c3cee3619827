// Package remembered keeps what the user chose on the screen for the next start: the model, the theme, the context
// panel, and whether reasoning is shown. It is state and not configuration: what the configuration, the environment
// or a flag says goes before it.
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

// The ways to show the context panel, as the configuration calls them.
const (
	PanelOpen  Panel = "open"  // beside the chat where there is room
	PanelStrip Panel = "strip" // one line above the draft
	PanelOff   Panel = "closed"
)

// Choices are what was chosen last. A zero value was never chosen.
type Choices struct {
	Model     llm.Last   `json:"model,omitzero"`
	Theme     theme.Name `json:"theme,omitzero"`
	Panel     Panel      `json:"panel,omitzero"`
	Reasoning *bool      `json:"reasoning,omitzero"` // whether it is shown
}

// Memory is the file with the choices. It is replaced as a whole, with what other windows have chosen until then. A nil
// Memory remembers nothing.
type Memory struct {
	File string // its folder is made when something is chosen first

	// Set says which choices the configuration or the environment makes: they are not remembered.
	Configured struct{ Model, Theme bool }

	mu      sync.Mutex
	changes []func(*Choices) // what was chosen since the start, in its order
}

// Read returns the choices. A file that is damaged counts as nothing chosen, and the error says so.
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

// Model remembers the model.
func (m *Memory) RememberModel(last llm.Last) func() error {
	return m.keep(m != nil && !m.Configured.Model && last.Ref != "", func(c *Choices) { c.Model = last })
}

// Theme remembers the theme.
func (m *Memory) RememberTheme(name theme.Name) func() error {
	return m.keep(m != nil && !m.Configured.Theme, func(c *Choices) { c.Theme = name })
}

// Panel remembers how the context panel is shown.
func (m *Memory) RememberPanel(p Panel) func() error {
	return m.keep(m != nil, func(c *Choices) { c.Panel = p })
}

// Reasoning remembers whether reasoning is shown.
func (m *Memory) RememberReasoning(shown bool) func() error {
	return m.keep(m != nil, func(c *Choices) { c.Reasoning = &shown })
}

// ThemeLasts is a sentence about how long a theme stays that is chosen now, after a blank.
func (m *Memory) ThemeLifetime() string {
	switch {
	case m == nil:
		return ""
	case m.Configured.Theme:
		return " The configuration sets another, so this applies until you quit."
	}
	return " It is remembered."
}

// keep notes a choice, where it is to be remembered, and returns what writes it. Whatever order writes come in, the
// newest choice is the one that stays.
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
