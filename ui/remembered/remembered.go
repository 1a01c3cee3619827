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
	"sync"

	"github.com/google/renameio/v2/maybe"

	"winnow/llm"
	"winnow/ui/theme"
)

// Panel is how the context panel is shown.
type Panel string

// The ways to show the context panel, as the configuration calls them.
const (
	Open  Panel = "open"  // beside the chat where there is room
	Strip Panel = "strip" // one line above the draft
	Off   Panel = "closed"
)

// Choices are what was chosen last. A zero value was never chosen.
type Choices struct {
	Model     llm.Last
	Theme     theme.Name
	Panel     Panel
	Reasoning *bool // whether it is shown
}

// Memory is the folder with the choices. Each choice is a file of its own, which is replaced as a whole: windows that
// change different choices at once keep out of each other's way, and of two that change the same one the later
// counts. A nil Memory remembers nothing.
type Memory struct {
	Folder string // made when something is chosen first

	// Set says which choices the configuration or the environment makes: they are not remembered.
	Set struct{ Model, Theme, Panel bool }

	mu     sync.Mutex // a choice is written by one goroutine at a time, the newest last
	chosen Choices    // what is to be written
}

// The files of the folder.
const (
	modelFile     = "model"
	themeFile     = "theme"
	panelFile     = "panel"
	reasoningFile = "reasoning"
)

// longest is the most bytes of a choice.
const longest = 64 << 10

// Read returns the choices. A file that is damaged counts as not chosen, and the error says so.
func (m *Memory) Read() (Choices, error) {
	var c Choices
	if m == nil {
		return c, nil
	}
	err := errors.Join(read(m, modelFile, &c.Model), read(m, themeFile, &c.Theme), read(m, panelFile, &c.Panel),
		read(m, reasoningFile, &c.Reasoning))
	switch c.Panel {
	case "", Open, Strip, Off:
	default:
		err = errors.Join(err, m.damaged(panelFile, fmt.Errorf("there is no panel %q", c.Panel)))
		c.Panel = ""
	}
	return c, err
}

// read reads one choice. It stays as it is where the file is not there or damaged.
func read[T any](m *Memory, name string, to *T) error {
	path := filepath.Join(m.Folder, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular(): // opening a pipe would wait for its other end
		err = errors.New("it is not a regular file")
	case err == nil && info.Size() > longest:
		err = errors.New("it is too large")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return m.damaged(name, err)
	}
	var value T
	if json.Unmarshal(text, &value) != nil {
		return m.damaged(name, errors.New("the file is damaged"))
	}
	*to = value
	return nil
}

// damaged is the error of a file that cannot be used.
func (m *Memory) damaged(name string, cause error) error {
	var path *fs.PathError
	if errors.As(cause, &path) {
		cause = path.Err
	}
	return fmt.Errorf("your last choice of the %s could not be read from %s: %w", name, filepath.Join(m.Folder, name),
		cause)
}

// Model remembers the model.
func (m *Memory) Model(last llm.Last) func() error {
	if m == nil || m.Set.Model || last.Ref == "" {
		return nothing
	}
	return m.keep(modelFile, func(c *Choices) any { return c.Model }, func(c *Choices) { c.Model = last })
}

// Theme remembers the theme.
func (m *Memory) Theme(name theme.Name) func() error {
	if m == nil || m.Set.Theme {
		return nothing
	}
	return m.keep(themeFile, func(c *Choices) any { return c.Theme }, func(c *Choices) { c.Theme = name })
}

// Panel remembers how the context panel is shown.
func (m *Memory) Panel(p Panel) func() error {
	if m == nil || m.Set.Panel {
		return nothing
	}
	return m.keep(panelFile, func(c *Choices) any { return c.Panel }, func(c *Choices) { c.Panel = p })
}

// Reasoning remembers whether reasoning is shown.
func (m *Memory) Reasoning(shown bool) func() error {
	if m == nil {
		return nothing
	}
	return m.keep(reasoningFile, func(c *Choices) any { return c.Reasoning }, func(c *Choices) { c.Reasoning = &shown })
}

func nothing() error { return nil }

// ThemeLasts is a sentence about how long a theme stays that is chosen now, after a blank.
func (m *Memory) ThemeLasts() string {
	switch {
	case m == nil:
		return ""
	case m.Set.Theme:
		return " The configuration sets another, so this applies until you quit."
	}
	return " It is remembered."
}

// keep changes a choice at once, and returns what writes it. Of several that are written at once each writes the
// newest.
func (m *Memory) keep(name string, value func(*Choices) any, change func(*Choices)) (write func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.chosen)
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		text, err := json.Marshal(value(&m.chosen))
		if err == nil {
			err = os.MkdirAll(m.Folder, 0o700)
		}
		if err == nil {
			err = maybe.WriteFile(filepath.Join(m.Folder, name), append(text, '\n'), 0o600)
		}
		if err != nil {
			return fmt.Errorf("the choice of the %s could not be saved for the next start: %w", name, err)
		}
		return nil
	}
}
