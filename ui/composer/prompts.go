package composer

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostPrompts is how many of the prompts sent before are in reach.
const mostPrompts = 10_000

// promptLabel is a prompt on one line. Its files are named in front.
func promptLabel(d store.Draft) string {
	var names []string
	for _, f := range d.Folds {
		if f.Path != "" {
			names = append(names, "["+filepath.Base(f.Path)+"]")
		}
	}
	return markdown.OneLine(strings.Join(append(names, d.Text), " "), 400)
}

// nothing reports whether a draft holds nothing that is worth keeping.
func nothing(d store.Draft) bool { return strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 }

// Remember puts a draft in front of the prompts sent before.
func (c *Model) Remember(d store.Draft) {
	if nothing(d) {
		return
	}
	c.prompts = slices.DeleteFunc(c.prompts, func(p store.Draft) bool { return p.Hash() == d.Hash() })
	c.prompts = slices.Insert(c.prompts, 0, d)
}

// LoadPrompts reads the prompts of the history. They stand behind those that were written here meanwhile.
func (c *Model) LoadPrompts() tea.Cmd {
	db := c.With.Store
	if db == nil {
		return nil
	}
	var all []store.Draft
	return c.InOrder(func(ctx context.Context) (err error) {
		all, err = db.Prompts(ctx, mostPrompts)
		return err
	}, func(err error) tea.Cmd {
		c.prompts = append(c.prompts, all...)
		return c.failed(err)
	})
}

// failed says why something could not be read or written down, nil for no reason.
func (c *Model) failed(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return c.Fail(theme.Sentence(err))
}

// keepPrompt writes a prompt down for the arrow keys.
func (c *Model) keepPrompt(d store.Draft) tea.Cmd {
	db, id := c.Session.Store(), c.Info.ID
	if db == nil || db.ReadOnly() || nothing(d) {
		return nil
	}
	return c.InOrder(func(ctx context.Context) error { return db.AddPrompt(ctx, id, d) }, c.failed)
}

// walk goes a step to an older prompt or a newer one, or says that there is none.
func (c *Model) walk(step int, none string) tea.Cmd {
	to := c.prompt + step
	if to < 0 || to > len(c.prompts) {
		return c.Say(none)
	}
	c.Screen.News("")
	own := c.draft
	if c.prompt != 0 {
		own = *c.behind
	}
	if to == 0 {
		c.resume(own)
		return nil
	}
	cmd := c.restore(c.prompts[to-1])
	c.prompt, c.began, c.behind = to, c.Area.Changes(), &own
	return cmd
}

// listPrompts lists the prompts sent before.
func (c *Model) listPrompts() tea.Cmd {
	var items []list.Item
	prompts := slices.Clone(c.prompts) // a draft that is read meanwhile comes in front of them
	for i, p := range prompts {
		items = append(items, list.Item{Label: promptLabel(p), Value: strconv.Itoa(i)})
	}
	o := list.Options{Title: "prompts", Prompt: "Find an earlier prompt", Does: "put in the draft"}
	c.Screen.Open(list.New(c.Context, o, items...), func(value string) tea.Cmd {
		c.Screen.Focus()
		i, _ := strconv.Atoi(value)
		return c.restore(prompts[i])
	}, nil)
	return nil
}
