package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"winnow/history"
	"winnow/session"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/ui/slash"
	"winnow/ui/theme"
)

// command is a slash command and what it does in plain mode.
type command struct {
	slash.Command
	run func(c *chat, ctx context.Context, args string) error
}

// commands returns the commands in the order of /help: some of the screen's, and those that name messages by number,
// because plain mode has no selection.
func commands() []command {
	shared := slash.Named
	return []command{
		{shared("help"), (*chat).help},
		{slash.Command{Name: "history", Help: "print the chat with the numbers of its messages"}, (*chat).history},
		{shared("context"), func(c *chat, _ context.Context, _ string) error { return c.preview(true) }},
		{shared("retry"), (*chat).retry},
		flagging("pin", "always send these messages whole", history.Pin),
		flagging("exclude", "never send these messages", history.Exclude),
		flagging("auto", "undo /pin and /exclude for these messages", ""),
		{shared("attach"), (*chat).attach},
		{shared("alone"), (*chat).alone},
		{shared("model"), setting(func(v string) session.Settings { return session.Settings{Model: v} })},
		{shared("system"), setting(func(v string) session.Settings { return session.Settings{System: &v} })},
		{shared("budget"), setting(func(v string) session.Settings { return session.Settings{Budget: tokens(v)} })},
		{shared("window"), setting(func(v string) session.Settings { return session.Settings{Window: tokens(v)} })},
		{shared("preset"), setting(func(v string) session.Settings { return session.Settings{Preset: v} })},
		{shared("compact"), (*chat).compact},
		{shared("thinking"), (*chat).switchThinking},
		{shared("quit"), func(*chat, context.Context, string) error { return errQuit }},
	}
}

// errQuit is returned by a command that ends the chat.
var errQuit = errors.New("quit")

// knows reports whether a command with a name exists.
func (c *chat) knows(name string) bool { return c.commands[name].run != nil }

// run runs the command in a text that begins with a slash.
func (c *chat) run(ctx context.Context, text string) error {
	name, args := slash.Split(text)
	if !c.knows(name) {
		return fmt.Errorf("there is no command /%s; /help lists the commands. %s", theme.OneLine(name),
			slash.AsMessageHint)
	}
	if misused := c.commands[name].Misuse(text); misused != "" {
		return errors.New(misused)
	}
	return c.commands[name].run(c, ctx, args)
}

func (c *chat) help(context.Context, string) error {
	for _, cmd := range commands() {
		c.Line("%s: %s", cmd.Usage(), cmd.Help)
	}
	c.Line("<<END starts a message of several lines, which ends at a line with END alone.")
	return nil
}

// history prints the chat.
func (c *chat) history(ctx context.Context, _ string) error {
	return c.s.Branch().Each(ctx, 0, c.s.Branch().Len(), func(i int, m store.Message) error {
		c.Line("%d, %s:", i+1, cmp.Or(theme.OneLine(m.Model), theme.Speaker(m.Role)))
		for _, call := range m.ToolCalls {
			c.Line("(calls %s)", theme.OneLine(call.Name))
		}
		for _, part := range m.Parts {
			c.Line("(%s)", theme.OneLine(part.Name))
		}
		c.Piece(m.Content)
		if m.Status == history.Interrupted {
			c.Line("(stopped here)")
		}
		return nil
	})
}

// preview prints the size of the next request, with all verdicts or only those that have changed.
func (c *chat) preview(all bool) error {
	plan, err := c.s.Preview(session.Draft{})
	if err == nil {
		c.Line("The next request: %s", sums(plan))
		c.showVerdicts(plan, all)
	}
	return err
}

func (c *chat) retry(ctx context.Context, model string) error {
	return c.follow(ctx, c.s.Regenerate(ctx, 0, model))
}

// flagging returns a command that sets the flag of messages, given by number.
func flagging(name, help string, f history.Flag) command {
	numbered := slash.Command{Name: name, Args: "NUMBER...", Help: help}
	return command{numbered, func(c *chat, ctx context.Context, args string) error {
		messages, flags := c.s.Branch(), map[int64]history.Flag{}
		for _, number := range strings.Fields(args) {
			n, err := strconv.Atoi(number)
			if err != nil || n < 1 || n > messages.Len() {
				return fmt.Errorf("no message is numbered %s; /history numbers them", theme.OneLine(number))
			}
			flags[messages.ID(n-1)] = f
		}
		if _, err := c.s.SetFlags(ctx, flags); err != nil {
			return err
		}
		return c.preview(false)
	}}
}

// attach reads a file for the next message.
func (c *chat) attach(_ context.Context, path string) error {
	part, err := c.s.Attach(path)
	if err == nil {
		c.files = append(c.files, part)
		c.Line("Attached to the next message: %s.", strings.Trim(theme.FileLabel(part, part.Tokens), "[]"))
	}
	return err
}

func (c *chat) alone(ctx context.Context, text string) error {
	return c.send(ctx, session.Draft{Alone: true, Text: text})
}

// setting returns a command that changes the setting for a value and prints all settings. Without a value it only
// prints.
func setting(of func(value string) session.Settings) func(*chat, context.Context, string) error {
	return func(c *chat, ctx context.Context, value string) error {
		to := of(value)
		switch {
		case value == "":
			to = session.Settings{}
		case to == (session.Settings{}):
			return errors.New("write a number of tokens, or auto")
		}
		err := c.s.Set(ctx, to)
		if err == nil && to.Model != "" && !c.s.Temporary() {
			err = c.Remember(c.s.Model().Ref())
		}
		list, unread := c.s.Try(ctx, session.Settings{}).Settings()
		if err = cmp.Or(err, unread); err == nil {
			window := c.s.Model().Window()
			c.Line("The window has %s: %s. %s.", theme.Plural(window.Tokens, "token"), window.DatedSource(),
				theme.UpperFirst(settings.SummaryLine(list)))
		}
		return err
	}
}

// tokens reads a number of tokens. It returns nil for any other text.
func tokens(text string) *int {
	if n, ok := settings.ParseBudget(text); ok {
		return &n
	}
	return nil
}

// compact has older messages summarised, or sends them in full again.
func (c *chat) compact(ctx context.Context, args string) error {
	switch args {
	case "":
		return c.follow(ctx, c.s.Compact(ctx))
	case "off":
		c.Line("The messages themselves are sent again if they fit.")
		return c.s.Set(ctx, session.Settings{SummaryAlways: new(false)})
	}
	return errors.New("use /compact, or /compact off")
}

func (c *chat) switchThinking(context.Context, string) error {
	c.thinking = !c.thinking
	c.Line(map[bool]string{true: "Reasoning is printed.", false: "Reasoning is not printed."}[c.thinking])
	return nil
}
