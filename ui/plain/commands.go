package plain

import (
	"context"
	"errors"
	"slices"
	"strings"

	"winnow/history"
	"winnow/session"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/ui/theme"
)

// command is a slash command.
type command struct {
	name, args, help string
	run              func(c *chat, ctx context.Context, args string) error
}

// usage is the command as it is typed.
func (c command) usage() string { return strings.TrimSpace("/" + c.name + " " + c.args) }

// mostListed is how many sessions /sessions lists.
const mostListed = 20

// commands are the commands in the order of /help.
func commands() []command {
	return []command{
		{"help", "", "list the commands", (*chat).help},
		{"context", "", "show what the next request sends, message by message", (*chat).context},
		{"history", "", "print the chat", (*chat).history},
		{"model", "[MODEL]", "choose the model; alone it shows the current one", (*chat).model},
		{"retry", "[NUMBER] [MODEL]", "ask again, for the last answer or another one, or ask another model; both " +
			"answers are kept", (*chat).retry},
		{"edit", "NUMBER [TEXT]", "replace an earlier message by a new version; both are kept", (*chat).edit},
		{
			"versions", "[NUMBER] [VERSION]", "list the messages with several versions, or switch to another version",
			(*chat).versions,
		},
		{"fork", "[NUMBER]", "continue in a copy of the chat up to this message", (*chat).fork},
		{"search", "TEXT", "find a text in this chat and in others", (*chat).search},
		{"attach", "PATH", "attach a file or an image to the next message", func(c *chat, _ context.Context,
			path string,
		) error {
			return c.attach(path)
		}},
		{"cut", "", "send the message that was too long, cut to what fits", (*chat).cut},
		{"alone", "TEXT", "send a message without the chat before it", func(c *chat, ctx context.Context,
			text string,
		) error {
			c.send(ctx, session.Draft{Alone: true, Text: text})
			return nil
		}},
		{"pin", "NUMBERS", "always send these messages whole, as in /pin 3 5", flagging(history.Pin, "pinned")},
		{"exclude", "NUMBERS", "never send these messages", flagging(history.Exclude, "excluded")},
		{"auto", "NUMBERS", "undo /pin and /exclude for these messages", flagging("", "automatic again")},
		{"budget", "TOKENS", "limit the tokens of a request; auto removes the limit", (*chat).budget},
		{"window", "TOKENS", "set the model's context window; auto detects it", (*chat).window},
		{"preset", "NAME", "choose how a request is cut: " + strings.Join(history.Presets(), ", "), (*chat).preset},
		{"compact", "", "summarise older messages and send the summary", func(c *chat, ctx context.Context,
			_ string,
		) error {
			return c.follow(ctx, c.s.Compact)
		}},
		{"system", "TEXT", "set the system prompt of this chat", func(c *chat, ctx context.Context,
			text string,
		) error {
			return c.did(c.s.Set(ctx, session.Settings{System: new(text)}), "The system prompt is set.")
		}},
		{"tools", "", "list the tools of the model, and what they may do", (*chat).tools},
		{"thinking", "", "print or hide the model's reasoning", (*chat).thinking},
		{"new", "", "start a new chat; this one stays", (*chat).begin},
		{"sessions", "[WORDS]", "list the latest chats, or those with these words in their title", (*chat).sessions},
		{"resume", "ID", "open another chat", (*chat).resume},
		{"rename", "TITLE", "give the chat a title", func(c *chat, ctx context.Context, title string) error {
			return c.did(c.s.Set(ctx, session.Settings{Title: &title}), "The title is now "+theme.OneLine(title)+".")
		}},
		{"export", "[FORMAT] [FILE]", "write the chat to a file", (*chat).export},
		{"doctor", "", "check the files, the terminal and the endpoints", (*chat).doctor},
		{"quit", "", "quit", func(c *chat, _ context.Context, _ string) error {
			c.quit = true
			return nil
		}},
	}
}

