package ui

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// themes is what decides the colours: what the user wants, and what the terminal can show.
type themes struct {
	own    map[string]Palette
	wanted theme
	shown  theme // the wanted one, or the one that is tried out
	light  bool  // the terminal's background is light
	plain  bool  // no colours, whatever is wanted: NO_COLOR, or a terminal without them
}

// names are all themes that can be chosen: winnow's, then the user's own.
func (t themes) names() []string {
	names := Themes()
	for _, name := range slices.Sorted(maps.Keys(t.own)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// palette is the colours of a theme, and the theme that it comes to: auto is one of two, and one that
// does not exist is auto. A theme of the user's own goes before one of winnow's with its name.
func (t themes) palette(name theme) (theme, Palette) {
	ours := builtIn()
	p, ok := t.own[string(name)]
	if !ok {
		p, ok = ours[name]
	}
	switch {
	case t.plain || name == noColour:
		return noColour, Palette{}
	case ok:
		return name, p.over(ours[theme(p.Base)]).over(ours[t.usual()])
	}
	return t.usual(), ours[t.usual()]
}

// usual is the theme for the terminal's background.
func (t themes) usual() theme {
	if t.light {
		return lightTheme
	}
	return darkTheme
}

// setTheme shows the application in a theme.
func (m *Model) setTheme(name theme) {
	m.themes.wanted = name
	m.restyle(name)
}

func (m *Model) restyle(name theme) {
	m.themes.shown = name
	m.styles = newStyles(m.themes.palette(name))
	m.ledger.drawn = nil
	m.composer.restyle(m.styles)
	m.chat.restyle(m.styles)
}

func (m *Model) environment(msg tea.EnvMsg) tea.Cmd {
	m.editor = msg.Getenv("VISUAL")
	if m.editor == "" {
		m.editor = msg.Getenv("EDITOR")
	}
	m.memoryFolders = memoryFolders(msg)
	if msg.Getenv("NO_COLOR") != "" {
		m.withoutColours()
	}
	if light, known := lightBy(msg.Getenv("COLORFGBG")); known {
		m.themes.light = light
		m.restyle(m.themes.wanted)
	}
	return nil
}

// lightBy says whether a background is light by what some terminals put into COLORFGBG: the numbers of
// their colours, the background's last. A terminal that is asked and answers knows better.
func lightBy(fgbg string) (light, known bool) {
	n, err := strconv.Atoi(fgbg[strings.LastIndexByte(fgbg, ';')+1:])
	if err != nil || n < 0 || n > 15 {
		return false, false
	}
	return n == 7 || n > 8, true
}

func (m *Model) background(msg tea.BackgroundColorMsg) tea.Cmd {
	m.themes.light = !msg.IsDark()
	m.restyle(m.themes.wanted)
	return nil
}

func (m *Model) profile(msg tea.ColorProfileMsg) tea.Cmd {
	if msg.Profile <= colorprofile.ASCII {
		m.withoutColours()
	}
	return nil
}

func (m *Model) withoutColours() {
	m.themes.plain = true
	m.restyle(m.themes.wanted)
}

// chooseTheme takes the theme with a name, or lists them.
func (m *Model) chooseTheme(name string) tea.Cmd {
	switch {
	case m.themes.plain:
		return m.complain("This terminal shows no colours, or NO_COLOR is set: every theme looks the same.")
	case name == "":
		return m.openThemes()
	case !slices.Contains(m.themes.names(), name):
		return m.complain("There is no theme " + name + ". There are " + strings.Join(m.themes.names(), ", ") + ".")
	}
	m.setTheme(theme(name))
	return m.say("The theme is " + name + ". It stays with theme = \"" + name + "\" under [ui] in the configuration.")
}

// openThemes lists the themes. The one under the cursor is tried out at once.
func (m *Model) openThemes() tea.Cmd {
	m.picker = picker{title: "themes", hint: "↑ ↓ try one out · enter takes it · esc keeps the old one"}
	var choices []choice
	for _, name := range m.themes.names() {
		choices = append(choices, choice{label: name, right: m.themes.about(theme(name)), value: name})
	}
	m.picker.fill(choices)
	for i, c := range choices {
		if c.value == string(m.themes.wanted) {
			m.picker.at = i
		}
	}
	m.cover(themesOverlay)
	return nil
}

// about says what a theme is for.
func (t themes) about(name theme) string {
	_, own := t.own[string(name)]
	switch {
	case own:
		return "yours"
	case name == autoTheme:
		return "dark or light, as the terminal is"
	case name == noColour:
		return "no colours"
	case name == "terminal":
		return "the terminal's own sixteen colours"
	case name == lightTheme || builtIn()[name].Base == "light":
		return "for a light background"
	}
	return "for a dark background"
}

// tryTheme shows the theme under the cursor of the list, and the wanted one where the list is
// closed.
func (m *Model) tryTheme() {
	name := m.themes.wanted
	if c, ok := m.picker.chosen(); ok && m.isOpen(themesOverlay) {
		name = theme(c.value)
	}
	if name != m.themes.shown {
		m.restyle(name)
	}
}
