package settings

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// System is the command /system: it sets the session's system prompt, or opens the one in force in the user's editor.
func (s *Model) System(text string) tea.Cmd {
	if text == "" {
		return s.Edit(s.Session.Now().System, func(text string, err error) tea.Msg {
			return app.Then(func() tea.Cmd { return s.systemEdited(text, err) })
		})
	}
	return s.setSystem(text)
}

// systemEdited takes the system prompt as the editor left it.
func (s *Model) systemEdited(text string, err error) tea.Cmd {
	if err != nil {
		return s.Fail(theme.Sentence(err) + " The system prompt is unchanged.")
	}
	return s.setSystem(strings.ReplaceAll(text, "\r\n", "\n"))
}

// setSystem gives the session a system prompt of its own; "" takes the configured one.
func (s *Model) setSystem(text string) tea.Cmd {
	sentence := "The chat has its own system prompt."
	if text == "" || text == s.With.System {
		text, sentence = s.With.System, "The chat uses the configured system prompt."
	}
	return s.set(sentence, session.Settings{System: &text})
}

// Persona is a system prompt that the user keeps in a file.
type Persona struct {
	Name string // what it is called by, without blanks
	Text string // the system prompt
}

// noPersona is the choice that goes back to the configured system prompt.
const noPersona = "none"

// ChoosePersona is the command /persona: it reads the personas, to take one or to list them.
func (s *Model) ChoosePersona(name string) tea.Cmd {
	if name == noPersona {
		return s.setSystem("")
	}
	read := s.Personas
	return func() tea.Msg {
		all, err := read()
		return app.Then(func() tea.Cmd { return s.personasRead(name, all, err) })
	}
}

// personasRead takes the persona with a name, or lists them. One that cannot be read costs none of the others.
func (s *Model) personasRead(name string, all []Persona, err error) tea.Cmd {
	inUse := noPersona
	items := []list.Item{{
		Label: noPersona, About: "the configured system prompt", Value: noPersona,
	}}
	var names []string
	for _, p := range all {
		if p.Name == name {
			return s.set(fmt.Sprintf("The chat's system prompt is that of %s, %s.", name,
				theme.Plural(len([]rune(p.Text)), "character")), session.Settings{System: &p.Text})
		}
		names = append(names, p.Name)
		if p.Text == s.Session.Now().System {
			inUse = p.Name
		}
		first, _, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
		items = append(items, list.Item{
			Label: p.Name, About: markdown.OneLine(first, 200), Value: p.Name,
		})
	}
	yours := cmp.Or(strings.Join(names, ", "), "none yet; each is a file NAME.md in "+s.PersonasIn)
	switch {
	case err != nil && (name != "" || len(all) == 0):
		return s.Fail(theme.Sentence(err))
	case name != "":
		return s.Fail("There is no persona " + name + ". Yours: " + yours + ".")
	case s.Covered():
		return nil
	case len(all) == 0:
		return s.Say("Your personas: " + yours + ".")
	}
	l := list.New(s.Context, list.Options{Title: "personas", Does: "use"}, items...)
	l.Select(inUse)
	s.Open(l, s.ChoosePersona)
	if err != nil {
		return s.Fail(theme.Sentence(err))
	}
	return nil
}
