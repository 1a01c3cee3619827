package plain

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/list"
	"winnow/ui/settings"
	"winnow/ui/slash"
	"winnow/ui/theme"
)

// command is a slash command with what it does here.
type command struct {
	slash.Command
	run action
}

// action is what a command does with its arguments.
type action func(c *chat, ctx context.Context, args string) error

// shared is a command of the screen, with its name and its help.
func shared(name string, run action) command {
	return command{slash.Named(name), run}
}

// numbered is a command that names messages by their numbers, which the screen selects.
func numbered(name, args, help string, run action) command {
	return command{slash.Command{Name: name, Args: args, Help: help, Lines: name == "edit"}, run}
}

// commands are the commands in the order of /help.
func commands() []command {
	return []command{
		shared("help", (*chat).help),
		numbered("history", "", "print the chat with its numbers", (*chat).history),
		shared("context", (*chat).context),
		numbered("edit", "NUMBER TEXT", "replace a message by a new version; both are kept", onMessage((*chat).edit)),
		numbered("retry", "[NUMBER] [MODEL]", "ask again, or another model; both are kept", onMessage((*chat).retry)),
		numbered("version", "NUMBER", "go to the next version of a message", onMessage((*chat).version)),
		numbered("fork", "[NUMBER]", "continue in a copy of this chat up to a message", onMessage((*chat).fork)),
		numbered("pin", "NUMBERS", "always send these messages whole, as in /pin 3 5", flagging(history.Pin, "pinned")),
		numbered("exclude", "NUMBERS", "never send these messages", flagging(history.Exclude, "excluded")),
		numbered("auto", "NUMBERS", "undo /pin and /exclude for these messages", flagging("", "automatic again")),
		shared("attach", (*chat).attach),
		shared("alone", func(c *chat, ctx context.Context, text string) error {
			c.send(ctx, session.Draft{Alone: true, Text: text})
			return nil
		}),
		shared("model", setting((*settings.Model).ChooseModel)),
		shared("system", setting((*settings.Model).System)),
		shared("persona", setting((*settings.Model).ChoosePersona)),
		shared("budget", setting((*settings.Model).Budget)),
		shared("window", setting((*settings.Model).Window)),
		shared("preset", setting((*settings.Model).Preset)),
		shared("compact", (*chat).compact),
		shared("tools", setting((*settings.Model).Tools)),
		shared("thinking", (*chat).switchThinking),
		shared("new", (*chat).begin),
		shared("chats", (*chat).chats),
		shared("rename", setting((*settings.Model).Rename)),
		shared("title", setting((*settings.Model).Retitle)),
		shared("export", setting((*settings.Model).ExportTo)),
		shared("doctor", setting((*settings.Model).Examine)),
		shared("quit", func(c *chat, _ context.Context, _ string) error {
			c.quit = true
			return nil
		}),
	}
}

// known reports whether there is a command with a name.
func known(name string) bool {
	return slices.ContainsFunc(commands(), func(cmd command) bool { return cmd.Name == name })
}

// run runs a command.
func (c *chat) run(ctx context.Context, text string) {
	name, args := slash.Cut(text)
	for _, cmd := range commands() {
		if cmd.Name != name {
			continue
		}
		if misused := cmd.Misused(text); misused != "" {
			c.say("%s", misused)
		} else {
			c.report(cmd.run(c, ctx, args))
		}
		return
	}
	c.say("There is no command /%s. /help lists the commands. %s", theme.OneLine(name), slash.AsMessage)
}

func (c *chat) help(context.Context, string) error {
	for _, cmd := range commands() {
		c.say("%s: %s", cmd.Usage(), cmd.Help)
	}
	c.say("<<END starts a message of several lines, which ends at a line with END alone.")
	c.say("ctrl+c stops the answer, ctrl+d quits.")
	return nil
}

// context says what the next request would hold.
func (c *chat) context(context.Context, string) error {
	plan, err := c.s.Preview(session.Draft{})
	if err != nil {
		return err
	}
	if len(plan.Entries) == 0 {
		return c.done(nil, "There is nothing to send yet.")
	}
	c.say("The next request: %s", sums(plan))
	for i, e := range plan.Entries {
		c.say("%s: %s, %s", numbers(plan.Entries[i:i+1]), cmp.Or(theme.Verdict(e), "whole"),
			theme.Plural(plan.Sum.Tokens(e.TokensAfter), "token"))
	}
	return nil
}

// compact has older messages summarised, or sends them again.
func (c *chat) compact(ctx context.Context, args string) error {
	switch args {
	case "":
		return c.follow(ctx, c.s.Compact(ctx))
	case "off":
		return setting(func(m *settings.Model, _ string) tea.Cmd { return m.NoSummary() })(c, ctx, "")
	}
	return errors.New("use /compact, or /compact off")
}

func (c *chat) switchThinking(context.Context, string) error {
	c.thinking = !c.thinking
	return c.done(nil, map[bool]string{true: "Reasoning is printed.", false: "Reasoning is not printed."}[c.thinking])
}

// attach reads a file for the next message.
func (c *chat) attach(_ context.Context, path string) error {
	part, err := c.s.Attach(path)
	if err != nil {
		return err
	}
	c.files = append(c.files, part)
	return c.done(nil, "Attached to the next message: "+strings.Trim(theme.FileLabel(part, part.Tokens), "[]")+".")
}

// begin starts a new chat.
func (c *chat) begin(ctx context.Context, _ string) error {
	return c.goTo(ctx, func() (*session.Session, error) {
		return session.New(c.Deps, session.Start{Ref: c.s.Model().Ref()})
	})
}

// open opens a stored chat.
func (c *chat) open(ctx context.Context, id string) error {
	return c.goTo(ctx, func() (*session.Session, error) { return session.Open(ctx, c.Deps, id, c.s.Model().Ref()) })
}

// goTo leaves the open chat for another one, unless it would be lost.
func (c *chat) goTo(ctx context.Context, open func() (*session.Session, error)) error {
	if c.s.Temporary() && c.s.Branch().Len() > 0 {
		return errors.New("this chat is not saved and would be lost; /quit ends it")
	}
	s, err := open()
	if err != nil {
		return err
	}
	if c.s.Info().ID != "" {
		c.say("Left %q; /chats opens it again.", c.title())
	}
	c.s.Leave()
	c.s, c.files = s, nil
	c.enter(ctx)
	return nil
}

// mostListed is how many chats and messages are listed.
const mostListed = 20

// chats lists the latest chats, or those with words in their title and then the messages that hold the words, and opens
// the chosen one.
func (c *chat) chats(ctx context.Context, words string) error {
	found, err := c.Deps.Store.Sessions(ctx, store.Filter{Text: words, Limit: mostListed})
	var items []list.Item
	for _, s := range found {
		items = append(items, list.Item{Label: c.titled(s) + ", " + theme.Plural(s.Turns, "turn"), Value: s.ID})
	}
	if err == nil && words != "" {
		var hits []store.Hit
		hits, err = c.Deps.Store.Search(ctx, store.Search{Text: words, Limit: mostListed})
		for _, h := range hits {
			h, _ = h.Without(c.Secrets.In, theme.Redacted)
			text := c.titled(h.Session) + ", " + theme.Speaker(h.Role) + ": " + theme.OneLine(h.Snippet)
			items = append(items, list.Item{Label: text, Value: h.Session.ID})
		}
	}
	if err == nil && len(items) == 0 {
		err = errors.New("there is no such chat or message")
	}
	if err != nil {
		return err
	}
	if id := c.choice(ctx, items); id != "" && id != c.s.Info().ID {
		return c.open(ctx, id)
	}
	return nil
}
