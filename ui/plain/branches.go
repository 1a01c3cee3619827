package plain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// numbered is the message with a number of /history.
func (c *chat) numbered(word string) (store.Message, error) {
	list := c.s.Branch()
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > list.Len() {
		return store.Message{}, errors.New("there is no message " + theme.OneLine(word) +
			"; /history prints their numbers")
	}
	return list.Message(n - 1)
}

// edit sends another text in the place of an earlier message. Without the text it prints the message and reads the new
// one, as messages are read.
func (c *chat) edit(ctx context.Context, args string) error {
	number, text, _ := strings.Cut(args, " ")
	m, err := c.numbered(number)
	switch {
	case err != nil:
		return err
	case m.Role != history.User:
		return errors.New("message " + number + " is not yours; /edit changes messages of yours")
	}
	if text = strings.TrimSpace(text); text == "" {
		c.say("Message %s is:", number)
		c.write(m.Content)
		c.say("Type the new text. An empty line cancels.")
		if text, err = c.message(ctx); err != nil {
			return nil // The input has ended, and so does the chat.
		}
	}
	if strings.TrimSpace(text) == "" {
		c.say("It is unchanged.")
		return nil
	}
	err = c.follow(ctx, func(ctx context.Context) <-chan session.Event {
		return c.s.Send(ctx, session.Draft{Instead: m.ID, Text: text})
	})
	if over := (*session.OversizeError)(nil); errors.As(err, &over) {
		return errors.New(over.Sentence(wayOut) + " Nothing was sent or saved.")
	}
	return err
}

// retry asks again, for the last answer or the one that is named by its number, and perhaps another model.
func (c *chat) retry(ctx context.Context, args string) error {
	message, ref := int64(0), args
	if first, rest, _ := strings.Cut(args, " "); strings.Trim(first, "0123456789") == "" && first != "" {
		m, err := c.numbered(first)
		if err != nil {
			return err
		}
		message, ref = m.ID, strings.TrimSpace(rest)
	}
	return c.follow(ctx, func(ctx context.Context) <-chan session.Event {
		return c.s.Regenerate(ctx, message, ref)
	})
}

// versions lists the messages that have other versions, or goes to another version of one.
func (c *chat) versions(ctx context.Context, args string) error {
	words := strings.Fields(args)
	switch len(words) {
	case 0:
		none := true
		list := c.s.Branch()
		for i := range list.Len() {
			if list.Row(i).Siblings < 2 {
				continue
			}
			m, err := list.Message(i)
			if err != nil {
				return err
			}
			c.say("%s", versionOf(i+1, m.Role, m.Sibling, m.Siblings))
			none = false
		}
		if none {
			c.say("No message has another version. /edit and /retry make one.")
		}
		return nil
	case 1, 2:
	default:
		return errors.New("use /versions, or /versions NUMBER VERSION")
	}
	m, err := c.numbered(words[0])
	if err != nil {
		return err
	}
	by := 1
	if len(words) == 2 {
		siblings, err := c.s.Versions(ctx, m.ID)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 1 || n > len(siblings) {
			return fmt.Errorf("message %s has %s", words[0], theme.Plural(len(siblings), "version"))
		}
		by = n - 1 - slices.Index(siblings, m.ID)
	}
	v, err := c.s.SwitchVersion(ctx, m.ID, by)
	if errors.Is(err, session.ErrOneVersion) {
		return errors.New("message " + words[0] + " has no other version")
	}
	number, _ := strconv.Atoi(words[0]) // it was read above
	return c.did(err, versionOf(number, m.Role, v.Nth, v.Of)+
		" now, with what follows it. /history prints the chat.")
}

// versionOf says which version of a message the conversation holds.
func versionOf(number int, role history.Role, nth, of int) string {
	return fmt.Sprintf("message %s, %s: version %s of %s", theme.Thousands(number), theme.Speaker(role),
		theme.Thousands(nth), theme.Thousands(of))
}

// fork goes on in a copy of the conversation up to a message.
func (c *chat) fork(ctx context.Context, number string) error {
	message := int64(0)
	if number != "" {
		m, err := c.numbered(number)
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
	s, err := session.Open(ctx, c.Deps, row.ID, c.s.Model().Ref())
	if err != nil {
		return err
	}
	return c.goTo(ctx, s, "This is a copy of it.")
}
