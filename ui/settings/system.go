package settings

import (
	"context"
	"fmt"
	"slices"
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
	return s.storeSystem(text, sentence)
}

func (s *Model) storeSystem(text, sentence string) tea.Cmd {
	return s.set(sentence, func(ctx context.Context, of *session.Session) error {
		return of.Set(ctx, session.Settings{System: new(text)})
	})
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
	if s.Personas == nil {
		return s.Fail("There is no folder for personas here.")
	}
	if name == noPersona {
		return s.setSystem("")
	}
	read := s.Personas
	return func() tea.Msg {
		all, err := read()
		return app.Then(func() tea.Cmd { return s.personasRead(name, all, err) })
	}
}

// personasRead takes the persona with a name, or lists them.
func (s *Model) personasRead(name string, all []Persona, err error) tea.Cmd {
	s.personas = all
	switch {
	case err != nil && (name != "" || len(all) == 0) &&
		!slices.ContainsFunc(all, func(p Persona) bool { return p.Name == name }):
		return s.Fail(theme.Sentence(err))
	case name != "":
		return s.takePersona(name)
	case s.Covered():
		return nil
	}
	now := s.Session.Now().System
	if len(all) == 0 && now == s.With.System {
		return s.Say("There are no personas yet. Each is a file NAME.md in " + s.PersonasIn + ".")
	}
	items := []list.Item{{
		Label: noPersona, About: "the configured system prompt", Right: inUse(now == s.With.System), Value: noPersona,
	}}
	for _, p := range all {
		first, _, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
		items = append(items, list.Item{
			Label: p.Name, About: markdown.OneLine(first, 200), Right: inUse(p.Text == now), Value: p.Name,
		})
	}
	s.Open(list.New(s.Context, list.Options{Title: "personas", Does: "use"}, items...), s.takePersona)
	if err != nil { // One that cannot be read costs none of the others.
		return s.Fail(theme.Sentence(err))
	}
	return nil
}

func inUse(is bool) string {
	if is {
		return "in use"
	}
	return ""
}

// takePersona gives the session the system prompt of a persona that was read.
func (s *Model) takePersona(name string) tea.Cmd {
	if name == noPersona {
		return s.setSystem("")
	}
	i := slices.IndexFunc(s.personas, func(p Persona) bool { return p.Name == name })
	if i < 0 {
		return s.Fail("There is no persona " + name + ". " + s.personasThereAre())
	}
	text := s.personas[i].Text
	return s.storeSystem(text, fmt.Sprintf("The chat's system prompt is that of %s, %s.", name,
		theme.Plural(len([]rune(text)), "character")))
}

// personasThereAre names the personas, or says how there is one.
func (s *Model) personasThereAre() string {
	if len(s.personas) == 0 {
		return "Each is a file NAME.md in " + s.PersonasIn + ", and there is none yet."
	}
	var names []string
	for _, p := range s.personas {
		names = append(names, p.Name)
	}
	return "Yours: " + strings.Join(names, ", ") + "; " + noPersona + " uses the configured system prompt."
}
