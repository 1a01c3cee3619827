// Package settings is what the user sets by a command or in a list: the model, its window, the system prompt, limits
// and titles of a session, and the colours. It changes the session by commands.
package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/mcp"
	"winnow/session"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/list"
	"winnow/ui/remembered"
	"winnow/ui/theme"
)

// Model is what was read to choose from.
type Model struct {
	*app.Context
	Options
	Screen
	Models   []llm.Model // what the endpoints listed last, nil before they were asked
	offers   []llm.Offer // the providers that the list of models can add
	first    string      // the model under the cursor of the list that is asked for, "" for the one in use
	personas []Persona   // as they were read last
	models   *list.Model // the newest list of models, nil before there was one
	tools    *list.Model // and of tools
}

// Options are what the program gives the settings.
type Options struct {
	Personas   func() ([]Persona, error) // reads the user's system prompts; nil has none
	PersonasIn string                    // the folder that holds them
	Config     string                    // the configuration file, "" where it is not known
	KeyStore   keys.Store                // where the keys of providers are saved
	Short      func(path string) string  // a path as people write it
	Servers    *mcp.Servers              // nil for none
	Memory     *remembered.Memory        // keeps what is chosen for the next start; nil remembers nothing

	// Doctor checks the installation and says what it found; nil checks nothing.
	Doctor func(context.Context) (string, error)

	// Export writes a session to a file as the words want it, and says where; nil writes none.
	Export func(ctx context.Context, s *session.Session, words string) (string, error)
}

// Screen is what the settings have the rest of the screen do.
type Screen struct {
	Open    func(l *list.Model, chosen func(value string) tea.Cmd) // shows a list
	Read    func(title, text string)                               // shows a text
	Edit    func(text string, done func(text string, err error) tea.Msg) tea.Cmd
	Ask     func(message int64, ref string) tea.Cmd  // has a model answer a turn again, once; 0 is the last turn
	Listed  func()                                   // the models were listed
	Restyle func()                                   // another theme is wanted
	Done    func(sentence string, err error) tea.Cmd // a setting has ended, which may have changed the session
	Begun   func() bool                              // something was said in the session
	Covered func() bool                              // the user has gone on to something else
}

// set changes the session in a command, and says so when it is done.
func (s *Model) set(sentence string, change func(context.Context, *session.Session) error) tea.Cmd {
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg { return s.done(sentence, change(ctx, of)) })
}

// done ends a setting: with a sentence, "" for none, or an error.
func (s *Model) done(sentence string, err error) tea.Msg {
	return app.Then(func() tea.Cmd { return s.Done(sentence, err) })
}

// Remember writes a choice down for the next start. A temporary chat leaves none on disk.
func (s *Model) Remember(write func() error) tea.Cmd {
	if s.Session != nil && s.Session.Temporary() {
		return nil
	}
	return s.Run(func(context.Context) tea.Msg {
		err := write()
		return app.Then(func() tea.Cmd {
			if err == nil {
				return nil
			}
			return s.Fail(theme.Sentence(err))
		})
	})
}

// rememberModel writes down which model a session has been given. What it returns ends a sentence about that: ""
// where there is nothing more to say.
func rememberModel(to *remembered.Memory, of *session.Session, known *llm.Catalog) string {
	if of.Temporary() {
		return ""
	}
	if err := to.Model(known.Last(of.Model().Ref()))(); err != nil {
		return " " + theme.UpperFirst(theme.Sentence(err))
	}
	return ""
}

// Budget is the command /budget.
func (s *Model) Budget(args string) tea.Cmd {
	n, ok := settings.ReadBudget(args)
	if !ok {
		return s.Fail("A budget is a number of tokens, or auto.")
	}
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		if err := of.Set(ctx, session.Settings{Budget: new(n)}); err != nil {
			return s.done("", err)
		}
		return s.done(cmp.Or(limit(of.Preview(session.Draft{})), "The budget is set."), nil)
	})
}

// Preset is the command /preset.
func (s *Model) Preset(name string) tea.Cmd {
	if name == "" {
		return s.Say("The preset is " + s.Session.Now().Policy.Preset + ". There are " +
			strings.Join(history.Presets(), ", ") + ".")
	}
	return s.set("Requests are cut by the preset "+name+".", func(ctx context.Context, of *session.Session) error {
		return of.Set(ctx, session.Settings{Preset: name})
	})
}

// NoSummary is the command /compact off.
func (s *Model) NoSummary() tea.Cmd {
	return s.set("The messages themselves are sent again if they fit.",
		func(ctx context.Context, of *session.Session) error {
			return of.Set(ctx, session.Settings{SummaryAlways: new(false)})
		})
}

