package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/picker"
	"winnow/ui/theme"
)

// Persona is a system prompt that the user keeps in a file.
type Persona struct {
	Name string // what it is called by, without blanks
	Text string // the system prompt
}

// system sets the session's system prompt, or opens the one in force in the user's editor.
func (m *Model) system(text string) tea.Cmd {
	if text != "" {
		return m.setSystem(text)
	}
	return m.openEditor(systemText, m.systemInForce())
}

// systemInForce is the system prompt that the next request has.
func (m *Model) systemInForce() string {
	return m.session.SystemPrompt()
}

// setSystem gives the session a system prompt of its own; "" takes the configured one.
func (m *Model) setSystem(text string) tea.Cmd {
	said := "The session has its own system prompt."
	if text == "" || text == m.options.Deps.System {
		text, said = m.options.Deps.System, "The session takes the configured system prompt."
	}
	return m.settleSystem(text, said)
}

func (m *Model) settleSystem(text, said string) tea.Cmd {
	s := m.session
	return m.behind(func(ctx context.Context) tea.Msg {
		return settledMsg{text: said, err: s.SetSystem(ctx, text)}
	})
}

// noPersona is the choice that goes back to the configured system prompt.
const noPersona = "none"

// personasMsg is the personas that there are. With a name that one is wanted, else a list of them.
type personasMsg struct {
	name     string
	personas []Persona
	err      error
}

// choosePersona reads the personas, to take one or to list them.
func (m *Model) choosePersona(name string) tea.Cmd {
	if m.options.Personas == nil {
		return m.complain("There is no folder for personas here.")
	}
	if name == noPersona {
		return m.setSystem("")
	}
	read := m.options.Personas
	return func() tea.Msg {
		all, err := read()
		return personasMsg{name, all, err}
	}
}

func (m *Model) personasListed(msg personasMsg) tea.Cmd {
	m.personas = msg.personas
	switch {
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	case msg.name != "":
		return m.takePersona(msg.name)
	case m.covered() && !m.onTop(panelOverlay{}):
		return nil // the user has gone on to something else
	case len(m.personas) == 0 && m.systemInForce() == m.options.Deps.System:
		return m.say("There are no personas yet. Each is a file NAME.md in " + m.options.PersonasIn + ".")
	}
	choices := []picker.Choice{{Label: noPersona + " · the configured system prompt", Right: inUse(m.systemInForce() == m.options.Deps.System), Value: noPersona}}
	for _, p := range m.personas {
		first, _, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
		choices = append(choices, picker.Choice{Label: p.Name + " · " + markdown.OneLine(first, 200), Right: inUse(p.Text == m.systemInForce()), Value: p.Name})
	}
	o := picker.Options{Title: "personas", Hints: []keymap.Hint{m.keys.Hint("takes its system prompt", keymap.Choose), m.keys.Hint("closes", keymap.Back)}}
	m.openList(o, otherList, choices, m.takePersona)
	return nil
}

func inUse(is bool) string {
	if is {
		return "in use"
	}
	return ""
}

// personasThereAre names the personas, or says how there is one.
func (m *Model) personasThereAre() string {
	if len(m.personas) == 0 {
		return "Each is a file NAME.md in " + m.options.PersonasIn + ", and there is none yet."
	}
	var names []string
	for _, p := range m.personas {
		names = append(names, p.Name)
	}
	return "Yours: " + strings.Join(names, ", ") + "; " + noPersona + " takes the configured system prompt."
}

// takePersona gives the session the system prompt of a persona that was read.
func (m *Model) takePersona(name string) tea.Cmd {
	if name == noPersona {
		return m.setSystem("")
	}
	i := slices.IndexFunc(m.personas, func(p Persona) bool { return p.Name == name })
	if i < 0 {
		return m.complain("There is no persona " + name + ". " + m.personasThereAre())
	}
	return m.settleSystem(m.personas[i].Text, fmt.Sprintf("The session's system prompt is that of %s, %s.", name, theme.Plural(len([]rune(m.personas[i].Text)), "character")))
}
