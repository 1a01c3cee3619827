// Command empty is a minimal Bubble Tea program to compare winnow with: it shows one line and, after it, the letters
// that are typed, sixty per row. ctrl+d ends it.
package main

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

type model struct{ typed string }

func (m model) Init() tea.Cmd { return nil }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return m, nil
	}
	if key.String() == "ctrl+d" {
		return m, tea.Quit
	}
	m.typed += key.Text
	return m, nil
}

func (m model) View() tea.View {
	var b strings.Builder
	b.WriteString("enter send ")
	for i, letter := range []rune(m.typed) {
		b.WriteRune(letter)
		if i%60 == 59 {
			b.WriteByte('\n')
		}
	}
	v := tea.NewView(b.String())
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(model{}).Run(); err != nil {
		fmt.Fprintf(os.Stderr, "empty: run the screen: %v\n", err)
		os.Exit(1)
	}
}
