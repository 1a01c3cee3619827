// Package settings is what the user sets by a command or in a list: the model, its window, the system prompt, limits
// and titles of a session, and the colours. It changes the session by commands, each of which ends in a DoneMsg; what
// has to be said or listed it reports to its parent as events.
package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"winnow/llm/mcp"
	"winnow/ui/event"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/keymap"
	"winnow/ui/remembered"
	"winnow/ui/theme"
)

// Model is what was read to choose from.
type Model struct {
	Deps
	Around
	Models   []llm.Model // what the endpoints listed last, nil before they were asked
	Offers   []llm.Offer // the providers that the list of models can add
	personas []Persona   // as they were read last
	event.Queue
}

// Deps are what the settings work with.
type Deps struct {
	Keys       keymap.Map
	Run        func(func(context.Context) tea.Msg) tea.Cmd // makes a command whose context ends with it
	Personas   func() ([]Persona, error)                   // reads the user's system prompts; nil has none
	PersonasIn string                                      // the folder that holds them
	Config     string                                      // the configuration file, "" where it is not known
	Servers    *mcp.Servers                                // nil for none
	// What is chosen is remembered here for the next start; nil remembers nothing.
	Memory *remembered.Memory

	// Doctor checks the installation and says what it found; nil checks nothing.
	Doctor func(context.Context) (string, error)

	// Export writes a session to a file as the words want it, and says where; nil writes none.
	Export func(ctx context.Context, s *session.Session, words string) (string, error)
}

// Around is what the settings are told of their surroundings before they are used.
type Around struct {
	With    session.Deps // what the session works with
	Session *session.Session
	Ref     string // the model in use, as the screen knows it
	Busy    bool   // an answer is arriving
	Begun   bool   // something was said in the session
	Covered bool   // the user has gone on to something else
	Themes  theme.Set
}

// The events.
type (
	// Refused says that nothing is set while an answer arrives.
	Refused struct{}
	// Listed is a list to choose from.
	Listed struct{ List }
	// Filled is what the open list of a kind holds now, and what could not be listed.
	Filled struct {
		Kind    Kind
		Remark  string // about all choices, "" for none
		Choices []Choice
		Notes   []string
	}
	// Asked is another model that is to answer the turn of a message again, this once.
	Asked struct {
		Message int64 // 0 is the last turn
		Ref     string
	}
	// Explained is a text to read, with its title.
	Explained struct{ Title, Text string }
	// Outdated says that what a list of a kind holds has changed.
	Outdated struct{ Kind Kind }
	// Edited is the system prompt, to be opened in the user's editor. What is left there is a SystemMsg.
	Edited struct{ Text string }
	// Themed is the theme that was chosen.
	Themed struct{ Name theme.Name }
)

// Kind tells the lists apart.
type Kind int

// The kinds of lists.
const (
	Models Kind = iota + 1
	Themes
	Personas
	ToolList
)

// List is a list to choose from.
type List struct {
	Kind      Kind
	Title     string
	Prompt    string        // stands in the empty filter line, "" for the title
	Uncounted bool          // it does not say how many choices it has
	Remark    string        // about all choices, "" for none
	Does      string        // what choosing does, as a hint
	Tries     string        // what moving the cursor does already, "" for nothing
	Leaves    string        // what leaving the list does, "" where it just closes
	Also      keymap.Action // closes it as well, "" for none
	Loading   bool          // the choices are still being asked for
	Stays     bool          // it stays open when something is chosen
	Choices   []Choice
	Notes     []string // what could not be listed
	At        string   // the value under the cursor, "" for the first
	Chosen    func(s *Model, value string) tea.Cmd
}

// Choice is one line of a list.
type Choice struct {
	Label string
	Args  string // may follow the label where that is a command
	About string // in a column of its own
	Right string // at the right end of the line
	Also  string // the filter of the list finds it, and it is not shown
	Group string // stands above the first of its choices, "" for none
	Value string // what is chosen
}

// Msg is what a command of the settings brings back: it goes to Take.
type Msg interface{ settingsMsg() }

