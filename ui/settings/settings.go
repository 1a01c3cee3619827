// Package settings handles the commands and lists by which the user chooses the model and its window, the system
// prompt, the budget, the title of a chat, the tools, and the theme. It changes the session in commands.
package settings

import (
	"cmp"
	"context"
	"errors"
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

// Model holds what the settings have read and the lists that show it.
type Model struct {
	*app.Context
	Options
	Hooks
	Models    []llm.Model                // as the endpoints last listed them, nil if not asked yet
	offers    []llm.UnconfiguredProvider // providers that can be added
	selectRef string                     // model to select when the list arrives, "" for the one in use
	models    *list.Model                // the newest list of models, nil for none
	tools     *list.Model                // the newest list of tools, nil for none
}

// Options are the dependencies of the settings.
type Options struct {
	Personas      func() ([]Persona, error) // reads the user's system prompts
	PersonaFolder string                    // the folder that holds them
	ConfigPath    string                    // path of the configuration file, "" if unknown
	KeyStore      keys.Store                // saves the keys of providers
	Servers       *mcp.Servers              // MCP servers, nil for none
	Memory        *remembered.Memory        // saves choices for the next start; nil saves nothing

	// Doctor checks the installation and returns its report.
	Doctor func(context.Context) (string, error)

	// Export writes a session to a file. Words are the arguments of /export. It returns a sentence for the user.
	Export func(ctx context.Context, s *session.Session, words string) (string, error)
}

// Hooks are what the settings ask of their parent.
type Hooks struct {
	Dialogs    *dialog.Stack
	OpenEditor func(text string, done func(text string, err error) tea.Msg) tea.Cmd
	AskAgain   func(message int64, ref string) tea.Cmd // has a model answer a message's turn again; 0 is the last turn
	Restyle    func()                                  // called when another theme was chosen
}

// run changes the session in a command and shows the sentence that do returns.
func (s *Model) run(
	do func(ctx context.Context, of *session.Session) (sentence string, err error),
) tea.Cmd {
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		sentence, err := do(ctx, of)
		return app.Then(func() tea.Cmd { return s.settled(sentence, err) })
	})
}

// RememberChoice saves a choice for the next start, at the latest when winnow ends. In a temporary chat it saves
// nothing.
func (s *Model) RememberChoice(write func() error) tea.Cmd {
	of := s.Session
	return s.InOrder(func(context.Context) error {
		if of.Temporary() {
			return nil
		}
		return write()
	}, s.ReportError)
}

// Apply changes settings of the session and shows a sentence, "" for the standard one about the model. A chosen model
// is remembered for the next start.
func (s *Model) Apply(to session.Settings, sentence string) tea.Cmd {
	memory, known := s.Memory, s.Deps.Models
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		if err := of.Set(ctx, to); err != nil {
			return "", err
		}
		ref := of.Model().Ref()
		text := cmp.Or(sentence, "The next message goes to "+ref+".")
		if to.Model == "" || of.Temporary() {
			return text, nil
		}
		return text, memory.RememberModel(known.LastModel(ref))()
	})
}

// PresetCommand is the command /preset.
func (s *Model) PresetCommand(name string) tea.Cmd {
	if name == "" {
		return s.Say("The preset is " + s.Session.State().Policy.Preset + ". Presets: " +
			strings.Join(history.Presets(), ", ") + ".")
	}
	return s.Apply(session.Settings{Preset: name}, "The preset is now "+name+".")
}

// SystemCommand is the command /system. It sets the chat's system prompt, or without an argument opens the current one
// in the user's editor.
func (s *Model) SystemCommand(text string) tea.Cmd {
	if text != "" {
		return s.setSystem(text)
	}
	return s.OpenEditor(s.Session.State().System, func(text string, err error) tea.Msg {
		return app.Then(func() tea.Cmd {
			if err != nil {
				return s.Fail(theme.Sentence(err) + " The system prompt is unchanged.")
			}
			return s.setSystem(strings.ReplaceAll(text, "\r\n", "\n"))
		})
	})
}

// setSystem sets the chat's system prompt; "" restores the configured one.
func (s *Model) setSystem(text string) tea.Cmd {
	sentence := "The chat has its own system prompt."
	if text == "" || text == s.Deps.System {
		text, sentence = s.Deps.System, "The chat uses the configured system prompt."
	}
	return s.Apply(session.Settings{System: &text}, sentence)
}

// Persona is a system prompt from a file of the user's.
type Persona struct {
	Name string // without spaces
	Text string // the system prompt
}

// noPersona is the choice of the configured system prompt.
const noPersona = "none"

