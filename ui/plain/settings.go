package plain

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/list"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// setting is a command that the screen has too: what it says is printed, and what it lists is chosen from by a number.
func setting(do func(*settings.Model, string) tea.Cmd) action {
	return func(c *chat, ctx context.Context, args string) error {
		say := func(text string) tea.Cmd {
			if text != "" {
				c.say("%s", text)
			}
			return nil
		}
		var open *list.Model
		var chosen func(string) tea.Cmd
		options := c.Settings
		options.Short = func(path string) string { return path }
		shared := &app.Shared{
			Program: func() context.Context { return ctx }, Themes: new(theme.Set), Say: say, Fail: say, With: c.Deps,
			Secrets: c.Secrets,
			Settled: func(sentence string, err error) tea.Cmd {
				c.report(err)
				return say(sentence)
			},
		}
		m := &settings.Model{Options: options, Context: &app.Context{
			Shared: shared, Session: c.s, Info: c.s.Info(), Ref: c.s.Model().Ref(),
		}, Screen: settings.Screen{
			Open:    func(l *list.Model, take func(string) tea.Cmd) { open, chosen = l, take },
			Read:    func(_, text string) { c.write(text) },
			Edit:    func(string, func(string, error) tea.Msg) tea.Cmd { return say("Usage: /system TEXT.") },
			Restyle: func() {},
			Covered: func() bool { return false },
		}}
		for cmd := do(m, args); ; {
			follow(cmd)
			if open == nil {
				return nil
			}
			if open.Masked {
				return errors.New("the key of a provider is stored by winnow keys set")
			}
			value := c.choice(ctx, open.Items(), open.Notes...)
			if value == "" {
				return nil
			}
			open = nil
			cmd = chosen(value) // it may open another list
		}
	}
}

// follow runs a command of the screen and those that follow from it. Those of a batch run at the same time: one may say
// what another one does.
func follow(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case app.Then:
		follow(msg())
	case tea.BatchMsg:
		msgs := make(chan tea.Msg, len(msg))
		for _, cmd := range msg {
			go func() { msgs <- cmd() }()
		}
		for range msg {
			follow(func() tea.Msg { return <-msgs })
		}
	}
}
