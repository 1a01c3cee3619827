package plain

import (
	"context"
	"strings"

	"winnow/session"
	"winnow/session/approval"
	"winnow/ui/theme"
)

// tools lists what the model may call.
func (c *chat) tools(context.Context, string) error {
	list, all := c.s.ToolStates()
	if len(list) == 0 {
		c.say("This model is offered no tools.")
		return nil
	}
	for _, s := range list {
		name := theme.OneLine(s.Tool.Name)
		if s.Tool.Server != "" {
			name += " of " + theme.OneLine(s.Tool.Server)
		}
		c.say("%s, %s: %s", name, s.Permission, theme.OneLine(s.Tool.Description))
	}
	c.say("Together they add %s to each request.", theme.Plural(all, "token"))
	return nil
}

// approve asks whether a tool call may run.
func (c *chat) approve(ctx context.Context, e session.Asked, stop func()) {
	from := ""
	if e.Server != "" {
		from = " of " + theme.OneLine(e.Server)
	}
	c.say("The model wants to call the tool %s%s with:", theme.OneLine(e.Call.Name), from)
	c.say("%s", e.Arguments.Object)
	if len(e.Arguments.Repairs) > 0 {
		c.say("These arguments were repaired: the model wrote something different.")
	}
	words, answers := []string{"no", "yes"}, map[string]approval.Choice{"yes": approval.Once}
	asks := "Run it? y: yes"
	for _, choice := range e.Choices {
		switch choice {
		case approval.Session:
			words, answers["session"] = append(words, "session"), choice
			asks += ", s: yes, and its later calls in this chat"
		case approval.Forever:
			words, answers["always"] = append(words, "always"), choice
			asks += ", a: always"
		}
	}
	words = append(words, "reason")
	word := c.choose(ctx, asks+", n: no, r: no, with a reason for the model", stop, words...)
	choice, ok := answers[word]
	if !ok {
		choice = approval.No
	}
	answer := approval.Answer{Choice: choice}
	if word == "reason" {
		c.prompt("reason: ")
		read := c.line
		if c.Terminal {
			read = c.typed
		}
		text, stopped, err := read(ctx)
		if stopped {
			stop()
		}
		if !stopped && err == nil {
			answer.Reason = strings.TrimSpace(text)
		}
	}
	e.Answer(answer)
}
