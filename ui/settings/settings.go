// Package settings is what the user sets by a command or in a list: the model, its window, the system prompt, limits
// and titles of a session, and the colours. It changes the session by commands.
package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/mcp"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/dialog"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/remembered"
	"winnow/ui/theme"
)

// Model is what was read to choose from.
type Model struct {
	*app.Context
	Options
	Screen
	Models []llm.Model // what the endpoints listed last, nil before they were asked
	offers []llm.Offer // the providers that the list of models can add
	first  string      // the model under the cursor of the list that is asked for, "" for the one in use
	models *list.Model // the newest list of models, nil before there was one
	tools  *list.Model // and of tools
}

// Options are what the program gives the settings.
type Options struct {
	Personas   func() ([]Persona, error) // reads the user's system prompts
	PersonasIn string                    // the folder that holds them
	Config     string                    // the configuration file, "" where it is not known
	KeyStore   keys.Store                // where the keys of providers are saved
	Servers    *mcp.Servers              // nil for none
	Memory     *remembered.Memory        // keeps what is chosen for the next start; nil remembers nothing

	// Doctor checks the installation and says what it found.
	Doctor func(context.Context) (string, error)

	// Export writes a session to a file as the words want it, and says where.
	Export func(ctx context.Context, s *session.Session, words string) (string, error)
}

// Screen is what the settings have the rest of the screen do.
type Screen struct {
	Dialogs *dialog.Stack
	Edit    func(text string, done func(text string, err error) tea.Msg) tea.Cmd
	Ask     func(message int64, ref string) tea.Cmd // has a model answer a turn again, once; 0 is the last turn
	Restyle func()                                  // another theme is wanted
}

// run does something to the session in a command, and says the sentence that it returns, "" for none.
func (s *Model) run(do func(ctx context.Context, of *session.Session) (sentence string, err error)) tea.Cmd {
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		sentence, err := do(ctx, of)
		return app.Then(func() tea.Cmd { return s.settled(sentence, err) })
	})
}

// Remember writes a choice down for the next start, before winnow ends. A temporary chat leaves none on disk.
func (s *Model) Remember(write func() error) tea.Cmd {
	of := s.Session
	return s.InOrder(func(context.Context) error {
		if of.Temporary() {
			return nil
		}
		return write()
	}, s.Failed)
}

// Apply changes settings, and says so: "" names the model. A model is remembered for the next start.
func (s *Model) Apply(to session.Settings, sentence string) tea.Cmd {
	memory, known := s.Memory, s.With.Models
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		if err := of.Set(ctx, to); err != nil {
			return "", err
		}
		ref := of.Model().Ref()
		text := cmp.Or(sentence, "The next message goes to "+ref+".")
		if to.Model == "" || of.Temporary() {
			return text, nil
		}
		return text, memory.Model(known.Last(ref))()
	})
}

// Preset is the command /preset.
func (s *Model) Preset(name string) tea.Cmd {
	if name == "" {
		return s.Say("The preset is " + s.Session.State().Policy.Preset + ". There are " +
			strings.Join(history.Presets(), ", ") + ".")
	}
	return s.Apply(session.Settings{Preset: name}, "Requests are cut by the preset "+name+".")
}

// System is the command /system: it sets the session's system prompt, or opens the one in force in the user's editor.
func (s *Model) System(text string) tea.Cmd {
	if text != "" {
		return s.setSystem(text)
	}
	return s.Edit(s.Session.State().System, func(text string, err error) tea.Msg {
		return app.Then(func() tea.Cmd {
			if err != nil {
				return s.Fail(theme.Sentence(err) + " The system prompt is unchanged.")
			}
			return s.setSystem(strings.ReplaceAll(text, "\r\n", "\n"))
		})
	})
}

