package composer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostPrompts is how many of the prompts sent before are in reach.
const mostPrompts = 10_000

// PromptLabel is a prompt on one line. Its files are named in front.
func PromptLabel(d store.Draft) string {
	var names []string
	for _, f := range d.Folds {
		if f.Path != "" {
			names = append(names, "["+filepath.Base(f.Path)+"]")
		}
	}
	return markdown.OneLine(strings.Join(append(names, d.Text), " "), 400)
}

// nothing says that a draft holds nothing that is worth keeping.
func nothing(d store.Draft) bool { return strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 }

// Remember puts a draft in front of the prompts sent before. The prompt that is shown stays.
func (c *Model) Remember(d store.Draft) {
	if nothing(d) {
		return
	}
	p := store.Prompt{Draft: d}
	shown := d.Hash()
	if c.At > 0 {
		shown = c.Prompts[c.At-1].Hash()
	}
	c.Prompts = slices.Insert(slices.DeleteFunc(slices.Clone(c.Prompts),
		func(o store.Prompt) bool { return o.Hash() == d.Hash() }), 0, p)
	if c.At > 0 {
		c.At = 1 + slices.IndexFunc(c.Prompts, func(o store.Prompt) bool { return o.Hash() == shown })
	}
}

// promptsMsg are prompts of the history that were not read before, the newest first.
type promptsMsg struct {
	prompts []store.Prompt
	err     error
}

func (promptsMsg) composerMsg() {}

// LoadPrompts reads the prompts of the history.
func (c *Model) LoadPrompts() tea.Cmd {
	db, after := c.Deps.Prompts, c.read
	if db == nil {
		return nil
	}
	return c.Run(func(ctx context.Context) tea.Msg {
		prompts, err := db.Prompts(ctx, after, mostPrompts)
		return promptsMsg{prompts, err}
	})
}

// promptsRead puts the prompts of the history, those of other windows among them, behind those that were only ever
// written here. While one of them is looked at, they stay where they are.
func (c *Model) promptsRead(msg promptsMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return c.SayError(theme.Sentence(msg.err))
	case c.At == 0:
		c.recall(msg.prompts)
	}
	return nil
}

// recall takes in prompts of the history that it has not read before, the newest first. Those that are known stay in
// their order, with what was only written here; those of other windows come where they stood among them.
func (c *Model) recall(stored []store.Prompt) {
	at := map[[sha256.Size]byte]int{}
	for i, p := range c.Prompts {
		at[p.Hash()] = i
	}
	var all []store.Prompt
	next := 0
	for _, p := range stored {
		c.read = max(c.read, p.ID)
		i, known := at[p.Hash()]
		switch {
		case !known:
			at[p.Hash()] = -1
			all = append(all, p)
		case i >= next:
			c.Prompts[i] = p // the text can be read from the history now
			all = append(all, c.Prompts[next:i+1]...)
			next = i + 1
		}
	}
	c.Prompts = append(all, c.Prompts[next:]...)
}

// KeepPrompt writes a sent prompt down for the arrow keys, and reads what other windows sent meanwhile.
func (c *Model) KeepPrompt(d store.Draft) tea.Cmd {
	db, temporary := c.Home, c.Temporary
	if db == nil || db.ReadOnly() || nothing(d) {
		return nil
	}
	id, after := c.Session, c.read
	return c.Run(func(ctx context.Context) tea.Msg {
		if err := db.AddPrompt(ctx, id, d); err != nil {
			return failedMsg{fmt.Errorf("keep the prompt: %w", err)}
		}
		if temporary {
			return nil // its memory knows nothing of other windows
		}
		prompts, err := db.Prompts(ctx, after, mostPrompts)
		return promptsMsg{prompts, err}
	})
}

// walk goes a step to an older prompt or a newer one, or says that there is none.
func (c *Model) walk(step int, none string) tea.Cmd {
	to := c.At + step
	if to < 0 || to > len(c.Prompts) {
		return c.Say(none)
	}
	c.Emit(event.News{})
	if to == 0 {
		c.show(0, store.Draft{})
		return nil
	}
	return c.readFiles(c.show(to, c.Prompts[to-1].Draft))
}

// show shows a prompt sent before by its place, 0 for the draft, which waits meanwhile. It returns the chips whose
// files have to be read.
func (c *Model) show(at int, d store.Draft) (files []int) {
	if c.At == 0 {
		c.own = c.Writing
	}
	if at > 0 {
		files = c.Restore(d)
	} else {
		c.resume(c.own)
	}
	c.At = at
	return files
}

// TakePrompt takes a prompt of the list into the draft.
func (c *Model) TakePrompt(i int) tea.Cmd {
	if i < 0 || i >= len(c.Prompts) {
		return nil
	}
	return c.readFiles(c.Restore(c.Prompts[i].Draft))
}
