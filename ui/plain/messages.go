package plain

import (
	"context"
	"errors"
	"fmt"
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
		c.endLine()
		if m.Status == history.Interrupted {
			c.say("(stopped here)")
		}
		return nil
	})
}

// flagging gives messages that are named by their numbers a flag.
func flagging(f history.Flag, done string) func(*chat, context.Context, string) error {
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

// edit sends another text in the place of an earlier message.
func (c *chat) edit(ctx context.Context, args string) error {
	number, text, _ := strings.Cut(args, " ")
	m, err := c.messageAt(number)
	switch {
	case err != nil:
		return err
	case m.Role != history.User:
		return errors.New("message " + number + " is not yours; /edit changes messages of yours")
	case strings.TrimSpace(text) == "":
		return errors.New("use /edit NUMBER TEXT, with the new text")
	}
	c.send(ctx, session.Draft{Instead: m.ID, Text: strings.TrimSpace(text)})
	return nil
}

// retry asks again, for the last answer or the one with a number, and perhaps another model.
func (c *chat) retry(ctx context.Context, args string) error {
	message, ref := int64(0), args
	if first, rest, _ := strings.Cut(args, " "); first != "" && strings.Trim(first, "0123456789") == "" {
		m, err := c.messageAt(first)
		if err != nil {
			return err
		}
		message, ref = m.ID, strings.TrimSpace(rest)
	}
	return c.follow(ctx, func(ctx context.Context) <-chan session.Event {
		return c.s.Regenerate(ctx, message, ref)
	})
}

// version goes to the next version of a message.
func (c *chat) version(ctx context.Context, number string) error {
	m, err := c.messageAt(number)
	if err != nil {
		return err
	}
	v, err := c.s.SwitchVersion(ctx, m.ID, 1)
	if errors.Is(err, session.ErrOneVersion) {
		return errors.New("message " + number + " has no other version; /edit and /retry make one")
	}
	return c.done(err, fmt.Sprintf("Message %s is version %d of %d now. /history prints what follows it.", number,
		v.Nth, v.Of))
}

// fork goes on in a copy of the chat up to a message.
func (c *chat) fork(ctx context.Context, number string) error {
	message := int64(0)
	if number != "" {
		m, err := c.messageAt(number)
		if err != nil {
			return err
		}
		message = m.ID
	}
	if c.s.Temporary() {
		return errors.New("this chat is not saved, and cannot be forked")
	}
	row, err := c.s.Fork(ctx, message)
	if err != nil {
		return err
	}
	return c.openStored(ctx, row.ID, "This is a copy of it.")
}