// setSystem gives the session a system prompt of its own; "" takes the configured one.
func (s *Model) setSystem(text string) tea.Cmd {
	sentence := "The chat has its own system prompt."
	if text == "" || text == s.With.System {
		text, sentence = s.With.System, "The chat uses the configured system prompt."
	}
	return s.Apply(session.Settings{System: &text}, sentence)
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
	items := []list.Item{{Label: noPersona, About: "the configured system prompt", Value: noPersona}}
	inUse := noPersona
	for _, p := range all {
		if p.Name == name {
			return s.Apply(session.Settings{System: &p.Text}, fmt.Sprintf("The chat's system prompt is that of %s, %s.",
				name, theme.Plural(len([]rune(p.Text)), "character")))
		}
		if p.Text == s.Session.State().System {
			inUse = p.Name
		}
		items = append(items, list.Item{Label: p.Name, About: markdown.OneLine(p.Text, 200), Value: p.Name})
	}
	l := list.New(s.Context, list.Options{
		Title: "personas", Does: "use", Remark: "each is a file NAME.md in " + s.PersonasIn,
	}, items...)
	if l.Select(inUse); name != "" {
		l.Notes = append(l.Notes, "There is no persona "+name+".")
	}
	if err != nil {
		l.Notes = append(l.Notes, theme.Sentence(err))
	}
	s.Dialogs.List(l, s.ChoosePersona)
	return nil
}

// NoSummary is the command /compact off.
func (s *Model) NoSummary() tea.Cmd {
	return s.Apply(session.Settings{SummaryAlways: new(false)}, "The messages themselves are sent again if they fit.")
}

// Rename is the command /rename.
func (s *Model) Rename(title string) tea.Cmd {
	return s.Apply(session.Settings{Title: &title}, newTitle(title))
}

func newTitle(title string) string { return "The title is now “" + title + "”." }

// Retitle is the command /title.
func (s *Model) Retitle(string) tea.Cmd {
	if s.Info.ID == "" {
		return s.Fail("There is no message to make a title from yet.")
	}
	return s.entitle(true)
}

// Entitle has a model write the title after the first answer, where one is configured for that.
func (s *Model) Entitle() tea.Cmd {
	row := s.Session.Info()
	if s.With.TitleModel == "" || row.TitleFrom != store.TitleAuto || row.Turns != 1 {
		return nil
	}
	return s.entitle(false)
}

// entitle has a title written, and says when the model is asked, and each time that it is asked again. One that was
// asked for is said.
func (s *Model) entitle(asked bool) tea.Cmd {
	announced := make(chan string, 64) // more than there are attempts
	return tea.Batch(s.sayAll(announced), s.run(func(ctx context.Context, of *session.Session) (string, error) {
		defer close(announced)
		title, err := of.Retitle(ctx, asked, func(e session.Event) {
			switch e := e.(type) {
			case session.Notice:
				announced <- theme.Sentence(errors.New(theme.Announced(e.Text)))
			case session.Retrying:
				announced <- theme.Sentence(e.Err) + " Asking for the title again in " + theme.Duration(e.After) + "."
			}
		})
		if !asked {
			return "", err
		}
		return newTitle(title), err
	}))
}

// sayAll says sentences as they come.
func (s *Model) sayAll(sentences <-chan string) tea.Cmd {
	return func() tea.Msg {
		text, ok := <-sentences
		if !ok {
			return nil
		}
		return app.Then(func() tea.Cmd { return tea.Batch(s.Say(text), s.sayAll(sentences)) })
	}
}

// Usage is the command /usage: it says what the session, the day and the month have used.
func (s *Model) Usage(string) tea.Cmd {
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		err := of.ReadSpending(ctx)
		sums := of.State().Spending
		text := func(name string, used record.Usage) string {
			return strings.TrimSuffix(name+theme.Thousands(used.Prompt+used.Answer)+" tokens, "+used.Sentence(), ", ")
		}
		return text("This chat: ", sums.Session) + text(" · today: ", sums.Day) + text(" · this month: ", sums.Month) +
			". winnow usage shows more.", err
	})
}

// ExportTo is the command /export: it writes the session to a file.
func (s *Model) ExportTo(words string) tea.Cmd {
	if s.Info.ID == "" {
		return s.Fail("There is nothing to export yet.")
	}
	write := s.Export
	return s.run(func(ctx context.Context, of *session.Session) (string, error) { return write(ctx, of, words) })
}

// Examine is the command /doctor: it checks the installation and shows the report.
func (s *Model) Examine(string) tea.Cmd {
	check := s.Doctor
	return tea.Batch(s.Say("Checking the files, the terminal and the endpoints…"),
		s.Run(func(ctx context.Context) tea.Msg {
			report, err := check(ctx)
			return app.Then(func() tea.Cmd {
				if err == nil {
					s.Dialogs.Read("Doctor", report)
				}
				return s.Failed(err)
			})
		}))
}

