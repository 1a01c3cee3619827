package ui

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
)

func TestPersonaIsTheSessionsSystemPrompt(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	files := []Persona{
		{Name: "brief", Text: "Answer in one word."}, {Name: "pirate", Text: "You are a pirate.\nSpeak like one."},
	}
	l.settings.Personas = func() ([]Persona, error) { return files, nil }

	l.types("/persona")
	l.press("enter")
	l.shows("You are a pirate.")
	l.press("down", "down", "enter")
	l.shows("The chat's system prompt is that of pirate, 33 characters.")
	if got := l.Session.Info().System; got != files[1].Text {
		t.Errorf("the session's system prompt is %q, want %q", got, files[1].Text)
	}

	l.types("/persona cook")
	l.press("enter")
	l.shows("There is no persona cook. Yours: brief, pirate.")
	l.types("/persona none")
	l.press("enter")
	l.shows("The chat uses the configured system prompt.")
	if got := l.Session.Info().System; got != "" {
		t.Errorf("the session's system prompt is %q, want the configured one", got)
	}

	l.settings.Personas = func() ([]Persona, error) { return nil, nil }
	l.settings.PersonasIn = "/home/me/personas"
	l.types("/persona")
	l.press("enter")
	l.shows("Your personas: none yet; each is a file NAME.md in /home/me/personas.")
	l.types("/persona cook")
	l.press("enter")
	l.shows("There is no persona cook. Yours: none yet;")

	l.settings.Personas = func() ([]Persona, error) { return nil, errors.New("the folder is on fire") }
	l.types("/persona")
	l.press("enter")
	l.shows("the folder is on fire.")
}

func TestSystemPromptIsWrittenInTheEditor(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.With.System = "As configured."
	s, err := session.New(l.With, session.Start{Ref: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	l.begins(s)
	path := filepath.Join(t.TempDir(), "system.md")
	if err := os.WriteFile(path, []byte("Be brief.\r\nBe kind.\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := l.Session.Now().System; got != "As configured." {
		t.Errorf("the editor opens with %q", got)
	}
	leaves := func(text string, err error) {
		l.settings.Edit = func(_ string, done func(string, error) tea.Msg) tea.Cmd {
			return func() tea.Msg { return done(text, err) }
		}
		l.run(l.settings.System(""))
	}
	for _, c := range []struct{ text, want, said string }{
		{"Be brief.\r\nBe kind.", "Be brief.\nBe kind.", "has its own system prompt"},
		{"As configured.", "As configured.", "uses the configured system prompt"},
		{"", "As configured.", "uses the configured system prompt"},
	} {
		leaves(c.text, nil)
		l.shows(c.said)
		if got := l.Session.Info().System; got != c.want {
			t.Errorf("the editor left %q: the session's own is %q, want %q", c.text, got, c.want)
		}
	}
	leaves("", errors.New("run the editor ed: exit status 1"))
	l.shows("The system prompt is unchanged.")
}
