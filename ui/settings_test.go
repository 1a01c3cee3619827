package ui

import (
	"context"
	"encoding/json"
	"errors"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/approval"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

func TestPersonaIsTheSessionsSystemPrompt(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	files := []settings.Persona{
		{Name: "brief", Text: "Answer in one word."}, {Name: "pirate", Text: "You are a pirate.\nSpeak like one."},
	}
	l.settings.Personas = func() ([]settings.Persona, error) { return files, nil }

	l.types("/persona")
	l.press("enter")
	l.shows("You are a pirate.")
	l.press("down", "down", "enter")
	l.shows("The system prompt is now the persona pirate, 33 characters.")
	if got := l.Session.Info().System; got != files[1].Text {
		t.Errorf("the session's system prompt is %q, want %q", got, files[1].Text)
	}

	l.types("/persona cook")
	l.press("enter")
	l.shows("There is no persona cook.")
	l.press("esc")
	l.types("/persona none")
	l.press("enter")
	l.shows("The chat uses the configured system prompt.")
	if got := l.Session.Info().System; got != "" {
		t.Errorf("the session's system prompt is %q, want the configured one", got)
	}

	l.settings.Personas = func() ([]settings.Persona, error) { return nil, errors.New("the folder is on fire") }
	l.settings.PersonaFolder = "/home/me/personas"
	l.types("/persona")
	l.press("enter")
	l.shows("the folder is on fire.")
	l.shows("each is a file NAME.md in /home/me/personas")
}

func TestSystemPromptIsWrittenInTheEditor(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.Deps.System = "As configured."
	l.begins()
	if got := l.Session.State().System; got != "As configured." {
		t.Errorf("the editor opens with %q", got)
	}
	leaves := func(text string, err error) {
		l.settings.OpenEditor = func(_ string, done func(string, error) tea.Msg) tea.Cmd {
			return func() tea.Msg { return done(text, err) }
		}
		l.run(l.settings.SystemCommand(""))
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

func TestExportSaysWhereItWrote(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 24)
	var asked string
	l.settings.Export = func(_ context.Context, s *session.Session, words string) (string, error) {
		if asked = words; words == "json here" {
			return "", errors.New("here is there already")
		}
		return "Exported to " + s.Info().Title + ".", nil
	}
	l.run(palette{l.Model}.run("/export"))
	l.shows("There is nothing to export yet.")
	l.say("Rain in Oslo")
	l.run(palette{l.Model}.run("/export md the file.md"))
	l.shows("Exported to Rain in Oslo.")
	if asked != "md the file.md" {
		t.Errorf("it was asked for %q", asked)
	}
	l.run(palette{l.Model}.run("/export json here"))
	l.shows("here is there already")
}

func TestAModelThatWritesATitleIsAnnounced(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 24)
	l.Deps.TitleModel = "there/large"
	l.begins()
	l.types("our grammar is left-recursive")
	l.press("enter")
	l.shows("Asking there/large for a title.")
	l.until("the title", func() bool { return strings.HasPrefix(l.Info.Title, "Answer 2.") })
}

func TestAThemeIsChosenInItsList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.Themes.Wanted, l.Themes.Custom = theme.Dark, map[string]theme.Palette{"mine": {"you": "5"}}
	l.restyle()
	l.picks("theme")
	l.shows("  terminal")
	l.types("mine")
	l.press("enter")
	l.shows("The theme is mine")
	if l.Themes.Styles.Name != "mine" {
		t.Errorf("the theme is %s, want mine", l.Themes.Styles.Name)
	}
}

func TestTheTerminalsBackgroundDecidesAboutColours(t *testing.T) {
	t.Parallel()
	m := fresh(t, 80, 24)
	m.Themes.Wanted, m.Themes.NoColour = theme.Auto, false
	for background, want := range map[color.Color]theme.Name{color.White: theme.Light, color.Black: theme.Dark} {
		if m.Update(tea.BackgroundColorMsg{Color: background}); m.Themes.Styles.Name != want {
			t.Errorf("on %v the theme is %s, want %s", background, m.Themes.Styles.Name, want)
		}
	}
}

// A permission changed in the list of tools applies at once, also in other sessions.
func TestToolsAreTurnedOffInTheirList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 40)
	box := &tool.Toolbox{}
	for _, name := range []string{"add", "subtract"} {
		box.Register(tool.Tool{
			Name: name, Description: "It can " + name + " \x1b[31mnumbers.",
			Parameters: json.RawMessage(`{"type":"object"}`),
		},
			func(context.Context, json.RawMessage) (string, error) { return "3", nil })
	}
	here := l.Deps.Models.Endpoints()[0]
	here.Tools = box
	l.talksTo(here)
	l.until("both tools", func() bool { list, _ := l.Session.ToolStates(); return len(list) == 2 })
	with := func() int { p, _ := l.Session.Preview(session.Draft{}); return p.Sum.Tools }
	l.types("/tools")
	l.press("enter")
	l.shows(" 2 offered")
	l.shows("It can subtract ␛[31mnumbers.")
	before, _ := l.Session.Preview(session.Draft{})
	l.types("subt")
	l.press("enter")
	l.shows("allow · ~")
	l.press("enter")
	l.shows(" 1 offered")
	l.until("a smaller request", func() bool { return with() > 0 && with() < before.Sum.Tools })
	if !strings.Contains(screenRows(l.Model), "› subt") {
		t.Error("the filter of the list is gone")
	}
	l.press("enter")
	l.shows(" 2 offered")
	l.until("the whole request", func() bool { return with() == before.Sum.Tools })
	l.press("enter")
	l.shows("allow · ~")
	l.press("enter")
	l.shows(" 1 offered")
	l.press("esc", "ctrl+n")
	l.until("another chat", func() bool { return l.Chat.Empty() })
	list, _ := l.Session.ToolStates()
	if list[1].Permission != tool.Off || list[1].By != approval.ByStoredAnswer || list[0].Permission != tool.Ask {
		t.Errorf("in another session the tools are %+v", list)
	}
}