// DoneMsg is the end of a setting or of another short act: a sentence, "" for none, or an error.
type DoneMsg struct {
	Text string
	Err  error
}

// Take is what a command has brought.
func (s *Model) Take(msg Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ModelsMsg:
		return s.modelsListed(msg)
	case PersonasMsg:
		return s.personasRead(msg)
	case SystemMsg:
		return s.systemEdited(msg)
	case toolsMsg:
		return s.toolsChanged(msg)
	case examinedMsg:
		if msg.err != nil {
			return s.SayError(theme.Sentence(msg.err))
		}
		return s.Emit(Explained{"Doctor", msg.report})
	case SaidMsg:
		return tea.Batch(s.Say(msg.Text), heard(msg.more))
	}
	return nil
}

// set changes the session in a command, and says so when it is done.
func (s *Model) set(sentence string, change func(context.Context, *session.Session) error) tea.Cmd {
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg { return DoneMsg{sentence, change(ctx, of)} })
}

// Remember writes a choice down for the next start. A temporary chat leaves none on disk.
func (s *Model) Remember(write func() error) tea.Cmd {
	if s.Session != nil && s.Session.Temporary() {
		return nil
	}
	return s.Run(func(context.Context) tea.Msg {
		if err := write(); err != nil {
			return event.Notice{Text: theme.Sentence(err), Error: true}
		}
		return nil
	})
}

// RememberModel writes down which model a session has been given. What it returns ends a sentence about that: ""
// where there is nothing more to say.
func RememberModel(to *remembered.Memory, of *session.Session, known *llm.Catalog) string {
	if of.Temporary() {
		return ""
	}
	if err := to.Model(known.Last(of.Ref()))(); err != nil {
		return " " + theme.UpperFirst(theme.Sentence(err))
	}
	return ""
}

// Budget is the command /budget.
func (s *Model) Budget(args string) tea.Cmd {
	n, ok := settings.ReadBudget(args)
	if !ok {
		return s.SayError("A budget is a number of tokens, or auto.")
	}
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		if err := of.Apply(ctx, session.Trial{Budget: new(n)}); err != nil {
			return DoneMsg{Err: err}
		}
		sentence := limit(of.Preview(""))
		if sentence == "" {
			sentence = "The budget is set."
		}
		return DoneMsg{Text: sentence}
	})
}

// Preset is the command /preset.
func (s *Model) Preset(name string) tea.Cmd {
	if name == "" {
		return s.Say("The preset is " + s.Session.Policy().Preset + ". There are " +
			strings.Join(history.Presets(), ", ") + ".")
	}
	return s.set("Requests are cut by the preset "+name+".", func(ctx context.Context, of *session.Session) error {
		return of.Apply(ctx, session.Trial{Preset: name})
	})
}

// NoSummary is the command /compact off.
func (s *Model) NoSummary() tea.Cmd {
	return s.set("The messages themselves are sent again if they fit.",
		func(ctx context.Context, of *session.Session) error {
			return of.Apply(ctx, session.Trial{SummaryAlways: new(false)})
		})
}

// Rename is the command /rename.
func (s *Model) Rename(title string) tea.Cmd {
	return s.set("The title is now “"+title+"”.", func(ctx context.Context, of *session.Session) error {
		return of.Rename(ctx, title)
	})
}

// Retitle is the command /title.
func (s *Model) Retitle(string) tea.Cmd {
	if !s.Begun {
		return s.SayError("There is no message to make a title from yet.")
	}
	return s.entitle(true, func(title string) string { return "The title is now “" + title + "”." })
}

// Entitle has a model write the title after the first answer, where one is configured for that.
func (s *Model) Entitle() tea.Cmd {
	if !s.Session.Untitled() {
		return nil
	}
	return s.entitle(false, func(string) string { return "" })
}