// PersonaCommand is the command /persona. It reads the personas and selects the named one, or lists them.
func (s *Model) PersonaCommand(name string) tea.Cmd {
	if name == noPersona {
		return s.setSystem("")
	}
	read := s.Personas
	return func() tea.Msg {
		all, err := read()
		return app.Then(func() tea.Cmd { return s.personasRead(name, all, err) })
	}
}

// personasRead selects the named persona, or lists all. Unreadable personas are noted in the list.
func (s *Model) personasRead(name string, all []Persona, err error) tea.Cmd {
	items := []list.Item{{Label: noPersona, Description: "the configured system prompt", Value: noPersona}}
	inUse := noPersona
	for _, p := range all {
		if p.Name == name {
			length := theme.Plural(len([]rune(p.Text)), "character")
			said := "The system prompt is now the persona " + name + ", " + length + "."
			return s.Apply(session.Settings{System: &p.Text}, said)
		}
		if p.Text == s.Session.State().System {
			inUse = p.Name
		}
		items = append(items, list.Item{
			Label: p.Name, Description: markdown.OneLine(p.Text, 200), Value: p.Name,
		})
	}
	l := list.New(s.Context, list.Options{
		Title: "personas", ChooseHint: "use", Footnote: "each is a file NAME.md in " + s.PersonaFolder,
	}, items...)
	if l.Select(inUse); name != "" {
		l.Notes = append(l.Notes, "There is no persona "+name+".")
	}
	if err != nil {
		l.Notes = append(l.Notes, theme.Sentence(err))
	}
	s.Dialogs.OpenList(l, s.PersonaCommand)
	return nil
}

// CompactOff is the command /compact off.
func (s *Model) CompactOff() tea.Cmd {
	return s.Apply(session.Settings{SummaryAlways: new(false)}, "The messages themselves are sent again if they fit.")
}

// RenameCommand is the command /rename.
func (s *Model) RenameCommand(title string) tea.Cmd {
	return s.Apply(session.Settings{Title: &title}, titleSet(title))
}

func titleSet(title string) string { return "The title is now “" + title + "”." }

// TitleCommand is the command /title.
func (s *Model) TitleCommand(string) tea.Cmd {
	if s.Info.ID == "" {
		return s.Fail("There is no message to make a title from yet.")
	}
	return s.writeTitle(true)
}

// AutoTitle asks a model for a title after the first answer, if one is configured for that.
func (s *Model) AutoTitle() tea.Cmd {
	row := s.Session.Info()
	if s.Deps.TitleModel == "" || row.TitleFrom != store.TitleAuto || row.Turns != 1 {
		return nil
	}
	return s.writeTitle(false)
}

// writeTitle asks a model for a title and shows a notice for each attempt. If the user asked for it, it also shows the
// title.
func (s *Model) writeTitle(asked bool) tea.Cmd {
	announced := make(chan string, 64) // more than the attempts
	return tea.Batch(s.sayAll(announced), s.run(func(ctx context.Context, of *session.Session) (string, error) {
		defer close(announced)
		title, err := of.Retitle(ctx, asked, func(e session.Event) {
			switch e := e.(type) {
			case session.Notice:
				announced <- theme.Sentence(errors.New(theme.NoticeText(e.Text)))
			case session.Retrying:
				announced <- theme.Sentence(e.Err) + " Asking for the title again in " + theme.Duration(e.Delay) + "."
			}
		})
		if !asked {
			return "", err
		}
		return titleSet(title), err
	}))
}

// sayAll shows sentences as they arrive.
func (s *Model) sayAll(sentences <-chan string) tea.Cmd {
	return func() tea.Msg {
		text, ok := <-sentences
		if !ok {
			return nil
		}
		return app.Then(func() tea.Cmd { return tea.Batch(s.Say(text), s.sayAll(sentences)) })
	}
}