// Theme is the command /theme: it takes the theme with a name, or lists them.
func (s *Model) Theme(name string) tea.Cmd {
	switch {
	case s.Themes.Plain:
		return s.Fail("This terminal has no colours, or NO_COLOR is set: all themes look the same.")
	case name == "":
		var items []list.Item
		for _, name := range theme.Names(s.Themes.Own) {
			items = append(items, list.Item{Label: name, Value: name})
		}
		l := list.New(s.Context, list.Options{Title: "themes", Does: "use"}, items...)
		l.Select(string(s.Themes.Wanted))
		s.Dialogs.List(l, s.Theme)
		return nil
	}
	s.Themes.Wanted = theme.Name(name)
	s.Restyle()
	return tea.Batch(s.Say("The theme is "+name+"."+s.Memory.ThemeLasts()),
		s.Remember(s.Memory.Theme(theme.Name(name))))
}

// Budget is the command /budget.
func (s *Model) Budget(args string) tea.Cmd {
	n, ok := settings.ParseBudget(args)
	if !ok {
		return s.Fail("A budget is a number of tokens, or auto.")
	}
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		if err := of.Set(ctx, session.Settings{Budget: new(n)}); err != nil {
			return "", err
		}
		return limit(of.Preview(session.Draft{})), nil
	})
}

// limit says what requests may hold, and what sets that.
func limit(p history.Plan, err error) string {
	text := "The budget is set: a request can have up to " + theme.Plural(p.Sum.Limit, "token") + "."
	switch {
	case OverBudget(err):
		return "Nothing can be sent: " + err.Error() + ". " + WaysOut(err) + "."
	case p.Sum.Bound == "": // The conversation is still being read.
		return "The budget is set."
	case p.Sum.Bound == history.BoundWindow:
		text += " The model's window has " + theme.Thousands(p.Sum.Window) + "."
	}
	return text
}

// OverBudget says that nothing of a request fits.
func OverBudget(err error) bool {
	var over *history.OverBudgetError
	return errors.As(err, &over)
}

// WaysOut says what helps where nothing of a request fits.
func WaysOut(err error) string {
	var over *history.OverBudgetError
	if errors.As(err, &over) && len(over.Parts) > 0 && over.Parts[0].Kind == history.RequiredTools {
		return "/tools switches tools off, and /budget raises the budget"
	}
	return "Shorten or exclude something, or raise the budget with /budget"
}

// Window is the command /window: it sets the window of the model in use, where auto finds it out.
func (s *Model) Window(args string) tea.Cmd {
	if args == "" {
		return s.Say(s.windowText())
	}
	tokens, ok := settings.ParseWindow(args)
	if !ok {
		return s.Fail("A window is a number of tokens, or auto.")
	}
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		err := of.Model().SetWindow(ctx, tokens)
		sentence := windowOf(of)
		switch is := of.Model().Window().Tokens; {
		case tokens > is:
			sentence += " That is less than " + theme.Thousands(tokens) + "."
		case tokens > 0:
			sentence += " It is set in every chat."
		}
		return sentence, err
	})
}

// windowOf says how large the window of a session's model is, and who says so.
func windowOf(s *session.Session) string {
	w := s.Model().Window()
	return "The window of " + s.Model().Ref() + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + "."
}

// windowText says how large the window of the model in use is, and what sets another one.
func (s *Model) windowText() string {
	model := s.Session.Model()
	if model.Window().Tokens == 0 {
		return "The window of " + s.Ref + " is not known yet. /window 128000 sets it."
	}
	text := windowOf(s.Session)
	if limit := model.TokenLimit(); limit > 0 {
		text += " Requests stay below " + theme.Thousands(limit) + ", because the server read only a part of one."
	}
	text += " /window TOKENS sets another"
	if most := model.WindowFacts().Stated.Most; most > model.Window().Tokens {
		text += ", up to " + theme.Thousands(most)
	}
	return text + "."
}

// AskWindow asks for a window that the server could not say before the model ran. Meanwhile a message can be sent.
func (s *Model) AskWindow() tea.Cmd {
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		of.Model().QueryWindowAfterRun(ctx)
		return "", nil
	})
}
