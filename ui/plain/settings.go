package plain

import (
	"context"
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/list"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// setting is a command that the screen has too: what it says is printed, and what it lists is chosen from by a number.
func setting(do func(*settings.Model, string) tea.Cmd) func(*chat, context.Context, string) error {
	return func(c *chat, ctx context.Context, args string) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
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
		m := &settings.Model{Options: options, Context: &app.Context{
			Program: func() context.Context { return ctx }, Themes: new(theme.Set), Say: say, Fail: say, With: c.Deps,
			Session: c.s, Info: c.s.Info(), Ref: c.s.Model().Ref(), Secrets: c.Secrets,
		}, Screen: settings.Screen{
			Open: func(l *list.Model, take func(string) tea.Cmd) { open, chosen = l, take },
			Read: func(_, text string) { c.write(text) },
			Edit: func(string, func(string, error) tea.Msg) tea.Cmd { return say("Usage: /system TEXT.") },
			Ask: func(message int64, ref string) tea.Cmd {
				c.report(c.follow(ctx, func(ctx context.Context) <-chan session.Event {
					return c.s.Regenerate(ctx, message, ref)
				}))
				return nil
			},
			Done: func(sentence string, err error) tea.Cmd {
				c.report(err)
				return say(sentence)
			},
			Restyle: func() {},
			Begun:   func() bool { return c.s.Branch().Len() > 0 },
			Covered: func() bool { return false },
		}}
		for cmd := do(m, args); ; {
			c.await(cmd, stop)
			if open == nil {
				return nil
			}
			value, err := c.choice(ctx, open)
			if value == "" || err != nil {
				return err
			}
			open = nil
			cmd = chosen(value) // it may open another list
		}
	}
}

// await runs a command of the screen and those that follow from it. ctrl+c stops them.
func (c *chat) await(cmd tea.Cmd, stop func()) {
	results, running := make(chan tea.Msg), 0
	start := func(cmd tea.Cmd) {
		if cmd != nil {
			running++
			go func() { results <- cmd() }()
		}
	}
	for start(cmd); running > 0; {
		select {
		case <-c.Stop:
			stop()
		case msg := <-results:
			running--
			switch msg := msg.(type) {
			case app.Then:
				start(msg())
			case tea.BatchMsg:
				for _, cmd := range msg {
					start(cmd)
				}
			}
		}
	}
}

// choice prints a list and reads the number of an item. It is "" where none is chosen.
func (c *chat) choice(ctx context.Context, l *list.Model) (value string, err error) {
	if l.Masked {
		return "", errors.New("the key of a provider is stored by winnow keys set")
	}
	for i, item := range l.Items() {
		c.say("%s", strings.Join(strings.Fields(strconv.Itoa(i+1)+". "+item.Label+" "+item.About+" "+item.Right), " "))
	}
	for _, note := range l.Notes {
		c.say("%s", note)
	}
	if !c.Terminal {
		return "", nil
	}
	text, err := c.answer(ctx, "number, or enter to leave it: ", func() {})
	n, _ := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 1 || n > len(l.Items()) {
		return "", nil
	}
	return l.Items()[n-1].Value, nil
}