// command runs a command.
func (c *chat) command(ctx context.Context, text string) {
	name, args := theme.CutCommand(text)
	for _, cmd := range commands() {
		if cmd.name != name {
			continue
		}
		switch {
		case cmd.args == "" && args != "":
			c.say("/%s takes no arguments. %s", name, theme.AsMessage)
			return
		case strings.Contains(strings.TrimSpace(text), "\n") && !cmd.inLines():
			c.say("/%s takes one line. %s", name, theme.AsMessage)
			return
		case cmd.args != "" && cmd.args[0] != '[' && args == "":
			c.say("Usage: %s", cmd.usage())
			return
		}
		if err := cmd.run(c, ctx, args); err != nil {
			c.say("%s", theme.UpperFirst(theme.Sentence(err)))
		}
		return
	}
	c.say("There is no command /%s. /help lists the commands. %s", theme.OneLine(name), theme.AsMessage)
}

// inLines says whether the argument may have several lines.
func (c command) inLines() bool { return slices.Contains([]string{"alone", "edit", "system"}, c.name) }

// did says what was done, unless it failed.
func (c *chat) did(err error, sentence string) error {
	if err == nil {
		c.say("%s", sentence)
	}
	return err
}

func (c *chat) help(context.Context, string) error {
	for _, cmd := range commands() {
		c.say("%s: %s", cmd.usage(), cmd.help)
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
		c.say("There is nothing to send yet.")
		return nil
	}
	c.say("The next request: %s", strings.TrimPrefix(planText(plan), "Sending "))
	for _, e := range plan.Entries {
		now := verdict(e)
		if now == "" {
			now = "whole"
		}
		c.say("%s: %s, %s", named(e, e), now, theme.Plural(plan.Sum.Tokens(e.TokensAfter), "token"))
	}
	return nil
}

// history prints the conversation.
func (c *chat) history(ctx context.Context, _ string) error {
	list := c.s.Branch()
	if list.Len() == 0 {
		c.say("There are no messages yet.")
	}
	return list.Each(ctx, 0, list.Len(), func(i int, m store.Message) error {
		who := theme.Speaker(m.Role)
		if m.Role == history.Assistant && m.Model != "" {
			who = theme.OneLine(m.Model)
		}
		c.say("%d, %s:", i+1, who)
		for _, call := range m.ToolCalls {
			c.say("(calls %s)", theme.OneLine(call.Name))
		}
		for _, part := range m.Parts {
			c.say("(%s)", theme.OneLine(part.Name))
		}
		if m.Content != "" {
			c.write(m.Content)
			c.endLine()
		}
		if m.Status == history.Interrupted {
			c.say("(stopped here)")
		}
		return nil
	})
}

func (c *chat) model(ctx context.Context, ref string) error {
	if ref == "" {
		c.say("The model is %s. winnow models lists others.", c.s.Model().Ref())
		return nil
	}
	if err := c.s.Set(ctx, session.Settings{Model: ref}); err != nil {
		return err
	}
	c.say("The next message goes to %s.", c.s.Model().Ref())
	if c.Chosen == nil || c.s.Temporary() {
		return nil
	}
	return c.Chosen(c.s.Model().Ref())
}

// attach reads a file for the next message.
func (c *chat) attach(path string) error {
	part, err := c.s.Attach(path)
	if err != nil {
		return err
	}
	c.files = append(c.files, part)
	c.say("Attached to the next message: %s.", strings.Trim(theme.FileLabel(part, part.Tokens), "[]"))
	return nil
}

func (c *chat) cut(ctx context.Context, _ string) error {
	if c.last == "" {
		return errors.New("there is no message that was too long")
	}
	c.send(ctx, session.Draft{Cut: true, Text: c.last})
	return nil
}