// entitle has a title written, and says when the model is asked, and each time that it is asked again.
func (s *Model) entitle(asked bool, sentence func(title string) string) tea.Cmd {
	of, again := s.Session, make(chan string)
	return tea.Batch(heard(again), s.Run(func(ctx context.Context) tea.Msg {
		defer close(again)
		title, err := of.Retitle(ctx, asked, func(e session.Event) {
			text := ""
			switch e := e.(type) {
			case session.Notice:
				text = theme.Sentence(errors.New(theme.Announced(e.Text)))
			case session.Waiting:
				if e.Changed == "" { // A notice says the rest.
					text = fmt.Sprintf("%s Asking for the title again in %s.", theme.Sentence(e.Err),
						theme.Duration(e.After))
				}
			}
			if text == "" {
				return
			}
			select {
			case again <- text:
			case <-ctx.Done():
			}
		})
		return DoneMsg{sentence(title), err}
	}))
}

// SaidMsg is a sentence of a command that goes on.
type SaidMsg struct {
	Text string
	more <-chan string
}

func (SaidMsg) settingsMsg() {}

// heard waits for the next sentence of a command.
func heard(from <-chan string) tea.Cmd {
	return func() tea.Msg {
		text, ok := <-from
		if !ok {
			return nil
		}
		return SaidMsg{text, from}
	}
}

// Usage is the command /usage: it says what the session, the day and the month have used.
func (s *Model) Usage(string) tea.Cmd {
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		sums, err := of.Sums(ctx)
		if err != nil {
			return DoneMsg{Err: err}
		}
		text := func(sum session.Sum) string {
			words := theme.Thousands(sum.Tokens) + " tokens"
			if cost := sum.Sentence(); cost != "" {
				words += ", " + cost
			}
			return words
		}
		return DoneMsg{
			Text: "This session: " + text(sums.Session) + " · today: " + text(sums.Day) + " · this month: " +
				text(sums.Month) + ". winnow usage shows more.",
		}
	})
}

// ExportTo is the command /export: it writes the session to a file.
func (s *Model) ExportTo(words string) tea.Cmd {
	switch {
	case s.Export == nil:
		return s.SayError("Nothing can be exported here.")
	case !s.Begun:
		return s.SayError("There is nothing to export yet.")
	}
	of, write := s.Session, s.Export
	return s.Run(func(ctx context.Context) tea.Msg {
		sentence, err := write(ctx, of, words)
		return DoneMsg{sentence, err}
	})
}

// examinedMsg is what the doctor found.
type examinedMsg struct {
	report string
	err    error
}

func (examinedMsg) settingsMsg() {}

// Examine is the command /doctor: it checks the installation and shows the report.
func (s *Model) Examine(string) tea.Cmd {
	check := s.Doctor
	if check == nil {
		return s.SayError("Nothing can be checked here.")
	}
	return tea.Batch(s.Say("Checking the files, the terminal and the endpoints…"),
		s.Run(func(ctx context.Context) tea.Msg {
			report, err := check(ctx)
			return examinedMsg{report, err}
		}))
}

// Theme is the command /theme: it takes the theme with a name, or lists them. The one under the cursor is tried out at
// once.
func (s *Model) Theme(name string) tea.Cmd {
	names := s.Themes.Names()
	switch {
	case s.Themes.Plain:
		return s.SayError("This terminal has no colours, or NO_COLOR is set: all themes look the same.")
	case name == "":
		list := List{
			Kind: Themes, Title: "themes", At: string(s.Themes.Wanted), Chosen: (*Model).Theme, Tries: "try",
			Does: "keep", Leaves: "cancel",
		}
		for _, name := range names {
			list.Choices = append(list.Choices, Choice{
				Label: name, About: s.Themes.Description(theme.Name(name)), Value: name,
			})
		}
		return s.Emit(Listed{list})
	}
	for _, known := range names {
		if known == name {
			s.Emit(Themed{theme.Name(name)})
			s.Say("The theme is " + name + "." + s.Memory.ThemeLasts())
			return s.Remember(s.Memory.Theme(theme.Name(name)))
		}
	}
	return s.SayError("There is no theme " + name + ". There are " + strings.Join(names, ", ") + ".")
}