// UsageCommand is the command /usage. It says how many tokens and how much money the chat, the day and the month have
// used.
func (s *Model) UsageCommand(string) tea.Cmd {
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

// ExportCommand is the command /export.
func (s *Model) ExportCommand(words string) tea.Cmd {
	if s.Info.ID == "" {
		return s.Fail("There is nothing to export yet.")
	}
	write := s.Export
	return s.run(func(ctx context.Context, of *session.Session) (string, error) { return write(ctx, of, words) })
}

// DoctorCommand is the command /doctor. It checks the installation and shows the report.
func (s *Model) DoctorCommand(string) tea.Cmd {
	check := s.Doctor
	return tea.Batch(s.Say("Checking the files, the terminal and the endpoints…"),
		s.Run(func(ctx context.Context) tea.Msg {
			report, err := check(ctx)
			return app.Then(func() tea.Cmd {
				if err == nil {
					s.Dialogs.OpenText("Doctor", report)
				}
				return s.ReportError(err)
			})
		}))
}

// ThemeCommand is the command /theme. It selects the named theme, or lists the themes.
func (s *Model) ThemeCommand(name string) tea.Cmd {
	switch {
	case s.Themes.NoColour:
		return s.Fail("This terminal has no colours, or NO_COLOR is set: all themes look the same.")
	case name == "":
		var items []list.Item
		for _, name := range theme.Names(s.Themes.Custom) {
			items = append(items, list.Item{Label: name, Value: name})
		}
		l := list.New(s.Context, list.Options{Title: "themes", ChooseHint: "use"}, items...)
		l.Select(string(s.Themes.Wanted))
		s.Dialogs.OpenList(l, s.ThemeCommand)
		return nil
	}
	s.Themes.Wanted = theme.Name(name)
	s.Restyle()
	return tea.Batch(s.Say("The theme is "+name+"."+s.Memory.ThemeLifetime()),
		s.RememberChoice(s.Memory.RememberTheme(theme.Name(name))))
}

// BudgetCommand is the command /budget.
func (s *Model) BudgetCommand(args string) tea.Cmd {
	n, ok := settings.ParseBudget(args)
	if !ok {
		return s.Fail("A budget is a number of tokens, or auto.")
	}
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		if err := of.Set(ctx, session.Settings{Budget: new(n)}); err != nil {
			return "", err
		}
		return budgetSet(of.Preview(session.Draft{})), nil
	})
}

// budgetSet says how many tokens requests can have now, and why.
func budgetSet(p history.Plan, err error) string {
	text := "The budget is set: a request can have up to " + theme.Plural(p.Sum.Limit, "token") + "."
	switch {
	case IsOverBudget(err):
		return "Nothing can be sent: " + err.Error() + ". " + OverBudgetAdvice(err) + "."
	case p.Sum.Bound == "": // The chat is still being read.
		return "The budget is set."
	case p.Sum.Bound == history.BoundWindow:
		text += " The model's window has " + theme.Thousands(p.Sum.Window) + "."
	}
	return text
}

// IsOverBudget reports whether an error says that not even the parts that must be sent fit into the budget.
func IsOverBudget(err error) bool {
	var over *history.OverBudgetError
	return errors.As(err, &over)
}

// OverBudgetAdvice says what helps against such an error.
func OverBudgetAdvice(err error) string {
	var over *history.OverBudgetError
	if errors.As(err, &over) && len(over.Parts) > 0 && over.Parts[0].Kind == history.RequiredTools {
		return "/tools switches tools off, and /budget raises the budget"
	}
	return "Shorten or exclude something, or raise the budget with /budget"
}

// WindowCommand is the command /window. It sets the context window of the model in use; auto asks the server.
func (s *Model) WindowCommand(args string) tea.Cmd {
	if args == "" {
		return s.Say(s.windowText())
	}
	tokens, ok := settings.ParseWindow(args)
	if !ok {
		return s.Fail("A window is a number of tokens, or auto.")
	}
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		err := of.Model().SetWindow(ctx, tokens)
		sentence := windowSentence(of)
		switch is := of.Model().Window().Tokens; {
		case tokens > is:
			sentence += " That is less than " + theme.Thousands(tokens) + "."
		case tokens > 0:
			sentence += " This applies to every chat."
		}
		return sentence, err
	})
}

// windowSentence says how large the window of a session's model is, and how that is known.
func windowSentence(s *session.Session) string {
	w := s.Model().Window()
	return "The window of " + s.Model().Ref() + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.DatedSource() + "."
}

// windowText says how large the window is, and how to set another one.
func (s *Model) windowText() string {
	model := s.Session.Model()
	if model.Window().Tokens == 0 {
		return "The window of " + s.Ref + " is not known yet. /window 128000 sets it."
	}
	text := windowSentence(s.Session)
	if limit := model.TokenLimit(); limit > 0 {
		text += " Requests stay below " + theme.Thousands(limit) + ", because the server read only a part of one."
	}
	text += " /window TOKENS sets another"
	if most := model.WindowFacts().Stated.MaxTokens; most > model.Window().Tokens {
		text += ", up to " + theme.Thousands(most)
	}
	return text + "."
}

// AskWindow asks the server again for a window that it could not report before it loaded the model. Sending does not
// wait for it.
func (s *Model) AskWindow() tea.Cmd {
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		of.Model().QueryWindowAfterRun(ctx)
		return "", nil
	})
}