// flagging gives messages that are named by their numbers a flag.
func flagging(f history.Flag, done string) func(*chat, context.Context, string) error {
	return func(c *chat, ctx context.Context, args string) error {
		flags := map[int64]history.Flag{}
		for _, word := range strings.Fields(args) {
			m, err := c.numbered(word)
			if err != nil {
				return err
			}
			for _, id := range c.s.Group(m.ID) {
				flags[id] = f
			}
		}
		_, err := c.s.SetFlags(ctx, flags)
		return c.did(err, theme.PluralOf(len(flags), "message is ", "messages are ")+done+".")
	}
}

func (c *chat) budget(ctx context.Context, args string) error {
	n, ok := settings.ReadBudget(args)
	if !ok {
		return errors.New("a budget is a number of tokens, or auto")
	}
	return c.did(c.s.Set(ctx, session.Settings{Budget: &n}), "The budget is set.")
}

func (c *chat) window(ctx context.Context, args string) error {
	n, ok := settings.ReadWindow(args)
	if !ok {
		return errors.New("a window is a number of tokens, or auto")
	}
	err := c.s.Model().SetWindow(ctx, n)
	w := c.s.Model().Window()
	return c.did(err, "The context window of "+c.s.Model().Ref()+" is "+theme.Thousands(w.Tokens)+" tokens: "+
		w.Origin()+".")
}

func (c *chat) preset(ctx context.Context, name string) error {
	return c.did(c.s.Set(ctx, session.Settings{Preset: name}), "Requests are cut by the preset "+name+".")
}

func (c *chat) thinking(context.Context, string) error {
	if c.thinks = !c.thinks; c.thinks {
		return c.did(nil, "Reasoning is printed.")
	}
	return c.did(nil, "Reasoning is not printed.")
}

// begin starts a new session.
func (c *chat) begin(ctx context.Context, _ string) error {
	s, err := session.New(c.Deps, session.Start{Ref: c.s.Model().Ref()})
	if err != nil {
		return err
	}
	return c.goTo(ctx, s, "This is a new chat.")
}

// goTo leaves the open session for another one.
func (c *chat) goTo(ctx context.Context, s *session.Session, sentence string) error {
	if c.s.Temporary() && c.s.Branch().Len() > 0 {
		return errors.New("this chat is not saved and would be lost; /quit ends it")
	}
	if id := c.s.Info().ID; id != "" {
		c.say("Left %q; /resume %s opens it again.", c.title(), short(id))
	}
	c.s.Leave()
	c.s, c.files, c.last = s, nil, ""
	if sentence != "" {
		c.say("%s", sentence)
	}
	c.enter(ctx)
	return nil
}

// short is enough of an id to name a session.
func short(id string) string { return id[:min(len(id), 13)] }

func (c *chat) sessions(ctx context.Context, words string) error {
	list, err := c.Deps.Store.Sessions(ctx, store.Filter{Text: words, Limit: mostListed})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		c.say("There is no chat yet.")
	}
	for _, s := range list {
		c.say("%s: %s, %s", short(s.ID), c.Secrets.Line(theme.OneLine(s.Title)), theme.Plural(s.Turns, "turn"))
	}
	return nil
}

func (c *chat) resume(ctx context.Context, id string) error {
	s, err := session.Open(ctx, c.Deps, id, c.s.Model().Ref())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errors.New("there is no chat " + theme.OneLine(id) + "; /sessions lists them")
	case err != nil:
		return err
	case !s.Info().Deleted.IsZero():
		return errors.New("the chat is in the trash; restore it with winnow sessions restore")
	}
	return c.goTo(ctx, s, "")
}

func (c *chat) export(ctx context.Context, words string) error {
	switch {
	case c.Export == nil:
		return errors.New("nothing can be exported here")
	case c.s.Branch().Len() == 0:
		return errors.New("there is nothing to export yet")
	}
	sentence, err := c.Export(ctx, c.s, words)
	return c.did(err, sentence)
}

func (c *chat) doctor(ctx context.Context, _ string) error {
	if c.Doctor == nil {
		return errors.New("nothing can be checked here")
	}
	report, err := c.Doctor(ctx)
	c.write(report)
	return err
}