// Rename is the command /rename.
func (s *Model) Rename(title string) tea.Cmd {
	return s.set("The title is now “"+title+"”.", func(ctx context.Context, of *session.Session) error {
		return of.Set(ctx, session.Settings{Title: &title})
	})
}

// Retitle is the command /title.
func (s *Model) Retitle(string) tea.Cmd {
	if !s.Begun() {
		return s.Fail("There is no message to make a title from yet.")
	}
	return s.entitle(true, func(title string) string { return "The title is now “" + title + "”." })
}

// Entitle has a model write the title after the first answer, where one is configured for that.
func (s *Model) Entitle() tea.Cmd {
	row := s.Session.Info()
	if s.With.TitleRef == "" || row.TitleFrom != store.TitleAuto || row.Turns != 1 {
		return nil
	}
	return s.entitle(false, func(string) string { return "" })
}

// entitle has a title written, and says when the model is asked, and each time that it is asked again.
func (s *Model) entitle(asked bool, sentence func(title string) string) tea.Cmd {
	of, again := s.Session, make(chan string)
	return tea.Batch(s.hear(again), s.Run(func(ctx context.Context) tea.Msg {
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
		return s.done(sentence(title), err)
	}))
}

// hear says the sentences of a command that goes on, one after the other.
func (s *Model) hear(from <-chan string) tea.Cmd {
	return func() tea.Msg {
		text, ok := <-from
		if !ok {
			return nil
		}
		return app.Then(func() tea.Cmd { return tea.Batch(s.Say(text), s.hear(from)) })
	}
}

// Usage is the command /usage: it says what the session, the day and the month have used.
func (s *Model) Usage(string) tea.Cmd {
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		sums, err := of.Sums(ctx)
		if err != nil {
			return s.done("", err)
		}
		text := func(sum session.Sum) string {
			words := theme.Thousands(sum.Tokens) + " tokens"
			if cost := sum.Sentence(); cost != "" {
				words += ", " + cost
			}
			return words
		}
		return s.done("This chat: "+text(sums.Session)+" · today: "+text(sums.Day)+" · this month: "+
			text(sums.Month)+". winnow usage shows more.", nil)
	})
}

// ExportTo is the command /export: it writes the session to a file.
func (s *Model) ExportTo(words string) tea.Cmd {
	switch {
	case s.Export == nil:
		return s.Fail("Nothing can be exported here.")
	case !s.Begun():
		return s.Fail("There is nothing to export yet.")
	}
	of, write := s.Session, s.Export
	return s.Run(func(ctx context.Context) tea.Msg {
		sentence, err := write(ctx, of, words)
		return s.done(sentence, err)
	})
}

// Examine is the command /doctor: it checks the installation and shows the report.
func (s *Model) Examine(string) tea.Cmd {
	check := s.Doctor
	if check == nil {
		return s.Fail("Nothing can be checked here.")
	}
	return tea.Batch(s.Say("Checking the files, the terminal and the endpoints…"),
		s.Run(func(ctx context.Context) tea.Msg {
			report, err := check(ctx)
			return app.Then(func() tea.Cmd {
				if err != nil {
					return s.Fail(theme.Sentence(err))
				}
				s.Read("Doctor", report)
				return nil
			})
		}))
}

// Theme is the command /theme: it takes the theme with a name, or lists them. The one under the cursor is tried out at
// once.
func (s *Model) Theme(name string) tea.Cmd {
	names := s.Themes.Names()
	switch {
	case s.Themes.Plain:
		return s.Fail("This terminal has no colours, or NO_COLOR is set: all themes look the same.")
	case name == "":
		var items []list.Item
		for _, name := range names {
			items = append(items, list.Item{
				Label: name, About: s.Themes.Description(theme.Name(name)), Value: name,
			})
		}
		o := list.Options{Title: ThemesTitle, Tries: "try", Does: "keep", Leaves: "cancel"}
		l := list.New(s.Context, o, items...)
		l.Select(string(s.Themes.Wanted))
		s.Open(l, s.Theme)
		return nil
	case !slices.Contains(names, name):
		return s.Fail("There is no theme " + name + ". There are " + strings.Join(names, ", ") + ".")
	}
	s.Themes.Wanted = theme.Name(name)
	s.Restyle()
	return tea.Batch(s.Say("The theme is "+name+"."+s.Memory.ThemeLasts()),
		s.Remember(s.Memory.Theme(theme.Name(name))))
}

// ThemesTitle is the title of the list of themes.
const ThemesTitle = "themes"
