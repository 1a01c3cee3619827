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
	"winnow/session/store"
	"winnow/ui/theme"
)

// history prints the chat.
func (c *chat) history(ctx context.Context, _ string) error {
	list := c.s.Branch()
	if list.Len() == 0 {
		return c.done(nil, "There are no messages yet.")
	}
	return list.Each(ctx, 0, list.Len(), func(i int, m store.Message) error {
		who := theme.Speaker(m.Role)
		if m.Role == history.Assistant && m.Model != "" {
			who = theme.OneLine(m.Model)
		}
		if m.Siblings > 1 {
			who += fmt.Sprintf(", version %d of %d", m.Sibling, m.Siblings)
		}
		c.say("%d, %s:", i+1, who)
		for _, call := range m.ToolCalls {
			c.say("(calls %s)", theme.OneLine(call.Name))
		}
		for _, part := range m.Parts {
			c.say("(%s)", theme.OneLine(part.Name))
		}
		c.write(m.Content)
		if m.Status == history.Interrupted {
			c.say("(stopped here)")
		}
		return nil
	})
}

// flagging gives messages that are named by their numbers a flag.
func flagging(f history.Flag, done string) action {
	return func(c *chat, ctx context.Context, args string) error {
		flags := map[int64]history.Flag{}
		for _, word := range strings.Fields(args) {
			m, err := c.messageAt(word)
			if err != nil {
				return err
			}
			for _, id := range c.s.Group(m.ID) {
				flags[id] = f
			}
		}
		_, err := c.s.SetFlags(ctx, flags)
		return c.done(err, theme.PluralOf(len(flags), "message is ", "messages are ")+done+".")
	}
}

// onMessage is a command for the message that the first argument numbers, the zero message where it is no number.
func onMessage(do func(*chat, context.Context, store.Message, string) error) action {
	return func(c *chat, ctx context.Context, args string) error {
		number, rest, _ := strings.Cut(args, " ")
		if _, err := strconv.Atoi(number); err != nil {
			return do(c, ctx, store.Message{}, args)
		}
		m, err := c.messageAt(number)
		if err != nil {
			return err
		}
		return do(c, ctx, m, strings.TrimSpace(rest))
	}
}

// messageAt finds the message with a number of /history.
func (c *chat) messageAt(number string) (store.Message, error) {
	messages := c.s.Branch()
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > messages.Len() {
		return store.Message{}, fmt.Errorf("no message is numbered %s; /history numbers them", theme.OneLine(number))
	}
	return messages.Message(n - 1)
}

// edit sends another text in the place of an earlier message.
func (c *chat) edit(ctx context.Context, m store.Message, text string) error {
	if m.Role != history.User || text == "" {
		return errors.New("use /edit NUMBER TEXT, with the number of a message of yours and its new text")
	}
	c.send(ctx, session.Draft{Instead: m.ID, Text: text})
	return nil
}

// retry asks again, for the last answer or the one with a number, and perhaps another model.
func (c *chat) retry(ctx context.Context, m store.Message, model string) error {
	return c.follow(ctx, c.s.Regenerate(ctx, m.ID, model))
}

// version goes to the next version of a message.
func (c *chat) version(ctx context.Context, m store.Message, _ string) error {
	v, err := c.s.SwitchVersion(ctx, m.ID, 1)
	return c.done(err, fmt.Sprintf("This is version %d of %d now. /history prints what follows it.", v.Nth, v.Of))
}

// fork goes on in a copy of the chat up to a message.
func (c *chat) fork(ctx context.Context, m store.Message, _ string) error {
	return c.goTo(ctx, func() (*session.Session, error) {
		row, err := c.s.Fork(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, c.Deps, row.ID, c.s.Model().Ref())
	})
}

// titled is what a stored chat is called in a line.
func (c *chat) titled(s store.Session) string {
	return cmp.Or(c.Secrets.Line(theme.OneLine(s.Title)), "untitled")
}
