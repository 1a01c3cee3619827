package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	run func(c *chat, ctx context.Context, args string) error
}

// shared is a command of the screen, with its name and its help.
func shared(name string, run func(*chat, context.Context, string) error) command {
	return command{slash.Named(name), run}
}

// numbered is a command that names messages by their numbers, which the screen selects.
func numbered(name, args, help string, run func(*chat, context.Context, string) error) command {
	return command{slash.Command{Name: name, Args: args, Help: help, Lines: name == "edit"}, run}
}

// commands are the commands in the order of /help.
func commands() []command {
	return []command{
		shared("help", (*chat).help),
		numbered("history", "", "print the chat with its numbers", (*chat).history),
		shared("context", (*chat).context),
		numbered("search", "TEXT", "find messages in all chats", (*chat).search),
		numbered("edit", "NUMBER TEXT", "replace an earlier message by a new version; both are kept", (*chat).edit),
		numbered("retry", "[NUMBER] [MODEL]", "ask again, or ask another model; both answers are kept", (*chat).retry),
		numbered("version", "NUMBER", "go to the next version of a message, and of what follows it", (*chat).version),
		numbered("fork", "[NUMBER]", "continue in a copy of this chat up to a message", (*chat).fork),
		numbered("pin", "NUMBERS", "always send these messages whole, as in /pin 3 5", flagging(history.Pin, "pinned")),
		numbered("exclude", "NUMBERS", "never send these messages", flagging(history.Exclude, "excluded")),
		numbered("auto", "NUMBERS", "undo /pin and /exclude for these messages", flagging("", "automatic again")),
		shared("attach", (*chat).attach),
		shared("alone", func(c *chat, ctx context.Context, text string) error {
			c.send(ctx, session.Draft{Alone: true, Text: text})
			return nil
		}),
		numbered("cut", "", "send the message that was too long, cut to what fits", (*chat).cut),
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
	name, args := theme.CutCommand(text)
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
	c.say("There is no command /%s. /help lists the commands. %s", theme.OneLine(name), theme.AsMessage)
}

// done says what was done, unless it failed.
func (c *chat) done(err error, sentence string) error {
	if err == nil {
		c.say("%s", sentence)
	}
	return err
}

func (c *chat) help(context.Context, string) error {
	for _, cmd := range commands() {
		c.say("%s: %s", cmd.Usage(), cmd.Help)
	}
	c.say("A backslash at the end of a line continues the message on the next line. <<END starts a message of " +
		"several lines, which ends at a line with END alone.")
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
		c.say("%s: %s, %s", numbers(plan.Entries[i:i+1]), cmp.Or(verdict(e), "whole"),
			theme.Plural(plan.Sum.Tokens(e.TokensAfter), "token"))
	}
	return nil
}

// compact has older messages summarised, or sends them again.
func (c *chat) compact(ctx context.Context, args string) error {
	switch args {
	case "":
		return c.follow(ctx, c.s.Compact)
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

func (c *chat) cut(ctx context.Context, _ string) error {
	if c.tooLong == "" {
		return errors.New("there is no message that was too long")
	}
	c.send(ctx, session.Draft{Cut: true, Text: c.tooLong})
	return nil
}

// begin starts a new chat.
func (c *chat) begin(ctx context.Context, _ string) error {
	s, err := session.New(c.Deps, session.Start{Ref: c.s.Model().Ref()})
	if err != nil {
		return err
	}
	return c.goTo(ctx, s, "This is a new chat.")
}

// goTo leaves the open chat for another one, unless it would be lost.
func (c *chat) goTo(ctx context.Context, s *session.Session, sentence string) error {
	if c.s.Temporary() && c.s.Branch().Len() > 0 {
		return errors.New("this chat is not saved and would be lost; /quit ends it")
	}
	if c.s.Info().ID != "" {
		c.say("Left %q; /chats opens it again.", c.title())
	}
	if sentence != "" {
		c.say("%s", sentence)
	}
	c.open(ctx, s)
	return nil
}

// open leaves the open chat for another one.
func (c *chat) open(ctx context.Context, s *session.Session) {
	c.s.Leave()
	c.s, c.files, c.tooLong = s, nil, ""
	c.enter(ctx)
}

// mostListed is how many chats and messages are listed.
const mostListed = 20

// chats lists the latest chats, or those with words in their title, and opens one.
func (c *chat) chats(ctx context.Context, words string) error {
	found, err := c.Deps.Store.Sessions(ctx, store.Filter{Text: words, Limit: mostListed})
	var items []list.Item
	for _, s := range found {
		title := c.Secrets.Line(theme.OneLine(s.Title))
		items = append(items, list.Item{Label: title + ", " + theme.Plural(s.Turns, "turn"), Value: s.ID})
	}
	return c.openOne(ctx, items, err, "there is no such chat; /search finds messages")
}

// search lists the messages that hold words, the newest first, and opens the chat of one.
func (c *chat) search(ctx context.Context, words string) error {
	hits, err := c.Deps.Store.Search(ctx, store.Search{Text: words, Limit: mostListed})
	var items []list.Item
	for _, h := range hits {
		h, _ = h.Without(c.Secrets.In, theme.Redacted)
		title := c.Secrets.Line(theme.OneLine(h.Session.Title))
		text := fmt.Sprintf("%s, %s: %s", title, theme.Speaker(h.Role), theme.OneLine(h.Snippet))
		items = append(items, list.Item{Label: text, Value: h.Session.ID})
	}
	return c.openOne(ctx, items, err, "no message was found")
}

// openOne opens the chat that is chosen of some, or says that there are none.
func (c *chat) openOne(ctx context.Context, items []list.Item, err error, none string) error {
	if err == nil && len(items) == 0 {
		err = errors.New(none)
	}
	if err != nil {
		return err
	}
	id, err := c.choice(ctx, items)
	if id == "" || id == c.s.Info().ID || err != nil {
		return err
	}
	return c.openStored(ctx, id, "")
}

// openStored leaves the open chat for one with an id.
func (c *chat) openStored(ctx context.Context, id, sentence string) error {
	s, err := session.Open(ctx, c.Deps, id, c.s.Model().Ref())
	if err != nil {
		return err
	}
	return c.goTo(ctx, s, sentence)
}

// messageAt finds the message with a number of /history.
func (c *chat) messageAt(word string) (store.Message, error) {
	messages := c.s.Branch()
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > messages.Len() {
		return store.Message{}, fmt.Errorf("there is no message %s; /history prints their numbers", theme.OneLine(word))
	}
	return messages.Message(n - 1)
}
