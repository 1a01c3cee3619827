package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/picker"
	"winnow/ui/theme"
)

// setTheme shows the application in a theme.
func (m *Model) setTheme(name theme.Name) {
	m.themes.Wanted = name
	m.restyle(name)
}

func (m *Model) restyle(name theme.Name) {
	m.themes.Shown = name
	m.styles = theme.New(m.themes.Palette(name))
	m.composer.Restyle(m.styles)
	m.chat.Restyle(m.styles)
}

func (m *Model) environment(msg tea.EnvMsg) tea.Cmd {
	m.composer.External = composer.ExternalIn(msg)
	if msg.Getenv("NO_COLOR") != "" {
		m.withoutColours()
	}
	if light, known := theme.LightBy(msg.Getenv("COLORFGBG")); known {
		m.themes.Light = light
		m.restyle(m.themes.Wanted)
	}
	return nil
}

func (m *Model) background(msg tea.BackgroundColorMsg) tea.Cmd {
	m.themes.Light = !msg.IsDark()
	m.restyle(m.themes.Wanted)
	return nil
}

func (m *Model) profile(msg tea.ColorProfileMsg) tea.Cmd {
	if msg.Profile <= colorprofile.ASCII {
		m.withoutColours()
	}
	return nil
}

func (m *Model) withoutColours() {
	m.themes.Plain = true
	m.restyle(m.themes.Wanted)
}

// chooseTheme takes the theme with a name, or lists them.
func (m *Model) chooseTheme(name string) tea.Cmd {
	switch {
	case m.themes.Plain:
		return m.complain("This terminal shows no colours, or NO_COLOR is set: every theme looks the same.")
	case name == "":
		return m.openThemes()
	case !slices.Contains(m.themes.Names(), name):
		return m.complain("There is no theme " + name + ". There are " + strings.Join(m.themes.Names(), ", ") + ".")
	}
	m.setTheme(theme.Name(name))
	return m.say("The theme is " + name + ". It stays with theme = \"" + name + "\" under [ui] in the configuration.")
}

// openThemes lists the themes. The one under the cursor is tried out at once.
func (m *Model) openThemes() tea.Cmd {
	var choices []picker.Choice
	for _, name := range m.themes.Names() {
		choices = append(choices, picker.Choice{Label: name, Right: m.themes.About(theme.Name(name)), Value: name})
	}
	o := picker.Options{Title: "themes", Hints: []keymap.Hint{
		m.keys.Hint("try one out", keymap.ListUp, keymap.ListDown), m.keys.Hint("takes it", keymap.Choose), m.keys.Hint("keeps the old one", keymap.Back),
	}}
	m.openList(o, themesList, choices, m.chooseTheme).Select(string(m.themes.Wanted))
	return nil
}

// tryTheme shows the theme under the cursor of the list, and the wanted one where the list is
// closed.
func (m *Model) tryTheme() {
	name := m.themes.Wanted
	if l := m.list(themesList); l != nil {
		if c, ok := l.Cursor(); ok {
			name = theme.Name(c.Value)
		}
	}
	if name != m.themes.Shown {
		m.restyle(name)
	}
}
