package plain

import (
	"context"
	"strings"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// mostFound is how many messages of other sessions /search lists.
const mostFound = 20

// search finds a text in this conversation, whether it is sent or not, and words in the other sessions.
func (c *chat) search(ctx context.Context, text string) error {
	plan, err := c.s.Preview(session.Draft{})
	if err != nil {
		return err
	}
	sent := map[int64]string{}
	for _, e := range plan.Entries {
		sent[e.ID] = verdict(e)
	}
	found := 0
	list := c.s.Branch()
	err = list.Each(ctx, 0, list.Len(), func(i int, m store.Message) error {
		line, ok := lineWith(m.Content, text)
		if !ok {
			return nil
		}
		found++
		now := sent[m.ID]
		if now == "" {
			now = "whole"
		}
		c.say("Message %s, %s, %s: %s", theme.Thousands(i+1), theme.Speaker(m.Role), now,
			c.Secrets.Line(theme.OneLine(line)))
		return nil
	})
	if err != nil {
		return err
	}
	if found == 0 {
		c.say("This chat has no message with it.")
	}
	hits, err := c.Deps.Store.Search(ctx, store.Search{Text: text, Limit: mostFound})
	if err != nil {
		return err
	}
	for _, h := range hits {
		if h.Session.ID == c.s.Info().ID {
			continue
		}
		h, _ = h.Without(c.Secrets.In, theme.Redacted)
		c.say("%s, %s, %s: %s", short(h.Session.ID), c.Secrets.Line(theme.OneLine(h.Session.Title)),
			theme.Speaker(h.Role), theme.OneLine(h.Snippet))
	}
	return nil
}

// lineWith is the first line of a text that holds another, in small or capital letters.
func lineWith(text, part string) (line string, ok bool) {
	part = strings.ToLower(part)
	for line := range strings.Lines(text) {
		if strings.Contains(strings.ToLower(line), part) {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}
