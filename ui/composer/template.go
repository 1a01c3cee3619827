package composer

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// writtenMsg is the draft that a command wrote, or why it did not.
type writtenMsg struct {
	from string // the command as it was typed
	text string
	err  error
}

func (writtenMsg) composerMsg() {}

// WriteDraft has a command of Templates write the draft, with what stands behind the command. It is false where there
// is no such command.
func (c *Model) WriteDraft(command, args string) (tea.Cmd, bool) {
	if c.Templates == nil || !slices.ContainsFunc(c.Templates(), func(t Command) bool { return t.Name == command }) {
		return nil, false
	}
	write := c.MakeDraft
	return c.Run(func(ctx context.Context) tea.Msg {
		text, err := write(ctx, command, Words(args))
		return writtenMsg{"/" + command + " " + args, text, err}
	}), true
}

// written puts the draft that a command wrote in the place of an empty one, and behind what was typed meanwhile.
func (c *Model) written(msg writtenMsg) tea.Cmd {
	if msg.err != nil {
		if c.Empty() {
			c.Set(msg.from)
		}
		return c.SayError(theme.Sentence(msg.err))
	}
	if !c.Empty() {
		c.Area.Insert("\n\n")
	}
	c.Paste(msg.text)
	c.Emit(Focused{})
	return c.Emit(Changed{})
}
